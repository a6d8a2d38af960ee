"""Shapes of what the API of answers takes and gives.

The response itself is written by answers/json_form.py, which every way out shares; the serializers
here describe it, and a test holds the two together.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from answers.setup import WRITERS
from documents.fields import MomentField
from retrieval.serializers import AskedSerializer, FiltersSerializer, make_filters
from retrieval.types import SearchFilters


class AskSerializer(AskedSerializer):
    """A question to answer."""

    filters = FiltersSerializer(required=False)
    writer = serializers.ChoiceField(
        required=False, choices=WRITERS, help_text="Default: the configured one."
    )

    def read_filters(self) -> SearchFilters:
        """Return the validated filters."""
        return make_filters(self.validated_data.get("filters", {}))


class DocumentReferenceSerializer(serializers.Serializer[Any]):
    """The document that is cited."""

    id = serializers.UUIDField()
    slug = serializers.CharField()
    title = serializers.CharField()


class CitationSerializer(serializers.Serializer[Any]):
    """The exact words of an exact revision; the quote equals its text at the offsets."""

    n = serializers.IntegerField()
    document = DocumentReferenceSerializer()
    revision = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    quote = serializers.CharField()
    page = serializers.IntegerField(allow_null=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    url = serializers.CharField()
    superseded_since = MomentField(allow_null=True)


class ClaimSerializer(serializers.Serializer[Any]):
    """One claim and the numbers of the citations that carry it."""

    text = serializers.CharField()
    citations = serializers.ListField(child=serializers.IntegerField())


class AnswerPassageSerializer(serializers.Serializer[Any]):
    """A passage that was found for the question."""

    id = serializers.CharField()
    document = serializers.CharField()
    revision = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()
    rank = serializers.IntegerField()
    lexical_rank = serializers.IntegerField(allow_null=True)
    dense_rank = serializers.IntegerField(allow_null=True)
    cited = serializers.BooleanField()


class CompletenessSerializer(serializers.Serializer[Any]):
    """How many passages were permitted, up to the exact limit, and how they were met."""

    permitted_passages = serializers.IntegerField()
    dense_plan = serializers.CharField()


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer or a refusal; a refusal is a result like any other."""

    query_id = serializers.UUIDField()
    question = serializers.CharField()
    as_of = MomentField()
    filters = FiltersSerializer()
    answer = serializers.CharField(allow_null=True)
    claims = ClaimSerializer(many=True)
    citations = CitationSerializer(many=True)
    passages = AnswerPassageSerializer(many=True)
    refused = serializers.BooleanField()
    refusal_reason = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField(help_text="Calibrated, 0 to 1.")
    completeness = CompletenessSerializer()
    timings_ms = serializers.DictField(child=serializers.FloatField())
    tokens = serializers.DictField(child=serializers.IntegerField())
    writer = serializers.CharField()
    cached = serializers.BooleanField()


class ReopenedAnswerSerializer(AnswerSerializer):
    """A stored answer as its asker may see it now."""

    asked_at = MomentField()
    withheld = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Numbers of the citations whose words may no longer be shown.",
    )
