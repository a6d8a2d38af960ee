"""Triggers that keep answers, claims, citations, passages and stages as they were stored.

Only a transaction that has set `ragsite.purge` passes.
"""

from django.db import migrations

TABLES = (
    "answers_answer",
    "answers_claim",
    "answers_citation",
    "answers_offeredpassage",
    "answers_stagerecord",
)

FORWARD = "".join(
    f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
    "FOR EACH ROW EXECUTE FUNCTION ragsite_append_only();\n"
    for table in TABLES
)
BACKWARD = "".join(f"DROP TRIGGER {table}_append_only ON {table};\n" for table in TABLES)


class Migration(migrations.Migration):
    dependencies = [
        ("answers", "0001_answers_with_claims_and_citations"),
        ("documents", "0002_guards_on_what_is_kept_for_ever"),
    ]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
