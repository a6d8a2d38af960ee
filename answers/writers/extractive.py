"""The extractive writer: the sentences that best answer, as they stand. Deterministic, no model.

Its claims are exact spans, so nothing can be said that the evidence does not say. A sentence that
limits a chosen one comes along, and so do the items that a sentence ending in a colon announces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from answers.types import Brief, CitedSpan, Draft, DraftClaim
from retrieval.evidence import Evidence
from retrieval.protocols import TokenCounter
from retrieval.qualifications import qualifies

SEPARATOR = "\n\n"
_BLANK_LINE = regex.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveParams:
    """What an extractive answer is made of.

    Units: `max_chars` bounds the whole answer with its separators; beyond `target_chars` only
    what limits a chosen sentence is added; `least_share` is the share of the best score that a
    further sentence must reach.
    """

    sentences: int
    max_chars: int
    target_chars: int
    least_share: float


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """A sentence of the evidence by the number of its passage and its own."""

    evidence: int
    sentence: int


class ExtractiveWriter:
    """Chooses one to three sentences, across passages and documents, with what limits them."""

    name = "extractive"

    def __init__(self, *, params: ExtractiveParams, count_tokens: TokenCounter) -> None:
        """Keep the parameters and the tokenizer that the budget of evidence is counted by."""
        self.params = params
        self._count_tokens = count_tokens

    def count_tokens(self, text: str) -> int:
        """Count tokens as the embedder does: this writer has no tokenizer of its own."""
        return self._count_tokens(text)

    def write(self, brief: Brief) -> Draft:
        """Choose the sentences and give each run of neighbours as one claim, best first."""
        chosen = self._choose(brief)
        return Draft(claims=tuple(_claim(run, brief.evidence) for run in _runs(chosen)))

    def _choose(self, brief: Brief) -> list[_Place]:
        """Take the best sentences while they fit, each with what belongs to it."""
        scored, evidence = brief.sentences, brief.evidence
        chosen: list[_Place] = []
        texts: set[str] = set()
        taken = 0
        for sentence in scored:
            if taken == self.params.sentences:
                break
            if taken and sentence.score < self.params.least_share * scored[0].score:
                break
            place = _Place(sentence.evidence, sentence.place)
            if sentence.text in texts or place in chosen:
                continue
            limit = self.params.target_chars if taken else self.params.max_chars
            if not self._fits([*chosen, place], evidence, limit=limit):
                continue
            chosen.append(place)
            texts.add(sentence.text)
            taken += 1
            self._add_what_belongs(place, chosen, evidence)
            self._add_opening_limit(place, chosen, evidence)
        return chosen

    def _add_what_belongs(
        self, place: _Place, chosen: list[_Place], evidence: Sequence[Evidence]
    ) -> None:
        item = evidence[place.evidence]
        for neighbour in range(place.sentence + 1, len(item.sentences)):
            following = _Place(place.evidence, neighbour)
            if following in chosen:
                continue
            if qualifies(_text_of(item, neighbour)):
                limit = self.params.max_chars
            elif _announces(_text_of(item, place.sentence)):
                limit = self.params.target_chars
            else:
                return
            if not self._fits([*chosen, following], evidence, limit=limit):
                return
            chosen.append(following)

    def _add_opening_limit(
        self, place: _Place, chosen: list[_Place], evidence: Sequence[Evidence]
    ) -> None:
        """Add the sentence before where it opens the paragraph with a limit on what follows."""
        item = evidence[place.evidence]
        before = _Place(place.evidence, place.sentence - 1)
        if (
            before.sentence >= 0
            and before not in chosen
            and _follows(item, place.sentence)
            and not _follows(item, before.sentence)
            and qualifies(_text_of(item, before.sentence))
            and self._fits([*chosen, before], evidence, limit=self.params.max_chars)
        ):
            chosen.append(before)

    def _fits(self, places: list[_Place], evidence: Sequence[Evidence], *, limit: int) -> bool:
        claims = [_claim(run, evidence) for run in _runs(places)]
        chars = sum(span.end - span.start for claim in claims for span in claim.spans)
        return chars + len(SEPARATOR) * (len(claims) - 1) <= limit


def _runs(places: Sequence[_Place]) -> list[list[_Place]]:
    """Join sentences that follow each other; runs stand in the order of their best sentence."""
    runs: list[list[_Place]] = []
    for place in sorted(places):
        before = _Place(place.evidence, place.sentence - 1)
        if runs and runs[-1][-1] == before:
            runs[-1].append(place)
        else:
            runs.append([place])
    return sorted(runs, key=lambda run: min(places.index(place) for place in run))


def _claim(run: Sequence[_Place], evidence: Sequence[Evidence]) -> DraftClaim:
    item = evidence[run[0].evidence]
    start = item.sentences[run[0].sentence].start
    end = item.sentences[run[-1].sentence].end
    span = CitedSpan(
        revision_id=item.passage.revision_id,
        start=start,
        end=end,
        quote=item.text[start - item.start : end - item.start],
    )
    return DraftClaim(spans=(span,))


def _text_of(evidence: Evidence, place: int) -> str:
    sentence = evidence.sentences[place]
    return evidence.text[sentence.start - evidence.start : sentence.end - evidence.start]


def _follows(evidence: Evidence, place: int) -> bool:
    """Whether the sentence follows another in the same paragraph."""
    if place == 0:
        return False
    start, end = evidence.sentences[place - 1].end, evidence.sentences[place].start
    between = evidence.text[start - evidence.start : end - evidence.start]
    return not _BLANK_LINE.search(between)


def _announces(sentence: str) -> bool:
    return sentence.rstrip(" *_").endswith((":", "："))
