"""Services that create, move, delete and purge documents and take in their revisions.

Every function names who acts, checks that they may, and writes the audit trail in its transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import IntegrityError, connection, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from documents import audit, work
from documents.audit import Actor, Operator
from documents.conf import documents_config
from documents.errors import Conflict, InvalidInput, NotPermitted
from documents.models import Document, PublicationOrder, Revision, SourceFile, VisibilityGroup
from documents.signals import in_force_changed, revisions_purged
from documents.storage import owe_drop, store_source
from documents.visibility import can_manage

MAX_ORIGINAL_NAME_CHARS = 255
UNFINISHED = ("received", "extracting", "splitting", "embedding")
ENDED_BADLY = ("failed", "quarantined", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFields:
    """What people say of a document; its texts come with its revisions."""

    title: str
    slug: str = ""
    tags: Sequence[str] = ()
    language: str = ""
    source_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file as it arrived."""

    content: bytes
    original_name: str
    declared_encoding: str = ""
    change_note: str = ""


def check_may_manage(acted_by: Actor, group: VisibilityGroup) -> None:
    """Make sure that the actor may manage the documents of the group.

    Raises: NotPermitted.
    """
    if not isinstance(acted_by, Operator) and not can_manage(acted_by, group):
        raise NotPermitted("You may not manage the documents of this group.")


@transaction.atomic
def create_document(fields: DocumentFields, *, group: VisibilityGroup, acted_by: Actor) -> Document:
    """Create a document without any text yet.

    Raises: NotPermitted; Conflict (`slug_taken`); ValidationError naming the field.
    """
    check_may_manage(acted_by, group)
    _check_fields(fields)
    slug = fields.slug or slugify(fields.title, allow_unicode=True)[:200] or "document"
    document = Document(
        slug=slug,
        title=fields.title,
        visibility_group=group,
        owner=audit.account_of(acted_by),
        tags=sorted({tag.strip() for tag in fields.tags if tag.strip()}),
        language=fields.language,
        source_url=fields.source_url,
        created_by=audit.account_of(acted_by),
        created_at=timezone.now(),
    )
    document.full_clean(validate_constraints=False)
    with _slug_kept_unique():
        document.save()
    audit.record("document_created", acted_by=acted_by, document=document, group=group)
    return document


@transaction.atomic
def add_revision(document: Document, upload: Upload, *, acted_by: Actor) -> Revision:
    """Take in a file as the document's next revision; the work on it is owed, not done.

    After the transaction the bytes are durable, and the revision reaches a final state by itself.

    Raises: NotPermitted; InvalidInput (`empty`, `too_large`); Conflict (`duplicate_revision`).
    """
    document = _locked(document)
    check_may_manage(acted_by, document.visibility_group)
    _check_size(upload)
    check_storable(upload.change_note, field="change_note")
    check_storable(upload.declared_encoding, field="declared_encoding")
    source_file = store_source(upload.content)
    _check_not_newest(document, source_file)
    revision = Revision.objects.create(
        document=document,
        number=next_revision_number(document),
        source_file=source_file,
        original_name=clean_name(upload.original_name),
        declared_encoding=upload.declared_encoding,
        change_note=upload.change_note,
        created_by=audit.account_of(acted_by),
        created_at=timezone.now(),
    )
    owe_first_step(revision)
    audit.record(
        "revision_added",
        acted_by=acted_by,
        document=document,
        revision=revision,
        group=document.visibility_group,
        details={"source_sha256": source_file.sha256},
    )
    return revision


def owe_first_step(revision: Revision) -> None:
    """Owe the reading of the file, in the caller's transaction."""
    work.owe(revision.pk, work.EXTRACT)


def next_revision_number(document: Document) -> int:
    """Return the number after the highest ever given; the document's row must be locked."""
    highest = Revision.objects.filter(document=document).aggregate(highest=Max("number"))["highest"]
    return int(highest or 0) + 1


def clean_name(original_name: str) -> str:
    """Return a file name fit to be shown: controls as escapes, at most the last 255 code points."""
    shown = "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}"
        for character in original_name
    )
    return shown[-MAX_ORIGINAL_NAME_CHARS:] or "unnamed"


