"""Text to lexemes: the same for passages and for questions, so that both meet. No ranking.

Words are folded and stemmed by language, identifiers are kept whole and in parts, and scripts
without spaces become overlapping pairs and single characters. Every pattern reads its text once:
classes that follow each other are disjoint and quantifiers give nothing back.
"""

import hashlib
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex
import snowballstemmer

from retrieval.stop_words import STOP_WORDS
from retrieval.types import QuestionTerms

# pgvector's sparsevec has at most 1,000,000,000 dimensions, numbered from 1.
SPARSE_DIMENSIONS = 1_000_000_000
LONGEST_LEXEME_CHARS = 64
MOST_IDENTIFIER_PARTS = 12
# A text in a language without a stemmer is read as English on both sides, which still matches.
FALLBACK_LANGUAGE = "en"

_STEMMER_NAMES = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}"
    r"\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆〇"
)
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]"
_THOUSANDS = r"(?<=\p{Nd}),(?=\p{Nd}{3}(?!\p{Nd}))"
_TOKEN = regex.compile(
    rf"(?P<unspaced>[{_UNSPACED}]++)"
    rf"|(?P<word>{_LETTER}++(?:(?:[-./_':@&+\\]|{_THOUSANDS}){_LETTER}++)*+)"
    rf"(?P<suffix>(?:\({_LETTER}{{1,4}}\)){{1,4}}+|[+#]{{1,2}}+)?+",
    regex.V1,
)
_INVISIBLE = regex.compile(r"[\p{Cf}\N{COMBINING GRAPHEME JOINER}]++")
_DASHES = regex.compile(r"[\p{Pd}\N{MINUS SIGN}]")
_CONNECTORS = regex.compile(r"[-./_':@&+\\]")
_ACRONYM = regex.compile(r"(?:\p{L}\.)++\p{L}(?!\p{L})")
_NUMBER = regex.compile(r"\p{Nd}++(?:\.\p{Nd}++)*+")
_RUN = regex.compile(r"\p{Nd}++|[^\p{Nd}]++")
_BRACKETED = regex.compile(r"\([^()]++\)")
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_LONGEST_PROGRAMMING_NAME = 3
_PAIR = 2


class _Token(NamedTuple):
    """Either a run of a script without spaces, or a word with what is attached to it."""

    run: str
    word: str
    suffix: str


def analyse(text: str, *, language: str) -> list[str]:
    """Give the lexemes of a passage in order, with repeats.

    Units: `language` is a primary BCP 47 code; one without a stemmer is read as English.
    Invariant: a lexeme has 1 to LONGEST_LEXEME_CHARS characters and no NUL or surrogate.
    """
    return [
        lexeme[:LONGEST_LEXEME_CHARS]
        for token, stands_out in _with_emphasis(_tokens(text))
        for lexeme in _passage_lexemes(token, _known(language), stands_out=stands_out)
    ]


def analyse_question(text: str, *, language: str, also_in: Sequence[str] = ()) -> QuestionTerms:
    """Give the distinct lexemes of a question, as passages in its language have them.

    Shapes: `also_in` adds the stems of further languages, for questions too short to tell. Where
    only stop words are left, those written as identifiers (IT, WHO) are used.
    """
    tokens = list(_with_emphasis(_tokens(text)))
    languages = dict.fromkeys(_known(code) for code in (language, *also_in))
    common = frozenset[str]().union(*(_stop_words(code) for code in languages))
    found = [
        lexeme
        for token, stands_out in tokens
        if stands_out or token.word.casefold() not in common
        for code in languages
        for lexeme in _question_lexemes(token, code, stands_out=stands_out)
    ]
    if not found:
        found = [token.word.casefold() for token, _ in tokens if _is_in_capitals(token.word)]
    return QuestionTerms(
        lexemes=tuple(dict.fromkeys(lexeme[:LONGEST_LEXEME_CHARS] for lexeme in found))
    )


