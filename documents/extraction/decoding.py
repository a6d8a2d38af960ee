"""File bytes -> text that PostgreSQL and JSON can keep; refuses to guess an encoding.

UTF-8 and UTF-16 only, both strict. What cannot be stored or seen is replaced by something
visible, with a warning; nothing is dropped but the byte order mark. Line ends stay as found.
"""

import re
from collections import Counter
from dataclasses import dataclass

from documents.extraction import utf16
from documents.extraction.errors import ExtractionFailed

UTF_8_NAMES = frozenset({"utf8", "utf8sig", "ascii", "usascii"})
UTF_16_NAMES = frozenset({"utf16", "utf16le", "utf16be"})
UTF_16_CODECS = {"utf16le": "utf-16-le", "utf16be": "utf-16-be"}

BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

LEAST_ZEROS = 4  # fewer zero bytes than this are an accident
BINARY_SHARE = 0.1  # share of zero bytes, or of control characters, that no text has
SHARE_OF_NO_TEXT = 0.4  # share of control characters that not even the shortest UTF-8 text has
MOST_CONTROLS = 0.75  # share of control characters that UTF-16 has: half in most scripts
LEAST_CONTROLS = 8  # fewer control characters than this are an accident

# C0 without tab and the line ends, DEL, C1 without the line end U+0085, surrogates, and the two
# noncharacters that look like byte order marks and end-of-file marks.
UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
LAST_PICTURED = 0x1F
DELETE = 0x7F
PICTURES = 0x2400
PICTURE_OF_DELETE = 0x2421
SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """The text of a file and what had to be replaced in it."""

    text: str
    warnings: tuple[str, ...] = ()


def decode(content: bytes, *, encoding: str | None) -> DecodedText:
    """Decode a file as UTF-8 or UTF-16; a byte order mark outranks the declared encoding.

    Raises: ExtractionFailed with code needs_encoding, or unsupported for what is no text.
    """
    declared = _normalise_name(encoding)
    mark, codec = _find_mark(content)
    if codec is None:
        codec = _choose_codec(content, declared)
    if codec == "utf-32":
        raise _needs_encoding("it is UTF-32")
    text = _decode_strictly(content[len(mark) :], codec)
    return make_storable(text)


def make_storable(text: str) -> DecodedText:
    """Replace every character that cannot be stored or seen by something visible.

    C0 controls become their pictures (NUL is U+2400), one for one; other controls, lone surrogates,
    U+FFFE and U+FFFF become escapes such as backslash, u, d83d.
    """
    if UNSTORABLE.search(text) is None:
        return DecodedText(text=text)
    text = SURROGATE_PAIR.sub(_join_pair, text)
    counts = Counter(UNSTORABLE.findall(text))
    if _count_controls(counts) > max(LEAST_CONTROLS, BINARY_SHARE * len(text)):
        raise _needs_encoding("it is full of control characters")
    warnings = []
    if counts["\x00"]:
        warnings.append(f"{counts.pop(chr(0))} NUL character(s) are shown as \u2400.")
    surrogates = sum(number for character, number in counts.items() if ord(character) in SURROGATES)
    if surrogates:
        warnings.append(f"{surrogates} unpaired surrogate(s) are shown as escapes.")
    if counts.total() - surrogates:
        warnings.append(f"{counts.total() - surrogates} control character(s) are made visible.")
    return DecodedText(text=UNSTORABLE.sub(_show, text), warnings=tuple(warnings))


def _normalise_name(encoding: str | None) -> str | None:
    if not encoding:
        return None
    name = re.sub("[^a-z0-9]", "", encoding.lower())
    if name not in UTF_8_NAMES | UTF_16_NAMES:
        raise _needs_encoding("the declared encoding is neither UTF-8 nor UTF-16")
    return name


def _find_mark(content: bytes) -> tuple[bytes, str | None]:
    for mark, codec in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return mark, codec
    return b"", None


def _choose_codec(content: bytes, declared: str | None) -> str:
    if declared in UTF_8_NAMES:
        return "utf-8"
    if declared in UTF_16_CODECS:
        return UTF_16_CODECS[declared]
    codec = utf16.tell_byte_order(content)
    if declared is not None:
        return codec or _order_of_zeros(content)
    if utf16.share_of_controls(content) > MOST_CONTROLS:
        codec = None
    return _choose_undeclared(content, codec)


def _order_of_zeros(content: bytes) -> str:
    low, high = content[0::2].count(0), content[1::2].count(0)
    if low == high:
        raise _needs_encoding("it does not show the byte order of its UTF-16")
    return "utf-16-be" if low > high else "utf-16-le"


def _choose_undeclared(content: bytes, codec: str | None) -> str:
    """Choose UTF-8 where it reads as text, else the codec of UTF-16 where the bytes show it.

    Pure Cyrillic and the like in UTF-16 is valid UTF-8, of which half is control characters.
    """
    share = utf16.share_of_telltales(content)
    if _is_utf_8(content):
        if share <= (utf16.TELLTALE_SHARE if codec else BINARY_SHARE):
            return "utf-8"
        if codec is not None:
            # The upper bytes of the scripts of India are tabs, so these count here.
            is_strange = utf16.share_of_controls(content) >= SHARE_OF_NO_TEXT
            if not is_strange and share * len(content) <= LEAST_CONTROLS:
                raise _needs_encoding("it may be UTF-8 with control characters, or UTF-16")
            return codec
    elif codec is not None and utf16.shows_itself(content, codec):
        return codec
    if content.count(0) > max(LEAST_ZEROS, BINARY_SHARE * len(content)):
        raise ExtractionFailed("The file looks like binary content, not text.", code="unsupported")
    return "utf-8"


def _is_utf_8(content: bytes) -> bool:
    try:
        content.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _decode_strictly(content: bytes, codec: str) -> str:
    try:
        # Surrogates pass here because make_storable shows them; every other fault is refused.
        return content.decode(codec, errors="surrogatepass")
    except UnicodeDecodeError as error:
        raise _needs_encoding(
            f"byte {error.start + 1} is not valid {codec.upper()[:6].rstrip('-')}"
        ) from None


def _count_controls(counts: Counter[str]) -> int:
    return sum(number for character, number in counts.items() if ord(character) < SURROGATES.start)


def _join_pair(match: re.Match[str]) -> str:
    pair = match[0].encode("utf-16-le", errors="surrogatepass")
    return pair.decode("utf-16-le")


def _show(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number <= LAST_PICTURED:
        return chr(PICTURES + number)
    return chr(PICTURE_OF_DELETE) if number == DELETE else f"\\u{number:04x}"


def _needs_encoding(reason: str) -> ExtractionFailed:
    return ExtractionFailed(
        f"The file was not read: {reason}. UTF-8 and UTF-16 are read. Where it is one of them, say "
        "which: utf-8, utf-16-le or utf-16-be in the field Encoding of the upload form, as "
        "`encoding` of the API or as `--encoding` of import_corpus. Else save it as UTF-8 and "
        "upload it again.",
        code="needs_encoding",
    )
