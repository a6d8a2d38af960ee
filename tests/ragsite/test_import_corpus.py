"""import_corpus: a folder in, everything searchable, the same report twice, files named."""

import io
import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from documents import work
from documents.models import AuditEntry, Revision, Work
from documents.visibility import readable_revisions, scope_for_groups
from retrieval.models import Passage
from tests.ragsite.test_corpus import write_corpus

pytestmark = pytest.mark.db(transaction=True)


def run(folder, **options):
    """Return the exit status and the parsed report."""
    out = io.StringIO()
    status: object = 0
    try:
        call_command("import_corpus", str(folder), as_json=True, stdout=out, **options)
    except SystemExit as ended:
        status = ended.code
    return status, json.loads(out.getvalue())


def in_force(at, *groups):
    scope = scope_for_groups(frozenset(groups), at=datetime.fromisoformat(at).replace(tzinfo=UTC))
    return list(readable_revisions(scope).values_list("original_name", flat=True))


def test_a_folder_ends_searchable_and_in_force_by_its_dates(tmp_path, fake_index):
    write_corpus(
        tmp_path,
        ("2020-01-01", None, "# Refunds\n\nWithin 30 days."),
        ("2021-01-01", None, "# Refunds\n\nWithin 14 days."),
    )
    status, report = run(tmp_path)
    seconds = report.pop("seconds")
    assert status == 0
    assert report == {"documents": 1, "revisions": 2, "folded": 0, "passages": 2, "failed": []}
    assert seconds["total"] >= seconds["embedding"] > 0
    assert Passage.objects.count() == 2
    assert in_force("2020-06-01") == ["rules/1.md"]
    assert in_force("2021-06-01") == ["rules/2.md"]
    assert in_force("2019-06-01") == []


def test_the_earlier_of_two_with_one_start_is_never_in_force(tmp_path, fake_index):
    write_corpus(tmp_path, ("2020-01-02", None, "one"), ("2020-01-02", None, "two"))
    status, report = run(tmp_path)
    assert (status, report["revisions"]) == (0, 2)
    assert in_force("2020-06-01") == ["rules/2.md"]


def test_whichever_file_is_ready_first_the_intervals_are_the_same(tmp_path, fake_index):
    write_corpus(
        tmp_path,
        ("2020-01-01", None, "one"),
        ("2021-01-01", None, "two"),
        ("2022-01-01", None, "three"),
    )
    take_owed = work.take_owed

    def take_newest_first(*, limit):
        taken = 0
        for pk in (
            Work.objects.filter(state="owed")
            .order_by("-revision__number")
            .values_list("pk", flat=True)[:1]
        ):
            taken += work.take_step(pk)
        return taken

    work.take_owed = take_newest_first
    try:
        status, _ = run(tmp_path)
    finally:
        work.take_owed = take_owed
    assert status == 0
    moments = ("2020-06-01", "2021-06-01", "2022-06-01")
    assert [in_force(moment) for moment in moments] == [
        ["rules/1.md"],
        ["rules/2.md"],
        ["rules/3.md"],
    ]


def test_a_second_run_changes_nothing(tmp_path, fake_index):
    write_corpus(tmp_path, ("2020-01-01", None, "one"), ("2021-01-01", None, "two"))
    _, first = run(tmp_path)
    rows = list(Revision.objects.order_by("pk").values_list("pk", "number", "effective"))
    entries, embedded = AuditEntry.objects.count(), len(fake_index.embedded)
    status, second = run(tmp_path)
    assert status == 0
    assert second.pop("seconds")["embedding"] == 0
    first.pop("seconds")
    assert second == first
    assert list(Revision.objects.order_by("pk").values_list("pk", "number", "effective")) == rows
    assert (AuditEntry.objects.count(), len(fake_index.embedded)) == (entries, embedded)