@transaction.atomic
def retry_revision(revision: Revision, *, acted_by: Actor) -> None:
    """Owe the whole way anew to a revision that failed, was quarantined or cancelled.

    Raises: NotPermitted; Conflict (`not_failed`).
    """
    document = _locked(revision.document)
    check_may_manage(acted_by, document.visibility_group)
    changed = Revision.objects.filter(pk=revision.pk, status__in=ENDED_BADLY).update(
        status=Revision.Status.RECEIVED, failure_code="", failure_message=""
    )
    if not changed:
        raise Conflict("Only a revision that failed can be tried again.", code="not_failed")
    owe_first_step(revision)
    audit.record("revision_retried", acted_by=acted_by, document=document, revision=revision)


@transaction.atomic
def cancel_revision(revision: Revision, *, acted_by: Actor) -> None:
    """Stop the work on a revision that is not ready yet, and forget its waiting publication.

    Raises: NotPermitted; Conflict (`already_finished`).
    """
    work.cancel([revision.pk])
    document = _locked(revision.document)
    check_may_manage(acted_by, document.visibility_group)
    changed = Revision.objects.filter(pk=revision.pk, status__in=UNFINISHED).update(
        status=Revision.Status.CANCELLED
    )
    if not changed:
        raise Conflict("The work on this revision has already ended.", code="already_finished")
    PublicationOrder.objects.filter(revision=revision).delete()
    audit.record("revision_cancelled", acted_by=acted_by, document=document, revision=revision)


@transaction.atomic
def change_fields(document: Document, fields: DocumentFields, *, acted_by: Actor) -> Document:
    """Change title, tags, language and source address; the slug stays.

    What is searched holds the title: a changed one owes the indexing of every ready text anew.

    Raises: NotPermitted; ValidationError naming the field.
    """
    revision_ids = Revision.objects.filter(document=document).values_list("pk", flat=True)
    work.lock_steps(revision_ids)
    document = _locked(document)
    check_may_manage(acted_by, document.visibility_group)
    _check_fields(fields)
    is_renamed = document.title != fields.title
    document.title = fields.title
    document.tags = sorted({tag.strip() for tag in fields.tags if tag.strip()})
    document.language = fields.language
    document.source_url = fields.source_url
    document.full_clean(validate_constraints=False)
    document.save(update_fields=["title", "tags", "language", "source_url"])
    if is_renamed:
        work.owe_again(revision_ids, work.INDEX)
    audit.record("document_changed", acted_by=acted_by, document=document)
    return document


@transaction.atomic
def move_document(document: Document, *, to_group: VisibilityGroup, acted_by: Actor) -> Document:
    """Give the document another audience, from the next statement on.

    Raises: NotPermitted for either group; Conflict (`slug_taken`).
    """
    document = _locked(document)
    from_group = document.visibility_group
    check_may_manage(acted_by, from_group)
    check_may_manage(acted_by, to_group)
    document.visibility_group = to_group
    with _slug_kept_unique():
        document.save(update_fields=["visibility_group"])
    audit.record(
        "document_moved",
        acted_by=acted_by,
        document=document,
        group=to_group,
        details={"from": from_group.slug, "to": to_group.slug},
    )
    _announce(document)
    return document


@transaction.atomic
def delete_document(document: Document, *, acted_by: Actor, reason: str = "") -> None:
    """Hide the document from everyone at every moment; `undelete_document` brings it back.

    Raises: NotPermitted.
    """
    document = _locked(document)
    check_may_manage(acted_by, document.visibility_group)
    if document.deleted_at is not None:
        return
    document.deleted_at = timezone.now()
    document.save(update_fields=["deleted_at"])
    audit.record("document_deleted", acted_by=acted_by, document=document, reason=reason)
    _announce(document)


