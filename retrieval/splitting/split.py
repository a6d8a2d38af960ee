"""From a text and its layout to passages, by the scheme that the parameters name."""

from collections.abc import Callable, Iterator, Sequence

from documents.extraction.types import Layout
from retrieval.protocols import TokenCounter
from retrieval.splitting.fixed import fixed_spans
from retrieval.splitting.limits import Limits, Piece, limits_of
from retrieval.splitting.outline import Outline, read_outline
from retrieval.splitting.recursive import recursive_spans
from retrieval.splitting.semantic import semantic_spans
from retrieval.splitting.sentences import sentence_spans
from retrieval.splitting.structure import structure_spans
from retrieval.types import PassageDraft, Span, SplitterParams, Vector

SCHEMES = ("structure", "fixed", "recursive", "sentences", "semantic")

SentenceEmbedder = Callable[[Sequence[str]], Sequence[Vector]]


def split_passages(
    text: str,
    layout: Layout,
    *,
    title: str,
    params: SplitterParams,
    count_tokens: TokenCounter,
    embed_sentences: SentenceEmbedder | None = None,
) -> list[PassageDraft]:
    """Split a text into passages, in order.

    Shapes: passages and declared skips cover every character; whitespace goes to a neighbour.
    Units: `tokens` of a passage counts title, headings and own text, at most `max_tokens`.
    Invariant: the same arguments give the same passages; no passage begins or ends inside a
    grapheme, unless one grapheme alone exceeds the limits.
    Raises: ValueError for an unknown scheme, or the semantic one without `embed_sentences`.
    """
    outline = read_outline(text, layout)
    limits = limits_of(text, outline, title=title, params=params, count_tokens=count_tokens)
    spans = _spans_by_scheme(outline, limits, embed_sentences)
    return [
        _draft(span, outline, limits)
        for wide in _with_whitespace(spans, outline, limits)
        for span in _within_limits(wide, outline, limits)
    ]


def _spans_by_scheme(
    outline: Outline, limits: Limits, embed_sentences: SentenceEmbedder | None
) -> Iterator[Span]:
    scheme = limits.params.scheme
    if scheme == "structure":
        yield from structure_spans(outline, limits)
        return
    if scheme not in SCHEMES:
        raise ValueError(f"unknown splitting scheme {scheme!r}")
    for region in outline.regions:
        yield from _flat_spans(region, limits, embed_sentences)


def _flat_spans(
    region: Span, limits: Limits, embed_sentences: SentenceEmbedder | None
) -> Iterator[Span]:
    """Split one region by a scheme that knows no structure."""
    params, text = limits.params, limits.text
    start, end = region
    match params.scheme:
        case "fixed":
            windows = fixed_spans(end - start, size=params.max_chars, overlap=params.overlap_chars)
            found = [_snapped(start + first, start + last, limits) for first, last in windows]
            yield from (span for span in found if span[0] < span[1])
        case "recursive":
            for first, last in recursive_spans(text[start:end], max_chars=params.max_chars):
                yield start + first, start + last
        case "sentences":
            yield from _joined(_sentence_tiles(text, region), params.max_chars)
        case _:
            if embed_sentences is None:
                raise ValueError("the semantic scheme needs an embedder of sentences")
            tiles = _sentence_tiles(text, region)
            vectors = embed_sentences([text[first:last] for first, last in tiles])
            yield from semantic_spans(
                text, tiles, vectors, threshold=params.threshold, max_chars=params.max_chars
            )


def _snapped(start: int, end: int, limits: Limits) -> Span:
    return limits.graphemes.at_or_after(start), limits.graphemes.at_or_after(end)


def _sentence_tiles(text: str, region: Span) -> list[Span]:
    starts = [first for first, _ in sentence_spans(text, *region, kind="paragraph")]
    return list(zip([region[0], *starts[1:]], [*starts[1:], region[1]], strict=True))


def _joined(spans: Sequence[Span], max_chars: int) -> Iterator[Span]:
    """Join whole sentences while they fit."""
    start, reached = spans[0]
    for first, last in spans[1:]:
        if last - start > max_chars:
            yield start, reached
            start = first
        reached = last
    yield start, reached


def _with_whitespace(spans: Iterator[Span], outline: Outline, limits: Limits) -> Iterator[Span]:
    """Give each passage the whitespace after it, and the first of a region what is before it."""
    regions = iter(outline.regions)
    region = next(regions, (0, 0))
    is_first = True
    for start, end in spans:
        while start >= region[1]:
            region, is_first = next(regions), True
        first = region[0] if is_first else start
        yield first, _after_whitespace(end, region[1], limits)
        is_first = False


def _after_whitespace(end: int, limit: int, limits: Limits) -> int:
    """Move an end over the whitespace that follows, but never into a grapheme."""
    reached = end
    while reached < limit and limits.text[reached].isspace():
        reached += 1
    while reached > end and not limits.graphemes.is_boundary(reached):
        reached -= 1
    return reached


def _within_limits(span: Span, outline: Outline, limits: Limits) -> Iterator[Span]:
    """Cut what exceeds the limits; a piece of nothing but whitespace stays with the one before."""
    section = outline.section_at(outline.content_start(limits.text, span))
    start = reached = span[0]
    for piece in limits.cut_to_fit(span, max_tokens=limits.own_tokens[section]):
        if not limits.text[start:reached].isspace() and not _is_blank(limits.text, piece):
            if start < reached:
                yield start, reached
            start = reached
        reached = piece.end
    yield start, reached


def _is_blank(text: str, piece: Piece) -> bool:
    return text[piece.start : piece.end].isspace()


def _draft(span: Span, outline: Outline, limits: Limits) -> PassageDraft:
    start, end = span
    content = outline.content_start(limits.text, span)
    number = outline.section_at(content)
    section = outline.sections[number]
    prefix_tokens = limits.params.max_tokens - limits.own_tokens[number]
    own_text = limits.text[start:end].strip()
    return PassageDraft(
        start=start,
        end=end,
        kind=outline.kind_at(content),
        heading_path=section.heading_path,
        section_start=min(section.start, start),
        section_end=max(section.end, start + 1),
        tokens=prefix_tokens + limits.count_tokens(own_text),
    )
