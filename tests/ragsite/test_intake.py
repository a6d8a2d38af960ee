"""Bringing files in: audiences, intervals, moves, and nothing twice. Nothing is indexed here."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from documents import services, work
from documents.errors import Conflict
from documents.models import AuditEntry, Document, PublicationOrder, Revision, VisibilityGroup
from documents.services import DocumentFields
from documents.visibility import readable_groups, scope_for_groups
from documents.work import StepWaits
from ragsite.corpus import Audience, Failure, read_corpus
from ragsite.intake import Intake, find_or_make_audience, finish_work, take_in_document
from tests.builders import OPERATOR, add_text, build_document, build_group
from tests.ragsite.test_corpus import write_corpus

pytestmark = pytest.mark.db
AT = datetime(2026, 4, 1, tzinfo=UTC)


def take_in(folder, *readers, encoding=""):
    audience = Audience(by_slug=None, otherwise=frozenset(readers or {"everyone"}))
    intake = Intake()
    for planned in read_corpus(folder, audience, zone=ZoneInfo("UTC")).documents:
        take_in_document(planned, intake, encoding=encoding)
    return intake


def readers_by_slug(*names):
    scope = scope_for_groups(frozenset(names), at=AT)
    return sorted(readable_groups(scope).values_list("slug", flat=True))


def test_a_set_of_names_becomes_one_group_that_each_of_them_reads():
    group = find_or_make_audience(frozenset({"people", "legal"}))
    assert (group.slug, group.reach) == ("legal--people", "listed")
    assert readers_by_slug("legal") == ["legal--people"]
    assert readers_by_slug("people") == ["legal--people"]
    assert readers_by_slug("security") == []


def test_everyone_stands_for_reach_signed_in():
    assert find_or_make_audience(frozenset({"everyone"})).reach == "signed_in"
    assert readers_by_slug() == ["everyone"]


def test_making_an_audience_again_changes_nothing():
    first = find_or_make_audience(frozenset({"legal"}))
    entries = AuditEntry.objects.count()
    assert find_or_make_audience(frozenset({"legal"})) == first
    assert AuditEntry.objects.count() == entries


def test_a_group_of_wider_reach_is_refused():
    build_group("legal", reach="public")
    with pytest.raises(Conflict) as raised:
        find_or_make_audience(frozenset({"legal"}))
    assert raised.value.code == "group_reach_differs"


def test_a_document_whose_audience_is_refused_fails_by_file(tmp_path):
    build_group("legal", reach="public")
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    intake = take_in(tmp_path, "legal")
    assert [(item.file, item.code) for item in intake.failures] == [
        ("rules/1.md", "group_reach_differs")
    ]
    assert not Document.objects.exists()


def test_revisions_are_ordered_to_be_in_force_for_their_intervals(tmp_path):
    write_corpus(
        tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, "b"), ("2021-01-01", None, "c")
    )
    intake = take_in(tmp_path)
    orders = PublicationOrder.objects.order_by("revision__number")
    assert intake.added == 3
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)
    assert [(order.starts_at, order.ends_at) for order in orders] == [
        (early, late),
        (late, late),
        (late, None),
    ]
    assert all(order.reason for order in orders)


def test_the_title_name_and_encoding_are_kept(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    take_in(tmp_path, encoding="utf-8")
    revision = Revision.objects.select_related("document").get()
    assert (revision.document.slug, revision.document.title) == ("rules", "Rules")
    assert (revision.original_name, revision.declared_encoding) == ("rules/1.md", "utf-8")


def test_taking_in_again_adds_nothing(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, "b"))
    take_in(tmp_path)
    entries = AuditEntry.objects.count()
    again = take_in(tmp_path)
    assert (again.added, len(again.files_by_revision)) == (0, 2)
    assert AuditEntry.objects.count() == entries


def test_a_revision_added_to_the_index_is_added_to_the_document(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    take_in(tmp_path)
    write_corpus(tmp_path, ("2020-01-01", None, "a"), ("2021-01-01", None, "b"))
    again = take_in(tmp_path)
    assert again.added == 1
    assert list(Revision.objects.values_list("document__slug", "number")) == [
        ("rules", 1),
        ("rules", 2),
    ]


def test_a_changed_audience_moves_the_document(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    take_in(tmp_path, "everyone")
    again = take_in(tmp_path, "legal")
    assert again.added == 0
    assert Document.objects.get().visibility_group.slug == "legal"


def test_a_document_of_the_same_slug_that_people_made_stays_theirs(tmp_path):
    theirs = services.create_document(
        DocumentFields(title="Rules", slug="rules"), group=build_group("board"), acted_by=OPERATOR
    )
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    take_in(tmp_path, "legal")
    assert Document.objects.get(pk=theirs.pk).visibility_group.slug == "board"
    assert Document.objects.filter(slug="rules").count() == 2


def test_an_empty_file_fails_by_its_code_and_the_rest_goes_on(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, ""), ("2021-01-01", None, "b"))
    intake = take_in(tmp_path)
    assert [(item.file, item.code) for item in intake.failures] == [("rules/1.md", "empty")]
    assert intake.added == 1


def test_a_failed_revision_is_owed_again(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    take_in(tmp_path)
    Revision.objects.update(status="failed")
    take_in(tmp_path)
    assert Revision.objects.get().status == "received"


def test_names_that_make_no_slug_fail_the_document(tmp_path):
    write_corpus(tmp_path, ("2020-01-01", None, "a"))
    intake = take_in(tmp_path, "no slug!")
    assert [item.code for item in intake.failures] == ["invalid_input"]
    assert not VisibilityGroup.objects.exists()


def test_an_import_ends_with_the_reason_where_all_that_is_left_waits(monkeypatch):
    def wait(lease):
        raise StepWaits("There is no model.", code="model_unavailable")

    monkeypatch.setitem(work._STEPS, work.EXTRACT, wait)
    document = build_document("Rules", "First text.", build_group("legal"))
    revision = add_text(document, "Second text.")
    intake = Intake(files_by_revision={revision.pk: "rules/2.md"})
    finish_work(intake, show=lambda _: None)
    assert intake.failures == [
        Failure(file="rules/2.md", code="waiting", message="model_unavailable: There is no model.")
    ]
    assert work.has_unfinished([revision.pk])
