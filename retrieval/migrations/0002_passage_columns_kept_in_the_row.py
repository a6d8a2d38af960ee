"""Where PostgreSQL keeps the wide columns.

Vectors and weights are read for every permitted passage by the exact search, so they stay in the
row (out of it, reading them costs four times as much); lexemes are read only to build their index.
"""

from django.db import migrations

FORWARD = """
ALTER TABLE retrieval_passage
    ALTER COLUMN embedding SET STORAGE PLAIN,
    ALTER COLUMN weights SET STORAGE MAIN,
    ALTER COLUMN lexemes SET STORAGE EXTERNAL;
ALTER TABLE retrieval_sentence ALTER COLUMN embedding SET STORAGE PLAIN;
"""

BACKWARD = """
ALTER TABLE retrieval_passage
    ALTER COLUMN embedding SET STORAGE EXTERNAL,
    ALTER COLUMN weights SET STORAGE EXTENDED,
    ALTER COLUMN lexemes SET STORAGE EXTENDED;
ALTER TABLE retrieval_sentence ALTER COLUMN embedding SET STORAGE EXTERNAL;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_indexes_passages_and_word_statistics")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
