"""What speaks for an answer, and what it would cite, whatever the threshold: for calibration."""

from __future__ import annotations

from dataclasses import dataclass

from answers.composing import languages_that_compare, make_brief, signals_of
from answers.confidence import Signals
from answers.services import NO_FILTERS, clean_question
from answers.setup import AnswerSetup
from documents.selectors import read_evidence
from documents.visibility import ReadScope
from retrieval.evidence import choose_evidence
from retrieval.pipeline import retrieve_evidence
from retrieval.types import Question, SearchFilters


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """A span that would be cited, by the name of the file that its revision came from."""

    original_name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The signs for one question, and what its draft would cite."""

    signals: Signals
    cited: tuple[CitedPlace, ...]


def observe(
    question_text: str, *, scope: ReadScope, setup: AnswerSetup, filters: SearchFilters = NO_FILTERS
) -> Observation:
    """Go the way of a question up to its draft; nothing is judged, checked or stored."""
    question = Question(
        text=clean_question(question_text),
        mode=setup.mode,
        limit=setup.config.passages,
        filters=filters,
    )
    retrieval = retrieve_evidence(question, scope, embedder=setup.embedder, config=setup.retrieval)
    revisions = read_evidence(scope, {passage.revision_id for passage in retrieval.passages})
    evidence = choose_evidence(
        retrieval.passages,
        {revision_id: revision.text for revision_id, revision in revisions.items()},
        count_tokens=setup.writer.count_tokens,
        budget_tokens=setup.config.evidence_tokens,
        most_overlap=setup.config.most_overlap,
        known_languages=languages_that_compare(retrieval, setup),
    )
    brief = make_brief(retrieval, evidence, setup)
    names = {revision_id: revision.original_name for revision_id, revision in revisions.items()}
    return Observation(
        signals=signals_of(brief, retrieval),
        cited=tuple(
            CitedPlace(original_name=names[span.revision_id], start=span.start, end=span.end)
            for claim in setup.writer.write(brief).claims
            for span in claim.spans
        ),
    )
