"""Reading a folder: intervals of dated corpora, folds, and files named in errors."""

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from ragsite.corpus import CorpusUnreadable, read_audience, read_corpus

ZONE = ZoneInfo("UTC")


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def write_corpus(folder, *revisions, slug="rules"):
    """Write one document whose revisions are (published, stated_effective, text)."""
    listed = []
    for number, (published, stated, text) in enumerate(revisions, start=1):
        file = f"{slug}/{number}.md"
        (folder / slug).mkdir(exist_ok=True)
        if text is not None:
            (folder / file).write_text(text, encoding="utf-8")
        listed.append({"file": file, "published": published, "stated_effective": stated})
    entry = {"slug": slug, "title": "Rules", "revisions": listed}
    (folder / "index.json").write_text(json.dumps([entry]), encoding="utf-8")


def read(folder, **options):
    return read_corpus(folder, read_audience(None, group=options.get("group")), zone=ZONE)


def intervals(folder):
    (document,) = read(folder).documents
    return [(revision.starts_at, revision.ends_at) for revision in document.revisions]


def test_a_revision_is_in_force_until_the_next_one_starts(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, "b"))
    assert intervals(tmp_path) == [
        (day("2020-01-01"), day("2021-01-01")),
        (day("2021-01-01"), None),
    ]


def test_a_stated_date_later_than_the_start_before_wins_over_publication(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", "2020-06-01", "b"))
    assert intervals(tmp_path)[1] == (day("2020-06-01"), None)


def test_a_stated_date_not_later_than_the_start_before_gives_way_to_publication(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", "2020-01-01", "b"))
    assert intervals(tmp_path)[1] == (day("2021-01-01"), None)


def test_a_revision_never_starts_before_the_one_before_it(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", "2022-01-01", "a"), ("2021-01-01", None, "b"))
    assert intervals(tmp_path)[1] == (day("2022-01-01"), None)


def test_the_earlier_of_two_with_one_start_is_never_in_force(tmp_path):
    write_corpus(tmp_path, ("2018-05-10", None, "a"), ("2018-05-10", None, "b"))
    assert intervals(tmp_path) == [
        (day("2018-05-10"), day("2018-05-10")),
        (day("2018-05-10"), None),
    ]


def test_a_date_is_the_start_of_its_day_in_the_organisations_zone(tmp_path):
    write_corpus(tmp_path, ("2020-07-01", None, "a"))
    corpus = read_corpus(tmp_path, read_audience(None, group=None), zone=ZoneInfo("Europe/Berlin"))
    assert corpus.documents[0].revisions[0].starts_at == datetime(2020, 6, 30, 22, tzinfo=UTC)


def test_equal_texts_in_a_row_fold_into_the_earlier_one(tmp_path):
    write_corpus(
        tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, "a"), ("2022-01-01", None, "b")
    )
    assert intervals(tmp_path)[0] == (day("2020-01-01"), day("2022-01-01"))
    assert read(tmp_path).folded == 1


def test_a_rolled_back_text_stays_a_revision_of_its_own(tmp_path):
    write_corpus(
        tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, "b"), ("2022-01-01", None, "a")
    )
    assert len(intervals(tmp_path)) == 3


def test_a_missing_file_is_named_and_still_ends_the_text_before_it(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, None))
    corpus = read(tmp_path)
    assert [(item.file, item.code) for item in corpus.failures] == [("rules/2.md", "missing_file")]
    assert intervals(tmp_path) == [(day("2020-01-01"), day("2021-01-01"))]


def test_a_bad_date_is_named_and_the_rest_goes_on(tmp_path):
    write_corpus(tmp_path, ("2020-13-01", None, "a"), ("2021-01-01", None, "b"))
    corpus = read(tmp_path)
    assert [(item.file, item.code) for item in corpus.failures] == [
        ("rules/1.md", "invalid_moment")
    ]
    assert intervals(tmp_path) == [(day("2021-01-01"), None)]


@pytest.mark.parametrize("name", ["../secret.md", "/etc/hostname"])
def test_a_file_outside_the_folder_is_refused(tmp_path, name):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    entry = {"slug": "rules", "revisions": [{"file": name, "published": "2020-01-01"}]}
    (folder / "index.json").write_text(json.dumps([entry]), encoding="utf-8")
    corpus = read(folder)
    assert corpus.documents == ()
    assert [(item.file, item.code) for item in corpus.failures] == [(name, "outside_folder")]


