"""Once per request: its id, its moment, its content policy, and product errors as pages."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from documents.errors import ProductError
from ragsite.errors import product_error_page

GetResponse = Callable[[HttpRequest], HttpResponse]

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


class MomentRequest(HttpRequest):
    """A request with the id and the moment that RequestMoment gave it."""

    id: str
    at: datetime


class RequestMoment:
    """Give each request an id and the one moment at which its rights and times are read."""

    def __init__(self, get_response: GetResponse) -> None:
        """Keep the next layer."""
        self.get_response = get_response

    def __call__(self, request: MomentRequest) -> HttpResponse:
        """Read the clock once and name the request in the response."""
        request.id = uuid.uuid4().hex
        request.at = timezone.now()
        response = self.get_response(request)
        response["X-Request-ID"] = request.id
        return response


class ContentSecurityPolicy:
    """Send a strict content policy with every page."""

    def __init__(self, get_response: GetResponse) -> None:
        """Keep the next layer."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the policy unless a view has set its own."""
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_POLICY)
        return response


class ProductErrors:
    """Turn a product error that a page did not handle into a clear page with its status."""

    def __init__(self, get_response: GetResponse) -> None:
        """Keep the next layer."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer for product errors; leave the rest to Django."""
        if isinstance(error, ProductError):
            return product_error_page(request, error)
        return None
