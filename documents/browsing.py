"""What the pages list and show of documents, within a scope; counts only what it may read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db.models import Count, Exists, F, Func, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Lower

from documents.intervals import EffectiveInterval, interval_of
from documents.models import Document
from documents.pagination import Key
from documents.querysets import RevisionQuerySet
from documents.visibility import (
    ReadScope,
    citable_documents,
    citable_revisions,
    readable_documents,
    readable_revisions,
)

Standing = Literal["in_force", "any"]

SHELF_ROWS = 25
MOST_FACETS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfFilters:
    """What the list is limited to; empty means not limited by it."""

    words: str = ""
    group: str = ""
    language: str = ""
    tag: str = ""
    standing: Standing = "in_force"

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the standing limits the list."""
        return bool(self.words or self.group or self.language or self.tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfPlace:
    """Where in the list a page begins or ends: after a key, before one, or at the beginning."""

    after: Key | None = None
    before: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfDocument:
    """One document with the intervals of its published revisions, oldest first."""

    public_id: UUID
    title: str
    language: str
    group_name: str
    tags: tuple[str, ...]
    revisions: tuple[tuple[int, EffectiveInterval], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionFacts:
    """What is said of a revision beside its text."""

    number: int
    interval: EffectiveInterval
    language: str
    original_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A value to filter by, and how many readable documents have it."""

    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A page of documents by title, and what the list can be filtered by.

    Invariant: every count is of documents that the scope may read.
    """

    documents: tuple[ShelfDocument, ...]
    count: int
    newer: Key | None
    older: Key | None
    groups: tuple[Facet, ...]
    languages: tuple[Facet, ...]
    tags: tuple[Facet, ...]


def list_shelf(scope: ReadScope, filters: ShelfFilters, place: ShelfPlace) -> Shelf:
    """Return a page of the documents that the scope may read, by title."""
    readable = _standing(scope, filters.standing)
    narrowed = _narrow(scope, readable, filters)
    found, newer, older = _cut_page(narrowed, place)
    return Shelf(
        documents=_with_intervals(scope, found),
        count=narrowed.count(),
        newer=newer,
        older=older,
        groups=_group_facets(readable),
        languages=_language_facets(scope, filters.standing),
        tags=_tag_facets(readable),
    )


def count_readable(scope: ReadScope) -> int:
    """Return how many documents the scope may read at its moment."""
    return readable_documents(scope).count()


def read_timelines(
    scope: ReadScope, public_ids: Collection[UUID]
) -> dict[UUID, tuple[RevisionFacts, ...]]:
    """Return by document the revisions that the scope may open, oldest first, in one statement.

    Documents that are absent or hidden are simply not in the answer.
    """
    timelines: dict[UUID, list[RevisionFacts]] = {}
    revisions = (
        citable_revisions(scope)
        .without_text()
        .filter(document__public_id__in=public_ids)
        .select_related("document")
        .order_by("effective", "number")
    )
    for revision in revisions:
        interval = interval_of(revision.effective)
        if interval is not None:
            timelines.setdefault(revision.document.public_id, []).append(
                RevisionFacts(
                    number=revision.number,
                    interval=interval,
                    language=revision.language or revision.document.language,
                    original_name=revision.original_name,
                )
            )
    return {public_id: tuple(facts) for public_id, facts in timelines.items()}


def _standing(scope: ReadScope, standing: Standing) -> QuerySet[Document]:
    return readable_documents(scope) if standing == "in_force" else citable_documents(scope)


def _narrow(
    scope: ReadScope, documents: QuerySet[Document], filters: ShelfFilters
) -> QuerySet[Document]:
    joined_tags = Func(F("tags"), Value(" "), function="array_to_string", output_field=TextField())
    for word in filters.words.split():
        documents = documents.annotate(joined_tags=joined_tags).filter(
            Q(title__icontains=word) | Q(joined_tags__icontains=word)
        )
    if filters.group:
        documents = documents.filter(visibility_group__slug=filters.group)
    if filters.tag:
        documents = documents.filter(tags__contains=[filters.tag])
    if filters.language:
        revisions = _revisions(scope, filters.standing).filter(
            document=OuterRef("pk"), language=filters.language
        )
        documents = documents.filter(Exists(revisions))
    return documents


def _revisions(scope: ReadScope, standing: Standing) -> RevisionQuerySet:
    return readable_revisions(scope) if standing == "in_force" else citable_revisions(scope)


def _cut_page(
    documents: QuerySet[Document], place: ShelfPlace
) -> tuple[list[Document], Key | None, Key | None]:
    """Return a page with the keys before which and after which there is more."""
    ordered = documents.annotate(sort_title=Lower("title")).select_related("visibility_group")
    if place.before is not None:
        title, public_id = place.before
        ordered = ordered.filter(
            Q(sort_title__lt=title) | Q(sort_title=title, public_id__lt=public_id)
        ).order_by("-sort_title", "-public_id")
        found = list(ordered[: SHELF_ROWS + 1])
        shown: list[Document] = [*reversed(found[:SHELF_ROWS])]
        has_newer, has_older = len(found) > SHELF_ROWS, True
    else:
        if place.after is not None:
            title, public_id = place.after
            ordered = ordered.filter(
                Q(sort_title__gt=title) | Q(sort_title=title, public_id__gt=public_id)
            )
        found = list(ordered.order_by("sort_title", "public_id")[: SHELF_ROWS + 1])
        shown = [*found[:SHELF_ROWS]]
        has_newer, has_older = place.after is not None, len(found) > SHELF_ROWS
    newer = _key(shown[0]) if shown and has_newer else None
    older = _key(shown[-1]) if shown and has_older else None
    return shown, newer, older


def _key(document: Document) -> Key:
    return (document.sort_title, str(document.public_id))  # type: ignore[attr-defined]  # annotated


def _with_intervals(scope: ReadScope, documents: list[Document]) -> tuple[ShelfDocument, ...]:
    """Add the intervals and languages of the documents' revisions, in one statement."""
    intervals: dict[int, list[tuple[int, EffectiveInterval]]] = {}
    languages: dict[int, str] = {}
    rows = (
        citable_revisions(scope)
        .filter(document__in=[document.pk for document in documents])
        .order_by("effective", "number")
        .values_list("document", "number", "effective", "language")
    )
    for document_id, number, effective, language in rows:
        interval = interval_of(effective)
        if interval is not None:
            intervals.setdefault(document_id, []).append((number, interval))
            languages[document_id] = language
    return tuple(
        ShelfDocument(
            public_id=document.public_id,
            title=document.title,
            language=document.language or languages.get(document.pk, ""),
            group_name=document.visibility_group.name,
            tags=tuple(document.tags),
            revisions=tuple(intervals.get(document.pk, ())),
        )
        for document in documents
    )


def _group_facets(readable: QuerySet[Document]) -> tuple[Facet, ...]:
    rows = (
        readable.values("visibility_group__slug", "visibility_group__name")
        .annotate(documents=Count("pk"))
        .order_by("visibility_group__name", "visibility_group__slug")
    )
    return tuple(
        Facet(value=slug, label=name, count=count)
        for slug, name, count in rows.values_list(
            "visibility_group__slug", "visibility_group__name", "documents"
        )
    )


def _language_facets(scope: ReadScope, standing: Standing) -> tuple[Facet, ...]:
    rows = (
        _revisions(scope, standing)
        .values_list("language")
        .annotate(documents=Count("document", distinct=True))
        .order_by("-documents", "language")
    )
    return tuple(Facet(value=name, label=name, count=count) for name, count in rows if name)


def _tag_facets(readable: QuerySet[Document]) -> tuple[Facet, ...]:
    rows = (
        readable.annotate(tag=Func(F("tags"), function="unnest", output_field=TextField()))
        .values_list("tag")
        .annotate(documents=Count("pk"))
        .order_by("-documents", "tag")[:MOST_FACETS]
    )
    return tuple(Facet(value=tag, label=tag, count=count) for tag, count in sorted(rows))
