"""Windows of a revision's canonical text, with their places in both units."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from documents.conf import documents_config
from documents.errors import InvalidInput
from documents.extraction.types import Heading, Layout
from documents.listing import Person, RevisionSummary, get_visible_revision, summarise_revision


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWindow:
    """A part of a text.

    Units: offsets are code points, half-open; those named utf16 count UTF-16 code units, as
    browsers do.
    """

    start: int
    end: int
    length: int
    utf16_start: int
    utf16_end: int
    utf16_length: int
    next_start: int | None
    content: str
    headings: tuple[Heading, ...]
    unit: str = "code_point"


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionText:
    """A revision with a window of its text."""

    document: UUID
    revision: RevisionSummary
    text: TextWindow


def read_revision(
    person: Person, public_id: UUID, number: int, *, start: int, end: int | None
) -> RevisionText:
    """Return a revision with the part of its text from `start`, as far as a window reaches.

    Raises: DocumentNotFound, whether it is absent or hidden; InvalidInput (`invalid_window`).
    """
    revision = get_visible_revision(person, public_id, number)
    layout = Layout.from_json(revision.layout) if revision.layout else Layout()
    return RevisionText(
        document=revision.document.public_id,
        revision=summarise_revision(revision, at=person.scope.at),
        text=cut_window(revision.text, layout.headings, start=start, end=end),
    )


def cut_window(
    text: str, headings: tuple[Heading, ...], *, start: int, end: int | None
) -> TextWindow:
    """Return a window of the text, no longer than the settings allow.

    Raises: InvalidInput (`invalid_window`) for a start beyond the text or an end before the start.
    """
    if start > len(text) or (end is not None and end < start):
        raise InvalidInput(
            f"The text has {len(text)} code points; start and end lie within, start first.",
            code="invalid_window",
            details={"length": len(text)},
        )
    longest = start + documents_config().text_window_chars
    stop = min(len(text), longest, len(text) if end is None else end)
    content = text[start:stop]
    utf16_start = count_utf16(text[:start])
    utf16_end = utf16_start + count_utf16(content)
    return TextWindow(
        start=start,
        end=stop,
        length=len(text),
        utf16_start=utf16_start,
        utf16_end=utf16_end,
        utf16_length=utf16_end + count_utf16(text[stop:]),
        next_start=stop if stop < len(text) else None,
        content=content,
        headings=tuple(heading for heading in headings if start <= heading.start < stop),
    )


def count_utf16(text: str) -> int:
    """Return how many UTF-16 code units the text takes."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
