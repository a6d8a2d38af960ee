"""Word statistics by visibility group, of the passages in force. Kept, never guessed.

Which revisions are counted, and where, stands beside them (IndexedRevision.counted_in), so that
bringing the counts up to date is idempotent, whatever happened before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

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
    _move(_indexed(revision__document__in=document_ids), at=max(at, timezone.now()))


def forget_revisions(revision_ids: Sequence[int]) -> None:
    """Take the words of revisions out of the counts, before their passages go."""
    _move(_indexed(revision__in=revision_ids), at=None)


@transaction.atomic
def repair_statistics(*, at: datetime) -> int:
    """Bring up to date what no news told of: starts and ends that passed while nothing ran.

    Returns: how many documents were counted wrongly.
    """
    in_force = Exists(Revision.objects.in_force(at).filter(pk=OuterRef("revision")))
    missed = IndexedRevision.objects.filter(in_force, counted_in=None)
    ended = IndexedRevision.objects.filter(~in_force).exclude(counted_in=None)
    document_ids = {
        document_id
        for rows in (missed, ended)
        for document_id in rows.values_list("revision__document", flat=True)
    }
    if document_ids:
        refresh_statistics(sorted(document_ids), at=at)
    return len(document_ids)


def _indexed(**conditions: object) -> QuerySet[IndexedRevision]:
    return IndexedRevision.objects.filter(**conditions)


def _move(indexed: QuerySet[IndexedRevision], *, at: datetime | None) -> None:
    """Count revisions in their groups where they are in force at a moment; None: nowhere.

    Publications lock their document, sweeps do not: whoever holds these rows decides what is
    counted, and reads only afterwards, so that nobody counts a revision twice. Rows and groups
    are locked in order, against deadlocks.
    """
    ids = [row.pk for row in indexed.select_for_update(of=("self",)).order_by("pk").only("pk")]
    changes: dict[tuple[int, int], dict[str, list[int]]] = {}
    for row, wanted in _miscounted(ids, at=at):
        for group_id, statement in ((row.counted_in_id, REMOVE_WORDS), (wanted, ADD_WORDS)):
            if group_id is not None:
                by_statement = changes.setdefault((row.index_id, group_id), {})
                by_statement.setdefault(statement, []).append(row.revision_id)
        row.counted_in_id = wanted
        row.save(update_fields=["counted_in"])
    with connection.cursor() as cursor:
        for index_id, group_id in sorted(changes):
            place = {"index_id": index_id, "group_id": group_id}
            cursor.execute(LOCK_GROUP, place)
            for statement, revision_ids in changes[index_id, group_id].items():
                cursor.execute(statement, {**place, "revision_ids": revision_ids})


def _miscounted(
    ids: Sequence[int], *, at: datetime | None
) -> Iterator[tuple[IndexedRevision, int | None]]:
    """Give the rows that are counted elsewhere than they should be, and where they should."""
    rows = IndexedRevision.objects.filter(pk__in=ids).order_by("pk")
    in_force = Revision.objects.none() if at is None else Revision.objects.in_force(at)
    wanted = dict(
        in_force.filter(pk__in=rows.values("revision")).values_list(
            "pk", "document__visibility_group"
        )
    )
    for row in rows:
        if row.counted_in_id != wanted.get(row.revision_id):
            yield row, wanted.get(row.revision_id)
