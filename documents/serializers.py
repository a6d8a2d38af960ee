"""Shapes of what documents' API takes and gives. Rules about rows are in the services."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from documents.fields import (
    MomentField,
    PageQuerySerializer,
    StrictSerializer,
    WordsField,
    read_moment,
)
from documents.listing import DocumentFilters
from documents.publishing import Publication
from documents.services import DocumentFields, Upload

NOW = "now"


class ListQuerySerializer(PageQuerySerializer):
    """A list at a moment."""

    as_of = MomentField(required=False, help_text="The moment judged by; default: now.")


class DocumentQuerySerializer(ListQuerySerializer):
    """Filters of the list of documents."""

    q = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Words that title or tags must hold, each.",
    )
    tag = WordsField(required=False, help_text="Tags that must all be there.")
    visibility_group = WordsField(required=False, help_text="Slugs, any of which.")
    language = WordsField(required=False, help_text="Language codes, any of which.")
    managed = serializers.BooleanField(
        required=False,
        default=False,
        help_text="List every document that the account manages, in force or not.",
    )

    def filters(self) -> DocumentFilters:
        """Return the validated filters."""
        values = self.validated_data
        return DocumentFilters(
            words=values.get("q", ""),
            tags=_words(values, "tag"),
            groups=_words(values, "visibility_group"),
            languages=_words(values, "language"),
            managed=values["managed"],
        )


class TextQuerySerializer(StrictSerializer):
    """The window of a revision's text that is asked for."""

    as_of = MomentField(required=False)
    start = serializers.IntegerField(required=False, min_value=0, default=0)
    end = serializers.IntegerField(required=False, min_value=0)


class NewDocumentSerializer(StrictSerializer):
    """A document to create; its texts come as revisions."""

    title = serializers.CharField(max_length=500)
    visibility_group = serializers.CharField(max_length=200, help_text="The group's slug.")
    slug = serializers.CharField(required=False, max_length=200, help_text="Default: from title.")
    tags = serializers.ListField(
        child=serializers.CharField(max_length=100), required=False, max_length=50
    )
    language = serializers.CharField(required=False, max_length=16)
    source_url = serializers.CharField(required=False, max_length=2000)

    def fields_given(self) -> DocumentFields:
        """Return what is said of the document."""
        values = self.validated_data
        return DocumentFields(
            title=values["title"],
            slug=values.get("slug", ""),
            tags=values.get("tags", ()),
            language=values.get("language", ""),
            source_url=values.get("source_url", ""),
        )


class PublicationSerializer(StrictSerializer):
    """When a revision is to come into force."""

    publish = serializers.CharField(
        default=NOW,
        max_length=64,
        help_text="`now`: as soon as it is ready; or the moment, ISO 8601.",
    )
    reason = serializers.CharField(
        required=False, max_length=2000, help_text="Required for a moment in the past."
    )
    replace_scheduled = serializers.BooleanField(required=False, default=False)

    def publication(self) -> Publication:
        """Return the validated order.

        Raises: InvalidInput (`invalid_moment` and its kin).
        """
        values = self.validated_data
        return _publication(values["publish"], values)


class PublishSerializer(PublicationSerializer):
    """A publication that may be tried without being done."""

    dry_run = serializers.BooleanField(required=False, default=False)


class WithdrawSerializer(StrictSerializer):
    """Why a revision is withdrawn."""

    reason = serializers.CharField(required=False, max_length=2000, allow_blank=True, default="")


class RevisionUploadSerializer(StrictSerializer):
    """What goes with a revision's bytes, however they come."""

    change_note = serializers.CharField(required=False, max_length=2000, allow_blank=True)
    publish = serializers.CharField(
        required=False,
        max_length=64,
        help_text="`now`: as soon as it is ready; or a moment; absent: not yet.",
    )
    reason = serializers.CharField(required=False, max_length=2000)
    replace_scheduled = serializers.BooleanField(required=False, default=False)

    def publication(self) -> Publication | None:
        """Return the validated order, or None where the revision stays a draft.

        Raises: InvalidInput (`invalid_moment` and its kin).
        """
        values = self.validated_data
        return _publication(values["publish"], values) if "publish" in values else None

    def upload(self) -> Upload:
        """Return the bytes with what goes with them."""
        raise NotImplementedError


class FileUploadSerializer(RevisionUploadSerializer):
    """A revision as a file, `multipart/form-data`."""

    file = serializers.FileField(allow_empty_file=True, max_length=1000)
    encoding = serializers.CharField(
        required=False, max_length=40, help_text="Where the file does not say it itself."
    )

    def upload(self) -> Upload:
        """Return the bytes as they arrived."""
        values = self.validated_data
        return Upload(
            content=values["file"].read(),
            original_name=values["file"].name,
            declared_encoding=values.get("encoding", ""),
            change_note=values.get("change_note", ""),
        )


class TextField(serializers.CharField):
    """A text as it is, whatever characters it holds: the reading of files names what is odd."""

    def __init__(self, **options: Any) -> None:
        """Leave every character to the extraction."""
        super().__init__(trim_whitespace=False, allow_blank=True, **options)
        self.validators = []


class TextUploadSerializer(RevisionUploadSerializer):
    """A revision as text, `application/json`."""

    text = TextField()
    name = serializers.CharField(
        required=False,
        max_length=255,
        default="text.md",
        help_text="Its ending says the format: .md, .txt or .html.",
    )

    def upload(self) -> Upload:
        """Return the text as UTF-8; extraction shows unpaired surrogates as escapes."""
        values = self.validated_data
        return Upload(
            content=values["text"].encode("utf-8", "surrogatepass"),
            original_name=values["name"],
            declared_encoding="utf-8",
            change_note=values.get("change_note", ""),
        )


