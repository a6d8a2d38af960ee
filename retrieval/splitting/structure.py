"""Passages along the structure of a text: sections, blocks, then sentences. The default scheme.

A passage holds whole sentences of one section, or of short sections that follow each other; it
prefers to end where a block ends. Offsets come from the layout and are never searched for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.splitting.limits import Limits
from retrieval.splitting.outline import Outline, Part, parts_of
from retrieval.splitting.sentences import sentence_spans
from retrieval.types import Span

# Shorter sentences go with the next one, so that a text of one-letter lines stays cheap to count.
_SHORTEST_UNIT_CHARS = 24
# A passage ends at the last block that leaves it at least this full.
_LEAST_SHARE_FILLED = 0.75
_MOST_HEADINGS = 16  # in a row before the first sentence, for the room that titles take


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """What is not divided any further: a sentence, a row, a heading, or a piece of a long one."""

    start: int
    end: int
    tokens: int
    kind: str
    section: int
    ends_block: bool


def structure_spans(outline: Outline, limits: Limits) -> Iterator[Span]:
    """Give passage spans region by region, in order; they may overlap by whole sentences."""
    for region in outline.regions:
        parts = [part for part in parts_of(outline, region) if _has_text(part, limits.text)]
        units = [unit for part in parts for unit in _units(part, limits)]
        yield from _pack(units, limits)


def _has_text(part: Part, text: str) -> bool:
    return not text[part.start : part.end].isspace()


def _units(part: Part, limits: Limits) -> Iterator[_Unit]:
    for span in _tiles(part, limits.text):
        for start, end, tokens in _pieces(span, limits, max_tokens=limits.own_tokens[part.section]):
            yield _Unit(
                start=start,
                end=end,
                tokens=tokens,
                kind=part.kind,
                section=part.section,
                ends_block=end == part.end,
            )


def _pieces(span: Span, limits: Limits, *, max_tokens: int) -> list[tuple[int, int, int]]:
    """Cut a span to fit; a piece of nothing but whitespace stays with the one before."""
    pieces: list[tuple[int, int, int]] = []
    for piece in limits.cut_to_fit(span, max_tokens=max_tokens):
        if pieces and limits.text[piece.start : piece.end].isspace():
            start, _, tokens = pieces[-1]
            pieces[-1] = (start, piece.end, tokens)
        else:
            pieces.append((piece.start, piece.end, piece.tokens))
    return pieces


def _tiles(part: Part, text: str) -> Iterator[Span]:
    """Give the sentences of a part, each with the whitespace up to the next."""
    start = part.start
    for first, _ in sentence_spans(text, part.start, part.end, kind=part.kind)[1:]:
        if first - start >= _SHORTEST_UNIT_CHARS:
            yield start, first
            start = first
    yield start, part.end


def _pack(units: Sequence[_Unit], limits: Limits) -> Iterator[Span]:
    first, fresh = 0, 0  # the passage's first unit, and its first that is not a repeat
    while fresh < len(units):
        end, is_full = _fill(units, first, fresh, limits)
        yield units[first].start, units[end - 1].end
        first = _overlap_from(units, first, end, limits) if is_full else end
        fresh = end


def _fill(units: Sequence[_Unit], first: int, fresh: int, limits: Limits) -> tuple[int, bool]:
    """Give the end of the passage that begins at `first`, and whether it ended for lack of room."""
    leading = units[first : first + _MOST_HEADINGS]
    lead = next((unit for unit in leading if unit.kind != "heading"), units[first])
    budget, max_chars = limits.own_tokens[lead.section], limits.params.max_chars
    tokens = sum(unit.tokens for unit in units[first:fresh])
    for place in range(fresh, len(units)):
        unit = units[place]
        if place > fresh and _must_break(units, fresh, place, tokens, limits):
            return place, False
        if place > fresh and (
            tokens + unit.tokens > budget or unit.end - units[first].start > max_chars
        ):
            return _best_end(units, first, fresh, place), True
        tokens += unit.tokens
    return len(units), False


def _must_break(
    units: Sequence[_Unit], fresh: int, place: int, tokens: int, limits: Limits
) -> bool:
    before, after = units[place - 1], units[place]
    if "front_matter" in {before.kind, after.kind} and before.kind != after.kind:
        return True
    if before.section == after.section:
        return False
    is_only_heading = all(unit.kind == "heading" for unit in units[fresh:place])
    return tokens >= limits.params.merge_below_tokens and not is_only_heading


def _best_end(units: Sequence[_Unit], first: int, fresh: int, end: int) -> int:
    """Move the end back to the last block that ends near it; leave no bare heading."""
    length = units[end - 1].end - units[first].start
    for place in range(end, fresh, -1):
        if units[place - 1].end - units[first].start < _LEAST_SHARE_FILLED * length:
            break
        if units[place - 1].ends_block and units[place - 1].kind != "heading":
            return place
    while end - 1 > fresh and units[end - 1].kind == "heading":
        end -= 1
    return end


def _overlap_from(units: Sequence[_Unit], first: int, end: int, limits: Limits) -> int:
    """Find where the next passage begins: up to `overlap_tokens` of the same section before."""
    if end >= len(units):
        return end
    room = min(
        limits.params.overlap_tokens, limits.own_tokens[units[end].section] - units[end].tokens
    )
    start = end
    while start - 1 > first and units[start - 1].section == units[end].section:
        room -= units[start - 1].tokens
        if room < 0 or units[end].end - units[start - 1].start > limits.params.max_chars:
            break
        start -= 1
    return start
