"""What the database itself refuses, asked in plain SQL past every service."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from documents import publishing, services
from documents.models import AuditEntry, Document, Revision, SourceFile, Work
from documents.signals import revisions_purged
from tests.builders import OPERATOR, add_text, build_document, build_group, build_revision
from tests.world import CHANGED, EARLIER, SCHEDULED

pytestmark = pytest.mark.db


@pytest.fixture
def document(db):
    return build_document("Rules", "First text.", build_group("lab"), starts_at=EARLIER)


@pytest.fixture
def revision(document):
    return document.revisions.get()


def run(sql, *parameters):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.rowcount


def refused(sql, *parameters):
    with pytest.raises(IntegrityError) as error:
        run(sql, *parameters)
    return str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        "text = 'other'",
        "text_sha256 = repeat('0', 64)",
        "number = 9",
        "layout = '{}'",
        "language = 'zh'",
        "original_name = 'other.md'",
        "status = 'failed'",
        "source_file_id = source_file_id + 1",
        "document_id = document_id + 1",
    ],
)
def test_ready_revision_keeps_its_text(revision, change):
    message = refused(f"UPDATE documents_revision SET {change} WHERE id = %s", revision.pk)  # noqa: S608 - fixed texts above

    assert "a ready revision is immutable" in message


def test_revision_that_is_not_ready_may_still_change(document):
    draft = add_text(document, "Unread.")

    assert run("UPDATE documents_revision SET text = 'x' WHERE id = %s", draft.pk) == 1


@pytest.mark.parametrize(
    "effective",
    [
        "NULL",
        "tstzrange('2019-01-01+00', NULL)",
        "tstzrange('2020-01-02+00', NULL)",
        "tstzrange('2021-01-01+00', '2022-01-01+00')",
        "tstzrange(NULL, '2022-01-01+00')",
        "tstzrange('2020-01-01+00', '2024-01-02+00')",
        "tstzrange('2020-01-01+00', NULL)",
    ],
)
def test_only_the_end_moves_and_only_earlier(document, revision, effective):
    build_revision(document, "Second text.", starts_at=CHANGED)
    statement = f"UPDATE documents_revision SET effective = {effective} WHERE id = %s"  # noqa: S608 - fixed texts above

    assert "only the end moves, and only earlier" in refused(statement, revision.pk)


@pytest.mark.parametrize("effective", ["tstzrange('2020-01-01+00', '2021-01-01+00')", "'empty'"])
def test_end_may_move_earlier(revision, effective):
    statement = f"UPDATE documents_revision SET effective = {effective} WHERE id = %s"  # noqa: S608 - fixed texts above

    assert run(statement, revision.pk) == 1


def test_revision_never_in_force_stays_so(revision):
    run("UPDATE documents_revision SET effective = 'empty' WHERE id = %s", revision.pk)
    message = refused(
        "UPDATE documents_revision SET effective = tstzrange('2020-01-01+00', NULL) WHERE id = %s",
        revision.pk,
    )

    assert "only the end moves" in message


def test_retraction_stands(revision):
    publishing.retract_revision(revision, acted_by=OPERATOR, reason="wrong")
    statement = "UPDATE documents_revision SET retracted_at = %s WHERE id = %s"

    assert "a retraction stands" in refused(statement, None, revision.pk)
    assert "a retraction stands" in refused(statement, timezone.now(), revision.pk)


def test_published_revision_is_not_deleted(revision):
    Work.objects.all().delete()
    message = refused("DELETE FROM documents_revision WHERE id = %s", revision.pk)

    assert "kept for ever" in message


def test_audit_trail_is_append_only(document):
    entry = AuditEntry.objects.latest("id")

    for sql in (
        "UPDATE documents_auditentry SET action = 'x' WHERE id = %s",
        "DELETE FROM documents_auditentry WHERE id = %s",
    ):
        assert "append-only" in refused(sql, entry.pk)


def test_two_in_force_at_one_moment_are_refused(document):
    draft = build_revision(document, "Second text.", publish=False)
    message = refused(
        "UPDATE documents_revision SET effective = tstzrange('2030-01-01+00', NULL) WHERE id = %s",
        draft.pk,
    )

    assert "revision_effective_no_overlap" in message


def test_intervals_may_touch_and_other_documents_do_not_matter(document):
    build_revision(document, "Second text.", starts_at=SCHEDULED)
    build_document("Other", "Other text.", document.visibility_group, starts_at=EARLIER)

    assert Revision.objects.in_force(SCHEDULED).count() == 2


def test_only_what_is_ready_can_be_in_force(document):
    draft = add_text(document, "Unread.")
    message = refused("UPDATE documents_revision SET effective = 'empty' WHERE id = %s", draft.pk)

    assert "revision_published_is_ready" in message


def test_document_with_revisions_is_not_deleted(document):
    with pytest.raises(IntegrityError), transaction.atomic():
        run("DELETE FROM documents_document WHERE id = %s", document.pk)
        run("SET CONSTRAINTS ALL IMMEDIATE")


def test_purge_passes_the_guards_and_closes_them(document):
    other = build_document("Other", "Other text.", document.visibility_group, starts_at=EARLIER)
    services.delete_document(document, acted_by=OPERATOR)
    services.purge_document(document, acted_by=OPERATOR, reason="asked for")

    assert not Document.objects.filter(pk=document.pk).exists()
    message = refused(
        "UPDATE documents_revision SET text = 'x' WHERE id = %s", other.revisions.get().pk
    )
    assert "immutable" in message


def test_failed_purge_leaves_everything_and_the_guards(document, revision):
    services.delete_document(document, acted_by=OPERATOR)

    def fail(**_):
        raise RuntimeError

    revisions_purged.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            services.purge_document(document, acted_by=OPERATOR, reason="asked for")
    finally:
        revisions_purged.disconnect(fail)

    assert Revision.objects.filter(pk=revision.pk).exists()
    assert not SourceFile.objects.filter(drop_owed=True).exists()
    assert "immutable" in refused(
        "UPDATE documents_revision SET text = 'x' WHERE id = %s", revision.pk
    )


def test_account_may_go_while_its_documents_and_trail_stay(document, django_user_model):
    user = django_user_model.objects.create_user("gone")
    Document.objects.filter(pk=document.pk).update(owner=user, created_by=user)
    Revision.objects.filter(document=document).update(created_by=user, published_by=user)
    user.delete()

    assert Document.objects.get(pk=document.pk).owner is None
    assert document.revisions.get().published_by is None


def test_tables_can_be_truncated(document):
    run("SET CONSTRAINTS ALL IMMEDIATE")  # what is still to be checked would stand in the way
    run("TRUNCATE documents_auditentry, documents_revision CASCADE")

    assert not Revision.objects.exists()
