"""The API of documents: who one is, audiences, documents, their revisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents import listing, publishing, services
from documents.conf import UPLOAD_ENVELOPE_BYTES, documents_config
from documents.endpoint import Endpoint, account_of, moment_of, read_body, read_query
from documents.listing import Person
from documents.models import AccessToken
from documents.parsers import BoundedJSONParser
from documents.reading import read_revision
from documents.serializers import (
    DocumentPageSerializer,
    DocumentQuerySerializer,
    DocumentSerializer,
    FileUploadSerializer,
    GroupPageSerializer,
    ListQuerySerializer,
    NewDocumentSerializer,
    PersonSerializer,
    PublicationResultSerializer,
    PublishSerializer,
    RevisionPageSerializer,
    RevisionSerializer,
    RevisionTextSerializer,
    TextQuerySerializer,
    TextUploadSerializer,
    WithdrawSerializer,
)
from documents.tokens import SCOPES
from documents.visibility import scope_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The numbers that requests are held to; each is described in docs/settings.md."""

    upload_max_bytes: int
    body_max_bytes: int
    page_size_max: int
    text_window_chars: int
    reads_per_minute: int
    questions_per_minute: int
    writes_per_minute: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Who a request is made as, and what it may do."""

    username: str
    full_name: str
    signed_in_by: str
    scopes: tuple[str, ...]
    token_expires_at: datetime | None
    time_zone: str
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationResult:
    """A revision and what publishing it does, or would do."""

    done: bool
    plan: publishing.PublicationPlan
    revision: listing.RevisionSummary


def person_of(request: Request, *, at: datetime | None = None) -> Person:
    """Return whose rights the request has, at the moment asked about or now."""
    account = account_of(request)
    return Person(scope=scope_for(account, at=at or moment_of(request)), account=account)


class MeEndpoint(Endpoint):
    """Who the request is made as."""

    required_scopes = {"GET": "read"}

    @extend_schema(operation_id="me", responses=PersonSerializer)
    def get(self, request: Request) -> Response:
        """Say who is signed in, by what, and which limits hold."""
        account = account_of(request)
        token = request.auth if isinstance(request.auth, AccessToken) else None
        signed_in = SignedIn(
            username=account.get_username(),
            full_name=account.get_full_name(),
            signed_in_by="token" if token else "session",
            scopes=tuple(token.scopes if token else SCOPES),
            token_expires_at=token.expires_at if token else None,
            time_zone=settings.TIME_ZONE,
            limits=_limits(),
        )
        return Response(PersonSerializer(signed_in).data)


class GroupsEndpoint(Endpoint):
    """The audiences whose documents one may read."""

    required_scopes = {"GET": "read"}

    @extend_schema(
        operation_id="visibility_groups",
        parameters=[ListQuerySerializer],
        responses=GroupPageSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the groups by slug, and which of them the account manages."""
        query = read_query(request, ListQuerySerializer)
        page = listing.list_groups(person_of(request), page=query.page_request(listing.GROUPS))
        return Response(GroupPageSerializer(page).data)


