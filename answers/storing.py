"""Writes one answer's rows, all at once. They are never changed afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from answers.composing import Composed
from answers.json_form import filters_as_json
from answers.models import Answer, Citation, Claim, OfferedPassage, StageRecord
from answers.setup import AnswerSetup
from answers.types import CitedSpan, DraftClaim
from documents.visibility import ReadScope, Viewer
from retrieval.results import RankedPassage
from retrieval.types import StageTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer's rows, in their order."""

    answer: Answer
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    passages: tuple[OfferedPassage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Who asks, with which rights and about which moment, and when."""

    scope: ReadScope
    asker: User | None
    asked_at: datetime


def store_answer(
    composed: Composed, asking: Asking, *, setup: AnswerSetup, stages: Sequence[StageTrace]
) -> StoredAnswer:
    """Add the answer or refusal with its claims, citations, passages and stages."""
    answer = _answer_row(composed, asking, setup=setup, stages=stages)
    answer.save()
    claims, citations = _claim_rows(answer, composed.claims)
    passages = _passage_rows(answer, composed)
    Claim.objects.bulk_create(claims)
    Citation.objects.bulk_create(citations)
    OfferedPassage.objects.bulk_create(passages)
    StageRecord.objects.bulk_create(
        StageRecord(
            answer=answer,
            number=number,
            name=stage.name,
            count_in=stage.count_in,
            count_out=stage.count_out,
            ms=stage.ms,
        )
        for number, stage in enumerate(stages, start=1)
    )
    return StoredAnswer(
        answer=answer, claims=tuple(claims), citations=tuple(citations), passages=tuple(passages)
    )


def quote_fingerprint(quote: str) -> str:
    """Return the SHA-256 of a quote in UTF-8, as hexadecimal digits."""
    return hashlib.sha256(quote.encode("utf-8")).hexdigest()


def _answer_row(
    composed: Composed, asking: Asking, *, setup: AnswerSetup, stages: Sequence[StageTrace]
) -> Answer:
    retrieval = composed.retrieval
    refused = composed.reason is not None
    timings = {stage.name: round(stage.ms, 3) for stage in stages}
    return Answer(
        asker=asking.asker,
        question=retrieval.question.text,
        asked_at=asking.asked_at,
        as_of=asking.scope.at,
        filters=filters_as_json(retrieval.question.filters),
        scope_fingerprint=scope_fingerprint(asking.scope),
        outcome=Answer.Outcome.REFUSED if refused else Answer.Outcome.ANSWERED,
        refusal_reason=composed.reason or "",
        confidence=round(composed.confidence, 4),
        index_number=retrieval.index_id,
        config=_config_of(setup),
        writer=setup.writer.name,
        permitted_passages=retrieval.permitted_passages,
        dense_plan=retrieval.plan,
        citation_count=sum(len(claim.spans) for claim in composed.claims),
        timings_ms={**timings, "total": round(sum(timings.values()), 3)},
        tokens={
            "budget": composed.evidence.budget_tokens,
            "evidence": composed.evidence.used_tokens,
            "skipped": sum(item.tokens for item in composed.evidence.skipped),
        },
    )


def scope_fingerprint(scope: ReadScope) -> str:
    """Return a hash of who asked: identities only, never the groups that they resolve to."""
    also = "" if scope.also is None else _identity(scope.also)
    return hashlib.sha256(f"{_identity(scope.viewer)}|{also}".encode()).hexdigest()


def _identity(viewer: Viewer) -> str:
    if viewer.group_names is not None:
        return repr(sorted(viewer.group_names))
    return f"account {viewer.user_id}"


def _config_of(setup: AnswerSetup) -> dict[str, object]:
    return {
        "mode": setup.mode.value,
        "threshold": setup.threshold,
        "passages": setup.config.passages,
        "evidence_tokens": setup.config.evidence_tokens,
        "answer_target_chars": setup.config.answer_target_chars,
        "embedder": setup.embedder.fingerprint,
    }


def _claim_rows(answer: Answer, drafts: Sequence[DraftClaim]) -> tuple[list[Claim], list[Citation]]:
    claims: list[Claim] = []
    citations: list[Citation] = []
    for draft in drafts:
        claim = Claim(answer=answer, number=len(claims) + 1, text=draft.text or "")
        claims.append(claim)
        for span in draft.spans:
            citations.append(
                Citation(
                    claim=claim,
                    number=len(citations) + 1,
                    revision_id=span.revision_id,
                    start=span.start,
                    end=span.end,
                    quote_sha256=quote_fingerprint(span.quote),
                    verdict="quoted" if draft.text is None else "supported",
                )
            )
    return claims, citations


def _passage_rows(answer: Answer, composed: Composed) -> list[OfferedPassage]:
    packed = {item.passage.passage_id for item in composed.evidence.packed}
    spans = [span for claim in composed.claims for span in claim.spans]
    return [
        OfferedPassage(
            answer=answer,
            revision_id=passage.revision_id,
            start=passage.start,
            end=passage.end,
            rank=passage.rank,
            lexical_rank=passage.lexical_rank,
            dense_rank=passage.dense_rank,
            packed=passage.passage_id in packed,
            cited=any(_overlaps(passage, span) for span in spans),
        )
        for passage in composed.retrieval.passages
    ]


def _overlaps(passage: RankedPassage, span: CitedSpan) -> bool:
    return (
        passage.revision_id == span.revision_id
        and passage.start < span.end
        and span.start < passage.end
    )
