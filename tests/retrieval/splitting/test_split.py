import time

import pytest

from documents.extraction.types import Block, Heading, Layout, Skip
from retrieval.splitting.split import split_passages
from retrieval.types import SplitterParams
from tests.fakes import FakeEmbedder

count_tokens = FakeEmbedder().count_tokens
SMALL = SplitterParams(max_tokens=30, prefix_tokens=10, overlap_tokens=0)


def layout_of(text):
    """One block per paragraph; lines that begin with # are headings."""
    headings, blocks, position = [], [], 0
    for block in text.split("\n\n"):
        start, end = position, position + len(block)
        position = end + 2
        if block.startswith("#"):
            title = block.lstrip("# ")
            headings.append(Heading(start=start, end=end, level=len(block.split()[0]), title=title))
            blocks.append(Block(kind="heading", start=start, end=end))
        else:
            blocks.append(Block(kind="paragraph", start=start, end=end))
    return Layout(headings=tuple(headings), blocks=tuple(blocks))


def split(text, *, layout=None, params=SMALL, title="Rules", **options):
    return split_passages(
        text,
        layout_of(text) if layout is None else layout,
        title=title,
        params=params,
        count_tokens=count_tokens,
        **options,
    )


def own(text, passages):
    return [text[passage.start : passage.end].strip() for passage in passages]


def sentence(word, words=9):
    return " ".join([word.capitalize(), *[word] * (words - 1)]) + "."


def test_a_section_is_one_passage_where_it_fits():
    text = "# Refunds\n\nWithin 14 days.\n\n# Budget\n\nIt is private."
    assert own(text, split(text)) == ["# Refunds\n\nWithin 14 days.", "# Budget\n\nIt is private."]


def test_passages_know_their_headings_and_their_section():
    text = "# Rules\n\n## Refunds\n\nWithin 14 days.\n\n# Budget\n\nPrivate."
    refunds, budget = split(text)[-2:]
    assert refunds.heading_path == ("Rules", "Refunds")
    assert text[budget.section_start : budget.section_end] == "# Budget\n\nPrivate."
    assert budget.heading_path == ("Budget",)


def test_a_heading_never_stands_alone_before_its_section():
    text = "# Rules\n\n## Refunds\n\nWithin 14 days."
    assert own(text, split(text)) == [text]


def test_short_sections_run_on_where_they_may():
    text = "# Refunds\n\nWithin 14 days.\n\n# Budget\n\nIt is private."
    params = SplitterParams(
        max_tokens=30, prefix_tokens=10, overlap_tokens=0, merge_below_tokens=20
    )
    assert own(text, split(text, params=params)) == [text]


def test_a_long_section_breaks_where_a_block_ends():
    last = sentence("cat", words=4) + " " + sentence("dog", words=4)
    blocks = [sentence("one", words=12), sentence("two", words=12), last]
    text = "\n\n".join(blocks)
    assert own(text, split(text)) == ["\n\n".join(blocks[:2]), blocks[2]]


def test_a_long_block_breaks_between_sentences():
    text = " ".join(sentence(word) for word in ["one", "two", "three", "four"])
    assert own(text, split(text)) == [
        " ".join(sentence(word) for word in ["one", "two", "three"]),
        sentence("four"),
    ]


def test_whole_sentences_are_repeated_as_overlap():
    text = " ".join(sentence(word) for word in ["one", "two", "three", "four"])
    params = SplitterParams(max_tokens=30, prefix_tokens=10, overlap_tokens=10)
    assert own(text, split(text, params=params))[1] == " ".join(
        sentence(word) for word in ["three", "four"]
    )


def test_front_matter_stands_for_itself():
    text = "---\ntitle: Rules\n---\n\nWithin 14 days."
    layout = Layout(
        blocks=(
            Block(kind="front_matter", start=0, end=20),
            Block(kind="paragraph", start=22, end=len(text)),
        )
    )
    passages = split(text, layout=layout)
    assert [passage.kind for passage in passages] == ["front_matter", "paragraph"]


def test_declared_skips_are_in_no_passage():
    text = "Before. <!-- hidden --> After."
    layout = Layout(
        blocks=(Block(kind="paragraph", start=0, end=len(text)),),
        skips=(Skip(start=8, end=23, reason="comment"),),
    )
    assert own(text, split(text, layout=layout)) == ["Before.", "After."]


def test_tokens_count_title_and_headings():
    (passage,) = split("# Refunds\n\nWithin 14 days.")
    assert passage.tokens == count_tokens("Rules > Refunds\n# Refunds\n\nWithin 14 days.")


def test_a_word_beyond_the_limit_is_cut_by_characters():
    text = "x" * 5000
    params = SplitterParams(max_tokens=30, prefix_tokens=10, overlap_tokens=0, max_chars=2000)
    lengths = [passage.end - passage.start for passage in split(text, params=params)]
    assert (sum(lengths), max(lengths) <= 2000) == (5000, True)


@pytest.mark.parametrize("text", ["", " \n\n\t"])
def test_a_text_without_words_gives_no_passages(text):
    assert split(text, layout=Layout()) == []


def test_a_layout_of_another_text_is_refused():
    layout = Layout(blocks=(Block(kind="paragraph", start=0, end=9),))
    with pytest.raises(ValueError, match="beyond the text"):
        split("short", layout=layout)


def test_an_unknown_scheme_is_refused():
    with pytest.raises(ValueError, match="unknown splitting scheme"):
        split("text", params=SplitterParams(scheme="clever"))


def test_fixed_windows_overlap():
    params = SplitterParams(scheme="fixed", max_chars=4, overlap_chars=2)
    passages = split("abcdef", params=params)
    assert [(passage.start, passage.end) for passage in passages] == [(0, 4), (2, 6)]


def test_sentences_are_joined_while_they_fit():
    text = "One two. Three four. Five."
    params = SplitterParams(scheme="sentences", max_chars=22)
    assert own(text, split(text, params=params)) == ["One two. Three four.", "Five."]


def test_the_semantic_scheme_joins_sentences_that_are_alike():
    text = "Refund refund. Refund. Budget."
    params = SplitterParams(scheme="semantic", threshold=0.4)
    embed = FakeEmbedder().embed_passages
    assert own(text, split(text, params=params, embed_sentences=embed)) == [
        "Refund refund. Refund.",
        "Budget.",
    ]


def test_the_semantic_scheme_needs_an_embedder():
    with pytest.raises(ValueError, match="needs an embedder"):
        split("One. Two.", params=SplitterParams(scheme="semantic"))


@pytest.mark.parametrize(
    "unit", ["word ", "x", ". ", "汉", "🇩🇪", "e\u0301", "\n", "a\n", "A b. ", "<!-- -->", "1. "]
)
def test_a_megabyte_on_one_line_splits_in_seconds(unit):
    text = unit * (1_000_000 // len(unit))
    start = time.perf_counter()
    split(text, layout=Layout(), params=SplitterParams())
    assert time.perf_counter() - start < 20