def dimension_of(lexeme: str) -> int:
    """Give the sparse dimension of a lexeme: a stable hash, 1 .. SPARSE_DIMENSIONS."""
    digest = hashlib.blake2b(lexeme.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % SPARSE_DIMENSIONS + 1


def search_form(text: str) -> str:
    """Bring what reads the same to the same characters; upper and lower case are kept."""
    composed: str = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    dashed: str = _DASHES.sub("-", composed)
    return dashed.replace("’", "'").replace("ʼ", "'")


def _known(language: str) -> str:
    code = language.partition("-")[0].lower()
    return code if code in _STEMMER_NAMES else FALLBACK_LANGUAGE


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(search_form(text)):
        yield _Token(match["unspaced"] or "", match["word"] or "", match["suffix"] or "")


def _with_emphasis(tokens: Iterable[_Token]) -> Iterator[tuple[_Token, bool]]:
    """Say of each token whether it stands in capitals beside a word that does not."""
    words = list(tokens)
    capitals = [_is_in_capitals(token.word) for token in words]
    for place, token in enumerate(words):
        neighbours = [*capitals[max(0, place - 1) : place], *capitals[place + 1 : place + 2]]
        yield token, capitals[place] and not (neighbours and all(neighbours))


def _is_in_capitals(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word.isupper()


def _passage_lexemes(token: _Token, language: str, *, stands_out: bool) -> Iterator[str]:
    for place, character in enumerate(token.run):
        yield character
        if place + 1 < len(token.run):
            yield token.run[place : place + 2]
    yield from _word_lexemes(token, language, stands_out=stands_out)


def _question_lexemes(token: _Token, language: str, *, stands_out: bool) -> Iterator[str]:
    if len(token.run) == 1:
        yield token.run
    for place in range(len(token.run) - 1):
        yield token.run[place : place + 2]
    yield from _word_lexemes(token, language, stands_out=stands_out)


def _word_lexemes(token: _Token, language: str, *, stands_out: bool) -> Iterator[str]:
    _, word, suffix = token
    folded = word.casefold()
    if not word:
        return
    if word.isalpha():
        if suffix and not suffix.startswith("(") and len(word) <= _LONGEST_PROGRAMMING_NAME:
            yield folded + suffix
        if stands_out and folded in _stop_words(language):
            yield folded
        yield from _word(folded, language)
    elif _ACRONYM.fullmatch(word):
        yield folded.replace(".", "")
    else:
        yield from _identifier(word, folded.replace(",", ""), suffix, language)


def _identifier(word: str, folded: str, suffix: str, language: str) -> Iterator[str]:
    has_digit = any(character.isdecimal() for character in folded)
    if has_digit and suffix.startswith("("):
        brackets = _BRACKETED.findall(suffix.casefold())
        yield from (folded + "".join(brackets[:count]) for count in range(len(brackets), 0, -1))
    if _NUMBER.fullmatch(folded):
        yield folded
        return
    plain = folded.removesuffix("'s")
    parts = _CONNECTORS.split(plain)
    if len(parts) == 1:
        yield from _part(plain, language)
        return
    if folded in _stop_words(language):
        return
    version = plain.removeprefix("v")
    if version != plain and _NUMBER.fullmatch(version):
        yield from (plain, version)
        return
    yield from _whole(word, plain, parts, language)
    for part in parts:
        if len(part) > 1 or has_digit:
            yield from _part(part, language)


def _whole(word: str, plain: str, parts: Sequence[str], language: str) -> Iterator[str]:
    """Give what is written with marks as one lexeme: identifiers, and e-mail as email."""
    if len(parts) > MOST_IDENTIFIER_PARTS:
        return
    has_digit = any(character.isdecimal() for character in plain)
    if has_digit or word.isupper() or any(mark in plain for mark in "_@:."):
        yield plain
    elif plain == "-".join(parts) and len(parts) == _PAIR:
        yield from _word("".join(parts), language)


def _part(part: str, language: str) -> Iterator[str]:
    """Give a word's stem; of letters and digits mixed the whole and its runs as well."""
    runs = _RUN.findall(part)
    if len(runs) == 1:
        yield from _word(part, language)
        return
    yield part
    for run in runs:
        if run.isdecimal() and len(run) > 1:
            yield run
        elif len(run) > 1 and run not in _ORDINAL_ENDINGS:
            yield from _word(run, language)


def _word(folded: str, language: str) -> Iterator[str]:
    if folded not in _stop_words(language):
        yield _stem(folded[:LONGEST_LEXEME_CHARS], language)


def _stop_words(language: str) -> frozenset[str]:
    return STOP_WORDS.get(language, frozenset())


class _Stemmers(threading.local):
    """The stemmers of one thread: a stemmer keeps the word it works on, so none is shared."""

    def __init__(self) -> None:
        self.by_name: dict[str, snowballstemmer.SnowballStemmer] = {}

    def stem(self, word: str, name: str) -> str:
        if name not in self.by_name:
            self.by_name[name] = snowballstemmer.stemmer(name)
        return str(self.by_name[name].stemWord(word))


_stemmers = _Stemmers()


@lru_cache(maxsize=1 << 16)
def _stem(folded: str, language: str) -> str:
    return _stemmers.stem(folded, _STEMMER_NAMES[language]) or folded
