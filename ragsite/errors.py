"""The one table from product errors to HTTP. No decisions are made here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseServerError,
    JsonResponse,
)
from django.shortcuts import render
from django.template import loader
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from answers.errors import AnswerNotFound
from documents.errors import (
    Conflict,
    DocumentNotFound,
    InvalidInput,
    NotPermitted,
    ProductError,
    TooManyRequests,
)
from ragsite.body_limit import API_PREFIX
from retrieval.errors import (
    EmbedderChanged,
    IndexSettingsChanged,
    ModelUnavailable,
    SearchTimedOut,
)

logger = logging.getLogger(__name__)

STATUS_BY_ERROR: dict[type[ProductError], int] = {
    AnswerNotFound: 404,
    DocumentNotFound: 404,
    NotPermitted: 403,
    InvalidInput: 400,
    Conflict: 409,
    TooManyRequests: 429,
    ModelUnavailable: 503,
    SearchTimedOut: 503,
    EmbedderChanged: 503,
    IndexSettingsChanged: 503,
}
STATUS_BY_CODE = {"too_large": 413}
SERVER_FAULT = 500


def status_of(error: ProductError) -> int:
    """Return the HTTP status of a product error; unknown ones count as bad input."""
    if error.code in STATUS_BY_CODE:
        return STATUS_BY_CODE[error.code]
    for kind in type(error).__mro__:
        if kind in STATUS_BY_ERROR:
            return STATUS_BY_ERROR[kind]
    return 400


def product_error_page(request: HttpRequest, error: ProductError) -> HttpResponse:
    """Render the page that tells a person what went wrong and what to do."""
    status = status_of(error)
    if status >= SERVER_FAULT:
        # Paths and names of models are for whoever runs the site, and stand in the log.
        logger.error("%s: %s", error.code, error.message)
        context = {"request_id": getattr(request, "id", "")}
        return render(request, "500.html", context, status=status)
    template = f"{status}.html" if status in {403, 404} else "error.html"
    context = {"error_message": error.message, "error_code": error.code}
    response = render(request, template, context, status=status)
    if isinstance(error, TooManyRequests):
        response["Retry-After"] = str(error.details["wait_seconds"])
    return response


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer API errors as JSON with code, message, details and request id."""
    body = _body(error)
    if body is None:
        return None
    status, code, message, details = body
    request = context["request"]
    set_rollback()
    # Whoever tries addresses that are not theirs is found by these lines; ids and codes only.
    logger.info(
        "api request refused",
        extra={"code": code, "status": status, "account": request.user.pk, "path": request.path},
    )
    headers = {}
    wait = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = str(error.auth_header)  # type: ignore[attr-defined]  # set by DRF's view
    content = {"code": code, "message": message, "details": details, "request_id": request.id}
    return Response(_showable(content), status=status, headers=headers)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django itself refuses: JSON to programs, a page to people."""
    if request.path.startswith(API_PREFIX):
        return _json(request, 400, "bad_request", "The request cannot be read.")
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address that does not exist."""
    if request.path.startswith(API_PREFIX):
        return _json(request, 404, "not_found", "There is no such address.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for a fault of ours, which Django has logged; nothing of it is shown."""
    if request.path.startswith(API_PREFIX):
        return _json(request, 500, "internal_error", "Something broke here; it has been logged.")
    context = {"request_id": getattr(request, "id", "")}
    # Without the context processors: what broke may be what they need.
    return HttpResponseServerError(loader.get_template("500.html").render(context))


def _json(request: HttpRequest, status: int, code: str, message: str) -> JsonResponse:
    # A host that is not allowed is refused before the request has its id.
    request_id = getattr(request, "id", "")
    body: dict[str, object] = {
        "code": code,
        "message": message,
        "details": {},
        "request_id": request_id,
    }
    return JsonResponse(body, status=status)


def _body(error: Exception) -> tuple[int, str, str, dict[str, object]] | None:
    match error:
        case ProductError():
            return status_of(error), error.code, error.message, error.details
        case exceptions.ValidationError():
            return 400, "invalid_input", "Some fields cannot be used.", {"fields": error.detail}
        case ValidationError():
            return 400, "invalid_input", "Some fields cannot be used.", _fields(error)
        case exceptions.APIException():
            code = error.get_codes()
            return error.status_code, str(code), str(error.detail), {}
        case Http404():
            return 404, DocumentNotFound.code, DocumentNotFound().message, {}
        case _:
            return None


def _showable(value: Any) -> Any:
    """Replace unpaired surrogates, which no answer can hold, in what quotes the request."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {_showable(name): _showable(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_showable(inner) for inner in value]
        case _:
            return value


def _fields(error: ValidationError) -> dict[str, object]:
    if hasattr(error, "error_dict"):
        return {"fields": error.message_dict}
    return {"fields": {"non_field_errors": error.messages}}