class DocumentsEndpoint(Endpoint):
    """Documents that one may read; new ones."""

    required_scopes = {"GET": "read", "POST": "write"}

    @extend_schema(
        operation_id="documents",
        parameters=[DocumentQuerySerializer],
        responses=DocumentPageSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the documents in force at the moment, newest first."""
        query = read_query(request, DocumentQuerySerializer)
        person = person_of(request, at=query.validated_data.get("as_of"))
        page = listing.list_documents(
            person, query.filters(), page=query.page_request(listing.DOCUMENTS)
        )
        return Response(DocumentPageSerializer(page).data)

    @extend_schema(
        operation_id="create_document",
        request=NewDocumentSerializer,
        responses={201: DocumentSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a document in a group that the account manages."""
        body = read_body(request, NewDocumentSerializer)
        person = person_of(request)
        group = listing.get_group_for_documents(person, body.validated_data["visibility_group"])
        created = services.create_document(
            body.fields_given(), group=group, acted_by=person.account
        )
        summary = listing.get_document_summary(person, created.public_id)
        location = reverse("api:document", args=[created.public_id])
        return Response(
            DocumentSerializer(summary).data, status=201, headers={"Location": location}
        )


class DocumentEndpoint(Endpoint):
    """One document."""

    required_scopes = {"GET": "read", "DELETE": "write"}

    @extend_schema(
        operation_id="document", parameters=[ListQuerySerializer], responses=DocumentSerializer
    )
    def get(self, request: Request, public_id: UUID) -> Response:
        """Show a document and its revision in force at the moment."""
        query = read_query(request, ListQuerySerializer)
        person = person_of(request, at=query.validated_data.get("as_of"))
        return Response(DocumentSerializer(listing.get_document_summary(person, public_id)).data)

    @extend_schema(operation_id="delete_document", responses={204: OpenApiResponse()})
    def delete(self, request: Request, public_id: UUID) -> Response:
        """Hide the document from everyone at every moment."""
        person = person_of(request)
        document = listing.get_document_to_change(person, public_id)
        services.delete_document(document, acted_by=person.account)
        return Response(status=204)


class RevisionsEndpoint(Endpoint):
    """The revisions of a document; new ones."""

    required_scopes = {"GET": "read", "POST": "write"}
    parser_classes = [BoundedJSONParser, MultiPartParser]

    envelope_bytes = UPLOAD_ENVELOPE_BYTES

    def max_body_bytes(self) -> int:
        """Take a file of the largest size."""
        return documents_config().upload_max_bytes

    @extend_schema(
        operation_id="revisions",
        parameters=[ListQuerySerializer],
        responses=RevisionPageSerializer,
    )
    def get(self, request: Request, public_id: UUID) -> Response:
        """List the published revisions by number; to those who manage it, drafts too."""
        query = read_query(request, ListQuerySerializer)
        person = person_of(request, at=query.validated_data.get("as_of"))
        page = listing.list_revisions(person, public_id, page=query.page_request(listing.REVISIONS))
        return Response(RevisionPageSerializer(page).data)

    @extend_schema(
        operation_id="add_revision",
        request={
            "multipart/form-data": FileUploadSerializer,
            "application/json": TextUploadSerializer,
        },
        responses={201: RevisionSerializer},
    )
    def post(self, request: Request, public_id: UUID) -> Response:
        """Take in a file or text; 201 comes when it is durable, the reading follows."""
        person = person_of(request)
        document = listing.get_document_to_change(person, public_id)
        sent_file = request.content_type.startswith("multipart/")
        body = read_body(request, FileUploadSerializer if sent_file else TextUploadSerializer)
        revision = publishing.take_in_revision(
            document, body.upload(), body.publication(), acted_by=person.account
        )
        summary = listing.summarise_revision(revision, at=person.scope.at)
        location = reverse("api:revision", args=[public_id, revision.number])
        return Response(
            RevisionSerializer(summary).data, status=201, headers={"Location": location}
        )


class RevisionEndpoint(Endpoint):
    """One revision and its text."""

    required_scopes = {"GET": "read"}

    @extend_schema(
        operation_id="revision", parameters=[TextQuerySerializer], responses=RevisionTextSerializer
    )
    def get(self, request: Request, public_id: UUID, number: int) -> Response:
        """Show a revision with a window of its text, places in both units."""
        query = read_query(request, TextQuerySerializer).validated_data
        person = person_of(request, at=query.get("as_of"))
        shown = read_revision(person, public_id, number, start=query["start"], end=query.get("end"))
        return Response(RevisionTextSerializer(shown).data)


class PublishEndpoint(Endpoint):
    """Publishing a revision."""

    required_scopes = {"POST": "write"}

    @extend_schema(
        operation_id="publish_revision",
        request=PublishSerializer,
        responses=PublicationResultSerializer,
    )
    def post(self, request: Request, public_id: UUID, number: int) -> Response:
        """Bring the revision into force from a moment, or show what that would change."""
        person = person_of(request)
        revision = listing.get_revision_to_change(person, public_id, number)
        body = read_body(request, PublishSerializer)
        publication = body.publication()
        plan = publishing.plan_publication(revision, publication)
        done = not body.validated_data["dry_run"]
        if done:
            revision = publishing.publish_revision(revision, publication, acted_by=person.account)
        # The request's own moment lies before a start that has just been set.
        summary = listing.summarise_revision(revision, at=timezone.now())
        result = PublicationResult(done=done, plan=plan, revision=summary)
        return Response(PublicationResultSerializer(result).data)


class WithdrawEndpoint(Endpoint):
    """Withdrawing a revision."""

    required_scopes = {"POST": "write"}

    @extend_schema(
        operation_id="withdraw_revision", request=WithdrawSerializer, responses=RevisionSerializer
    )
    def post(self, request: Request, public_id: UUID, number: int) -> Response:
        """End the revision's interval now; earlier moments still answer from it."""
        person = person_of(request)
        revision = listing.get_revision_to_change(person, public_id, number)
        body = read_body(request, WithdrawSerializer)
        revision = publishing.withdraw_revision(
            revision, acted_by=person.account, reason=body.validated_data["reason"]
        )
        # The request's own moment lies before the end that has just been set.
        summary = listing.summarise_revision(revision, at=timezone.now())
        return Response(RevisionSerializer(summary).data)


def _limits() -> Limits:
    config = documents_config()
    return Limits(
        upload_max_bytes=config.upload_max_bytes,
        body_max_bytes=config.api_body_max_bytes,
        page_size_max=config.api_page_size_max,
        text_window_chars=config.text_window_chars,
        reads_per_minute=config.reads_per_minute,
        questions_per_minute=config.questions_per_minute,
        writes_per_minute=config.writes_per_minute,
    )
