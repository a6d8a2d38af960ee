"""Tokens, scopes and sessions at the API's door."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from documents.models import Document
from documents.tokens import create_token, revoke_token
from tests.api_clients import browse_as, sign_in

pytestmark = pytest.mark.db


@pytest.fixture
def world(shared_world):
    return shared_world


NEW_DOCUMENT = {"title": "T", "visibility_group": "lab"}


def make_token(user, *, scopes=("read",), expires_at=None):
    return create_token(user=user, name="t", scopes=scopes, expires_at=expires_at, acted_by=user)


def use(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_without_credentials_the_api_asks_for_a_token(world):
    response = APIClient().get("/api/v1/me")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.json()["code"] == "not_authenticated"


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer wrong",
        "Bearer a b",
        "Bearer rgs_" + "x" * 43,
        "bearer \xff\xfe",
        "Bearer " + "x" * 10_000,
    ],
)
def test_bad_tokens_are_refused(world, header):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header)
    response = client.get("/api/v1/me")
    assert response.status_code == 401
    assert response.json()["code"] == "authentication_failed"


def test_a_revoked_token_is_refused_from_the_next_request_on(world):
    token, secret = make_token(world.user("ada"))
    client = use(secret)
    assert client.get("/api/v1/me").status_code == 200
    revoke_token(token, acted_by=world.user("ada"))
    assert client.get("/api/v1/me").status_code == 401


def test_an_expired_token_is_refused(world, frozen_clock):
    _, secret = make_token(world.user("ada"), expires_at=timezone.now() + timedelta(hours=1))
    client = use(secret)
    assert client.get("/api/v1/me").status_code == 200
    frozen_clock.advance(hours=1)
    assert client.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize("credential", ["token", "session"])
def test_a_deactivated_account_is_refused_whatever_it_shows(world, credential):
    ada = world.user("ada")
    client = sign_in(ada) if credential == "token" else browse_as(ada)
    assert client.get("/api/v1/me").status_code == 200
    ada.is_active = False
    ada.save()
    assert client.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("scopes", "method", "path", "allowed"),
    [
        (["read"], "get", "/api/v1/documents", True),
        (["ask"], "get", "/api/v1/documents", False),
        (["write"], "get", "/api/v1/documents", False),
        (["write"], "head", "/api/v1/documents", False),
        (["read"], "post", "/api/v1/documents", False),
        (["write"], "post", "/api/v1/documents", True),
        (["read", "write"], "get", "/api/v1/me", True),
    ],
)
def test_scopes_open_what_they_name(world, scopes, method, path, allowed):
    client = sign_in(world.user("edith"), scopes=scopes)
    body = {"data": NEW_DOCUMENT, "format": "json"} if method == "post" else {}
    response = getattr(client, method)(path, **body)
    if allowed:
        assert response.status_code in {200, 201}
    else:
        assert response.status_code == 403
        if method != "head":
            assert response.json()["code"] == "scope_missing"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("put", "/api/v1/me"),
        ("get", "/api/v1/answers"),
        ("delete", "/api/v1/documents"),
        ("options", "/api/v1/documents"),
    ],
)
def test_a_method_that_an_address_does_not_have_is_refused_as_such(world, method, path):
    response = getattr(sign_in(world.user("edith")), method)(path)
    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"]


def test_a_token_alone_needs_no_csrf_token(world):
    _, secret = make_token(world.user("edith"), scopes=["write"])
    client = APIClient(enforce_csrf_checks=True)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert client.post("/api/v1/documents", NEW_DOCUMENT, format="json").status_code == 201


def test_a_token_beside_a_stale_session_works(world):
    _, secret = make_token(world.user("edith"), scopes=["write"])
    client = browse_as(world.user("ben"))
    ben = world.user("ben")
    ben.set_password("another one, so that the session is stale")
    ben.save()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert client.post("/api/v1/documents", NEW_DOCUMENT, format="json").status_code == 201


def test_a_bad_token_does_not_fall_back_to_a_live_session(world):
    client = browse_as(world.user("edith"))
    client.credentials(HTTP_AUTHORIZATION="Bearer wrong")
    assert client.get("/api/v1/me").status_code == 401


def test_a_cross_site_form_with_a_live_session_is_refused(world):
    client = browse_as(world.user("edith"))
    before = Document.objects.count()
    response = client.post(
        "/api/v1/documents", NEW_DOCUMENT, format="json", HTTP_ORIGIN="https://evil.example"
    )
    assert response.status_code == 403
    assert response.json()["code"] == "csrf_failed"
    assert "RAGSITE_TRUSTED_ORIGINS" in response.json()["message"]
    assert Document.objects.count() == before


def test_a_browser_with_its_csrf_token_may_write(world):
    client = browse_as(world.user("edith"))
    client.get("/api/docs/")
    token = client.cookies["csrftoken"].value
    response = client.post("/api/v1/documents", NEW_DOCUMENT, format="json", HTTP_X_CSRFTOKEN=token)
    assert response.status_code == 201


def test_an_address_that_names_no_scope_is_closed_to_tokens(world, monkeypatch):
    from documents.api import MeEndpoint

    monkeypatch.setattr(MeEndpoint, "required_scopes", {})
    response = sign_in(world.user("ada")).get("/api/v1/me")
    assert response.status_code == 403
    assert response.json()["code"] == "scope_missing"
