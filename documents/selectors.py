"""Named reads that span models. Every read of text takes a ReadScope."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from documents.errors import DocumentNotFound
from documents.intervals import EffectiveInterval, interval_of
from documents.models import Document, Revision
from documents.visibility import (
    ReadScope,
    citable_documents,
    citable_revisions,
    readable_revisions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One published revision in the life of a document."""

    number: int
    interval: EffectiveInterval
    change_note: str
    entered_late: bool


def get_document(scope: ReadScope, public_id: UUID) -> Document:
    """Return a document that the scope may open.

    Raises: DocumentNotFound, whether it is absent or hidden.
    """
    document: Document | None = (
        citable_documents(scope)
        .select_related("visibility_group", "owner")
        .filter(public_id=public_id)
        .first()
    )
    if document is None:
        raise DocumentNotFound
    return document


def get_revision(scope: ReadScope, public_id: UUID, number: int) -> Revision:
    """Return a revision, with its text, that the scope may open.

    Raises: DocumentNotFound, whether it is absent or hidden.
    """
    revision: Revision | None = (
        citable_revisions(scope)
        .select_related("document__visibility_group")
        .filter(document__public_id=public_id, number=number)
        .first()
    )
    if revision is None:
        raise DocumentNotFound
    return revision


def find_revision_in_force(scope: ReadScope, document: Document) -> Revision | None:
    """Return the document's revision in force at the scope's moment, without its text."""
    return (
        citable_revisions(scope)
        .without_text()
        .filter(document=document.pk, effective__contains=scope.at)
        .first()
    )


def list_timeline(scope: ReadScope, document: Document) -> list[TimelineEntry]:
    """Return the document's published revisions, oldest start first."""
    revisions = (
        citable_revisions(scope)
        .without_text()
        .filter(document=document.pk)
        .order_by("effective", "number")
    )
    entries = []
    for revision in revisions:
        interval = interval_of(revision.effective)
        if interval is not None:
            entries.append(
                TimelineEntry(
                    number=revision.number,
                    interval=interval,
                    change_note=revision.change_note,
                    entered_late=revision.entered_late,
                )
            )
    return entries


def read_texts(scope: ReadScope, revision_ids: Iterable[int]) -> dict[int, Revision]:
    """Return by id the revisions, with text and document, that the scope may open now.

    Ids that are absent or hidden are simply not in the answer.
    """
    return {
        revision.pk: revision
        for revision in citable_revisions(scope)
        .filter(pk__in=list(revision_ids))
        .select_related("document__visibility_group")
        .defer("layout")
    }


def read_evidence(scope: ReadScope, revision_ids: Iterable[int]) -> dict[int, Revision]:
    """Return by id the revisions, with text, layout and document, that are evidence right now.

    Both gates are asked anew, in one statement: the rights of now, and what is in force at the
    scope's moment. Ids that are absent, hidden or out of force are simply not in the answer.
    """
    return {
        revision.pk: revision
        for revision in readable_revisions(scope)
        .filter(pk__in=list(revision_ids))
        .select_related("document")
    }


def read_cited(scope: ReadScope, revision_ids: Iterable[int]) -> dict[int, Revision]:
    """Return by id the revisions, with text, layout and document, whose citations may be opened.

    Ids that are absent or hidden are simply not in the answer.
    """
    return {
        revision.pk: revision
        for revision in citable_revisions(scope)
        .filter(pk__in=list(revision_ids))
        .select_related("document")
    }


# Weaker than what an answer's readers need, stronger than nothing: it stops only a purge.
HOLD_DOCUMENTS = """
SELECT document.id
FROM documents_document document
JOIN documents_revision revision ON revision.document_id = document.id
WHERE revision.id = ANY(%(revision_ids)s)
ORDER BY document.id
FOR KEY SHARE OF document
"""


def hold_against_purge(revision_ids: Iterable[int]) -> None:
    """Keep the documents of these revisions from being purged until the transaction ends.

    So a row that cites them is either stored before the purge, which then removes it, or not at
    all. It says nothing about rights: look with a scope afterwards.
    """
    with connection.cursor() as cursor:
        cursor.execute(HOLD_DOCUMENTS, {"revision_ids": sorted(revision_ids)})
