"""Shape checks of the administration's forms. What the database must decide is left to services."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django import forms
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.urls import reverse_lazy

from documents.conf import organisation_zone
from documents.errors import InvalidInput
from documents.intervals import parse_moment
from documents.models import VisibilityGroup
from documents.publishing import Publication
from documents.services import DocumentFields, Upload
from documents.tokens import SCOPES
from documents.visibility import MANAGE, READ

MOMENT_HELP = "A date (2026-03-29: the start of that day) or a moment (2026-03-29 14:30)."


class SuggestingInput(forms.TextInput):
    """A text box that offers names as one types; without script the whole name is typed."""

    def __init__(self, kind: str) -> None:
        """Offer names of one kind: accounts, account-groups or visibility-groups."""
        url = reverse_lazy("admin:documents_document_suggest", args=[kind])
        super().__init__({"data-suggest-url": url, "autocomplete": "off", "class": "vTextField"})


class MomentField(forms.CharField):
    """A date or moment as people write it, in the organisation's time zone."""

    def clean(self, value: Any) -> datetime | None:
        """Return the aware moment, or None where nothing was written."""
        text = super().clean(value)
        if not text:
            return None
        try:
            return parse_moment(text, zone=organisation_zone())
        except InvalidInput as error:
            raise forms.ValidationError(error.message, code=error.code) from error


class NamedRowField(forms.CharField):
    """One row, named in words; choices of thousands of rows would make no page."""

    def __init__(self, kind: str, lookup: str, missing: str, **options: Any) -> None:
        """Look rows up by one column; a form sets `rows` to those that may be chosen."""
        super().__init__(widget=SuggestingInput(kind), **options)
        self.lookup, self.missing = lookup, missing
        self.rows: QuerySet[Any] | None = None

    def clean(self, value: Any) -> Any:
        """Return the row, or None where nothing was written."""
        text = super().clean(value)
        if not text:
            return None
        row = None if self.rows is None else self.rows.filter(**{self.lookup: text}).first()
        if row is None:
            raise forms.ValidationError(self.missing, code="unknown_name")
        return row


class GroupForm(forms.Form):
    """Which audience."""

    group = NamedRowField(
        "visibility-groups",
        "slug",
        "There is no such group, or you may not manage its documents.",
        label="Visibility group",
        help_text="Its slug. Everyone who may read the group's documents may read this one.",
    )

    def __init__(self, *args: Any, groups: QuerySet[VisibilityGroup], **options: Any) -> None:
        """Offer the groups that the account may manage."""
        super().__init__(*args, **options)
        _offer(self, "group", groups)


class DocumentForm(forms.Form):
    """What people say of a document."""

    title = forms.CharField(max_length=500, widget=forms.TextInput({"class": "vTextField"}))
    tags = forms.CharField(required=False, help_text="Separated by commas.")
    language = forms.CharField(
        required=False, max_length=16, help_text="Such as en or zh; told from the text when empty."
    )
    source_url = forms.URLField(
        required=False, max_length=2000, label="Source address", assume_scheme="https"
    )

    def document_fields(self) -> DocumentFields:
        """Return the values for the service."""
        values = self.cleaned_data
        return DocumentFields(
            title=values["title"],
            slug=values.get("slug", ""),
            tags=values["tags"].split(","),
            language=values["language"],
            source_url=values["source_url"],
        )


class UploadForm(forms.Form):
    """A file for a new revision."""

    file = forms.FileField(allow_empty_file=True)
    declared_encoding = forms.CharField(
        required=False,
        max_length=40,
        label="Encoding",
        help_text="utf-8, utf-16-le or utf-16-be; empty: told from the file. Others are refused.",
    )
    change_note = forms.CharField(
        required=False, widget=forms.Textarea({"rows": 3}), help_text="What changed, for readers."
    )
    publish = forms.BooleanField(
        required=False, label="Publish as soon as it is ready", help_text="Otherwise it is a draft."
    )

    def upload(self) -> Upload:
        """Return the values for the service."""
        file = self.cleaned_data["file"]
        return Upload(
            content=file.read(),
            original_name=file.name,
            declared_encoding=self.cleaned_data["declared_encoding"],
            change_note=self.cleaned_data["change_note"],
        )


