"""Requests of any shape: see tests/fuzz/README.md for why."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from documents import conf, throttling

pytestmark = [pytest.mark.fuzz, pytest.mark.db]

# Any text, unpaired surrogates and NUL included, and any JSON; often under names that are known.
texts = st.text(st.characters(exclude_categories=[]), max_size=60)
words = st.text(max_size=60)  # an address cannot spell unpaired surrogates
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts | st.sampled_from(["2026-01-01", "hybrid"])
names = st.sampled_from(
    [
        "question",
        "as_of",
        "limit",
        "mode",
        "filters",
        "documents",
        "tags",
        "languages",
        "visibility_groups",
        "effective_from",
        "effective_until",
        "writer",
        "title",
        "slug",
        "visibility_group",
        "language",
        "source_url",
        "cursor",
        "q",
        "tag",
        "managed",
    ]
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names | texts, inner, max_size=4),
    max_leaves=12,
)
bodies = st.dictionaries(names | texts, values, max_size=8)
posts = st.sampled_from(["/api/v1/search", "/api/v1/answers", "/api/v1/documents"])
gets = st.sampled_from(["/api/v1/search", "/api/v1/documents", "/api/v1/visibility-groups"])
many = hypothesis_settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def client(searchable_world, monkeypatch) -> APIClient:
    # Every example is served in the same minute.
    limits = dict.fromkeys(("reads", "questions", "writes"), 10**6)
    raised = replace(
        conf.documents_config(), **{f"{name}_per_minute": most for name, most in limits.items()}
    )
    monkeypatch.setattr(throttling, "documents_config", lambda: raised)
    browser = APIClient(raise_request_exception=True)
    browser.force_login(searchable_world.user("edith"))
    return browser


@many
@given(path=posts, body=bodies)
@example(path="/api/v1/search", body={"question": "\ud800"})
@example(path="/api/v1/search", body={"question": "leave", "filters": {"documents": ["\x00"]}})
@example(path="/api/v1/search", body={"question": "leave", "\ud800": 1})
@example(path="/api/v1/search", body={"question": "leave", "mode": "\ud800"})
@example(path="/api/v1/documents", body={"title": "a", "visibility_group": "lab", "slug": "a b"})
def test_any_body_is_served_or_refused_with_a_code(client, path, body):
    response = client.post(path, json.dumps(body), content_type="application/json")
    check_answer(response)


@many
@given(path=posts, question=texts)
def test_any_question_is_served_or_refused_with_a_code(client, path, question):
    body = {"question": question}
    check_answer(client.post(path, json.dumps(body), content_type="application/json"))


@many
@given(path=gets, query=st.dictionaries(names | words, words | st.lists(words), max_size=5))
def test_any_query_is_served_or_refused_with_a_code(client, path, query):
    check_answer(client.get(path, query))


@many
@given(body=st.binary(max_size=200), kind=st.sampled_from(["application/json", "text/plain"]))
def test_any_bytes_are_served_or_refused_with_a_code(client, body, kind):
    check_answer(client.generic("POST", "/api/v1/search", body, kind))


def check_answer(response) -> None:
    """Make sure that it is an answer, or a refusal in its one shape."""
    assert response.status_code in {200, 201, 400, 403, 409, 413, 415}
    if response.status_code >= 400:
        assert set(response.json()) == {"code", "message", "details", "request_id"}
