"""Asks a suite's questions as their askers, the one way that everyone asks, and measures.

Refuses any other way to an answer, and any reader but the one whom the question names.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from django.utils import timezone

from answers.models import OfferedPassage
from answers.services import answer_question
from answers.setup import AnswerSetup
from answers.types import AnswerCitation, AnswerPassage, AnswerResponse
from documents.errors import ProductError
from documents.models import Revision
from documents.visibility import scope_for_groups
from evaluation.safety import RevisionKey, judge, referenced_revisions
from evaluation.types import Case, CaseOutcome, FileSpan, SafetyFindings

EMBEDDING_STAGE = "embed"

Show = Callable[[int], None]


def run_suite(
    cases: Sequence[Case], *, setup: AnswerSetup, now: datetime, show: Show
) -> list[CaseOutcome]:
    """Return what came of each case, in order; a case without a moment is asked about `now`."""
    setup.embedder.embed_question(cases[0].question)  # the first use of a model pays for waking it
    outcomes = []
    for done, case in enumerate(cases, start=1):
        outcomes.append(run_case(case, setup=setup, now=now))
        show(done)
    return outcomes


def run_case(case: Case, *, setup: AnswerSetup, now: datetime) -> CaseOutcome:
    """Ask one question as its asker and judge the response from outside."""
    at = case.as_of or now
    started = time.perf_counter()
    try:
        response = answer_question(
            case.question,
            scope=scope_for_groups(case.asker_groups, at=at),
            asker=None,
            asked_at=timezone.now(),
            setup=setup,
        )
    except ProductError as error:
        return _unasked(case, error, total_ms=_ms_since(started))
    total_ms = _ms_since(started)
    revisions = referenced_revisions(response)
    ranked = sorted(response.passages, key=lambda passage: passage.rank)
    return CaseOutcome(
        case=case,
        passages=_spans(ranked, revisions),
        packed=_packed(response),
        cited=_spans(response.citations, revisions),
        refusal_reason=response.refusal_reason,
        answer_chars=len(response.answer or ""),
        safety=judge(case, response, revisions=revisions, at=at),
        total_ms=total_ms,
        embed_ms=response.timings_ms.get(EMBEDDING_STAGE),
    )


def _unasked(case: Case, error: ProductError, *, total_ms: float) -> CaseOutcome:
    """Return the outcome of a question in which there was nothing to look for."""
    return CaseOutcome(
        case=case,
        passages=(),
        packed=(),
        cited=(),
        refusal_reason=error.code,
        answer_chars=0,
        safety=SafetyFindings(),
        total_ms=total_ms,
        embed_ms=None,
    )


def _spans(
    pointers: Iterable[AnswerPassage | AnswerCitation], revisions: Mapping[RevisionKey, Revision]
) -> tuple[FileSpan, ...]:
    """Return the spans by the names of the files that their revisions came from."""
    return tuple(
        FileSpan(revisions[item.document.id, item.revision].original_name, item.start, item.end)
        for item in pointers
        if (item.document.id, item.revision) in revisions
    )


def _packed(response: AnswerResponse) -> tuple[FileSpan, ...]:
    """Return the spans that the stored answer says its writer was given."""
    rows = OfferedPassage.objects.filter(answer__query_id=response.query_id, packed=True)
    return tuple(
        FileSpan(*row) for row in rows.values_list("revision__original_name", "start", "end")
    )


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