class NewDocumentForm(UploadForm, DocumentForm, GroupForm):
    """A document with its first file."""

    slug = forms.SlugField(
        required=False,
        max_length=200,
        allow_unicode=True,
        help_text="Its name in addresses; made from the title when empty, and kept for ever.",
    )
    field_order = ("title", "group", "file", "publish", "change_note", "slug", "tags", "language")


class PublicationForm(forms.Form):
    """From when a revision is to be in force."""

    starts_at = MomentField(
        required=False,
        label="In force from",
        help_text=f"{MOMENT_HELP} Empty: from now, or as soon as it is ready.",
    )
    reason = forms.CharField(
        required=False,
        widget=forms.Textarea({"rows": 2}),
        help_text="Needed where the start lies in the past; it is marked as entered late.",
    )
    replace_scheduled = forms.BooleanField(
        required=False,
        label="Cancel what is scheduled or ordered after it",
        help_text="Otherwise this revision ends where the next of those starts.",
    )

    def publication(self) -> Publication:
        """Return the values for the service."""
        return Publication(
            starts_at=self.cleaned_data["starts_at"],
            reason=self.cleaned_data["reason"],
            replace_scheduled=self.cleaned_data["replace_scheduled"],
        )


class ReasonForm(forms.Form):
    """Why: needed where it cannot be undone."""

    reason = forms.CharField(widget=forms.Textarea({"rows": 2}), help_text="Kept in the trail.")


class OptionalReasonForm(forms.Form):
    """Why, where it can be undone."""

    reason = forms.CharField(
        required=False, widget=forms.Textarea({"rows": 2}), help_text="Kept in the trail."
    )


class GrantForm(forms.Form):
    """Who is given what on a visibility group."""

    permission = forms.ChoiceField(
        choices=[(READ, "may read its documents"), (MANAGE, "may read and manage its documents")]
    )
    account = NamedRowField("accounts", "username", "There is no such account.", required=False)
    account_group = NamedRowField(
        "account-groups", "name", "There is no such group of accounts.", required=False
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        """Look names up among all accounts and groups of accounts."""
        super().__init__(*args, **options)
        _offer(self, "account", User.objects.all())
        _offer(self, "account_group", Group.objects.all())

    def clean(self) -> dict[str, Any]:
        """Make sure that exactly one of the two is named."""
        values = self.cleaned_data
        if not self.errors and bool(values.get("account")) == bool(values.get("account_group")):
            raise forms.ValidationError("Name an account or a group of accounts, not both.")
        return values


class AccessForm(forms.Form):
    """Can this reader read this document at this moment?"""

    reader = forms.CharField(
        required=False,
        widget=SuggestingInput("accounts"),
        help_text="An account's name; empty for somebody who is not signed in.",
    )
    document = forms.UUIDField(
        label="Document",
        help_text="Its public id.",
        widget=forms.TextInput({"class": "vTextField"}),
    )
    at = MomentField(required=False, label="Moment", help_text=f"{MOMENT_HELP} Empty: now.")


class TokenForm(forms.Form):
    """A new access token."""

    account = NamedRowField(
        "accounts",
        "username",
        "There is no such account, or you may not make tokens for it.",
        required=False,
        help_text="Empty: your own. A token acts as its account.",
    )
    name = forms.CharField(max_length=100, help_text="What uses it, so that it can be told apart.")
    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES],
        initial=["read", "ask"],
        widget=forms.CheckboxSelectMultiple,
    )
    expires_at = MomentField(
        required=False, label="Expires", help_text=f"{MOMENT_HELP} Empty: never."
    )

    def __init__(self, *args: Any, accounts: QuerySet[User], **options: Any) -> None:
        """Offer the accounts that tokens may be made for."""
        super().__init__(*args, **options)
        _offer(self, "account", accounts)


def _offer(form: forms.Form, name: str, rows: QuerySet[Any]) -> None:
    cast(NamedRowField, form.fields[name]).rows = rows
