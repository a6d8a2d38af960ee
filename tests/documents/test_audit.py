"""Every service leaves exactly one entry, and no entry holds document text."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from documents import grants, publishing, services, tokens
from documents.errors import NotPermitted
from documents.models import AuditEntry, Document, Revision
from documents.publishing import Publication
from documents.services import DocumentFields, Upload
from documents.visibility import READ
from tests.builders import OPERATOR, build_account, build_document, build_group, build_revision

pytestmark = pytest.mark.db

CANARY = "bluebirdaudit"
DAY = timedelta(days=1)


@pytest.fixture
def editor():
    return build_account("editor")


@pytest.fixture
def document(editor):
    """A document with a revision in force and a draft; canaries in every text of it."""
    group = build_group("lab", managers=[editor])
    document = build_document(f"{CANARY} rules", f"The {CANARY} limit.", group)
    build_revision(document, f"The other {CANARY} limit.", publish=False, change_note=CANARY)
    return document


def draft(document):
    return document.revisions.get(number=2)


def upload(document, editor):
    file = Upload(content=f"{CANARY} third.".encode(), original_name=CANARY, change_note=CANARY)
    return services.add_revision(document, file, acted_by=editor)


def schedule(document, editor):
    later = Publication(starts_at=timezone.now() + DAY)
    return publishing.publish_revision(draft(document), later, acted_by=editor)


STEPS = {
    "document_created": lambda d, e: services.create_document(
        DocumentFields(title=f"{CANARY} two", tags=[CANARY]), group=d.visibility_group, acted_by=e
    ),
    "revision_added": upload,
    "document_changed": lambda d, e: services.change_fields(
        d, DocumentFields(title=CANARY), acted_by=e
    ),
    "published": schedule,
    "publication_ordered": lambda d, e: publishing.publish_revision(
        d.revisions.get(number=3), Publication(), acted_by=e
    ),
    "publication_cancelled": lambda d, e: publishing.cancel_publication(draft(d), acted_by=e),
    "revision_cancelled": lambda d, e: services.cancel_revision(
        d.revisions.get(number=3), acted_by=e
    ),
    "revision_retried": lambda d, e: services.retry_revision(d.revisions.get(number=3), acted_by=e),
    "withdrawn": lambda d, e: publishing.withdraw_revision(d.revisions.get(number=1), acted_by=e),
    "retracted": lambda d, e: publishing.retract_revision(
        d.revisions.get(number=1), acted_by=e, reason="wrong"
    ),
    "document_moved": lambda d, e: services.move_document(
        d, to_group=build_group_quietly(e), acted_by=e
    ),
    "document_deleted": lambda d, e: services.delete_document(d, acted_by=e),
    "document_undeleted": lambda d, e: services.undelete_document(d, acted_by=e),
    "document_purged": lambda d, e: services.purge_document(
        again_deleted(d), acted_by=e, reason="asked for"
    ),
}


def build_group_quietly(editor):
    return build_group("archive", managers=[editor])


def again_deleted(document):
    Document.objects.filter(pk=document.pk).update(deleted_at=timezone.now())
    return document


def test_each_step_in_the_life_of_a_document_is_one_entry_by_its_actor(document, editor):
    public_id = document.public_id
    for action, step in STEPS.items():
        last = AuditEntry.objects.latest("id").pk
        step(document, editor)
        entries = AuditEntry.objects.filter(pk__gt=last, actor=editor)
        assert [entry.action for entry in entries] == [action]
        assert entries[0].document_public_id in {public_id} or action == "document_created"
        assert entries[0].visibility_group_slug in {"lab", "archive"}

    assert not Revision.objects.filter(document=document.pk).exists()
    assert AuditEntry.objects.filter(document_public_id=public_id).count() >= len(STEPS) - 1


def test_restoring_is_two_entries_the_copy_and_its_publication(document, editor):
    last = AuditEntry.objects.latest("id").pk
    publishing.restore_revision(document.revisions.get(number=1), Publication(), acted_by=editor)

    actions = AuditEntry.objects.filter(pk__gt=last).order_by("id").values_list("action", flat=True)
    assert list(actions) == ["restored", "publication_ordered"]


def test_no_entry_holds_text_of_a_document(document, editor):
    for step in STEPS.values():
        step(document, editor)
    entries = list(AuditEntry.objects.values())

    assert len(entries) > len(STEPS)
    assert CANARY not in json.dumps(entries, default=str)


def test_refused_service_leaves_no_entry(document):
    before = AuditEntry.objects.count()
    stranger = build_account("stranger")
    for step in (upload, schedule):
        with pytest.raises(NotPermitted):
            step(document, stranger)

    assert AuditEntry.objects.count() == before


def test_commands_are_named_in_place_of_an_account(document):
    services.delete_document(document, acted_by=OPERATOR)
    entry = AuditEntry.objects.latest("id")

    assert (entry.actor, entry.command, entry.action) == (None, "tests", "document_deleted")


def test_trail_outlives_account_document_and_group(document, editor):
    public_id, actor_id = document.public_id, editor.pk
    services.delete_document(document, acted_by=editor)
    services.purge_document(document, acted_by=editor, reason="asked for")
    tokens.create_token(user=editor, name="x", scopes=["read"], expires_at=None, acted_by=editor)
    grants.grant(document.visibility_group, READ, to=editor, acted_by=OPERATOR)
    editor.delete()

    entry = AuditEntry.objects.filter(document_public_id=public_id).latest("id")
    assert (entry.action, entry.actor_id) == ("document_purged", actor_id)
