"""The API of search."""

from __future__ import annotations

from datetime import datetime

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents.endpoint import Endpoint, account_of, moment_of, read_body, read_query
from documents.visibility import scope_for
from retrieval import registry
from retrieval.conf import retrieval_config
from retrieval.pipeline import retrieve_evidence
from retrieval.serializers import SearchQuerySerializer, SearchResultSerializer, SearchSerializer
from retrieval.types import Question


class SearchEndpoint(Endpoint):
    """Ranked passages of what one may read and what is in force."""

    required_scopes = {"GET": "ask", "POST": "ask"}

    @extend_schema(
        operation_id="search_by_query",
        parameters=[SearchQuerySerializer],
        responses=SearchResultSerializer,
    )
    def get(self, request: Request) -> Response:
        """Search with everything in the address, which servers on the way may log."""
        query = read_query(request, SearchQuerySerializer)
        return search(request, query.read_question(), at=query.validated_data.get("as_of"))

    @extend_schema(
        operation_id="search", request=SearchSerializer, responses=SearchResultSerializer
    )
    def post(self, request: Request) -> Response:
        """Search for the passages that answer a question best."""
        body = read_body(request, SearchSerializer)
        return search(request, body.read_question(), at=body.validated_data.get("as_of"))


def search(request: Request, question: Question, *, at: datetime | None) -> Response:
    """Return the passages that the account may read, at the moment asked about or now."""
    scope = scope_for(account_of(request), at=at or moment_of(request))
    retrieval = retrieve_evidence(
        question, scope, embedder=registry.get_embedder(), config=retrieval_config()
    )
    return Response(SearchResultSerializer(retrieval).data)
