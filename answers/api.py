"""The API of answers."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from answers.json_form import reopened_as_json, response_as_json
from answers.selectors import reopen_answer
from answers.serializers import AnswerSerializer, AskSerializer, ReopenedAnswerSerializer
from answers.services import answer_question
from answers.setup import default_setup
from documents.endpoint import Endpoint, account_of, moment_of, read_body
from documents.visibility import scope_for
from retrieval import registry


class AnswersEndpoint(Endpoint):
    """Answers to questions."""

    required_scopes = {"POST": "ask"}

    @extend_schema(operation_id="ask", request=AskSerializer, responses=AnswerSerializer)
    def post(self, request: Request) -> Response:
        """Answer a question from what the account may read, every claim cited; or refuse."""
        body = read_body(request, AskSerializer)
        values, account, now = body.validated_data, account_of(request), moment_of(request)
        response = answer_question(
            values["question"],
            scope=scope_for(account, at=values.get("as_of") or now),
            asker=account,
            asked_at=now,
            setup=default_setup(registry.get_embedder(), writer_name=values.get("writer")),
            filters=body.read_filters(),
        )
        return Response(response_as_json(response))


class AnswerEndpoint(Endpoint):
    """One's own stored answers."""

    required_scopes = {"GET": "ask"}

    @extend_schema(operation_id="answer", responses=ReopenedAnswerSerializer)
    def get(self, request: Request, query_id: UUID) -> Response:
        """Reopen an answer of one's own, each citation looked at anew."""
        scope = scope_for(account_of(request), at=moment_of(request))
        return Response(reopened_as_json(reopen_answer(scope, query_id)))
