"""What every page needs of its request: the moment, the scope, the moment asked about."""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address, ip_network
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest

from documents.conf import documents_config
from documents.rate_limits import bucket_of, check_rate
from documents.visibility import ReadScope, scope_for

IPV6 = 6


def moment_of(request: HttpRequest) -> datetime:
    """Return the one moment at which the request's rights and times are read."""
    moment: datetime = request.at  # type: ignore[attr-defined]  # set by RequestMoment
    return moment


def scope_of(request: HttpRequest, *, at: datetime | None = None) -> ReadScope:
    """Return the scope of whoever asks, at the moment asked about or now."""
    return scope_for(request.user, at=at or moment_of(request))


def account_of(request: HttpRequest) -> User | None:
    """Return the account that asks, None where nobody is signed in."""
    return request.user if isinstance(request.user, User) else None


def check_page_rate(request: HttpRequest, kind: str) -> None:
    """Count a request for the account, or the address where nobody is signed in.

    Raises: TooManyRequests.
    """
    account = account_of(request)
    subject = f"account:{account.pk}" if account else address_bucket(request)
    limit = documents_config().requests_per_minute(kind)
    check_rate(subject, kind, limit=limit, at=moment_of(request))


def address_bucket(request: HttpRequest) -> str:
    """Return the subject that stands for the network a request comes from.

    A household or an office owns a whole /64 of the sixth version, so that is what counts.
    """
    text = request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(text)
    except ValueError:
        return bucket_of("address", text)
    prefix = 64 if address.version == IPV6 else 32
    return bucket_of("address", str(ip_network((address, prefix), strict=False)))


def first_error(form: forms.Form) -> str:
    """Return the first thing that is wrong with a form, without the name of its field."""
    return next(str(error) for errors in form.errors.values() for error in errors)


def form_errors(form: forms.Form) -> tuple[str, ...]:
    """Return what is wrong with a form, each error with the name of its field."""
    return tuple(
        f"{form.fields[name].label or name.replace('_', ' ').capitalize()}: {error}"
        if name in form.fields
        else str(error)
        for name, errors in form.errors.items()
        for error in errors
    )


def with_query(url: str, **values: object) -> str:
    """Return an address with the values that are not empty."""
    kept = {name: value for name, value in values.items() if value not in {None, ""}}
    return f"{url}?{urlencode(kept)}" if kept else url
