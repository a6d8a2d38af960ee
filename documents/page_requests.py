"""What every page needs of its request: the moment, the scope, the moment asked about."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest

from documents.visibility import ReadScope, scope_for


def moment_of(request: HttpRequest) -> datetime:
    """Return the one moment at which the request's rights and times are read."""
    moment: datetime = request.at  # type: ignore[attr-defined]  # set by RequestMoment
    return moment


def scope_of(request: HttpRequest, *, at: datetime | None = None) -> ReadScope:
    """Return the scope of whoever asks, at the moment asked about or now."""
    return scope_for(request.user, at=at or moment_of(request))


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
