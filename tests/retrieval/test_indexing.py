"""A revision enters the index whole or not at all, and its spans are its text."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import connection

from documents import work
from documents.extraction.types import Block, Layout, Page, Skip
from documents.models import Revision, Work
from retrieval import registry
from retrieval.analysis import dimension_of
from retrieval.conf import retrieval_config
from retrieval.errors import EmbedderChanged, IndexSettingsChanged, ModelUnavailable
from retrieval.indexing import (
    check_coverage,
    drop_revisions,
    ensure_active_index,
    index_revision,
    sparse,
)
from retrieval.models import IndexedRevision, Passage, SearchIndex, Sentence, TermStatistic
from retrieval.types import PassageDraft
from tests.builders import add_text, build_document, build_group
from tests.fakes import FakeEmbedder
from tests.searching import index_text, make_searchable, owe_indexing
from tests.world import EARLIER

pytestmark = pytest.mark.db

LONG = "\n\n".join(
    f"## Section {number}\n\n"
    + " ".join(
        f"Rule {number}.{line} of the club is kept. 📄 退款须在 14 天内提出。" for line in range(9)
    )
    for number in range(12)
)
MIXED = f"""---
title: Rules
---

# Rules of the club

First words with an emoji 🙂 and more.

- one item
- another item

| fee | sum |
|-----|-----|
| one | 20  |

```
code = 1
```

{LONG}
"""
COUNTED_TABLES = (Passage, Sentence, IndexedRevision, TermStatistic)


@pytest.fixture
def group(db):
    return build_group("rules", reach="signed_in")


@pytest.fixture
def mixed(embedder, group):
    return build_document("Rules", MIXED, group, starts_at=EARLIER).revisions.get()


@pytest.fixture
def draft(embedder, group):
    """A revision of which only the indexing is owed."""
    document = build_document("Drafts", "First.", group, publish=False)
    return add_text(document, "# Second\n\nThe second text. It has two sentences.")


def everything_kept():
    return [model.objects.count() for model in COUNTED_TABLES]


def test_passages_and_skips_cover_every_character(mixed):
    passages = list(Passage.objects.filter(revision=mixed).order_by("ordinal"))
    spans = [(passage.start, passage.end) for passage in passages]
    spans += [(skip.start, skip.end) for skip in Layout.from_json(mixed.layout).skips]
    assert len(passages) > 5
    covered = {place for start, end in spans for place in range(start, end)}
    left_out = [place for place in range(len(mixed.text)) if place not in covered]
    assert "".join(mixed.text[place] for place in left_out).strip() == ""


def test_passages_are_numbered_in_the_order_of_the_text(mixed):
    passages = list(Passage.objects.filter(revision=mixed).order_by("ordinal"))
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))
    starts = [passage.start for passage in passages]
    assert starts == sorted(set(starts))


def test_sentences_lie_within_their_passage(mixed):
    sentences = list(Sentence.objects.filter(passage__revision=mixed).select_related("passage"))
    assert len(sentences) > 50
    for sentence in sentences:
        assert sentence.passage.start <= sentence.start < sentence.end <= sentence.passage.end
        span = mixed.text[sentence.start : sentence.end]
        assert span == span.strip()


def test_the_embedder_sees_title_and_headings_before_the_passage(embedder, group):
    document = build_document(
        "Fees", "# Members\n\n## Adults\n\nThey pay 20 EUR.", group, starts_at=EARLIER
    )
    passage = Passage.objects.get(revision__document=document)
    texts = [text for text in embedder.embedded if "They pay 20 EUR." in text]
    assert texts[0] != texts[1]
    with_headings = max(texts, key=len)
    for words in ("Fees", "Members", "Adults"):
        assert words in with_headings.partition("They pay")[0]
    assert passage.tokens == embedder.count_tokens(with_headings)


def test_the_heading_path_is_kept(embedder, group):
    text = "# Members\n\n" + "Members meet. " * 90 + "\n\n## Adults\n\n" + "They pay. " * 120
    document = build_document("Fees", text, group, starts_at=EARLIER)
    paths = [
        tuple(path)
        for path in Passage.objects.filter(revision__document=document)
        .order_by("ordinal")
        .values_list("heading_path", flat=True)
    ]
    assert paths[0] == ("Members",)
    assert paths[-1] == ("Members", "Adults")


def test_a_passage_knows_its_pages(embedder, group):
    revision = build_document("Pages", "First page.\n\nSecond page.", group).revisions.get()
    place = revision.text.index("Second")
    layout = Layout(
        headings=(),
        blocks=(Block(kind="paragraph", start=0, end=len(revision.text)),),
        pages=(
            Page(start=0, end=place, label="i"),
            Page(start=place, end=len(revision.text), label="1"),
        ),
        skips=(),
    )
    copy = add_text(revision.document, "First page.\n\nSecond page. ")
    owed = owe_indexing(copy)
    Revision.objects.filter(pk=copy.pk).update(text=revision.text, layout=layout.to_json())
    assert work.take_step(owed.pk)
    pages = Passage.objects.filter(revision=copy).values_list("page_from", "page_to")
    assert list(pages) == [(1, 2)]
    assert list(Passage.objects.filter(revision=revision).values_list("page_from", "page_to")) == [
        (None, None)
    ]


def passage_at(start, end):
    return PassageDraft(
        start=start,
        end=end,
        kind="paragraph",
        heading_path=(),
        section_start=0,
        section_end=100,
        tokens=1,
    )


def layout_with(*skips):
    return Layout(headings=(), blocks=(), pages=(), skips=tuple(skips))


@pytest.mark.parametrize(
    ("spans", "offset"), [([], 0), ([(2, 10)], 0), ([(0, 4)], 4), ([(0, 3), (5, 10)], 3)]
)
def test_a_character_left_out_is_an_error(spans, offset):
    with pytest.raises(ValueError, match=f"covers offset {offset}$"):
        check_coverage("0123456789", layout_with(), [passage_at(*span) for span in spans])


def test_declared_skips_and_overlaps_count_as_covered():
    passages = [passage_at(0, 5), passage_at(3, 6)]
    check_coverage("0123456789", layout_with(Skip(start=6, end=10, reason="comment")), passages)


def test_whitespace_needs_no_passage():
    check_coverage("  ab \n\n cd\n", layout_with(), [passage_at(2, 4), passage_at(8, 10)])


@contextmanager
def disk_full(table):
    """Let the database refuse every row of a table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION refuse CASCADE")


