"""How likely the evidence answers the question: four signs, one logistic curve. Pure arithmetic.

The weights are fitted by `manage.py calibrate` on labelled questions and kept in one committed
file; nothing here depends on anything that the reader may not read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answers.amounts import asked_amount, holds_amount
from answers.identifiers import holds, identifiers_in, runs_of
from answers.types import Brief, ScoredSentence
from answers.unspaced import content_runs, count_held, is_unspaced
from retrieval.analysis import analyse, analyse_question
from retrieval.evidence import Evidence

FEATURES = ("similarity", "coverage", "agreement", "amount")
# The sentences that an answer can be made of, and the passages whose ranks are compared.
BEST_SENTENCES = 3
BEST_PASSAGES = 5
# Among few passages both ways agree by chance: only the best of every so many count.
PASSAGES_FOR_EACH_RANK = 100
# A question about DS-7606 is not answered from DS-7605, however alike the rest is.
MISSING_IDENTIFIER_FACTOR = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What speaks for an answer.

    Units: `similarity` is the best sentence's cosine; `coverage` is the share, by rarity, of the
    question's words that one of the best sentences holds with its headings, 0 to 1; `agreement` is
    the share of the five best passages that words and meaning each put among their own best, five
    or one of every hundred.
    Similarity and agreement are None where no vectors that mean something were compared.
    `amount` is None where the question asks for none, 1 where the best sentence holds one of the
    kind asked for, 1/2 where one of the two after it does, otherwise 0.
    `identifiers_held` is false where the question names one that no evidence holds.
    """

    similarity: float | None
    coverage: float
    agreement: float | None
    amount: float | None
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


def read_signals(
    brief: Brief, term_weights: Mapping[str, float], *, permitted_passages: int
) -> Signals:
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
        agreement=_agreement(brief.evidence, permitted_passages),
        amount=_amount(brief.question, best),
        identifiers_held=_holds_identifiers(brief),
    )


def estimate(signals: Signals, calibration: Calibration) -> float:
    """Give the confidence, 0 to 1, that the evidence answers the question."""
    signs = stretched_signs(signals, calibration.means, calibration.spreads)
    total = calibration.bias + sum(
        calibration.weights[feature] * sign for feature, sign in zip(FEATURES, signs, strict=True)
    )
    confidence = 1 / (1 + math.exp(-total))
    return confidence if signals.identifiers_held else confidence * MISSING_IDENTIFIER_FACTOR


def stretched_signs(
    signals: Signals, means: Mapping[str, float], spreads: Mapping[str, float]
) -> list[float]:
    """Give the signs in spreads from their means, in the order of FEATURES.

    Similarity and agreement that are missing are taken to be as good as the coverage, which never
    is: words alone then speak with the voice of all three. An amount that nobody asks for says
    nothing.
    """
    values = {
        "similarity": signals.similarity,
        "coverage": signals.coverage,
        "agreement": signals.agreement,
        "amount": signals.amount,
    }
    stretched = {
        feature: (value - means[feature]) / spreads[feature]
        for feature, value in values.items()
        if value is not None
    }
    instead = dict.fromkeys(FEATURES, stretched["coverage"]) | {"amount": 0.0}
    return [stretched.get(feature, instead[feature]) for feature in FEATURES]


def _coverage(
    brief: Brief, best: Sequence[ScoredSentence], term_weights: Mapping[str, float]
) -> float:
    """Give the coverage of the best sentence for it, read with its title and headings.

    One place must say what is asked: words gathered from several say nothing together.
    """
    return max((_share_held(brief, sentence, term_weights) for sentence in best), default=0.0)


def _share_held(brief: Brief, sentence: ScoredSentence, term_weights: Mapping[str, float]) -> float:
    passage = brief.evidence[sentence.evidence].passage
    place = " ".join([passage.document_title, *passage.heading_path, sentence.text])
    held = frozenset(analyse(place, language=passage.language))
    wanted = analyse_question(brief.question, language=passage.language).lexemes
    rarest = max(term_weights.values(), default=1.0)
    weights = {
        lexeme: term_weights.get(lexeme, rarest) for lexeme in wanted if not is_unspaced(lexeme)
    }
    runs = content_runs(brief.question)
    # Two characters of a script without spaces are about a word.
    each = rarest / 2
    total = sum(weights.values()) + each * sum(len(run) for run in runs)
    if not total:
        return 0.0
    found = sum(weight for lexeme, weight in weights.items() if lexeme in held)
    return (found + each * count_held(runs, held)) / total


def _amount(question: str, best: Sequence[ScoredSentence]) -> float | None:
    kind = asked_amount(question)
    if kind is None:
        return None
    held = [holds_amount(sentence.text, kind) for sentence in best]
    return 1.0 if held[:1] == [True] else 0.5 * any(held)


def _agreement(evidence: Sequence[Evidence], permitted_passages: int) -> float | None:
    if not any(_has_meaning(item) for item in evidence):
        return None
    last_rank = max(1, min(BEST_PASSAGES, permitted_passages // PASSAGES_FOR_EACH_RANK))
    agreeing = [item for item in evidence[:BEST_PASSAGES] if _found_both_ways(item, last_rank)]
    return len(agreeing) / BEST_PASSAGES


def _found_both_ways(item: Evidence, last_rank: int) -> bool:
    lexical_rank, dense_rank = item.passage.lexical_rank, item.passage.dense_rank
    by_words = lexical_rank is not None and lexical_rank <= last_rank
    by_meaning = dense_rank is not None and dense_rank <= last_rank
    # Where the embedder does not know the language, words alone have a say.
    return by_words and (by_meaning or not _has_meaning(item))


def _has_meaning(item: Evidence) -> bool:
    return any(sentence.similarity is not None for sentence in item.sentences)


def _holds_identifiers(brief: Brief) -> bool:
    identifiers = identifiers_in(brief.question)
    if not identifiers:
        return True
    texts = [
        runs_of(" ".join([item.passage.document_title, *item.passage.heading_path, item.text]))
        for item in brief.evidence
    ]
    return all(any(holds(runs, identifier) for runs in texts) for identifier in identifiers)
