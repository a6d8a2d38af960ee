"""Identifiers in a question, and whether a text holds them. Pure; no pattern is built from input.

An identifier is compared as its runs of letters and of digits, so that DS-7604 is held by
DS-7604NI-E1/4P and by "ds 7604", and DS-7606 by neither.
"""

import regex

from retrieval.analysis import search_form

_LETTER = r"[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]"
_TOKEN = regex.compile(rf"(?:{_LETTER}|\p{{Nd}})++(?:[-/.:@+_]++(?:{_LETTER}|\p{{Nd}})++)*+")
_RUN = regex.compile(rf"{_LETTER}++|\p{{Nd}}++")
_QUANTITY = regex.compile(rf"\p{{Nd}}++(?:[.,]\p{{Nd}}++)*+-?{_LETTER}{{0,3}}+(?:-\p{{Ll}}++)*+")
_DATE = regex.compile(r"\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}")
_YEAR_WITH_PREFIX = regex.compile(r"\p{Ll}++-(?:19|20)\p{Nd}{2}")
_MOST_IDENTIFIERS = 20


def identifiers_in(question: str) -> list[tuple[str, ...]]:
    """Give the identifiers that a question names, each as its runs, in order, without repeats.

    Shapes: words that mix letters and digits (DS-7606, KB5034441, IX-2350-B), or that only
    machines write (snake_case, addresses). Amounts, dates and ordinals (24-hour, 5GB, 2nd) are
    none: a question may get them wrong and still deserve its answer.
    """
    found: dict[tuple[str, ...], None] = {}
    for match in _TOKEN.finditer(search_form(question)):
        if _is_identifier(match[0]):
            found.setdefault(runs_of(match[0]))
        if len(found) == _MOST_IDENTIFIERS:
            break
    return list(found)


def runs_of(text: str) -> tuple[str, ...]:
    """Split a text into its runs of letters and of digits, folded."""
    return tuple(run.casefold() for run in _RUN.findall(search_form(text)))


def holds(runs: tuple[str, ...], identifier: tuple[str, ...]) -> bool:
    """Whether the runs of a text hold those of an identifier, side by side."""
    length = len(identifier)
    return any(
        runs[place : place + length] == identifier
        for place, run in enumerate(runs)
        if run == identifier[0]
    )


def _is_identifier(token: str) -> bool:
    if "_" in token or "@" in token:
        return True
    has_digit = any(character.isdecimal() for character in token)
    has_letter = any(character.isalpha() for character in token)
    if not (has_digit and has_letter):
        return False
    if token[0].isdecimal():
        # 1099-MISC is an identifier; 24-hour, 5GB, 2nd and 2026-03-29T10 are not.
        is_amount = _QUANTITY.fullmatch(token) or _DATE.match(token)
        return token.upper() == token and not is_amount
    return _YEAR_WITH_PREFIX.fullmatch(token) is None
