"""Words by which a sentence limits another: exceptions, conditions, scope. Only wording."""

import regex

# Where a sentence opens with these it limits the one before it.
_OPENING = regex.compile(
    r"""^[\s>*_+\-•|]*+(?:\(?[\p{Nd}a-z]{1,3}[.)]\s++)?+
    (?:
      however|but|except(?:\s+(?:for|that|where|when|as))?|unless|provided\s+that|notwithstanding
      |only\s+(?:if|when|where|for|in)|this\s+(?:\w+\s+){0,3}?(?:only\s+applies|applies\s+only|applies\s+to
        |does\s+not\s+apply|is\s+limited\s+to|excludes)|(?:the\s+)?exceptions?\b|in\s+(?:\(?rare\)?|exceptional|exigent)
      |that\s+said|nevertheless|this\s+section\s+(?:[\w.]+\s+)?does\s+not\s+apply
      |(?:[\p{Nd}.]++\s+)?+(?:section|clause|paragraph)\s+[\p{Nd}.]++\s+does\s+not
      |allerdings|jedoch|aber|ausgenommen|außer|es\s+sei\s+denn|nur\s+(?:wenn|falls|für|bei)|dies\s+gilt\s+(?:nur|nicht)
      |toutefois|cependant|sauf|sin\s+embargo|salvo|excepto
    )\b""",
    regex.IGNORECASE | regex.VERBOSE,
)
_OPENING_UNSPACED = regex.compile(
    r"^[\s>*_+\-•|「『（(]*+(?:但是?|不过|然而|除非|除[^。]{1,40}?外|仅|只有|不适用|本条不|此规定仅|例外|"
    r"ただし|但し|除き|다만|단,)"
)
# Where these stand anywhere in a short sentence it limits its neighbour.
_WITHIN = regex.compile(
    r"""\b(?:applies\s+only|only\s+applies|applies\s+to\s+\S++(?:\s+\S++){0,4}?\s+only|does\s+not\s+apply
    |do\s+not\s+apply|(?:events?|members?|orders?|cases?|users?)\s+only[.!]?$|with\s+the\s+exception\s+of
    |gilt\s+(?:nur|nicht)|ne\s+s['’]applique\s+pas)""",
    regex.IGNORECASE | regex.VERBOSE,
)
_WITHIN_UNSPACED = regex.compile(r"仅适用|不适用|仅限|除外|以外は|に限る")
LONGEST_QUALIFICATION_CHARS = 400


def qualifies(sentence: str) -> bool:
    """Whether the sentence limits the one it stands beside.

    Longer sentences are rules of their own and are found by themselves.
    """
    if len(sentence) > LONGEST_QUALIFICATION_CHARS:
        return False
    patterns = (_OPENING, _OPENING_UNSPACED, _WITHIN, _WITHIN_UNSPACED)
    return any(pattern.search(sentence) for pattern in patterns)
