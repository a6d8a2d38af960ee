"""Triggers that keep frozen sets, runs and what was said about them as they were stored.

Only a transaction that has set `ragsite.purge` passes.
"""

from django.db import migrations

APPEND_ONLY = (
    "evaluation_run",
    "evaluation_runconfiguration",
    "evaluation_caseresult",
    "evaluation_annotation",
    "evaluation_reviewitem",
    "evaluation_judgement",
    "evaluation_runprobe",
)

FUNCTIONS = """
CREATE FUNCTION ragsite_guard_question_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.frozen_at IS NOT NULL AND NOT ragsite_is_purging() THEN
        RAISE EXCEPTION 'a frozen question set is kept as it is'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

-- Only an ended transaction may freeze a set, so the row is locked while its questions change.
CREATE FUNCTION ragsite_guard_frozen(set_id bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    frozen timestamptz;
BEGIN
    IF ragsite_is_purging() THEN
        RETURN;
    END IF;
    SELECT frozen_at INTO frozen FROM evaluation_questionset WHERE id = set_id FOR SHARE;
    IF frozen IS NOT NULL THEN
        RAISE EXCEPTION 'the questions of a frozen set are kept as they are'
            USING ERRCODE = 'restrict_violation';
    END IF;
END $$;

CREATE FUNCTION ragsite_guard_question() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM ragsite_guard_frozen(OLD.question_set_id);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM ragsite_guard_frozen(NEW.question_set_id);
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE FUNCTION ragsite_guard_gold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM ragsite_guard_frozen(question_set_id)
            FROM evaluation_question WHERE id = OLD.question_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM ragsite_guard_frozen(question_set_id)
            FROM evaluation_question WHERE id = NEW.question_id;
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE TRIGGER question_set_guard BEFORE UPDATE OR DELETE ON evaluation_questionset
    FOR EACH ROW EXECUTE FUNCTION ragsite_guard_question_set();
CREATE TRIGGER question_guard BEFORE INSERT OR UPDATE OR DELETE ON evaluation_question
    FOR EACH ROW EXECUTE FUNCTION ragsite_guard_question();
CREATE TRIGGER gold_span_guard BEFORE INSERT OR UPDATE OR DELETE ON evaluation_goldspan
    FOR EACH ROW EXECUTE FUNCTION ragsite_guard_gold();
"""

UNDO_FUNCTIONS = """
DROP TRIGGER gold_span_guard ON evaluation_goldspan;
DROP TRIGGER question_guard ON evaluation_question;
DROP TRIGGER question_set_guard ON evaluation_questionset;
DROP FUNCTION ragsite_guard_gold();
DROP FUNCTION ragsite_guard_question();
DROP FUNCTION ragsite_guard_frozen(bigint);
DROP FUNCTION ragsite_guard_question_set();
"""

FORWARD = FUNCTIONS + "".join(
    f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
    "FOR EACH ROW EXECUTE FUNCTION ragsite_append_only();\n"
    for table in APPEND_ONLY
)
BACKWARD = (
    "".join(f"DROP TRIGGER {table}_append_only ON {table};\n" for table in APPEND_ONLY)
    + UNDO_FUNCTIONS
)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0001_question_sets_runs_and_judgements"),
        ("documents", "0002_guards_on_what_is_kept_for_ever"),
    ]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
