"""Reads stored answers for their asker only, each citation looked at anew for this moment."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from answers.errors import AnswerNotFound, InvalidCursor
from answers.models import Answer, Citation, OfferedPassage
from answers.responses import build_response, lost_citations
from answers.storing import StoredAnswer, scope_fingerprint
from answers.types import HistoryEntry, RefusalReason, ReopenedAnswer
from documents.selectors import read_cited
from documents.visibility import ReadScope

MOST_ENTRIES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """Some of a reader's own questions, newest first, and the cursor of the next page."""

    entries: tuple[HistoryEntry, ...]
    next_cursor: str | None


def reopen_answer(
    scope: ReadScope, query_id: UUID, *, unsigned: Collection[UUID] = ()
) -> ReopenedAnswer:
    """Return the reader's own stored answer, without what they may no longer read.

    Shapes: `scope` is the reader's at the moment of opening: rights are those of now, while the
    answer keeps the moment that it was asked about. `unsigned` holds the ids of the answers that a
    reader who is not signed in got before; nobody else can open those, and by no other way.
    Raises: AnswerNotFound, whether it is absent or somebody else's.
    """
    own = _own_answers(scope) | _unsigned_answers(scope, unsigned)
    answer = own.filter(query_id=query_id).first()
    if answer is None:
        raise AnswerNotFound
    stored = StoredAnswer(
        answer=answer,
        claims=tuple(answer.claims.all()),
        citations=tuple(Citation.objects.filter(claim__answer=answer).order_by("number")),
        passages=tuple(answer.passages.all()),
    )
    revision_ids = {citation.revision_id for citation in stored.citations}
    revision_ids |= {passage.revision_id for passage in stored.passages}
    revisions = read_cited(scope, revision_ids)
    response = build_response(stored, revisions, now=scope.at)
    return ReopenedAnswer(
        response=response,
        asked_at=answer.asked_at,
        withheld=lost_citations(stored, response),
    )


def list_history(scope: ReadScope, *, limit: int, cursor: str | None = None) -> HistoryPage:
    """Return a page of the reader's own questions, newest first.

    Units: `limit` is 1 to MOST_ENTRIES; `cursor` is what the page before gave.
    Raises: InvalidCursor.
    """
    own = _own_answers(scope)
    if cursor is not None:
        own = own.filter(pk__lt=_find_at_cursor(scope, cursor).pk)
    wanted = max(1, min(limit, MOST_ENTRIES))
    answers = list(own.order_by("-pk")[: wanted + 1])
    shown = answers[:wanted]
    return HistoryPage(
        entries=tuple(_entry(answer) for answer in shown),
        next_cursor=str(shown[-1].query_id) if len(answers) > wanted else None,
    )


def _own_answers(scope: ReadScope) -> QuerySet[Answer]:
    if scope.viewer.user_id is None or scope.also is not None:
        return Answer.objects.none()
    return Answer.objects.filter(asker=scope.viewer.user_id)


def _unsigned_answers(scope: ReadScope, query_ids: Collection[UUID]) -> QuerySet[Answer]:
    """Return those of the answers that were given to somebody who is not signed in either.

    A command's answers have no asker too; the fingerprint tells them apart.
    """
    if scope.viewer.user_id is not None:
        return Answer.objects.none()
    return Answer.objects.filter(
        asker=None, query_id__in=query_ids, scope_fingerprint=scope_fingerprint(scope)
    )


def _find_at_cursor(scope: ReadScope, cursor: str) -> Answer:
    try:
        query_id = UUID(cursor)
    except ValueError as error:
        raise InvalidCursor("There is no such page of the history.") from error
    answer = _own_answers(scope).filter(query_id=query_id).first()
    if answer is None:
        raise InvalidCursor("There is no such page of the history.")
    return answer


def _entry(answer: Answer) -> HistoryEntry:
    reason = answer.refusal_reason
    return HistoryEntry(
        query_id=answer.query_id,
        question=answer.question,
        asked_at=answer.asked_at,
        as_of=answer.as_of,
        refused=answer.outcome == Answer.Outcome.REFUSED,
        refusal_reason=RefusalReason(reason) if reason else None,
        citation_count=answer.citation_count,
    )


def packed_ranks(query_id: UUID) -> frozenset[int]:
    """Return the ranks of the passages that the writer was given; numbers only, so no scope."""
    packed = OfferedPassage.objects.filter(answer__query_id=query_id, packed=True)
    return frozenset(packed.values_list("rank", flat=True))
