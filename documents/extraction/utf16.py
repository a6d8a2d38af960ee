"""Tell UTF-16 without a byte order mark by what it must hold; says nothing where that is unclear.

Two signs are asked for. Text in another encoding has no control bytes but white space, whereas
many UTF-16 characters hold one: zero for Latin, 4 for Cyrillic, any for some of the Chinese. And
read so, nearly all characters must be of scripts in use, which they are not in the other order.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

LIKELY = 0.95  # share of characters of scripts in use that text has
UNLIKELY = 0.8  # most that the other byte order may have beside it
CLEARER = 4  # times as many plain characters as in the other order, which show the order
TELLTALE_SHARE = 1 / 64  # share of control bytes below which they are an accident
FREQUENT_SHARE = 0.05  # share of the most frequent Chinese characters that no other text has
SAMPLE_BYTES = 200_000

WHITE_SPACE = b"\t\n\x0b\x0c\r\x1b"
CONTROLS = bytes([*range(0x20), 0x7F])
TELLTALES = CONTROLS.translate(None, WHITE_SPACE)
# None can be made of two bytes of Shift-JIS, GB18030 or EUC, whose first bytes lie higher.
FREQUENT = frozenset("的一是不了在有人我他中大来上国个到为生地时用会年可作方工多下分学们")
SCRIPTS_IN_USE = (
    range(0x20, 0x0E80),  # Latin, Greek, Cyrillic, Hebrew, Arabic, the scripts of India, Thai
    range(0x10A0, 0x1100),
    range(0x1E00, 0x2070),
    range(0x20A0, 0x27C0),
    range(0x3000, 0x3100),
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0xFF00, 0xFFF0),
    range(0x1F000, 0x1FB00),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the bytes are in one byte order: the shares of their characters that speak for it."""

    codec: str
    in_use: float
    plain: float  # Latin, kana, wide punctuation and the most frequent Chinese characters
    frequent: float


def share_of_telltales(content: bytes) -> float:
    """Return the share of control bytes, white space left out."""
    telltales = len(content) - len(content.translate(None, TELLTALES))
    return telltales / max(1, len(content))


def share_of_controls(content: bytes) -> float:
    """Return the share of control bytes, white space among them."""
    return 1 - len(content.translate(None, CONTROLS)) / max(1, len(content))


def tell_byte_order(content: bytes) -> str | None:
    """Return the codec in which the content is text, None where neither or both would do."""
    little, big = _read(content, "utf-16-le"), _read(content, "utf-16-be")
    for reading, other in ((little, big), (big, little)):
        if reading is None or reading.in_use < LIKELY:
            continue
        if other is None or other.in_use < min(UNLIKELY, reading.in_use):
            return reading.codec
        if reading.plain > CLEARER * other.plain:
            return reading.codec
    return None


def shows_itself(content: bytes, codec: str) -> bool:
    """Whether bytes that are no UTF-8 hold what only UTF-16 has, not just what it may have."""
    if share_of_telltales(content) > TELLTALE_SHARE:
        return True
    reading = _read(content, codec)
    return reading is not None and reading.frequent > FREQUENT_SHARE


def _read(content: bytes, codec: str) -> Reading | None:
    """Return the shares in one byte order; None for bytes that no UTF-16 has."""
    if len(content) % 2 or not content:
        return None
    text = content[:SAMPLE_BYTES].decode(codec, errors="surrogatepass")
    return Reading(
        codec=codec,
        in_use=sum(map(_is_in_use, text)) / len(text),
        plain=sum(map(_is_plain, text)) / len(text),
        frequent=sum(character in FREQUENT for character in text) / len(text),
    )


def _is_plain(character: str) -> bool:
    wide = "\u3000" < character < "\u3100" or "\uff00" < character < "\uff61"
    return character < "\u0100" or wide or character in FREQUENT


def _is_in_use(character: str) -> bool:
    if character in "\t\n\x0c\r":
        return True
    number = ord(character)
    return unicodedata.category(character) not in {"Cn", "Cc", "Co", "Cs"} and any(
        number in script for script in SCRIPTS_IN_USE
    )
