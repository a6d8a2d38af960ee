"""Word statistics by visibility group, of the passages in force. Kept, never guessed.

Which revisions are counted, and where, stands beside them (IndexedRevision.counted_in), so that
bringing the counts up to date is idempotent, whatever happened before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import connection
from django.db.models import F

from documents.models import Revision
from retrieval.models import IndexedRevision

LOCK_GROUP = "SELECT pg_advisory_xact_lock(%(index_id)s::int, %(group_id)s::int)"

ADD_WORDS = """
INSERT INTO retrieval_termstatistic AS kept (index_id, visibility_group_id, lexeme, passages)
SELECT %(index_id)s, %(group_id)s, lexeme, count(*)
FROM retrieval_passage AS passage, unnest(tsvector_to_array(passage.lexemes)) AS lexeme
WHERE passage.index_id = %(index_id)s AND passage.revision_id = ANY(%(revision_ids)s)
GROUP BY lexeme
ON CONFLICT (index_id, lexeme, visibility_group_id)
DO UPDATE SET passages = kept.passages + excluded.passages
"""

REMOVE_WORDS = """
WITH gone AS (
    SELECT lexeme, count(*) AS passages
    FROM retrieval_passage AS passage, unnest(tsvector_to_array(passage.lexemes)) AS lexeme
    WHERE passage.index_id = %(index_id)s AND passage.revision_id = ANY(%(revision_ids)s)
    GROUP BY lexeme
)
UPDATE retrieval_termstatistic AS kept
SET passages = kept.passages - gone.passages
FROM gone
WHERE kept.index_id = %(index_id)s AND kept.visibility_group_id = %(group_id)s
  AND kept.lexeme = gone.lexeme
"""


def refresh_statistics(document_ids: Sequence[int], *, at: datetime) -> None:
    """Count the words of exactly those revisions of the documents that are in force.

    Runs in the transaction that changed what is in force, or in which group.
    """
    indexed = IndexedRevision.objects.filter(revision__document__in=document_ids)
    in_force = set(
        Revision.objects.in_force(at).filter(document__in=document_ids).values_list("pk", flat=True)
    )
    rows = indexed.values_list(
        "index_id",
        "revision_id",
        "counted_in_id",
        F("revision__document__visibility_group_id"),
    )
    moves = []
    for index_id, revision_id, counted_in, group_id in rows:
        wanted = group_id if revision_id in in_force else None
        if wanted != counted_in:
            moves.append((index_id, revision_id, counted_in, wanted))
    _move(moves)


def forget_revisions(revision_ids: Sequence[int]) -> None:
    """Take the words of revisions out of the counts, before their passages go."""
    rows = IndexedRevision.objects.filter(revision__in=revision_ids).exclude(counted_in=None)
    _move(
        [
            (index_id, revision_id, counted_in, None)
            for index_id, revision_id, counted_in in rows.values_list(
                "index_id", "revision_id", "counted_in_id"
            )
        ]
    )


def _move(moves: Iterable[tuple[int, int, int | None, int | None]]) -> None:
    """Move revisions' words between groups; group locks are taken in order, against deadlocks."""
    changes: dict[tuple[int, int], dict[str, list[int]]] = {}
    for index_id, revision_id, before, after in moves:
        for group_id, statement in ((before, REMOVE_WORDS), (after, ADD_WORDS)):
            if group_id is not None:
                by_statement = changes.setdefault((index_id, group_id), {})
                by_statement.setdefault(statement, []).append(revision_id)
        IndexedRevision.objects.filter(index=index_id, revision=revision_id).update(
            counted_in=after
        )
    with connection.cursor() as cursor:
        for index_id, group_id in sorted(changes):
            place = {"index_id": index_id, "group_id": group_id}
            cursor.execute(LOCK_GROUP, place)
            for statement, revision_ids in changes[index_id, group_id].items():
                cursor.execute(statement, {**place, "revision_ids": revision_ids})
