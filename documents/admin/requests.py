"""What every administration page needs of its request, and how it answers refusals."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django import forms
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.timezone import localtime

from documents.errors import ProductError


def account_of(request: HttpRequest) -> User:
    """Return the account that is signed in; the admin lets nobody else in."""
    return cast(User, request.user)


def moment_of(request: HttpRequest) -> datetime:
    """Return the one moment at which the request's rights and times are read."""
    moment: datetime = request.at  # type: ignore[attr-defined]  # set by RequestMoment
    return moment


def show_moment(moment: datetime | None) -> str:
    """Word a moment in the organisation's time zone."""
    return "" if moment is None else date_format(localtime(moment), "j M Y, H:i T")


def page_context(request: HttpRequest, title: str, **values: Any) -> dict[str, Any]:
    """Return what the admin's templates expect, and the page's own values."""
    return {**site.each_context(request), "title": title, **values}


def add_refusal(form: forms.Form, error: ProductError | ValidationError) -> None:
    """Show a service's refusal at the field that it names, or above the form."""
    if isinstance(error, ValidationError):
        for name, messages in error.message_dict.items():
            form.add_error(name if name in form.fields else None, messages)
        return
    field = error.details.get("field")
    named = str(field) if field in form.fields else None
    form.add_error(named, ValidationError(error.message, code=error.code))