@pytest.mark.parametrize(
    "table", ["retrieval_passage", "retrieval_sentence", "retrieval_indexedrevision"]
)
def test_a_failure_while_writing_leaves_nothing(embedder, draft, table):
    before = everything_kept()
    owed = owe_indexing(draft)
    with disk_full(table):
        assert work.take_step(owed.pk)
    assert everything_kept() == before
    owed.refresh_from_db()
    assert (owed.state, owed.attempts) == (Work.State.OWED, 1)
    assert Revision.objects.get(pk=draft.pk).status == Revision.Status.EMBEDDING


def test_the_step_is_done_once_the_fault_is_gone(embedder, draft):
    owed = owe_indexing(draft)
    with disk_full("retrieval_sentence"):
        work.take_step(owed.pk)
    Work.objects.filter(pk=owed.pk).update(not_before=None)
    assert work.take_step(owed.pk)
    assert Revision.objects.get(pk=draft.pk).status == Revision.Status.READY
    assert Passage.objects.filter(revision=draft).count() == 1
    assert Sentence.objects.filter(passage__revision=draft).count() == 3


def test_a_second_delivery_doubles_nothing(embedder, draft):
    owed = owe_indexing(draft)
    assert work.take_step(owed.pk)
    before = everything_kept()
    assert not work.take_step(owed.pk)
    assert everything_kept() == before


def test_a_lease_that_was_lost_writes_nothing(embedder, draft):
    owed = owe_indexing(draft)
    before = everything_kept()

    class Overtaken(FakeEmbedder):
        def embed_passages(self, texts):
            work.owe(draft.pk, work.INDEX)
            return super().embed_passages(texts)

    step = work._STEPS[work.INDEX]
    work.register_step(work.INDEX, lambda lease: index_revision(lease, embedder=Overtaken()))
    try:
        assert not work.take_step(owed.pk)
    finally:
        work.register_step(work.INDEX, step)
    assert everything_kept() == before
    owed.refresh_from_db()
    assert owed.state == Work.State.OWED


def test_texts_of_any_script_are_indexed(embedder, group):
    texts = ["🙂🙂", "— … —", "外币汇率换算按每月首个工作日中间价。", "a" * 3000, '´`\'\\ "quoted"']
    for number, text in enumerate(texts):
        document = build_document(f"Text {number}", text, group, starts_at=EARLIER)
        revision = document.revisions.get()
        passages = list(Passage.objects.filter(revision=revision).order_by("ordinal"))
        assert passages[0].start == 0
        assert passages[-1].end == len(revision.text.rstrip())


def test_the_first_use_makes_the_index_active(db):
    index = ensure_active_index(FakeEmbedder(), retrieval_config())
    assert index.status == SearchIndex.Status.ACTIVE
    assert (index.dimensions, index.precision, index.embedder) == (384, "float32", "fake-words")
    assert ensure_active_index(FakeEmbedder(), retrieval_config()).pk == index.pk


