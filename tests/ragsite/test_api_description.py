"""The OpenAPI description, its page, and errors outside any view."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from ragsite.middleware import CONTENT_POLICY


def describe() -> dict[str, Any]:
    description: dict[str, Any] = json.loads(
        Client().get("/api/schema/", HTTP_ACCEPT="application/json").content
    )
    return description


def test_the_description_is_valid_without_a_warning(tmp_path):
    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml")
    )
    assert (tmp_path / "schema.yml").read_text().startswith("openapi: 3.")


@pytest.mark.db
def test_the_description_is_served_and_names_both_ways_to_sign_in():
    description = describe()
    assert set(description["components"]["securitySchemes"]) == {"accessToken", "browserSession"}
    assert "/api/v1/documents/{public_id}/revisions" in description["paths"]


@pytest.mark.db
def test_every_operation_describes_its_refusals():
    paths = describe()["paths"]
    operations = [operation for methods in paths.values() for operation in methods.values()]
    assert len(operations) >= 11
    for operation in operations:
        assert "default" in operation["responses"], operation["operationId"]


@pytest.mark.db
def test_the_page_keeps_the_strict_content_policy():
    response = Client().get("/api/docs/")
    assert response.status_code == 200
    assert response.headers["Content-Security-Policy"] == CONTENT_POLICY
    page = response.content.decode()
    assert "<style" not in page
    assert "<script>" not in page
    assert "style=" not in page


@pytest.mark.db
@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/api/v1/documents/not-a-uuid", "/api/"])
def test_unknown_addresses_answer_in_json(path):
    response = Client().get(path)
    assert response.status_code == 404
    assert response.json()["code"] == "not_found"
    assert response.json()["request_id"] == response.headers["X-Request-ID"]


def test_a_host_that_is_not_allowed_is_refused_in_json():
    response = Client().get("/api/v1/me", HTTP_HOST="evil.example")
    assert response.status_code == 400
    assert response.json()["code"] == "bad_request"


@pytest.mark.db
def test_a_fault_of_ours_answers_in_json_and_shows_nothing_of_it(monkeypatch):
    from documents.api import MeEndpoint

    def break_down(*_, **__):
        raise RuntimeError("canary of the fault")

    monkeypatch.setattr(MeEndpoint, "initial", break_down)
    response = Client(raise_request_exception=False).get("/api/v1/me")
    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
    assert "canary" not in response.content.decode()
