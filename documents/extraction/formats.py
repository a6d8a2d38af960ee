"""Which format a file has: by the extension of its name, unless its first bytes say otherwise."""

from collections.abc import Callable
from pathlib import PurePath

from documents.extraction.errors import ExtractionFailed
from documents.extraction.html import read_html
from documents.extraction.markdown import lay_out_markdown
from documents.extraction.plain import lay_out_plain
from documents.extraction.types import Layout

Reader = Callable[[str], tuple[str, Layout, tuple[str, ...]]]

ACCEPTED = "Markdown (.md, .markdown), plain text (.txt, .text) and HTML (.html, .htm)"
LONGEST_NAME_SHOWN = 100

SIGNATURES = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"{\\rtf", "a rich text document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\x89PNG\r\n", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
)


def choose_reader(content: bytes, *, original_name: str) -> Reader:
    """Give what reads this kind of file.

    Raises: ExtractionFailed with code unsupported.
    """
    suffix = PurePath(original_name.strip()).suffix.lower()
    name = _show_name(original_name)
    if suffix not in READERS:
        raise ExtractionFailed(
            f"\u201c{name}\u201d cannot be read: accepted are {ACCEPTED}.", code="unsupported"
        )
    for signature, kind in SIGNATURES:
        if content.startswith(signature):
            raise ExtractionFailed(
                f"\u201c{name}\u201d is {kind}, whatever its name says: accepted are {ACCEPTED}.",
                code="unsupported",
            )
    return READERS[suffix]


def _read_markdown(text: str) -> tuple[str, Layout, tuple[str, ...]]:
    layout, warnings = lay_out_markdown(text)
    return text, layout, warnings


def _read_plain(text: str) -> tuple[str, Layout, tuple[str, ...]]:
    return text, lay_out_plain(text), ()


def _show_name(name: str) -> str:
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name)
    return shown if len(shown) <= LONGEST_NAME_SHOWN else f"{shown[:LONGEST_NAME_SHOWN]}\u2026"


READERS: dict[str, Reader] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_plain,
    ".text": _read_plain,
    ".html": read_html,
    ".htm": read_html,
}
