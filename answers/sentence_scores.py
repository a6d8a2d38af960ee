"""How well each sentence of the evidence answers the question. Pure arithmetic."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from answers.amounts import asked_amount, holds_amount
from answers.types import ScoredSentence
from retrieval.analysis import analyse, analyse_question
from retrieval.evidence import Evidence

_MARKED_HEADING = regex.compile(r"#{1,6}[ \t]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceWeights:
    """How much each sign counts; each sign is stretched to 0 .. 1 within one question.

    `similarity` of the sentence, of the best `neighbour` beside it, of its `passage`'s place, the
    share of the question's `words` by rarity, and an `amount` of the kind asked for.
    """

    similarity: float
    neighbour: float
    passage: float
    words: float
    amount: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    evidence: int
    place: int
    text: str
    similarity: float | None
    neighbour: float | None
    words: float


def score_sentences(
    question: str, evidence: Sequence[Evidence], weights: SentenceWeights
) -> list[ScoredSentence]:
    """Score every sentence of the evidence, best first; ties by evidence, then place."""
    found = _signs(question, evidence)
    if not found:
        return []
    kind = asked_amount(question)
    similarities = _stretched([signs.similarity for signs in found], [s.words for s in found])
    neighbours = _stretched([signs.neighbour for signs in found], [s.words for s in found])
    passages = _stretched([evidence[s.evidence].passage.score for s in found], [0.0] * len(found))
    scored = []
    for signs, similarity, neighbour, passage in zip(
        found, similarities, neighbours, passages, strict=True
    ):
        has_amount = kind is not None and holds_amount(signs.text, kind)
        score = (
            weights.similarity * similarity
            + weights.neighbour * neighbour
            + weights.passage * passage
            + weights.words * signs.words
            + weights.amount * has_amount
        )
        scored.append(
            ScoredSentence(
                evidence=signs.evidence,
                place=signs.place,
                text=signs.text,
                similarity=signs.similarity,
                score=score,
            )
        )
    return sorted(scored, key=lambda item: (-item.score, item.evidence, item.place))


def word_shares(question: str, texts: Sequence[str], *, languages: Sequence[str]) -> list[float]:
    """Give, for each text, which share of the question's words it holds, by their rarity in these.

    Units: 0 to 1; a word that no text holds counts for nothing.
    """
    wanted = frozenset(_wanted(question, languages))
    held = [
        wanted.intersection(analyse(text, language=language))
        for text, language in zip(texts, languages, strict=True)
    ]
    texts_with = Counter(lexeme for lexemes in held for lexeme in lexemes)
    rarity = {
        lexeme: math.log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        for lexeme, count in sorted(texts_with.items())
    }
    total = sum(rarity.values())
    if not total:
        return [0.0] * len(texts)
    return [sum(rarity[lexeme] for lexeme in sorted(lexemes)) / total for lexemes in held]


def _wanted(question: str, languages: Sequence[str]) -> tuple[str, ...]:
    first, *others = dict.fromkeys(languages or ["en"])
    return analyse_question(question, language=first, also_in=others).lexemes


def _signs(question: str, evidence: Sequence[Evidence]) -> list[_Signs]:
    """Collect each distinct sentence once, from the best evidence that holds it."""
    found: list[tuple[int, int, str]] = []
    seen: set[tuple[int, int, int]] = set()
    for number, item in enumerate(evidence):
        # Front matter describes the text; it is found by, and not cited as what a rule says.
        if item.passage.kind == "front_matter":
            continue
        for place, sentence in enumerate(item.sentences):
            key = (item.passage.revision_id, sentence.start, sentence.end)
            text = item.text[sentence.start - item.start : sentence.end - item.start]
            if key not in seen and not _is_heading(text, item):
                seen.add(key)
                found.append((number, place, text))
    languages = [evidence[number].passage.language for number, _, _ in found]
    shares = word_shares(question, [text for _, _, text in found], languages=languages)
    return [
        _Signs(
            evidence=number,
            place=place,
            text=text,
            similarity=evidence[number].sentences[place].similarity,
            neighbour=_best_beside(evidence[number], place),
            words=share,
        )
        for (number, place, text), share in zip(found, shares, strict=True)
    ]


def _is_heading(text: str, evidence: Evidence) -> bool:
    """Whether the sentence only names what follows: it is found by, and says nothing itself."""
    if _MARKED_HEADING.match(text):
        return "\n" not in text
    titles = (evidence.passage.document_title, *evidence.passage.heading_path)
    return any(text.strip(" *_=-\n").casefold() == title.casefold() for title in titles)


def _best_beside(evidence: Evidence, place: int) -> float | None:
    beside = [
        sentence.similarity
        for sentence in evidence.sentences[max(0, place - 1) : place + 2]
        if sentence is not evidence.sentences[place] and sentence.similarity is not None
    ]
    return max(beside, default=evidence.sentences[place].similarity)


def _stretched(values: Sequence[float | None], instead: Sequence[float]) -> list[float]:
    """Stretch the values to 0 .. 1; `instead` stands where there is none."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    width = high - low
    return [
        other if value is None else (value - low) / width if width else 1.0
        for value, other in zip(values, instead, strict=True)
    ]
