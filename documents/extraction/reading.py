"""The whole way from a file's bytes to canonical text, inside one process and without limits.

Runs in the child process; everything else calls `run.extract`.
"""

import re
from collections.abc import Callable

from documents.extraction.decoding import decode
from documents.extraction.errors import ExtractionFailed
from documents.extraction.formats import choose_reader
from documents.extraction.types import CanonicalText, Layout

VISIBLE = re.compile("[^\\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
LEAST_BYTES = 2


def read_file(
    content: bytes,
    *,
    original_name: str,
    encoding: str | None,
    most_chars: int,
    detect_language: Callable[[str, Layout], str],
) -> CanonicalText:
    """Decode a file, find its layout, and tell its language.

    Raises: ExtractionFailed, and whatever a parser may raise on a file that breaks it.
    """
    read = choose_reader(content, original_name=original_name)
    if len(content) < LEAST_BYTES:
        raise ExtractionFailed("The file is empty.", code="empty")
    decoded = decode(content, encoding=encoding)
    if VISIBLE.search(decoded.text) is None:
        raise ExtractionFailed("The file is empty or holds only spaces.", code="empty")
    text, layout, warnings = read(decoded.text)
    if not _has_searchable_text(text, layout):
        raise ExtractionFailed("The file holds no text that a reader would see.", code="no_text")
    if len(text) > most_chars:
        raise ExtractionFailed(
            f"The text has more than {most_chars:,} characters.", code="stream_limit"
        )
    return CanonicalText(
        text=text,
        layout=layout,
        language=detect_language(text, layout),
        warnings=(*decoded.warnings, *warnings),
    )


def _has_searchable_text(text: str, layout: Layout) -> bool:
    skipped = {(skip.start, skip.end) for skip in layout.skips}
    return any(
        VISIBLE.search(text, block.start, block.end)
        for block in layout.blocks
        if (block.start, block.end) not in skipped
    )