class RevisionSerializer(serializers.Serializer[Any]):
    """A revision without its text."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(
        choices=["draft", "ordered", "scheduled", "in_force", "ended", "cancelled", "retracted"],
        help_text="Its standing at the moment asked about.",
    )
    status = serializers.CharField(help_text="How far the reading of its file has come.")
    failure_code = serializers.CharField(allow_blank=True)
    failure_message = serializers.CharField(allow_blank=True)
    effective_from = MomentField(allow_null=True)
    effective_until = MomentField(allow_null=True, help_text="Exclusive; null is open.")
    original_name = serializers.CharField()
    language = serializers.CharField(allow_blank=True)
    change_note = serializers.CharField(allow_blank=True)
    entered_late = serializers.BooleanField()
    warnings = serializers.ListField(child=serializers.CharField())
    text_sha256 = serializers.CharField(allow_blank=True)
    created_at = MomentField()
    published_at = MomentField(allow_null=True)


class DocumentSerializer(serializers.Serializer[Any]):
    """A document and its revision in force at the moment asked about."""

    id = serializers.UUIDField()
    slug = serializers.CharField()
    title = serializers.CharField()
    visibility_group = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    language = serializers.CharField(allow_blank=True)
    source_url = serializers.CharField(allow_blank=True)
    created_at = MomentField()
    manageable = serializers.BooleanField()
    in_force = RevisionSerializer(allow_null=True)


class GroupSerializer(serializers.Serializer[Any]):
    """An audience whose documents the reader may read, and perhaps manage."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    reach = serializers.ChoiceField(choices=["listed", "signed_in", "public"])
    manageable = serializers.BooleanField()


class DocumentPageSerializer(serializers.Serializer[Any]):
    """A page of documents, newest first."""

    results = DocumentSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class RevisionPageSerializer(serializers.Serializer[Any]):
    """A page of a document's revisions, by number."""

    results = RevisionSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class GroupPageSerializer(serializers.Serializer[Any]):
    """A page of visibility groups, by slug."""

    results = GroupSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class HeadingSerializer(serializers.Serializer[Any]):
    """A heading and the place of its line."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    level = serializers.IntegerField()
    title = serializers.CharField()


class TextWindowSerializer(serializers.Serializer[Any]):
    """A window of a revision's canonical text. Offsets count code points, half-open."""

    unit = serializers.ChoiceField(choices=["code_point"])
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    length = serializers.IntegerField(help_text="Of the whole text, in code points.")
    utf16_start = serializers.IntegerField(help_text="The same places in UTF-16 code units.")
    utf16_end = serializers.IntegerField()
    utf16_length = serializers.IntegerField()
    next_start = serializers.IntegerField(allow_null=True, help_text="Null at the end.")
    content = serializers.CharField(allow_blank=True, trim_whitespace=False)
    headings = HeadingSerializer(many=True, help_text="Those within the window.")


class RevisionTextSerializer(serializers.Serializer[Any]):
    """A revision with a window of its text."""

    document = serializers.UUIDField()
    revision = RevisionSerializer()
    text = TextWindowSerializer()


class PublicationPlanSerializer(serializers.Serializer[Any]):
    """What publishing does to the other revisions."""

    effective_from = MomentField(source="interval.start")
    effective_until = MomentField(source="interval.end", allow_null=True)
    ended = serializers.ListField(
        child=serializers.IntegerField(), help_text="Revisions that end at its start."
    )
    replaced = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Revisions with the same start, which are therefore never in force.",
    )
    cancelled = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Scheduled or waiting revisions that never start.",
    )
    awaited = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Ordered revisions that are not ready, and end it at their start once they are.",
    )
    entered_late = serializers.BooleanField()


class PublicationResultSerializer(serializers.Serializer[Any]):
    """A revision and what publishing it does."""

    done = serializers.BooleanField(help_text="False for a dry run.")
    plan = PublicationPlanSerializer()
    revision = RevisionSerializer()


class LimitsSerializer(serializers.Serializer[Any]):
    """The numbers that requests are held to."""

    upload_max_bytes = serializers.IntegerField()
    body_max_bytes = serializers.IntegerField()
    page_size_max = serializers.IntegerField()
    text_window_chars = serializers.IntegerField()
    reads_per_minute = serializers.IntegerField()
    questions_per_minute = serializers.IntegerField()
    writes_per_minute = serializers.IntegerField()


class PersonSerializer(serializers.Serializer[Any]):
    """Who the request is made as, and what it may do."""

    username = serializers.CharField()
    full_name = serializers.CharField(allow_blank=True)
    signed_in_by = serializers.ChoiceField(choices=["token", "session"])
    scopes = serializers.ListField(child=serializers.CharField())
    token_expires_at = MomentField(allow_null=True)
    time_zone = serializers.CharField(help_text="In which dates without an offset are read.")
    limits = LimitsSerializer()


def _words(values: dict[str, Any], name: str) -> tuple[str, ...] | None:
    return tuple(values[name]) if name in values else None


def _publication(start: str, values: dict[str, Any]) -> Publication:
    starts_at = None if start == NOW else read_moment(start, field="publish")
    return Publication(
        starts_at=starts_at,
        reason=values.get("reason", ""),
        replace_scheduled=values["replace_scheduled"],
    )
