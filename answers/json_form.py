"""The response as JSON: names and order are a promise to programs."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

from answers.types import (
    AnswerCitation,
    AnswerPassage,
    AnswerResponse,
    DocumentReference,
    ReopenedAnswer,
)
from retrieval.types import SearchFilters


def response_as_json(response: AnswerResponse) -> dict[str, object]:
    """Give plain lists and objects with exactly the response's fields."""
    return {
        "query_id": str(response.query_id),
        "question": response.question,
        "as_of": response.as_of.isoformat(),
        "filters": filters_as_json(response.filters),
        "answer": response.answer,
        "claims": [
            {"text": claim.text, "citations": list(claim.citations)} for claim in response.claims
        ],
        "citations": [_citation(citation) for citation in response.citations],
        "passages": [_passage(passage) for passage in response.passages],
        "refused": response.refused,
        "refusal_reason": None if response.refusal_reason is None else str(response.refusal_reason),
        "confidence": response.confidence,
        "completeness": {
            "permitted_passages": response.completeness.permitted_passages,
            "dense_plan": response.completeness.dense_plan,
        },
        "timings_ms": dict(response.timings_ms),
        "tokens": dict(response.tokens),
        "writer": response.writer,
        "cached": response.cached,
    }


def reopened_as_json(reopened: ReopenedAnswer) -> dict[str, object]:
    """Give the response's fields, when it was asked, and which citations are withheld."""
    return {
        **response_as_json(reopened.response),
        "asked_at": reopened.asked_at.isoformat(),
        "withheld": list(reopened.withheld),
    }


def filters_as_json(filters: SearchFilters) -> dict[str, object]:
    """Give the filters that were set; one that is absent limits nothing."""
    values = {field.name: getattr(filters, field.name) for field in fields(filters)}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def filters_from_json(value: dict[str, object]) -> SearchFilters:
    """Read what `filters_as_json` gave."""
    return SearchFilters(
        documents=_words(value.get("documents")),
        tags=_words(value.get("tags")),
        visibility_groups=_words(value.get("visibility_groups")),
        languages=_words(value.get("languages")),
        effective_from=_moment(value.get("effective_from")),
        effective_until=_moment(value.get("effective_until")),
    )


def _words(value: object) -> tuple[str, ...] | None:
    return tuple(str(word) for word in value) if isinstance(value, list) else None


def _moment(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def _document(document: DocumentReference) -> dict[str, object]:
    return {"id": str(document.id), "slug": document.slug, "title": document.title}


def _citation(citation: AnswerCitation) -> dict[str, object]:
    since = citation.superseded_since
    return {
        "n": citation.n,
        "document": _document(citation.document),
        "revision": citation.revision,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "page": citation.page,
        "heading_path": list(citation.heading_path),
        "url": citation.url,
        "superseded_since": None if since is None else since.isoformat(),
    }


def _passage(passage: AnswerPassage) -> dict[str, object]:
    return {
        "id": passage.id,
        "document": passage.document.slug,
        "revision": passage.revision,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "rank": passage.rank,
        "lexical_rank": passage.lexical_rank,
        "dense_rank": passage.dense_rank,
        "cited": passage.cited,
    }
