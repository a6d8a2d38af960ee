"""Shapes of what the search API takes and gives."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from documents.fields import MomentField, StrictSerializer, WordsField
from retrieval.types import Question, SearchFilters, SearchMode

DEFAULT_LIMIT = 10
MAX_LIMIT = 100


class FiltersSerializer(StrictSerializer):
    """Limits of a question: an absent filter limits nothing, an empty one admits nothing."""

    documents = WordsField(required=False, help_text="Ids or slugs, any of which.")
    tags = WordsField(required=False, help_text="Any of which.")
    visibility_groups = WordsField(required=False, help_text="Slugs, any of which.")
    languages = WordsField(required=False, help_text="Codes such as en or zh, any of which.")
    effective_from = MomentField(
        required=False, help_text="Only revisions that came into force at this moment or later."
    )
    effective_until = MomentField(
        required=False, help_text="Only revisions that came into force before this moment."
    )


class QuestionField(serializers.CharField):
    """A question as it was typed; whether it can be searched for is for the search to say."""

    def __init__(self, **options: Any) -> None:
        """Leave the length and the blanks to the search, which names its limit."""
        super().__init__(allow_blank=True, trim_whitespace=False, **options)


class AskedSerializer(StrictSerializer):
    """A question at a moment."""

    question = QuestionField()
    as_of = MomentField(required=False, help_text="The moment asked about; default: now.")


class SearchedSerializer(AskedSerializer):
    """A question, how to search for it and how many passages to return."""

    limit = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_LIMIT, default=DEFAULT_LIMIT
    )
    mode = serializers.ChoiceField(
        required=False,
        choices=[mode.value for mode in SearchMode],
        default=SearchMode.HYBRID.value,
    )

    def read_question(self) -> Question:
        """Return the validated question."""
        values = self.validated_data
        return Question(
            text=values["question"],
            mode=SearchMode(values["mode"]),
            limit=values["limit"],
            filters=make_filters(self.filter_values()),
        )

    def filter_values(self) -> dict[str, Any]:
        """Return the validated filters by name."""
        raise NotImplementedError


class SearchSerializer(SearchedSerializer):
    """A search as a JSON body."""

    filters = FiltersSerializer(required=False)

    def filter_values(self) -> dict[str, Any]:
        """Return what the filters' own object holds."""
        values: dict[str, Any] = self.validated_data.get("filters", {})
        return values


class SearchQuerySerializer(FiltersSerializer, SearchedSerializer):
    """A search as a query string: the filters stand beside the question."""

    def filter_values(self) -> dict[str, Any]:
        """Return all values: the names of filters are no other field's."""
        values: dict[str, Any] = self.validated_data
        return values


class PassageSerializer(serializers.Serializer[Any]):
    """A passage in its place; its id survives re-indexing. Ranks only: scores stay inside."""

    id = serializers.CharField(source="public_id")
    document = serializers.CharField(source="document_slug")
    revision = serializers.IntegerField(source="revision_number")
    original_name = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()
    rank = serializers.IntegerField()
    lexical_rank = serializers.IntegerField(allow_null=True)
    dense_rank = serializers.IntegerField(allow_null=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    page = serializers.IntegerField(allow_null=True)


class SearchResultSerializer(serializers.Serializer[Any]):
    """What a search found, best first. Offsets count code points of the revision's text."""

    question = serializers.CharField(source="question.text")
    as_of = MomentField()
    plan = serializers.CharField(help_text="How meanings were compared: none, exact, graph, ...")
    permitted_passages = serializers.IntegerField(
        help_text="How many passages were permitted and in force."
    )
    passages = PassageSerializer(many=True)


def make_filters(values: dict[str, Any]) -> SearchFilters:
    """Return the filters that validated values describe."""
    return SearchFilters(
        documents=_words(values, "documents"),
        tags=_words(values, "tags"),
        visibility_groups=_words(values, "visibility_groups"),
        languages=_words(values, "languages"),
        effective_from=values.get("effective_from"),
        effective_until=values.get("effective_until"),
    )


def _words(values: dict[str, Any], name: str) -> tuple[str, ...] | None:
    return tuple(values[name]) if name in values else None
