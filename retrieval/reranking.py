"""Reorders the best found passages by the sentences in them. Adds nothing, reads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.fusion import Scored, fuse_scores
from retrieval.search import FoundPassage


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankWeights:
    """How much words, the passage's meaning and its best sentence count; each at least 0."""

    lexical: float
    dense: float
    sentence: float


def rerank_by_sentences(
    passages: Sequence[FoundPassage], weights: RerankWeights
) -> list[FoundPassage]:
    """Order passages by words, meaning and their best sentence, each stretched to 0 .. 1.

    Shapes: n passages -> the same n, best first, with `score` replaced.
    Units: score has no unit, 0 to 1; ties keep the order given.
    """
    total = weights.lexical + weights.dense + weights.sentence
    if not passages or total <= 0:
        return list(passages)
    places = range(len(passages))
    lists = [
        [Scored(place, passages[place].lexical_score) for place in places],
        [Scored(place, passages[place].similarity or 0.0) for place in places],
        [Scored(place, best_similarity(passages[place])) for place in places],
    ]
    fused = fuse_scores(lists, weights=[weights.lexical, weights.dense, weights.sentence])
    return [replace(passages[place], score=score / total) for place, score in fused]


def best_similarity(passage: FoundPassage) -> float:
    """Return the similarity of the sentence nearest to the question, the passage's without any."""
    if not passage.sentences:
        return passage.similarity or 0.0
    return max(sentence.similarity for sentence in passage.sentences)


def without_repeats(passages: Sequence[FoundPassage], *, most_overlap: float) -> list[FoundPassage]:
    """Drop passages of which more than a share is already in a better one of the same revision.

    Units: `most_overlap` is a share of the passage's own characters, 0 to 1.
    """
    kept: list[FoundPassage] = []
    for passage in passages:
        length = passage.end - passage.start
        shared = max(
            (
                min(passage.end, other.end) - max(passage.start, other.start)
                for other in kept
                if other.revision_id == passage.revision_id
            ),
            default=0,
        )
        if shared <= most_overlap * length:
            kept.append(passage)
    return kept
