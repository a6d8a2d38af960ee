"""Documents from creation to purge."""

import pytest
from django.core.exceptions import ValidationError

from documents import grants, services
from documents.conf import documents_config
from documents.errors import Conflict, InvalidInput, NotPermitted
from documents.models import AuditEntry, Document, Revision, Work
from documents.services import DocumentFields, Upload
from documents.visibility import MANAGE
from tests.builders import (
    OPERATOR,
    add_text,
    build_account,
    build_document,
    build_group,
    build_revision,
)
from tests.world import EARLIER

pytestmark = pytest.mark.db


@pytest.fixture
def group():
    return build_group("lab")


@pytest.fixture
def document(group):
    return build_document("Rules", "First text.", group, starts_at=EARLIER)


def create(group, **fields):
    return services.create_document(DocumentFields(**fields), group=group, acted_by=OPERATOR)


def add(document, content=b"Second text.", change_note=""):
    upload = Upload(content=content, original_name="second.md", change_note=change_note)
    return services.add_revision(document, upload, acted_by=OPERATOR)


def test_slug_comes_from_the_title_in_any_script(group):
    assert create(group, title="Opening hours 2026").slug == "opening-hours-2026"
    assert create(group, title="机床 安全").slug == "机床-安全"
    assert create(group, title="???").slug == "document"


def test_tags_are_trimmed_sorted_and_once_each(group):
    assert create(group, title="Rules", tags=[" b", "a", "b", ""]).tags == ["a", "b"]


def test_slug_is_taken_once_in_a_group(group, document):
    with pytest.raises(Conflict) as error:
        create(group, title="Other", slug="rules")
    assert error.value.code == "slug_taken"
    assert create(build_group("finance"), title="Other", slug="rules").slug == "rules"


def test_slug_of_a_deleted_document_is_free(group, document):
    services.delete_document(document, acted_by=OPERATOR)
    create(group, title="Rules")

    with pytest.raises(Conflict) as error:
        services.undelete_document(document, acted_by=OPERATOR)
    assert error.value.code == "slug_taken"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": "x" * 501},
        {"title": "Rules", "slug": "no spaces"},
        {"title": "Rules", "source_url": "javascript:alert(1)"},
    ],
)
def test_unusable_fields_are_refused_by_name(group, fields):
    with pytest.raises(ValidationError) as error:
        create(group, **fields)
    assert list(error.value.message_dict) == [list(fields)[-1]]


@pytest.mark.parametrize("bad", ["a\0b", "a\ud800b"])
@pytest.mark.parametrize("field", ["title", "tags", "source_url", "language"])
def test_text_that_cannot_be_kept_is_refused(group, field, bad):
    fields = {"title": "Rules", field: [bad] if field == "tags" else bad}
    with pytest.raises(InvalidInput) as error:
        create(group, **fields)
    assert (error.value.code, error.value.details) == ("invalid_text", {"field": field})


def test_upload_is_received_numbered_and_owed(document):
    revision = add(document, change_note="Second.")

    assert (revision.number, revision.status, revision.change_note) == (2, "received", "Second.")
    assert list(Work.objects.filter(revision=revision).values_list("step", "state")) == [
        ("extract", "owed")
    ]


def test_empty_file_is_refused(document):
    with pytest.raises(InvalidInput) as error:
        add(document, b"")
    assert error.value.code == "empty"


def test_file_above_the_limit_is_refused_with_the_limit(document):
    limit = documents_config().upload_max_bytes
    assert add(document, b"x" * 1000).number == 2
    with pytest.raises(InvalidInput) as error:
        add(document, b"x" * (limit + 1))
    assert error.value.code == "too_large"
    assert error.value.details["limit_bytes"] == limit
    assert str(limit) in error.value.message


def test_bytes_of_the_newest_revision_are_a_duplicate(document):
    with pytest.raises(Conflict) as error:
        add(document, b"First text.")
    assert (error.value.code, error.value.details) == ("duplicate_revision", {"revision": 1})


def test_bytes_of_an_older_revision_are_a_revision(document):
    add(document)

    assert add(document, b"First text.").number == 3


@pytest.mark.parametrize("status", ["failed", "quarantined", "cancelled"])
def test_failed_upload_does_not_stand_in_the_way_of_the_next(document, status):
    Revision.objects.filter(pk=add(document).pk).update(status=status)

    assert add(document).number == 3


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("rules.md", "rules.md"),
        ("", "unnamed"),
        ("规则.md", "规则.md"),
        ("a\0b\n.md", "a\\u0000b\\u000a.md"),
        ("evil\u202egnp.md", "evil\\u202egnp.md"),
        ("a\udcff.md", "a\\udcff.md"),
        ("x" * 300 + ".md", "x" * 252 + ".md"),
    ],
)
def test_file_names_are_shown_without_tricks(name, shown):
    assert services.clean_name(name) == shown


