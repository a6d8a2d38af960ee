"""Writers that say what must not leave: the product's own, made to misquote."""

from dataclasses import replace

from answers.protocols import AnswerWriter
from answers.types import Brief, Draft


class MisquotingWriter:
    """Adds to what another writer wrote its first claim once more, one character of it changed."""

    name = "misquoting"

    def __init__(self, inner: AnswerWriter) -> None:
        self.inner = inner

    def count_tokens(self, text: str) -> int:
        return self.inner.count_tokens(text)

    def write(self, brief: Brief) -> Draft:
        claims = self.inner.write(brief).claims
        if not claims:
            return Draft(claims=())
        span = claims[0].spans[0]
        changed = "X" if span.quote[0] != "X" else "Y"
        misquoted = replace(span, quote=changed + span.quote[1:])
        return Draft(claims=(*claims, replace(claims[0], spans=(misquoted,))))
