"""What every API view shares: the size limit before parsing, its moment, its page size."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.serializers import ListField, Serializer
from rest_framework.views import APIView

from documents.conf import documents_config
from documents.errors import InvalidInput

Input = TypeVar("Input", bound=Serializer[Any])


class Endpoint(APIView):
    """An API view that names the token scope of each of its methods."""

    required_scopes: ClassVar[Mapping[str, str]] = {}
    envelope_bytes: ClassVar[int] = 0
    http_method_names = ["get", "head", "post", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check credentials, scope and rate, then the size, all before the body is parsed."""
        super().initial(request, *args, **kwargs)
        check_body_size(
            request, limit_bytes=self.max_body_bytes(), envelope_bytes=self.envelope_bytes
        )

    def max_body_bytes(self) -> int:
        """Return how long a body this view takes; uploads take more."""
        return documents_config().api_body_max_bytes


def check_body_size(request: Request, *, limit_bytes: int, envelope_bytes: int) -> None:
    """Refuse a body by the length that it announces; a longer one is never read past that.

    Units: `envelope_bytes` may surround the content that the limit is about.

    Raises: InvalidInput (`too_large`).
    """
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > limit_bytes + envelope_bytes:
        raise InvalidInput(
            f"The request has {length} bytes; at most {limit_bytes} are accepted.",
            code="too_large",
            details={"limit_bytes": limit_bytes},
        )


def read_query(request: Request, serializer: type[Input]) -> Input:
    """Check the query string and return the serializer that holds it.

    An empty value is a value: `as_of=` is refused, not taken for now.

    Raises: ValidationError naming the fields, unknown ones too; InvalidInput with its own code.
    """
    fields = serializer().fields
    given = request.query_params
    lists = {name for name in given if isinstance(fields.get(name), ListField)}
    return read_input(
        serializer(
            data={name: given.getlist(name) if name in lists else given[name] for name in given}
        )
    )


def read_body(request: Request, serializer: type[Input]) -> Input:
    """Check the body and return the serializer that holds it.

    Raises: ValidationError naming the fields, unknown ones too; InvalidInput with its own code.
    """
    return read_input(serializer(data=request.data))


def read_input(serializer: Input) -> Input:
    """Check what a serializer was given and return it.

    Raises: ValidationError naming the fields, unknown ones too; InvalidInput with its own code.
    """
    serializer.is_valid(raise_exception=True)
    return serializer


def moment_of(request: Request) -> datetime:
    """Return the one moment at which the request's rights and times are read."""
    moment: datetime = request.at  # type: ignore[attr-defined]  # set by RequestMoment
    return moment


def account_of(request: Request) -> User:
    """Return the account; IsAuthenticated has already refused everyone else."""
    if not isinstance(request.user, User):
        raise TypeError("This view needs an account.")
    return request.user
