"""How much of a question in a script without spaces a text holds. Pure.

Lexemes of such scripts are overlapping pairs of characters, and half of a question's pairs straddle
two words and stand in no text. So characters are counted, and a pair that is held covers both.
"""

from collections.abc import Collection, Sequence

import regex

from retrieval.analysis import search_form

_UNSPACED = r"\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Hiragana}ー々〆〇"
_RUN = regex.compile(rf"[{_UNSPACED}]++")
# Words that make a sentence a question and carry nothing that is asked about. Hiragana is left out
# as a whole: in Japanese it carries the grammar.
_GRAMMAR = regex.compile(
    r"什么时候|为什么|什么|多少|多久|怎么样?|如何|为何|何时|哪[些个里儿位]?|谁|几(?:小时|[个天日年月周次点岁人位元])?|吗|呢|吧|啊|的|了|是否|能否|是"
    r"|需要|可以|应该|请问|我们?|你们?|[\p{Script=Hiragana}]++"
)


def is_unspaced(lexeme: str) -> bool:
    """Whether a lexeme is a character or a pair of a script without spaces."""
    return _RUN.fullmatch(lexeme) is not None


def content_runs(question: str) -> list[str]:
    """Give the runs of characters that carry what is asked, in order."""
    return [
        part
        for match in _RUN.finditer(search_form(question))
        for part in _GRAMMAR.split(match[0])
        if part
    ]


def count_held(runs: Sequence[str], held: Collection[str]) -> int:
    """Count the characters of the runs that stand in a held pair; a run of one stands alone."""
    return sum(_held_in(run, held) for run in runs)


def _held_in(run: str, held: Collection[str]) -> int:
    if len(run) == 1:
        return int(run in held)
    places = {
        place + side
        for place in range(len(run) - 1)
        if run[place : place + 2] in held
        for side in (0, 1)
    }
    return len(places)
