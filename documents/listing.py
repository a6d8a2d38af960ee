"""Documents, revisions and audiences as programs see them: pages of frozen values.

A reader sees what a scope may open; whoever manages a group also sees its drafts and their state.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, TextField, Value

from documents.errors import DocumentNotFound, InvalidInput, NotPermitted
from documents.intervals import interval_of
from documents.models import Document, Revision, VisibilityGroup
from documents.pagination import Page, PageRequest, make_page
from documents.querysets import RevisionQuerySet
from documents.visibility import (
    ReadScope,
    citable_documents,
    citable_revisions,
    manageable_documents,
    manageable_groups,
    manageable_revisions,
    readable_documents,
    readable_groups,
    readable_revisions,
)

DOCUMENTS = "documents"
REVISIONS = "revisions"
GROUPS = "visibility-groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whose rights a read has: the scope for reading, the account for managing."""

    scope: ReadScope
    account: User


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilters:
    """What a list of documents is limited to; an absent filter is None.

    `managed` lists every document that the account manages, in force or not.
    """

    words: str = ""
    tags: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    managed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionSummary:
    """A revision without its text.

    `state` is its standing at the moment asked about: draft, ordered, scheduled, in_force, ended,
    cancelled or retracted; `status` is how far the reading of its file has come.
    """

    number: int
    state: str
    status: str
    failure_code: str
    failure_message: str
    effective_from: datetime | None
    effective_until: datetime | None
    original_name: str
    language: str
    change_note: str
    entered_late: bool
    warnings: tuple[str, ...]
    text_sha256: str
    created_at: datetime
    published_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSummary:
    """A document and its revision in force at the moment asked about."""

    id: UUID
    slug: str
    title: str
    visibility_group: str
    tags: tuple[str, ...]
    language: str
    source_url: str
    created_at: datetime
    manageable: bool
    in_force: RevisionSummary | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """An audience whose documents the reader may read, and perhaps manage."""

    slug: str
    name: str
    description: str
    reach: str
    manageable: bool


def list_documents(
    person: Person, filters: DocumentFilters, *, page: PageRequest
) -> Page[DocumentSummary]:
    """Return a page of documents, newest first, ties by id."""
    documents = _listed(person, filters)
    if page.after is not None:
        created_at, public_id = datetime.fromisoformat(page.after[0]), UUID(page.after[1])
        documents = documents.filter(
            Q(created_at__lt=created_at) | Q(created_at=created_at, public_id__lt=public_id)
        )
    found = list(documents.order_by("-created_at", "-public_id")[: page.limit + 1])
    return make_page(
        _summaries(person, found),
        limit=page.limit,
        listing=DOCUMENTS,
        key_of=lambda summary: (summary.created_at.isoformat(), str(summary.id)),
    )


def get_document_summary(person: Person, public_id: UUID) -> DocumentSummary:
    """Return one document.

    Raises: DocumentNotFound, whether it is absent or hidden.
    """
    return _summaries(person, [_get_visible(person, public_id)])[0]


def list_groups(person: Person, *, page: PageRequest) -> Page[GroupSummary]:
    """Return a page of the groups whose documents the reader may read, by slug."""
    groups = _with_managing(readable_groups(person.scope), person.account, "pk")
    if page.after is not None:
        groups = groups.filter(slug__gt=page.after[0])
    found = [
        GroupSummary(
            slug=group.slug,
            name=group.name,
            description=group.description,
            reach=group.reach,
            manageable=group.manageable,
        )
        for group in groups.order_by("slug")[: page.limit + 1]
    ]
    return make_page(
        found, limit=page.limit, listing=GROUPS, key_of=lambda summary: (summary.slug,)
    )


def list_revisions(person: Person, public_id: UUID, *, page: PageRequest) -> Page[RevisionSummary]:
    """Return a page of a document's revisions, by number.

    Raises: DocumentNotFound, whether it is absent or hidden.
    """
    document = _get_visible(person, public_id)
    revisions = _visible_revisions(person).filter(document=document.pk)
    if page.after is not None:
        revisions = revisions.filter(number__gt=int(page.after[0]))
    found = [
        summarise_revision(revision, at=person.scope.at)
        for revision in revisions.without_text().order_by("number")[: page.limit + 1]
    ]
    return make_page(
        found, limit=page.limit, listing=REVISIONS, key_of=lambda summary: (str(summary.number),)
    )


def get_visible_revision(person: Person, public_id: UUID, number: int) -> Revision:
    """Return a revision with its text, a draft only to those who manage it.

    Raises: DocumentNotFound, whether it is absent or hidden.
    """
    revision: Revision | None = (
        _visible_revisions(person)
        .select_related("document__visibility_group", "publication_order")
        .filter(document__public_id=public_id, number=number)
        .first()
    )
    if revision is None:
        raise DocumentNotFound
    return revision


def get_document_to_change(person: Person, public_id: UUID) -> Document:
    """Return a document that the account manages.

    Raises: DocumentNotFound, whether it is absent or hidden; NotPermitted where it may be read.
    """
    document = _get_visible(person, public_id)
    if not document.manageable:
        raise NotPermitted("You may not manage the documents of this group.")
    return cast(Document, document)


