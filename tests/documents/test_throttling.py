"""Limits of requests, counted in the database."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from documents import conf, throttling
from documents.models import RateLimitCount
from documents.rate_limits import count_request
from tests.api_clients import browse_as, sign_in

AT = datetime(2026, 5, 1, 12, 0, 20, tzinfo=UTC)


@pytest.fixture
def three_a_minute(monkeypatch):
    lowered = replace(conf.documents_config(), reads_per_minute=3)
    monkeypatch.setattr(throttling, "documents_config", lambda: lowered)


@pytest.mark.db
def test_the_limit_is_inclusive_and_the_wait_ends_with_the_window():
    allowances = [count_request("account:1", "read", limit=2, at=AT) for _ in range(3)]
    assert [allowance.allowed for allowance in allowances] == [True, True, False]
    assert allowances[2].wait_seconds == 40


@pytest.mark.db
def test_the_next_window_starts_anew():
    for _ in range(3):
        count_request("account:1", "read", limit=2, at=AT)
    assert count_request("account:1", "read", limit=2, at=AT + timedelta(seconds=40)).allowed
    assert RateLimitCount.objects.get().requests == 1


@pytest.mark.db
def test_a_clock_that_lags_counts_into_the_newer_window():
    count_request("account:1", "read", limit=2, at=AT + timedelta(minutes=1))
    count_request("account:1", "read", limit=2, at=AT)
    assert RateLimitCount.objects.get().requests == 2


@pytest.mark.db
def test_accounts_and_kinds_are_counted_apart():
    count_request("account:1", "read", limit=1, at=AT)
    assert count_request("account:2", "read", limit=1, at=AT).allowed
    assert count_request("account:1", "ask", limit=1, at=AT).allowed


@pytest.mark.db(transaction=True)
def test_requests_at_once_are_all_counted():
    def count_ten():
        for _ in range(10):
            count_request("account:1", "read", limit=5, at=AT)
        connection.close()

    threads = [threading.Thread(target=count_ten) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert RateLimitCount.objects.get().requests == 80


@pytest.mark.db
@pytest.mark.usefixtures("frozen_clock", "three_a_minute")
def test_beyond_the_limit_the_api_says_when_to_come_back(world):
    client = sign_in(world.user("ada"))
    statuses = [client.get("/api/v1/me").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    refused = client.get("/api/v1/me")
    assert refused.json()["code"] == "throttled"
    assert 1 <= int(refused.headers["Retry-After"]) <= 61


@pytest.mark.db
@pytest.mark.usefixtures("frozen_clock", "three_a_minute")
def test_another_token_or_a_session_gives_an_account_no_more(world):
    ada = world.user("ada")
    for _ in range(3):
        sign_in(ada).get("/api/v1/me")
    assert sign_in(ada).get("/api/v1/me").status_code == 429
    assert browse_as(ada).get("/api/v1/me").status_code == 429
    assert sign_in(world.user("ben")).get("/api/v1/me").status_code == 200
