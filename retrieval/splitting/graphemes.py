"""Where a text may be cut without breaking what a reader sees as one character."""

import regex

# Flags are paired here: \X alone looks back over a whole run of them at each boundary.
_CLUSTER = regex.compile(
    r"[\N{REGIONAL INDICATOR SYMBOL LETTER A}-\N{REGIONAL INDICATOR SYMBOL LETTER Z}]{2}"
    r"[\p{GCB=Extend}\p{GCB=SpacingMark}\N{ZERO WIDTH JOINER}]*+"
    r"|\X"
)
# Below the combining marks only CR LF belongs together.
_FIRST_COMBINING = "\N{COMBINING GRAVE ACCENT}"


class Graphemes:
    """The boundaries of the grapheme clusters of one text, found in one pass."""

    __slots__ = ("_flags", "_length")

    def __init__(self, text: str) -> None:
        """Read the text once; plain texts need no table."""
        self._length = len(text)
        self._flags: bytearray | None = None
        if text and ("\r\n" in text or max(text) >= _FIRST_COMBINING):
            self._flags = bytearray(self._length + 1)
            for match in _CLUSTER.finditer(text):
                self._flags[match.start()] = 1
            self._flags[self._length] = 1

    def is_boundary(self, position: int) -> bool:
        """Say whether the text may be cut before this code point."""
        return self._flags is None or self._flags[position] == 1

    def at_or_before(self, position: int, *, above: int) -> int:
        """Give the last boundary up to the position, or, where none is above, the next after it."""
        if self._flags is None:
            return position
        found = self._flags.rfind(1, above + 1, position + 1)
        return found if found > above else self.at_or_after(position)

    def at_or_after(self, position: int) -> int:
        """Give the first boundary from the position on."""
        if self._flags is None:
            return position
        found = self._flags.find(1, position)
        return self._length if found < 0 else found
