"""How likely the evidence answers the question: three signs, one logistic curve. Pure arithmetic.

The weights are fitted by `manage.py calibrate` on labelled questions and kept in one committed
file; nothing here depends on anything that the reader may not read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answers.identifiers import holds, identifiers_in, runs_of
from answers.types import Brief, ScoredSentence
from retrieval.analysis import analyse, analyse_question
from retrieval.evidence import Evidence

FEATURES = ("similarity", "coverage", "agreement")
# The sentences that an answer can be made of, and the passages whose ranks are compared.
BEST_SENTENCES = 3
BEST_PASSAGES = 5
# A question about DS-7606 is not answered from DS-7605, however alike the rest is.
MISSING_IDENTIFIER_FACTOR = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What speaks for an answer.

    Units: `similarity` is the best sentence's cosine, None where no vectors that mean something
    were compared; `coverage` is the share, by rarity, of the question's words in the best
    sentences, 0 to 1; `agreement` is the share of the five best passages that words and meaning
    each put among their own five best; `identifiers_held` is false where the question names one
    that no evidence holds.
    """

    similarity: float | None
    coverage: float
    agreement: float
    identifiers_held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The fitted curve and the confidence below which a question is refused.

    Shapes: by feature its mean and spread over the labelled questions, and its weight.
    """

    means: Mapping[str, float]
    spreads: Mapping[str, float]
    weights: Mapping[str, float]
    bias: float
    threshold: float


def read_signals(brief: Brief, term_weights: Mapping[str, float]) -> Signals:
    """Read the signs from what a writer would be given.

    Shapes: `term_weights` are the question's lexemes by rarity among the permitted passages; a
    lexeme that none of them holds counts as much as the rarest.
    """
    best = brief.sentences[:BEST_SENTENCES]
    similarities = [
        sentence.similarity
        for evidence in brief.evidence
        for sentence in evidence.sentences
        if sentence.similarity is not None
    ]
    return Signals(
        similarity=max(similarities, default=None),
        coverage=_coverage(brief, best, term_weights),
        agreement=_agreement(brief.evidence),
        identifiers_held=_holds_identifiers(brief),
    )


def estimate(signals: Signals, calibration: Calibration) -> float:
    """Give the confidence, 0 to 1, that the evidence answers the question."""
    values = {
        "similarity": signals.similarity,
        "coverage": signals.coverage,
        "agreement": signals.agreement,
    }
    total = calibration.bias
    for feature in FEATURES:
        value = values[feature]
        # A sign that is missing speaks neither for nor against.
        if value is not None:
            stretched = (value - calibration.means[feature]) / calibration.spreads[feature]
            total += calibration.weights[feature] * stretched
    confidence = 1 / (1 + math.exp(-total))
    return confidence if signals.identifiers_held else confidence * MISSING_IDENTIFIER_FACTOR


def _coverage(
    brief: Brief, best: Sequence[ScoredSentence], term_weights: Mapping[str, float]
) -> float:
    if not best:
        return 0.0
    languages = [brief.evidence[sentence.evidence].passage.language for sentence in best]
    wanted = analyse_question(brief.question, language=languages[0]).lexemes
    rarest = max(term_weights.values(), default=1.0)
    weights = {lexeme: term_weights.get(lexeme, rarest) for lexeme in wanted}
    held = {
        lexeme
        for sentence, language in zip(best, languages, strict=True)
        for lexeme in analyse(sentence.text, language=language)
    }
    total = sum(weights.values())
    if not total:
        return 0.0
    return sum(weight for lexeme, weight in weights.items() if lexeme in held) / total


def _agreement(evidence: Sequence[Evidence]) -> float:
    agreeing = [item for item in evidence[:BEST_PASSAGES] if _found_both_ways(item)]
    return len(agreeing) / BEST_PASSAGES


def _found_both_ways(item: Evidence) -> bool:
    lexical_rank, dense_rank = item.passage.lexical_rank, item.passage.dense_rank
    by_words = lexical_rank is not None and lexical_rank <= BEST_PASSAGES
    by_meaning = dense_rank is not None and dense_rank <= BEST_PASSAGES
    # Where the embedder does not know the language, words alone have a say.
    has_meaning = any(sentence.similarity is not None for sentence in item.sentences)
    return by_words and (by_meaning or not has_meaning)


def _holds_identifiers(brief: Brief) -> bool:
    identifiers = identifiers_in(brief.question)
    if not identifiers:
        return True
    texts = [
        runs_of(" ".join([item.passage.document_title, *item.passage.heading_path, item.text]))
        for item in brief.evidence
    ]
    return all(any(holds(runs, identifier) for runs in texts) for identifier in identifiers)
