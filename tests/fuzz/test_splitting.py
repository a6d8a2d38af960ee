import itertools

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from documents.extraction.types import Block, Heading, Layout, Skip
from retrieval.splitting.recursive import recursive_spans
from retrieval.splitting.sentences import sentence_spans
from retrieval.splitting.split import split_passages
from retrieval.types import SplitterParams
from tests.fakes import FakeEmbedder

pytestmark = pytest.mark.fuzz

PIECES = st.sampled_from(
    ["word ", "Sentence one. ", "\n", "\n\n", "- item", "| a | b |", "# Head", "。", "汉字", "🇩🇪",
     "👨‍👩‍👧", "e\u0301", "\u0301", "\r\n", "  ", "x" * 40, "…", "\u200d", "각", "\ud7a3", "1. "]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=80).map("".join))
PARAMS = st.builds(
    SplitterParams,
    scheme=st.sampled_from(["structure", "fixed", "recursive", "sentences", "semantic"]),
    max_tokens=st.integers(12, 40),
    prefix_tokens=st.integers(0, 6),
    overlap_tokens=st.integers(0, 5),
    merge_below_tokens=st.sampled_from([0, 10, 40]),
    max_chars=st.integers(30, 120),
    overlap_chars=st.integers(0, 20),
)
embedder = FakeEmbedder(width=8, max_tokens=10_000)


def cut_points(draw, text):
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=12, unique=True))
    boundaries = {match.start() for match in regex.finditer(r"\X", text)}
    return sorted({0, len(text), *(cut for cut in cuts if cut in boundaries)})


# Texts whose last whitespace once became a passage, or was cut off inside a grapheme.
ONE_PARAGRAPH = Layout(blocks=(Block(kind="paragraph", start=0, end=31),))
NARROW = SplitterParams(
    scheme="structure", max_tokens=12, prefix_tokens=0, overlap_tokens=0, max_chars=30
)


@st.composite
def texts_with_layout(draw):
    text = draw(TEXTS)
    headings, blocks, skips = [], [], []
    for start, end in itertools.pairwise(cut_points(draw, text)):
        kind = draw(
            st.sampled_from(["heading", "paragraph", "list", "table", "code", "skip", "gap"])
        )
        if kind == "skip":
            skips.append(Skip(start=start, end=end, reason="comment"))
            continue
        if kind == "gap":
            continue
        blocks.append(Block(kind=kind, start=start, end=end))
        if kind == "heading":
            level = draw(st.integers(1, 6))
            headings.append(Heading(start=start, end=end, level=level, title="T " * level))
    return text, Layout(headings=tuple(headings), blocks=tuple(blocks), skips=tuple(skips))


def split(text, layout, params):
    return split_passages(
        text,
        layout,
        title="Some title",
        params=params,
        count_tokens=embedder.count_tokens,
        embed_sentences=embedder.embed_passages,
    )


@settings(max_examples=300, deadline=None)
@given(texts_with_layout(), PARAMS)
def test_passages_and_skips_cover_every_character(sample, params):
    text, layout = sample
    passages = split(text, layout, params)
    covered = bytearray(len(text))
    for span in [*passages, *layout.skips]:
        covered[span.start : span.end] = b"\x01" * (span.end - span.start)
    left = "".join(char for char, flag in zip(text, covered, strict=True) if not flag)
    assert left.strip() == ""
    if passages and not layout.skips:
        assert left == ""


@settings(max_examples=300, deadline=None)
@example((29 * "0" + " \u200c", ONE_PARAGRAPH), NARROW)
@example((30 * "0" + " ", ONE_PARAGRAPH), NARROW)
@given(texts_with_layout(), PARAMS)
def test_passages_keep_to_their_limits(sample, params):
    text, layout = sample
    passages = split(text, layout, params)
    assert passages == split(text, layout, params)
    assert [p.start for p in passages] == sorted(p.start for p in passages)
    boundaries = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    longest = max((len(match.group()) for match in regex.finditer(r"\X", text)), default=0)
    for passage in passages:
        own = text[passage.start : passage.end]
        assert own.strip()
        assert passage.tokens <= params.max_tokens
        assert len(own.strip()) <= params.max_chars + longest
        assert not any(s.start < passage.end and passage.start < s.end for s in layout.skips)
        assert {passage.start, passage.end} <= boundaries


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(["paragraph", "list", "table", "code"]))
def test_sentences_cover_what_can_be_seen(text, kind):
    spans = sentence_spans(text, 0, len(text), kind=kind)
    assert [spot for span in spans for spot in span] == sorted(spot for s in spans for spot in s)
    left = text
    for start, end in reversed(spans):
        assert text[start:end] == text[start:end].strip() != ""
        left = left[:start] + left[end:]
    assert left.strip() == ""
    boundaries = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    assert all(end in boundaries for _, end in spans)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 50))
def test_recursive_spans_join_up_to_the_text(text, max_chars):
    spans = list(recursive_spans(text, max_chars=max_chars))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= max_chars for start, end in spans)