@pytest.mark.parametrize("content", ["{", '{"slug": "a"}', b"\xff\xfe["])
def test_an_unusable_index_is_named(tmp_path, content):
    content = content.encode() if isinstance(content, str) else content
    (tmp_path / "index.json").write_bytes(content)
    with pytest.raises(CorpusUnreadable) as raised:
        read(tmp_path)
    assert raised.value.code == "invalid_index"
    assert raised.value.details == {"file": "index.json"}


@pytest.mark.parametrize(
    "entry", [1, {}, {"slug": "a"}, {"slug": "a\0", "revisions": []}, {"slug": 3, "revisions": []}]
)
def test_an_unusable_entry_is_a_failure_of_the_index(tmp_path, entry):
    (tmp_path / "index.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert [(item.file, item.code) for item in read(tmp_path).failures] == [
        ("index.json", "invalid_index")
    ]


def test_a_slug_that_is_there_twice_is_imported_not_at_all(tmp_path):
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    entry = {"slug": "a", "revisions": [{"file": "a.md", "published": "2020-01-01"}]}
    (tmp_path / "index.json").write_text(json.dumps([entry, entry]), encoding="utf-8")
    corpus = read(tmp_path)
    assert corpus.documents == ()
    assert [item.code for item in corpus.failures] == ["repeated_slug"]


def test_plain_files_become_one_document_each(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "First day.md").write_text("a", encoding="utf-8")
    (tmp_path / "须知.txt").write_text("b", encoding="utf-8")
    (tmp_path / ".hidden").write_text("c", encoding="utf-8")
    documents = read(tmp_path).documents
    assert [(item.slug, item.title, item.revisions[0].file) for item in documents] == [
        ("notes-first-day", "First day", "notes/First day.md"),
        ("须知", "须知", "须知.txt"),
    ]
    assert documents[0].revisions[0].starts_at is None
    assert documents[0].readers == {"everyone"}


def test_plain_files_that_would_share_a_slug_get_one_each(tmp_path):
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    (tmp_path / "a.txt").write_text("b", encoding="utf-8")
    slugs = [item.slug for item in read(tmp_path).documents]
    assert len(slugs) == 2
    assert len(set(slugs)) == 2


def test_plain_files_go_to_the_named_group(tmp_path):
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    (document,) = read(tmp_path, group="legal").documents
    assert document.readers == {"legal"}


def visibility_of(folder, value):
    path = folder / "visibility.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_document_that_the_visibility_file_does_not_name_stays_out(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    audience = read_audience(visibility_of(tmp_path, {"others": ["legal"]}), group=None)
    corpus = read_corpus(tmp_path, audience, zone=ZONE)
    assert corpus.documents == ()
    assert [item.code for item in corpus.failures] == ["no_visibility"]


def test_an_empty_list_of_groups_opens_a_document_to_nobody(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    audience = read_audience(visibility_of(tmp_path, {"rules": []}), group=None)
    assert read_corpus(tmp_path, audience, zone=ZONE).documents == ()


@pytest.mark.parametrize("value", [[], {"rules": "legal"}, {"rules": [1]}, {"rules": [""]}])
def test_an_unusable_visibility_file_is_named(tmp_path, value):
    with pytest.raises(CorpusUnreadable) as raised:
        read_audience(visibility_of(tmp_path, value), group=None)
    assert raised.value.code == "invalid_visibility"
    assert raised.value.details == {"file": "visibility.json"}


def test_the_policy_corpus_reads_whole(data_dir):
    folder = data_dir / "site-policy"
    corpus = read_corpus(folder, read_audience(folder / "visibility.json", group=None), zone=ZONE)
    revisions = [revision for item in corpus.documents for revision in item.revisions]
    never = [item.file for item in revisions if item.starts_at == item.ends_at]
    assert (len(corpus.documents), len(revisions), corpus.folded) == (57, 364, 0)
    assert corpus.failures == ()
    assert len(never) == 2
    assert all("2018" in file for file in never)
