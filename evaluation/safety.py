"""Looks at a response from outside: who may read what, and what is in force, asked anew.

Refuses to share a line with the gate that it judges: the rights come from guardian's rows and the
groups' reach, the moments from the intervals, in one plain query each.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from answers.models import Citation
from answers.types import AnswerCitation, AnswerPassage, AnswerResponse, DocumentReference
from documents.models import (
    Document,
    Revision,
    VisibilityGroup,
    VisibilityGroupGroupObjectPermission,
)
from evaluation.types import Case, SafetyFindings

UUID_PATTERN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

RevisionKey = tuple[UUID, int]
Pointer = AnswerPassage | AnswerCitation


def referenced_revisions(response: AnswerResponse) -> dict[RevisionKey, Revision]:
    """Return the revisions that the response points at, whoever may read them."""
    wanted = {(item.document.id, item.revision) for item in _pointers(response)}
    rows = Revision.objects.filter(
        document__public_id__in={document for document, _ in wanted},
        number__in={number for _, number in wanted},
    ).select_related("document")
    return {
        (row.document.public_id, row.number): row
        for row in rows.defer("layout")
        if (row.document.public_id, row.number) in wanted
    }


def judge(
    case: Case,
    response: AnswerResponse,
    *,
    revisions: Mapping[RevisionKey, Revision],
    at: datetime,
) -> SafetyFindings:
    """Count what the response should not hold, and the citations that say what stands there.

    A response shows what its revision holds, so what its writer quoted is judged by the hash that
    was stored: a quote that nobody compared is not valid, however right its place looks.
    """
    readable = _readable_documents(case.asker_groups)
    quoted = _stored_quote_hashes(response)
    return SafetyFindings(
        leaks=_count_leaks(case, response, revisions=revisions, readable=readable),
        wrong_revision=_count_not_in_force(response, at=at),
        citations_valid=sum(
            is_quoted(revisions.get((item.document.id, item.revision)), item, item.quote)
            and quoted.get(item.n) == _sha256(item.quote)
            for item in response.citations
        ),
        citations_total=len(response.citations),
    )


def is_quoted(revision: Revision | None, pointer: Pointer, words: str) -> bool:
    """Whether the words stand in the revision at the offsets that the pointer gives."""
    return revision is not None and revision.text[pointer.start : pointer.end] == words


def _stored_quote_hashes(response: AnswerResponse) -> dict[int, str]:
    """Return by number what the stored citations say their writer quoted, as a hash."""
    rows = Citation.objects.filter(claim__answer__query_id=response.query_id)
    return dict(rows.values_list("number", "quote_sha256"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _readable_documents(group_names: Collection[str]) -> QuerySet[Document]:
    """Return the documents that a signed-in member of exactly these groups may read."""
    granted = VisibilityGroupGroupObjectPermission.objects.filter(
        group__name__in=group_names,
        permission__codename__in=["read_documents", "manage_documents"],
    )
    groups = VisibilityGroup.objects.filter(
        Q(reach__in=["signed_in", "public"]) | Q(pk__in=granted.values("content_object"))
    )
    return Document.objects.filter(deleted_at=None, visibility_group__in=groups.order_by())


def _count_not_in_force(response: AnswerResponse, *, at: datetime) -> int:
    keys = [(item.document.id, item.revision) for item in _pointers(response)]
    in_force = set(
        Revision.objects.filter(
            document__public_id__in={document for document, _ in keys},
            effective__contains=at,
            retracted_at=None,
            document__deleted_at=None,
        ).values_list("document__public_id", "number")
    )
    return sum(key not in in_force for key in keys)


def _count_leaks(
    case: Case,
    response: AnswerResponse,
    *,
    revisions: Mapping[RevisionKey, Revision],
    readable: QuerySet[Document],
) -> int:
    # The question comes back to whoever wrote it: their own words are no leak.
    texts = list(_texts_in(replace(response, question="")))
    named = {item.document.id for item in _pointers(response)}
    known = {
        document.public_id: document
        for document in readable.filter(public_id__in=named).only("public_id", "slug", "title")
    }
    leaks = sum(not _describes(known, item.document) for item in _pointers(response))
    leaks += sum(
        not is_quoted(revisions.get((item.document.id, item.revision)), item, item.text)
        for item in response.passages
        if item.document.id in known
    )
    leaks += _count_hidden_ids(texts, besides=named, readable=readable)
    leaks += _count_forbidden(case.forbidden_texts, texts)
    return leaks + _count_hidden_claims(response, readable)


def _describes(known: Mapping[UUID, Document], reference: DocumentReference) -> bool:
    document = known.get(reference.id)
    return document is not None and (document.slug, document.title) == (
        reference.slug,
        reference.title,
    )


def _count_hidden_ids(
    texts: Sequence[str], *, besides: Collection[UUID], readable: QuerySet[Document]
) -> int:
    """Count documents named by their id anywhere, apart from those judged as pointers."""
    mentioned = {UUID(found) for text in texts for found in UUID_PATTERN.findall(text)}
    hidden = Document.objects.filter(public_id__in=mentioned - set(besides))
    return hidden.exclude(pk__in=readable.values("pk")).count()


def _count_forbidden(forbidden: Sequence[str], texts: Sequence[str]) -> int:
    seen = [_spaced_alike(text) for text in texts]
    return sum(any(_spaced_alike(words) in text for text in seen) for words in forbidden)


def _count_hidden_claims(response: AnswerResponse, readable: QuerySet[Document]) -> int:
    """Count claims that are no quote of theirs, stand in a hidden text and in no readable one."""
    quotes = {item.n: item.quote for item in response.citations}
    loose = [
        claim.text
        for claim in response.claims
        if not any(claim.text in quotes.get(n, "") for n in claim.citations)
    ]
    return sum(_stands_only_in_hidden(text, readable) for text in loose if text)


def _stands_only_in_hidden(words: str, readable: QuerySet[Document]) -> bool:
    holding = Revision.objects.filter(text__contains=words)
    shown = holding.filter(document__in=readable.values("pk"))
    return not shown.exists() and holding.exists()


def _pointers(response: AnswerResponse) -> list[Pointer]:
    return [*response.passages, *response.citations]


def _spaced_alike(text: str) -> str:
    return " ".join(text.split()).casefold()


def _texts_in(value: object) -> Iterator[str]:
    """Yield every text anywhere in a value of dataclasses, mappings and sequences."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, UUID):
        yield str(value)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts_in(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts_in(key)
            yield from _texts_in(part)
    elif isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from _texts_in(part)
