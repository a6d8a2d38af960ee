"""Which kind of amount a question asks for, and whether a text holds one. Patterns only.

A question for a number of days is hardly answered by a sentence without one. The patterns know the
languages that most questions come in; in others a question asks for no amount, and nothing is lost.
"""

from enum import StrEnum

import regex


class AmountKind(StrEnum):
    """What a question wants to know a number of."""

    TIME = "time"
    MONEY = "money"
    SHARE = "share"
    NUMBER = "number"


_FLAGS = regex.IGNORECASE | regex.VERBOSE
# Up to two words of a name, as in "what total cost"; "what does it cost" names nothing yet.
_NAMED = r"\b(?:what|which)\s+(?:(?!(?:do|does|did|will|would)\b)\w+\s+){0,2}?"
_TIME_UNITS = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?)"

# In this order: a question for the share of a price asks for a share.
_ASKS: dict[AmountKind, regex.Pattern[str]] = {
    AmountKind.SHARE: regex.compile(
        rf"{_NAMED}(?:percentage|percent|share|proportion)\b|百分之[几多]",
        _FLAGS,
    ),
    AmountKind.TIME: regex.compile(
        rf"""\bhow\s+(?:many|few)\s+(?:\w+\s+){{0,2}}?{_TIME_UNITS}\b
        |\bhow\s+(?:long|soon|often|quickly|late|early|old|far\s+(?:ahead|in\s+advance))\b
        |\bhow\s+much\s+(?:\w+\s+)?(?:notice|time|warning)\b
        |(?:^|[.?!,;:]\s*|\band\s+|\bby\s+)when\b
        |{_NAMED}(?:deadline|date|day|time|year|month|age|period)\b
        |\bwie\s*(?:lange|oft|spät)\b|\bwie\s*viele\s+(?:tage|wochen|monate|jahre|stunden)\b|\bwann\b
        |\bquand\b|\bcuándo\b|多久|多长|何时|什么时候|哪天|几[天年月周日]|いつ|何[日時年]|언제|며칠""",
        _FLAGS,
    ),
    AmountKind.MONEY: regex.compile(
        rf"""\bhow\s+much\b[^.?!]*\b(?:costs?|pay|paid|bill|charged?|fee|price)\b
        |{_NAMED}(?:price|fee|cost|value)\b
        |\bwhat\s+(?:do|does|did|will|would)\b[^.?!]*\bcost\b|多少钱|いくら|얼마""",
        _FLAGS,
    ),
    AmountKind.NUMBER: regex.compile(
        rf"""\bhow\s+(?:many|much|far|large|big|high)\b
        |{_NAMED}(?:number|amount|limit|cap|maximum|minimum|rate|size)\b
        |\bwithin\s+(?:how|what)\b|\bby\s+what\b
        |\bwie\s*(?:viele?|hoch)\b|\bcombien\b|\bcuánt[oa]s?\b|几|多少|何[人円個回分]|몇""",
        _FLAGS,
    ),
}
_NUMBER = r"""(?:\p{Nd}|[一二三四五六七八九十百千万两]+[天日月年小时个元%次]
    |\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty
      |ninety|hundred|thousand|million|half|once|twice)\b)"""
_NAMED_TIME = r"""\b(?:daily|weekly|monthly|quarterly|annual(?:ly)?|yearly|immediately|midnight|noon
      |monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"""
_MONTHS = r"""\b(?:january|february|march|april|may|june|july|august|september|october|november
      |december)\s+\p{Nd}|\p{Nd}\s+(?:january|february|march|april|may|june|july|august|september
      |october|november|december)\b"""
_HOLDS: dict[AmountKind, regex.Pattern[str]] = {
    AmountKind.TIME: regex.compile(
        rf"""{_NUMBER}[^.;!?\n]{{0,20}}?\b{_TIME_UNITS}\b|{_NAMED_TIME}|{_MONTHS}
        |\p{{Nd}}{{1,2}}[:.]\p{{Nd}}{{2}}|\b(?:19|20)\p{{Nd}}{{2}}\b|\b\p{{Nd}}+(?:st|nd|rd|th)\b
        |\p{{Nd}}\s*(?:tage?n?|wochen?|monate?n?|jahre?n?|stunden?|uhr|jours?|mois|ans|heures?|días?|meses|años)\b
        |[\p{{Nd}}一二三四五六七八九十百两]\s*(?:个?月|[天日年周时時週]|小时|분|시간|일|개월|년)""",
        _FLAGS,
    ),
    AmountKind.MONEY: regex.compile(
        r"\p{Sc}|\b(?:usd|eur|gbp|dollars?|euros?|cents?|free)\b|\p{Nd}\s*[元円원]", _FLAGS
    ),
    AmountKind.SHARE: regex.compile(
        r"%|％|\b(?:per\s?cent|percent|half|third|quarter)\b|百分之", _FLAGS
    ),
    AmountKind.NUMBER: regex.compile(rf"{_NUMBER}|{_NAMED_TIME}", _FLAGS),
}


def asked_amount(question: str) -> AmountKind | None:
    """Return the kind of amount that the question asks for, if it asks for one."""
    return next((kind for kind, asks in _ASKS.items() if asks.search(question)), None)


def holds_amount(text: str, kind: AmountKind) -> bool:
    """Whether the text holds an amount of the kind."""
    return _HOLDS[kind].search(text) is not None