def test_another_model_than_the_index_was_made_with_is_refused(db):
    ensure_active_index(FakeEmbedder(), retrieval_config())
    with pytest.raises(EmbedderChanged, match=r"fake-words .* but other "):
        ensure_active_index(FakeEmbedder(name="other"), retrieval_config())


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("max_tokens", 200, "max_tokens was 250 and is 200"),
        ("overlap_tokens", 0, "overlap_tokens was 40 and is 0"),
        ("splitting_scheme", "fixed", "splitting_scheme was 'structure' and is 'fixed'"),
        ("semantic_threshold", 0.5, "semantic_threshold was 0.4 and is 0.5"),
        ("k1", 1.5, "k1 was 1.2 and is 1.5"),
        ("b", 0.5, "b was 0.75 and is 0.5"),
        ("pivot", 90, "pivot was 100.0 and is 90"),
    ],
)
def test_a_setting_other_than_the_index_was_made_with_is_refused(db, setting, value, said):
    ensure_active_index(FakeEmbedder(), retrieval_config())
    changed = replace(retrieval_config(), **{setting: value})
    with pytest.raises(IndexSettingsChanged) as caught:
        ensure_active_index(FakeEmbedder(), changed)
    assert f": {said}. Set them back, or build a new index." in caught.value.message


def test_the_same_settings_are_never_refused(db, settings):
    settings.RETRIEVAL = {"pivot": 90, "k1": 0.1 + 0.2, "semantic_threshold": 1e-7}
    index = ensure_active_index(FakeEmbedder(), retrieval_config())
    SearchIndex.objects.filter(pk=index.pk).update(
        splitter=dict(reversed(index.splitter.items())),
        analysis=dict(reversed(index.analysis.items())),
    )
    assert ensure_active_index(FakeEmbedder(), retrieval_config()).pk == index.pk


def test_a_setting_that_is_no_part_of_an_index_may_change(db):
    index = ensure_active_index(FakeEmbedder(), retrieval_config())
    changed = replace(retrieval_config(), dense_weight=0.5, exact_limit=1)
    assert ensure_active_index(FakeEmbedder(), changed).pk == index.pk


def no_model(**_):
    raise ModelUnavailable("There is no embedding model at /models: config.json is missing.")


@pytest.mark.parametrize(
    ("find_embedder", "changes", "reason"),
    [
        (no_model, {}, "model_unavailable: There is no embedding model at /models"),
        (lambda **_: FakeEmbedder(name="other"), {}, "embedder_changed: The active index was"),
        (lambda **_: FakeEmbedder(), {"k1": 1.5}, "index_settings_changed: The active index was"),
    ],
)
def test_a_step_waits_for_a_model_and_settings_that_fit(
    embedder, draft, settings, find_embedder, changes, reason
):
    ensure_active_index(embedder, retrieval_config())
    before = everything_kept()
    kept = settings.RETRIEVAL
    settings.RETRIEVAL = {**kept, **changes}
    owed = owe_indexing(draft)
    # Undone before the model of the fixture is, which would otherwise stay.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "get_embedder", find_embedder)
        for _ in range(5):
            assert work.take_step(owed.pk)
            owed.refresh_from_db()
            assert (owed.state, owed.attempts, owed.deaths) == (Work.State.OWED, 0, 0)
            assert owed.failure.startswith(reason)
            Work.objects.filter(pk=owed.pk).update(not_before=None)
        assert everything_kept() == before
    assert Revision.objects.get(pk=draft.pk).status == Revision.Status.SPLITTING

    settings.RETRIEVAL = kept
    assert work.take_step(owed.pk)
    owed.refresh_from_db()
    assert (owed.state, owed.failure) == (Work.State.DONE, "")
    assert Revision.objects.get(pk=draft.pk).status == Revision.Status.READY


def test_dropping_a_revision_leaves_the_others(embedder, group):
    first = build_document("First", "Twenty days of leave.", group, starts_at=EARLIER)
    build_document("Second", "Twenty days of rest.", group, starts_at=EARLIER)
    drop_revisions([first.revisions.get().pk])
    assert Passage.objects.count() == IndexedRevision.objects.count() == 1
    held = TermStatistic.objects.filter(passages__gt=0)
    assert set(held.values_list("lexeme", flat=True)) == {"second", "twenti", "day", "rest"}


def test_publication_waits_for_the_index(embedder, group):
    document = build_document("Rules", "Old words.", group, publish=False)
    revision = index_text(document, "New words.", EARLIER)
    assert revision.effective is not None
    assert IndexedRevision.objects.get(revision=revision).counted_in == group


def test_lexemes_that_share_a_dimension_add_up():
    assert dimension_of("word2529") == dimension_of("word4888") == 155205308
    shared = sparse({"word2529": 1.0, "word4888": 0.5})
    assert shared.to_text() == "{155205308:1.5}/1000000000"


def test_a_document_without_a_word_can_be_indexed(embedder, group):
    document = build_document("🙂", "???", group, starts_at=EARLIER)
    passage = Passage.objects.get(revision__document=document)
    assert passage.weights.to_text() == "{}/1000000000"


def test_a_draft_is_indexed_and_counted_nowhere(embedder, group, draft):
    make_searchable(draft)
    assert IndexedRevision.objects.get(revision=draft).counted_in is None