def test_only_what_failed_can_be_tried_again(document):
    with pytest.raises(Conflict) as error:
        services.retry_revision(document.revisions.get(), acted_by=OPERATOR)
    assert error.value.code == "not_failed"


def test_cancelling_stops_owed_work(document):
    revision = add(document)
    services.cancel_revision(revision, acted_by=OPERATOR)

    assert Revision.objects.get(pk=revision.pk).status == "cancelled"
    assert Work.objects.get(revision=revision).state == "cancelled"
    with pytest.raises(Conflict) as error:
        services.cancel_revision(revision, acted_by=OPERATOR)
    assert error.value.code == "already_finished"


def test_fields_change_and_the_slug_stays(document):
    fields = DocumentFields(title="New rules", slug="other", tags=["x"], language="de")
    changed = services.change_fields(document, fields, acted_by=OPERATOR)

    assert (changed.title, changed.slug) == ("New rules", "rules")
    assert (changed.tags, changed.language) == (["x"], "de")


def test_moving_to_a_group_where_the_slug_is_taken_is_refused(document):
    finance = build_group("finance")
    create(finance, title="Rules")
    with pytest.raises(Conflict) as error:
        services.move_document(document, to_group=finance, acted_by=OPERATOR)

    assert error.value.code == "slug_taken"
    assert Document.objects.get(pk=document.pk).visibility_group.slug == "lab"


def test_moving_needs_the_right_on_both_groups(document):
    finance = build_group("finance")
    editor = build_account("editor")
    for group in (finance, build_group("elsewhere", managers=[editor])):
        with pytest.raises(NotPermitted):
            services.move_document(document, to_group=group, acted_by=editor)


def test_deleting_twice_and_undeleting_twice_change_nothing(document):
    for service in (services.delete_document, services.undelete_document):
        entries = AuditEntry.objects.count()
        service(document, acted_by=OPERATOR)
        service(document, acted_by=OPERATOR)
        assert AuditEntry.objects.count() == entries + 1
    assert Document.objects.get(pk=document.pk).deleted_at is None


def test_purging_needs_a_deletion_and_a_reason(document):
    with pytest.raises(Conflict) as conflict:
        services.purge_document(document, acted_by=OPERATOR, reason="asked for")
    assert conflict.value.code == "not_deleted"
    services.delete_document(document, acted_by=OPERATOR)
    with pytest.raises(InvalidInput) as missing:
        services.purge_document(document, acted_by=OPERATOR, reason=" ")
    assert missing.value.code == "reason_required"


def test_purging_takes_all_rows_of_the_document_and_no_others(document, group):
    build_revision(document, "Second text.")
    add_text(document, "Unread.")
    other = build_document("Other", "Other text.", group)
    services.delete_document(document, acted_by=OPERATOR)
    services.purge_document(document, acted_by=OPERATOR, reason="asked for")

    assert list(Document.objects.all()) == [other]
    assert Revision.objects.get().document == other
    assert Work.objects.get().revision.document == other


ACTIONS = {
    "create": lambda d, who: services.create_document(
        DocumentFields(title="New"), group=d.visibility_group, acted_by=who
    ),
    "add": lambda d, who: services.add_revision(
        d, Upload(content=b"New.", original_name="new.md"), acted_by=who
    ),
    "retry": lambda d, who: services.retry_revision(d.revisions.get(number=3), acted_by=who),
    "cancel": lambda d, who: services.cancel_revision(d.revisions.get(number=2), acted_by=who),
    "change": lambda d, who: services.change_fields(d, DocumentFields(title="X"), acted_by=who),
    "move": lambda d, who: services.move_document(
        d, to_group=build_group("target", managers=[who]), acted_by=who
    ),
    "delete": lambda d, who: services.delete_document(d, acted_by=who),
}


@pytest.fixture
def busy_document(document):
    add(document)
    failed = add(document, b"Third text.")
    Revision.objects.filter(pk=failed.pk).update(status="failed")
    return document


@pytest.mark.parametrize("name", ACTIONS)
def test_manager_of_the_group_may(busy_document, name):
    editor = build_account("editor")
    grants.grant(busy_document.visibility_group, MANAGE, to=editor, acted_by=OPERATOR)

    ACTIONS[name](busy_document, editor)


@pytest.mark.parametrize("person", ["root", "leo", "edith"])
@pytest.mark.parametrize("name", ACTIONS)
def test_nobody_else_may(busy_document, name, person):
    people = {
        "root": lambda: build_account("root", staff=True, superuser=True),
        "leo": lambda: build_account("leo", active=False),
        "edith": lambda: build_account("edith", staff=True),
    }
    user = people[person]()
    if person == "leo":
        grants.grant(busy_document.visibility_group, MANAGE, to=user, acted_by=OPERATOR)
    with pytest.raises(NotPermitted):
        ACTIONS[name](busy_document, user)
