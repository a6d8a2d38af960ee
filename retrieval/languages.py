"""Tells the language of a question by its script, and whether a model knows a language."""

from __future__ import annotations

import regex

_KANA = regex.compile(r"[\p{Script=Hiragana}\p{Script=Katakana}]")
_HANGUL = regex.compile(r"\p{Script=Hangul}")
_HAN = regex.compile(r"\p{Script=Han}")
_LETTER = regex.compile(r"\p{L}")
# A Latin product name in a Chinese question must not make it an English one: a Han character
# carries about as much as three letters.
LETTERS_OF_A_HAN_CHARACTER = 3
UNTOLD_LANGUAGES = frozenset({"", "und"})


def language_of_question(text: str) -> str:
    """Return "ja", "ko" or "zh" for a question mostly in that script, "und" otherwise.

    "und" stands for scripts that many languages share; it is searched in the languages of the
    readable documents.
    """
    letters = len(_LETTER.findall(text))
    han, kana, hangul = (len(p.findall(text)) for p in (_HAN, _KANA, _HANGUL))
    unspaced = han + kana + hangul
    if unspaced * (LETTERS_OF_A_HAN_CHARACTER + 1) <= letters:
        return "und"
    if kana:
        return "ja"
    if hangul > han:
        return "ko"
    return "zh" if han else "und"


def is_known(language: str, known: frozenset[str]) -> bool:
    """Say whether a model that knows these languages can compare meanings in this one.

    Units: `known` are primary codes; a language may carry a region, as in en-GB. What nobody told
    the language of is taken for known, unless nothing is.
    """
    if not known:
        return False
    return language in UNTOLD_LANGUAGES or language.partition("-")[0].lower() in known
