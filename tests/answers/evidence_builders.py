"""Makes ranked passages and evidence for tests of what needs no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from answers.sentence_scores import SentenceWeights, score_sentences
from answers.types import Brief
from retrieval.evidence import Evidence, choose_evidence
from retrieval.results import RankedPassage, RankedSentence
from retrieval.splitting.sentences import sentence_spans

NAMESPACE = UUID(int=7)
WEIGHTS = SentenceWeights(similarity=1, neighbour=0.25, passage=0.5, words=0.75, amount=0.2)


def count_words(text: str) -> int:
    return len(text.split())


def ranked(
    text: str,
    *,
    revision_id: int = 1,
    start: int = 0,
    end: int | None = None,
    similarities: Sequence[float] | None = None,
    **changes: Any,
) -> RankedPassage:
    """Make a passage of a text; each sentence is as near to the question as the next."""
    end = len(text) if end is None else end
    spans = sentence_spans(text, start, end, kind=changes.get("kind", "paragraph"))
    given = [0.5] * len(spans) if similarities is None else similarities
    passage = RankedPassage(
        passage_id=revision_id * 1000 + start,
        revision_id=revision_id,
        document_id=uuid5(NAMESPACE, str(revision_id)),
        document_slug=f"document-{revision_id}",
        document_title="Rules",
        revision_number=1,
        original_name=f"{revision_id}.md",
        language="en",
        start=start,
        end=end,
        text=text[start:end],
        kind="paragraph",
        heading_path=(),
        section_start=0,
        section_end=len(text),
        page=None,
        rank=1,
        lexical_rank=None,
        dense_rank=1,
        score=1.0,
        similarity=0.5,
        lexical_score=1.0,
        sentences=tuple(
            RankedSentence(start=first, end=last, similarity=similarity)
            for (first, last), similarity in zip(spans, given, strict=True)
        ),
    )
    return replace(passage, **changes)


def evidence_of(texts: dict[int, str], *passages: RankedPassage) -> tuple[Evidence, ...]:
    """Choose evidence with room for everything."""
    chosen = choose_evidence(
        passages,
        texts,
        count_tokens=count_words,
        budget_tokens=100_000,
        most_overlap=0.5,
        known_languages=frozenset({"en"}),
    )
    return chosen.packed


def brief_of(question: str, texts: dict[int, str], *passages: RankedPassage) -> Brief:
    """Make what a writer is given."""
    evidence = evidence_of(texts, *passages)
    scored = score_sentences(question, evidence, WEIGHTS)
    return Brief(question=question, evidence=evidence, sentences=tuple(scored))
