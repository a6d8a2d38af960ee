"""Check what a writer made against what it was offered. Pure: no models, no database.

A citation is valid where its span was offered in this request and its quote is, character for
character, what the revision holds there. A claim is supported where its numbers, dates, units and
negations are in its spans and little of what it says is missing from them. Both must hold.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import regex

from answers.protocols import ClaimChecker
from answers.types import CitedSpan, Draft, DraftClaim, Fault
from retrieval.analysis import analyse, search_form


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedSpan:
    """A span that was given to the writer in this request."""

    revision_id: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedDraft:
    """The claims that hold, and for every claim of the draft what is wrong with it, in order."""

    claims: tuple[DraftClaim, ...]
    faults: tuple[Fault | None, ...]


def ground(
    draft: Draft,
    offered: Sequence[OfferedSpan],
    texts: Mapping[int, str],
    *,
    checker: ClaimChecker,
) -> GroundedDraft:
    """Drop every claim that is not carried by valid citations of what was offered."""
    faults = tuple(_claim_fault(claim, offered, texts, checker) for claim in draft.claims)
    kept = zip(draft.claims, faults, strict=True)
    return GroundedDraft(
        claims=tuple(claim for claim, fault in kept if fault is None), faults=faults
    )


def citation_fault(
    span: CitedSpan, offered: Iterable[OfferedSpan], texts: Mapping[int, str]
) -> Fault | None:
    """Give what makes a citation invalid; None where it is valid."""
    if not any(_holds(place, span) for place in offered) or span.revision_id not in texts:
        return Fault.NOT_OFFERED
    if texts[span.revision_id][span.start : span.end] != span.quote:
        return Fault.QUOTE_DIFFERS
    return None


def _claim_fault(
    claim: DraftClaim,
    offered: Sequence[OfferedSpan],
    texts: Mapping[int, str],
    checker: ClaimChecker,
) -> Fault | None:
    if not claim.spans:
        return Fault.NO_CITATION
    for span in claim.spans:
        fault = citation_fault(span, offered, texts)
        if fault is not None:
            return fault
    # A claim without words of its own is its quotes, and those were just compared.
    if claim.text is None:
        return None
    return checker.find_fault(claim.text, [span.quote for span in claim.spans])


def _holds(place: OfferedSpan, span: CitedSpan) -> bool:
    return (
        place.revision_id == span.revision_id
        and place.start <= span.start
        and span.end <= place.end
    )


_NUMBER = regex.compile(r"\p{Nd}++(?:[.,:]\p{Nd}++)*+")
_UNIT = regex.compile(
    r"\p{Nd}++(?:[.,:]\p{Nd}++)*+[\s-]{0,2}+"
    r"(?P<unit>%|percent|business\s+days?|working\s+days?|\p{L}++)",
    regex.IGNORECASE,
)
_CURRENCY = regex.compile(r"[\p{Sc}]")
_NEGATION = regex.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|unless|except|nicht|kein\w*|nie|ohne"
    r"|ne|pas|jamais|sans|sin|nunca|non|senza)\b|n['’]t\b|[不没無无非未]",
    regex.IGNORECASE,
)
_NUMBER_WORDS = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
}
_WORD = regex.compile(r"[\p{L}]++")
# Without May, which is a verb far more often than a month.
_NAMED_DAYS = """
january february march april june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
_DAY_AND_MONTH_NAMES = frozenset(_NAMED_DAYS.split())


class DeterministicChecker:
    """Compares words, numbers, units and negations of a claim with its quotes.

    It fails closed: a claim that merely says a true thing in other words is dropped as well.
    """

    def __init__(self, *, least_word_share: float) -> None:
        """Keep the share (0 to 1) of a claim's distinct lexemes that its quotes must hold."""
        self.least_word_share = least_word_share

    def find_fault(self, claim: str, quotes: Sequence[str]) -> Fault | None:
        """Give the first thing in the claim that its quotes do not carry."""
        evidence = " ".join(quotes)
        if not _numbers(claim) <= _numbers(evidence) or not _dates(claim) <= _dates(evidence):
            return Fault.NUMBER_UNSUPPORTED
        if not _units(claim) <= _units(evidence):
            return Fault.UNIT_UNSUPPORTED
        if _is_negated(claim) != _is_negated(evidence):
            return Fault.NEGATION_DIFFERS
        lexemes = set(analyse(claim, language="en"))
        if not lexemes:
            return Fault.WORDS_UNSUPPORTED
        shared = lexemes & set(analyse(evidence, language="en"))
        if len(shared) < self.least_word_share * len(lexemes):
            return Fault.WORDS_UNSUPPORTED
        return None


def _numbers(text: str) -> frozenset[str]:
    digits = (match[0].replace(",", "") for match in _NUMBER.finditer(search_form(text)))
    words = (_NUMBER_WORDS.get(match[0].casefold()) for match in _WORD.finditer(text))
    return frozenset(digits) | frozenset(word for word in words if word)


def _dates(text: str) -> frozenset[str]:
    return frozenset(match[0].casefold() for match in _WORD.finditer(text)) & _DAY_AND_MONTH_NAMES


def _units(text: str) -> frozenset[str]:
    form = search_form(text)
    units = (" ".join(match["unit"].casefold().split()) for match in _UNIT.finditer(form))
    singular = frozenset(unit.removesuffix("s") or unit for unit in units)
    return singular | frozenset(_CURRENCY.findall(form))


def _is_negated(text: str) -> bool:
    return _NEGATION.search(text) is not None