def test_a_revision_added_later_ends_the_one_before_it(tmp_path, fake_index):
    write_corpus(tmp_path, ("2020-01-01", None, "one"))
    run(tmp_path)
    write_corpus(tmp_path, ("2020-01-01", None, "one"), ("2021-01-01", None, "two"))
    status, report = run(tmp_path)
    assert (status, report["revisions"]) == (0, 2)
    assert in_force("2020-06-01") == ["rules/1.md"]
    assert in_force("2021-06-01") == ["rules/2.md"]


def test_the_visibility_file_decides_who_reads_and_a_change_moves(tmp_path, fake_index):
    write_corpus(tmp_path, ("2020-01-01", None, "one"))
    visibility = tmp_path / "who.json"
    visibility.write_text(json.dumps({"rules": ["everyone"]}), encoding="utf-8")
    run(tmp_path, visibility=visibility)
    assert in_force("2020-06-01") == ["rules/1.md"]
    visibility.write_text(json.dumps({"rules": ["legal", "people"]}), encoding="utf-8")
    status, report = run(tmp_path, visibility=visibility)
    assert (status, report["revisions"]) == (0, 1)
    assert in_force("2020-06-01") == []
    assert in_force("2020-06-01", "people") == ["rules/1.md"]


def test_files_that_fail_are_named_and_the_rest_is_searchable(tmp_path, fake_index):
    write_corpus(
        tmp_path,
        ("2020-01-01", None, "one"),
        ("2021-01-01", None, None),
        ("2022-01-01", None, "\x00\x01\x02\x03" * 50),
        ("2023-01-01", None, "four"),
    )
    status, report = run(tmp_path)
    assert status == 1
    assert report["revisions"] == 2
    assert [item["file"] for item in report["failed"]] == ["rules/2.md", "rules/3.md"]
    assert report["failed"][0]["code"] == "missing_file"
    assert in_force("2021-06-01") == []
    assert in_force("2023-06-01") == ["rules/4.md"]


def test_equal_files_in_a_row_fold_and_the_report_says_so(tmp_path, fake_index):
    write_corpus(tmp_path, ("2020-01-01", None, "one"), ("2021-01-01", None, "one"))
    status, report = run(tmp_path)
    assert (status, report["revisions"], report["folded"]) == (0, 1, 1)
    assert in_force("2022-06-01") == ["rules/1.md"]


def test_plain_files_are_in_force_from_now_for_everyone_signed_in(tmp_path, fake_index):
    (tmp_path / "notes.txt").write_text("Doors open at nine.", encoding="utf-8")
    status, report = run(tmp_path)
    assert (status, report["documents"], report["revisions"]) == (0, 1, 1)
    assert in_force("2020-06-01") == []
    scope = scope_for_groups(frozenset(), at=datetime(2100, 1, 1, tzinfo=UTC))
    assert readable_revisions(scope).count() == 1


def test_an_unusable_index_is_one_failed_file(tmp_path, fake_index):
    (tmp_path / "index.json").write_text("{", encoding="utf-8")
    status, report = run(tmp_path)
    assert status == 1
    assert report["failed"] == [{"file": "index.json", "code": "invalid_index"}]
    assert report["documents"] == 0


@pytest.mark.parametrize("name", ["visibility", "folder"])
def test_what_is_not_there_is_wrong_usage(tmp_path, name):
    write_corpus(tmp_path, ("2020-01-01", None, "one"))
    folder = tmp_path / "nothing" if name == "folder" else tmp_path
    options = {"visibility": tmp_path / "nothing.json"} if name == "visibility" else {}
    with pytest.raises(CommandError) as raised:
        call_command("import_corpus", str(folder), **options)
    assert raised.value.returncode == 2


def test_the_report_for_people_says_what_is_new_and_what_failed(tmp_path, fake_index):
    write_corpus(tmp_path, ("2020-01-01", None, "one"), ("2021-01-01", None, None))
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("import_corpus", str(tmp_path), stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "1 documents, 1 revisions (1 new), 1 passages."
    assert lines[-1] == "failed: rules/2.md (missing_file) The file cannot be read."
