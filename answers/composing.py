"""From ranked passages to claims that hold, or the reason why there are none. Stores nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from answers.confidence import Signals, estimate, read_signals
from answers.grounding import OfferedSpan, ground
from answers.refusal import reason_after_writing, reason_before_writing
from answers.sentence_scores import score_sentences
from answers.setup import AnswerSetup
from answers.types import Brief, DraftClaim, RefusalReason
from retrieval.evidence import PackedEvidence, choose_evidence
from retrieval.languages import language_of_question
from retrieval.results import Retrieval
from retrieval.types import StageTrace


@dataclass(slots=True)
class StageClock:
    """Collects what each stage took and how many things it left."""

    stages: list[StageTrace] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, *, count_in: int) -> Iterator[list[int]]:
        """Time a stage, which puts into the list how many things it leaves."""
        started = time.perf_counter()
        left: list[int] = []
        yield left
        spent_ms = (time.perf_counter() - started) * 1000
        self.stages.append(
            StageTrace(name=name, count_in=count_in, count_out=sum(left), ms=spent_ms)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """An answer before the last look at what its reader may read: claims, or a reason."""

    retrieval: Retrieval
    evidence: PackedEvidence
    claims: tuple[DraftClaim, ...]
    reason: RefusalReason | None
    confidence: float


def compose(
    retrieval: Retrieval, texts: Mapping[int, str], setup: AnswerSetup, clock: StageClock
) -> Composed:
    """Choose evidence, judge it, write, and keep the claims that are carried by it.

    Shapes: `texts` by revision id, read through the gate.
    """
    passages = retrieval.passages
    with clock.stage("pack", count_in=len(passages)) as left:
        evidence = choose_evidence(
            passages,
            texts,
            count_tokens=setup.writer.count_tokens,
            budget_tokens=setup.config.evidence_tokens,
            most_overlap=setup.config.most_overlap,
            known_languages=languages_that_compare(retrieval, setup),
        )
        left.append(len(evidence.packed))
    with clock.stage("weigh", count_in=len(evidence.packed)) as left:
        brief = make_brief(retrieval, evidence, setup)
        confidence = weigh(brief, retrieval, setup)
        left.append(len(brief.sentences))
    reason = reason_before_writing(evidence, confidence=confidence, threshold=setup.threshold)
    claims: tuple[DraftClaim, ...] = ()
    if reason is None:
        claims, reason = _write(brief, texts, setup, clock)
    return Composed(
        retrieval=retrieval,
        evidence=evidence,
        claims=claims,
        reason=reason,
        confidence=confidence,
    )


def languages_that_compare(retrieval: Retrieval, setup: AnswerSetup) -> frozenset[str]:
    """Return the languages in which a similarity to this question means something."""
    language = language_of_question(retrieval.question.text)
    known = setup.embedder.languages
    return known if language == "und" or language in known else frozenset()


def make_brief(retrieval: Retrieval, evidence: PackedEvidence, setup: AnswerSetup) -> Brief:
    """Return what a writer is given: packed evidence only, its sentences best first."""
    question = retrieval.question.text
    scored = score_sentences(question, evidence.packed, setup.config.sentence_weights)
    return Brief(question=question, evidence=evidence.packed, sentences=tuple(scored))


def weigh(brief: Brief, retrieval: Retrieval, setup: AnswerSetup) -> float:
    """Return the calibrated confidence, 0 where there is nothing to write from."""
    if not brief.sentences:
        return 0.0
    return estimate(signals_of(brief, retrieval), setup.calibration)


def signals_of(brief: Brief, retrieval: Retrieval) -> Signals:
    """Return the signs that speak for an answer from what was found."""
    return read_signals(
        brief, retrieval.term_weights, permitted_passages=retrieval.permitted_passages
    )


def _write(
    brief: Brief, texts: Mapping[int, str], setup: AnswerSetup, clock: StageClock
) -> tuple[tuple[DraftClaim, ...], RefusalReason | None]:
    with clock.stage("write", count_in=len(brief.evidence)) as left:
        draft = setup.writer.write(brief)
        left.append(len(draft.claims))
    offered = [
        OfferedSpan(revision_id=item.passage.revision_id, start=item.start, end=item.end)
        for item in brief.evidence
    ]
    with clock.stage("ground", count_in=len(draft.claims)) as left:
        grounded = ground(draft, offered, texts, checker=setup.checker)
        left.append(len(grounded.claims))
    reason = reason_after_writing(draft, claims_left=len(grounded.claims))
    return grounded.claims, reason
