"""answer_question: retrieve, refuse?, write, ground, recheck, store, in this order and no other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import regex
from django.contrib.auth.models import User
from django.db import transaction

from answers.composing import Composed, StageClock, compose
from answers.models import Citation, Claim, OfferedPassage
from answers.responses import build_response
from answers.setup import AnswerSetup
from answers.storing import Asking, store_answer
from answers.types import AnswerResponse, RefusalReason
from documents.selectors import hold_against_purge, read_evidence
from documents.visibility import ReadScope
from retrieval.pipeline import retrieve_evidence
from retrieval.results import RankedPassage
from retrieval.types import Question, SearchFilters

_UNSTORABLE = regex.compile(r"[\p{Cs}\x00]")
NO_FILTERS = SearchFilters()


def answer_question(
    question_text: str,
    *,
    scope: ReadScope,
    asker: User | None,
    asked_at: datetime,
    setup: AnswerSetup,
    filters: SearchFilters = NO_FILTERS,
) -> AnswerResponse:
    """Answer a question from what the scope may read and what is in force at its moment, or refuse.

    Returns: the response, stored under its query id; a refusal is a response like any other.
    Raises: QuestionTooLong; NothingToSearchFor, where no word is left to look for.
    """
    question = Question(
        text=clean_question(question_text),
        mode=setup.mode,
        limit=setup.config.passages,
        filters=filters,
    )
    retrieval = retrieve_evidence(question, scope, embedder=setup.embedder, config=setup.retrieval)
    clock = StageClock(stages=list(retrieval.traces))
    with clock.stage("read_texts", count_in=len(retrieval.passages)) as left:
        texts = _texts(scope, retrieval.passages)
        left.append(len(texts))
    composed = compose(retrieval, texts, setup, clock)
    asking = Asking(scope=scope, asker=asker, asked_at=asked_at)
    return _release(composed, asking, setup=setup, clock=clock)


def clean_question(text: str) -> str:
    """Replace what cannot be stored or sent: NUL and unpaired surrogates."""
    cleaned: str = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return cleaned.strip()


def remove_purged(revision_ids: list[int]) -> None:
    """Remove the claims, citations and passages of revisions that are being purged.

    A claim goes whole: what is left of it would no longer be carried. The answer stays and says
    how many citations it once had. Runs in the transaction that purges.
    """
    Claim.objects.filter(
        pk__in=Citation.objects.filter(revision__in=revision_ids).values("claim")
    ).delete()
    OfferedPassage.objects.filter(revision__in=revision_ids).delete()


def _texts(scope: ReadScope, passages: Iterable[RankedPassage]) -> dict[int, str]:
    revisions = read_evidence(scope, {passage.revision_id for passage in passages})
    return {revision_id: revision.text for revision_id, revision in revisions.items()}


def _release(
    composed: Composed, asking: Asking, *, setup: AnswerSetup, clock: StageClock
) -> AnswerResponse:
    """Look once more, with today's rights, at everything that is to leave; then store and send.

    The look is a statement of its own in the primary database and holds the documents against
    being purged until the rows that cite them are stored.
    """
    found = composed.retrieval.passages
    revision_ids = {passage.revision_id for passage in found}
    with transaction.atomic():
        with clock.stage("recheck", count_in=len(found)) as left:
            hold_against_purge(revision_ids)
            revisions = read_evidence(asking.scope, revision_ids)
            composed = _without_lost(composed, revisions.keys())
            left.append(len(composed.retrieval.passages))
        stored = store_answer(composed, asking, setup=setup, stages=clock.stages)
    return build_response(stored, revisions, now=asking.asked_at)


def _without_lost(composed: Composed, readable: Iterable[int]) -> Composed:
    """Drop what may no longer be read; an answer that it touches becomes a refusal."""
    kept_ids = frozenset(readable)
    passages = tuple(p for p in composed.retrieval.passages if p.revision_id in kept_ids)
    if len(passages) == len(composed.retrieval.passages):
        return composed
    retrieval = replace(composed.retrieval, passages=passages)
    cited = {span.revision_id for claim in composed.claims for span in claim.spans}
    if cited <= kept_ids:
        return replace(composed, retrieval=retrieval)
    return replace(
        composed, retrieval=retrieval, claims=(), reason=RefusalReason.EVIDENCE_WITHDRAWN
    )