@transaction.atomic
def undelete_document(document: Document, *, acted_by: Actor) -> None:
    """Undo a deletion.

    Raises: NotPermitted; Conflict (`slug_taken`) where another document took the slug meanwhile.
    """
    document = _locked(document)
    check_may_manage(acted_by, document.visibility_group)
    if document.deleted_at is None:
        return
    document.deleted_at = None
    with _slug_kept_unique():
        document.save(update_fields=["deleted_at"])
    audit.record("document_undeleted", acted_by=acted_by, document=document)
    _announce(document)


@transaction.atomic
def purge_document(document: Document, *, acted_by: Actor, reason: str) -> None:
    """Remove a deleted document, its revisions and their bytes for good.

    Raises: NotPermitted; Conflict (`not_deleted`); InvalidInput (`reason_required`).
    """
    work.cancel(Revision.objects.filter(document=document).values_list("pk", flat=True))
    document = _locked(document)
    check_may_manage(acted_by, document.visibility_group)
    if document.deleted_at is None:
        raise Conflict("Delete the document first; purging cannot be undone.", code="not_deleted")
    if not reason.strip():
        raise InvalidInput(
            "Say why the document is purged.", code="reason_required", details={"field": "reason"}
        )
    open_purge()
    revisions = Revision.objects.filter(document=document)
    revision_ids = list(revisions.values_list("pk", flat=True))
    source_file_ids = set(revisions.values_list("source_file", flat=True))
    revisions_purged.send(sender=Revision, revision_ids=revision_ids)
    audit.record(
        "document_purged",
        acted_by=acted_by,
        document=document,
        group=document.visibility_group,
        reason=reason,
        details={"revisions": len(revision_ids)},
    )
    revisions.delete()
    document.delete()
    close_purge()
    owe_drop(source_file_ids)


def open_purge() -> None:
    """Let this transaction pass the database's guards on what is otherwise kept for ever."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('ragsite.purge', 'on', true)")


def close_purge() -> None:
    """Put the guards back for what is left of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('ragsite.purge', '', true)")


def text_fingerprint(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _locked(document: Document) -> Document:
    locked: Document = (
        Document.objects.select_for_update(of=("self",))
        .select_related("visibility_group")
        .get(pk=document.pk)
    )
    return locked


@contextmanager
def _slug_kept_unique() -> Iterator[None]:
    """Turn a slug that is taken into a conflict; the constraint also sees who comes at once."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "document_slug_unique_in_group" not in str(error):
            raise
        raise Conflict(
            "This group already has a document with this slug; revise that one, or choose "
            "another slug.",
            code="slug_taken",
            details={"field": "slug"},
        ) from error


def check_storable(text: str, *, field: str) -> None:
    """Make sure that the database can keep the text.

    Raises: InvalidInput (`invalid_text`) for NUL and for halves of a surrogate pair.
    """
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInput(
            "NUL and unpaired surrogates cannot be kept.",
            code="invalid_text",
            details={"field": field},
        )


def _check_fields(fields: DocumentFields) -> None:
    check_storable(fields.title, field="title")
    check_storable(fields.slug, field="slug")
    check_storable("".join(fields.tags), field="tags")
    check_storable(fields.language, field="language")
    check_storable(fields.source_url, field="source_url")


def _check_size(upload: Upload) -> None:
    limit = documents_config().upload_max_bytes
    if not upload.content:
        raise InvalidInput(
            f"{clean_name(upload.original_name)} is empty.", code="empty", details={"field": "file"}
        )
    if len(upload.content) > limit:
        raise InvalidInput(
            f"{clean_name(upload.original_name)} has {len(upload.content)} bytes; at most {limit} "
            "are accepted.",
            code="too_large",
            details={"field": "file", "limit_bytes": limit},
        )


def _check_not_newest(document: Document, source_file: SourceFile) -> None:
    newest = Revision.objects.filter(document=document).order_by("-number").first()
    if newest is None or newest.source_file_id != source_file.pk:
        return
    if newest.status in ENDED_BADLY or newest.retracted_at is not None:
        return
    raise Conflict(
        f"These bytes are already revision {newest.number} of this document.",
        code="duplicate_revision",
        details={"revision": newest.number},
    )


def _announce(document: Document) -> None:
    in_force_changed.send(sender=Document, document_ids=[document.pk], at=timezone.now())