def get_revision_to_change(person: Person, public_id: UUID, number: int) -> Revision:
    """Return a revision of a document that the account manages.

    Raises: DocumentNotFound, whether it is absent or hidden; NotPermitted where it may be read.
    """
    document = get_document_to_change(person, public_id)
    revision = Revision.objects.filter(document=document.pk, number=number).first()
    if revision is None:
        raise DocumentNotFound
    return revision


def get_group_for_documents(person: Person, slug: str) -> VisibilityGroup:
    """Return the group that new documents are to go into.

    Raises: InvalidInput (`unknown_visibility_group`), whether it is absent or hidden.
    """
    group = readable_groups(person.scope).filter(slug=slug).first()
    if group is None:
        raise InvalidInput(
            "There is no such visibility group, or you may not read it.",
            code="unknown_visibility_group",
            details={"field": "visibility_group"},
        )
    return group


def summarise_revision(revision: Revision, *, at: datetime) -> RevisionSummary:
    """Return what is said of a revision, with its standing at the moment."""
    interval = interval_of(revision.effective)
    return RevisionSummary(
        number=revision.number,
        state=_state_of(revision, at=at),
        status=revision.status,
        failure_code=revision.failure_code,
        failure_message=revision.failure_message,
        effective_from=interval.start if interval else None,
        effective_until=interval.end if interval else None,
        original_name=revision.original_name,
        language=revision.language,
        change_note=revision.change_note,
        entered_late=revision.entered_late,
        warnings=tuple(revision.warnings),
        text_sha256=revision.text_sha256,
        created_at=revision.created_at,
        published_at=revision.published_at,
    )


def _state_of(revision: Revision, *, at: datetime) -> str:
    if revision.retracted_at is not None:
        return "retracted"
    if revision.effective is None:
        return "ordered" if hasattr(revision, "publication_order") else "draft"
    interval = interval_of(revision.effective)
    if interval is None:
        return "cancelled"
    if interval.contains(at):
        return "in_force"
    return "scheduled" if at < interval.start else "ended"


def _listed(person: Person, filters: DocumentFilters) -> QuerySet[Any]:
    if filters.managed:
        documents = manageable_documents(person.account).existing()
    else:
        documents = readable_documents(person.scope)
    for word in filters.words.split():
        documents = documents.annotate(joined_tags=_joined_tags()).filter(
            Q(title__icontains=word) | Q(joined_tags__icontains=word)
        )
    if filters.tags is not None:
        documents = documents.filter(tags__contains=list(filters.tags))
    if filters.groups is not None:
        documents = documents.filter(visibility_group__slug__in=filters.groups)
    if filters.languages is not None:
        in_language = Revision.objects.in_force(person.scope.at).filter(
            document=OuterRef("pk"), language__in=filters.languages
        )
        documents = documents.filter(Q(language__in=filters.languages) | Exists(in_language))
    return _with_managing(documents, person.account, "visibility_group").select_related(
        "visibility_group"
    )


def _joined_tags() -> Func:
    return Func(F("tags"), Value(" "), function="array_to_string", output_field=TextField())


def _with_managing(rows: QuerySet[Any], account: User, group_field: str) -> QuerySet[Any]:
    """Annotate rows with whether the account manages their group."""
    # Any: the annotated attribute is no field of the model.
    managed = manageable_groups(account).filter(pk=OuterRef(group_field))
    annotated: QuerySet[Any] = rows.annotate(manageable=Exists(managed))
    return annotated


def _get_visible(person: Person, public_id: UUID) -> Any:
    readable = citable_documents(person.scope).values("pk")
    managed = manageable_documents(person.account).existing().values("pk")
    document = (
        _with_managing(Document.objects.all(), person.account, "visibility_group")
        .select_related("visibility_group")
        .filter(Q(pk__in=readable) | Q(pk__in=managed), public_id=public_id)
        .first()
    )
    if document is None:
        raise DocumentNotFound
    return document


def _visible_revisions(person: Person) -> RevisionQuerySet:
    readable = citable_revisions(person.scope).values("pk")
    managed = manageable_revisions(person.account).filter(document__deleted_at=None).values("pk")
    return Revision.objects.filter(Q(pk__in=readable) | Q(pk__in=managed)).select_related(
        "publication_order"
    )


def _summaries(person: Person, documents: list[Any]) -> list[DocumentSummary]:
    """Summarise documents with their revisions in force, in one statement however many."""
    in_force = {
        revision.document_id: summarise_revision(revision, at=person.scope.at)
        for revision in readable_revisions(person.scope)
        .without_text()
        .filter(document__in=[document.pk for document in documents])
    }
    return [
        DocumentSummary(
            id=document.public_id,
            slug=document.slug,
            title=document.title,
            visibility_group=document.visibility_group.slug,
            tags=tuple(document.tags),
            language=document.language,
            source_url=document.source_url,
            created_at=document.created_at,
            manageable=document.manageable,
            in_force=in_force.get(document.pk),
        )
        for document in documents
    ]
