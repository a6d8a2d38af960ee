"""Two worlds that differ only in what is hidden give the same reader the same bytes.

Both are built in turn in the same database with a stopped clock, asked the same questions, and
rolled back. Masked are request ids, query ids and the milliseconds that stages took; nothing else.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from documents import publishing, services
from documents.models import Document, VisibilityGroup
from tests.builders import OPERATOR, build_account, build_document, build_group, build_revision
from tests.searching import indexing_builders

pytestmark = pytest.mark.db

PAST = datetime(2020, 1, 1, tzinfo=UTC)
CHANGED = datetime(2024, 1, 1, tzinfo=UTC)
FUTURE = datetime(2100, 1, 1, tzinfo=UTC)
MOMENTS = [None, "2019-01-01", "2022-06-01", "2101-01-01"]
NAMESPACE = UUID("00000000-0000-4000-8000-000000000000")
SEED = 20_240_601
QUESTIONS = 40

# Title and the texts that are in force one after another; the words repeat on purpose, so that
# any statistic taken over the hidden documents too would change a weight or an order.
VISIBLE = [
    ("Refunds", ["Refund requests within 30 days.", "Refund requests within 14 days of payment."]),
    ("Backups", ["Backups are retained for 30 days.", "Backups are retained for 90 days."]),
    ("Registration", ["Registration closes Friday.", "Registration closes Wednesday."]),
    ("Seal kits", ["Valve DS-7604NI-E1/4P needs seal kit SK-1234."]),
    ("Leave", ["# Leave\n\nThirty days of leave.\n\n# Requests\n\nRequests within 14 days."]),
    ("Machines", ["The laser cutter needs a course. Backups of its files are kept for 14 days."]),
    ("工具", ["外币汇率换算按每月首个工作日中间价。退款须在 14 天内提出。"]),
]
HIDDEN_WORDS = "refund requests backups retained days registration closes leave payment 退款 汇率"


@dataclass(slots=True)
class Script:
    """What one world answered, request by request."""

    client: APIClient
    answers: list[tuple[str, int, str]] = field(default_factory=list)

    def get(self, path: str, query: dict[str, Any] | None = None) -> Any:
        """Ask and keep what came back."""
        return self._keep(f"GET {path} {query}", self.client.get(path, query or {}))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Ask and keep what came back."""
        return self._keep(f"POST {path} {body}", self.client.post(path, body, format="json"))

    def delete(self, path: str) -> Any:
        """Ask and keep what came back."""
        return self._keep(f"DELETE {path}", self.client.delete(path))

    def _keep(self, name: str, response: Any) -> Any:
        self.answers.append((name, response.status_code, mask(response)))
        return response


def mask(response: Any) -> str:
    """Return headers and content, with words in the place of what differs between any two runs."""
    headers = sorted(response.headers.items())
    content = f"{headers}\n{response.content.decode()}"
    content = content.replace(response.headers["X-Request-ID"], "REQUEST")
    content = re.sub(r'"query_id":"[^"]+"', '"query_id":"QUERY"', content)
    content = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "CSRF", content)
    content = re.sub(r'"timings_ms":\{[^}]*\}', '"timings_ms":{}', content)
    return re.sub(r"\('Content-Length', '\d+'\)", "LENGTH", content)


def build_visible(groups: Sequence[VisibilityGroup], number: int) -> None:
    """Build one visible document with its revisions, under an id that both worlds share."""
    title, texts = VISIBLE[number]
    group = groups[number % len(groups)]
    document = build_document(
        title, texts[0], group, starts_at=PAST, tags=["rules", title.lower()[:5]]
    )
    Document.objects.filter(pk=document.pk).update(public_id=uuid5(NAMESPACE, title))
    document.refresh_from_db()
    for text in texts[1:]:
        build_revision(document, text, starts_at=CHANGED)


def build_hidden(group: VisibilityGroup, readable: VisibilityGroup, number: int) -> None:
    """Build what the reader may not read: copies, near copies, floods of words, other states."""
    title, texts = VISIBLE[number % len(VISIBLE)]
    same_slug = "" if number < len(VISIBLE) else f"copy-{number}"
    copy = build_document(
        title, texts[0], group, starts_at=PAST, tags=["rules", "hidden"], slug=same_slug
    )
    build_revision(copy, f"{texts[-1]} Not for members.", starts_at=CHANGED)
    flood = " ".join([HIDDEN_WORDS] * (number + 3))
    build_document(f"Flood {number}", flood, group, starts_at=PAST)
    build_document(f"Scheduled {number}", texts[0], group, starts_at=FUTURE)
    build_document(f"Draft {number}", f"{flood} draft", readable, publish=False)
    deleted = build_document(f"Deleted {number}", f"{flood} deleted", readable, starts_at=PAST)
    services.delete_document(deleted, acted_by=OPERATOR)
    retracted = build_document(f"Retracted {number}", f"{flood} old", readable, starts_at=PAST)
    publishing.retract_revision(retracted.revisions.get(), acted_by=OPERATOR, reason="wrong")


def build(*, with_hidden: bool, reader: Any) -> None:
    """Build a world; the hidden documents stand before, between and after the visible ones."""
    hidden = build_group("a-hidden") if with_hidden else None
    readable = [
        build_group("members", readers=[reader], managers=[reader]),
        build_group("open", reach="signed_in"),
    ]
    for number in range(len(VISIBLE)):
        if hidden:
            build_hidden(hidden, readable[1], number)
        build_visible(readable, number)
    if hidden:
        build_hidden(hidden, readable[1], len(VISIBLE))
        build_group("z-hidden", reach="listed")


def ask_everything(script: Script) -> None:
    """Put every kind of question, with the words of visible and hidden documents."""
    read_lists(script)
    read_documents(script)
    search(script)
    clash(script)


def read_lists(script: Script) -> None:
    """Read the lists page by page, filtered, at every moment; and the pages of the site."""
    for path in ("/api/v1/me", "/api/v1/visibility-groups", "/", "/documents/"):
        script.get(path)
    filters: list[dict[str, Any]] = [
        {},
        {"q": "days"},
        {"q": "hidden"},
        {"q": "flood"},
        {"tag": "rules"},
        {"tag": "hidden"},
        {"visibility_group": "a-hidden"},
        {"visibility_group": "open"},
        {"language": "zh"},
        {"managed": "true"},
    ]
    for moment in MOMENTS:
        for chosen in filters:
            query = chosen | ({"as_of": moment} if moment else {})
            for _ in range(len(VISIBLE) + 1):
                page = script.get("/api/v1/documents", query | {"limit": 2}).json()
                if page["next_cursor"] is None:
                    break
                query["cursor"] = page["next_cursor"]


def read_documents(script: Script) -> None:
    """Open every visible document in every way, and one that is not there."""
    public_ids = [uuid5(NAMESPACE, title) for title, _ in VISIBLE]
    for public_id in [*public_ids, uuid5(NAMESPACE, "absent")]:
        script.get(f"/api/v1/documents/{public_id}")
        script.get(f"/api/v1/documents/{public_id}/revisions")
        for number in (1, 2, 3):
            script.get(f"/api/v1/documents/{public_id}/revisions/{number}")
        script.get(f"/documents/{public_id}/")


def search(script: Script) -> None:
    """Search and ask in every mode, at every moment, with words picked at random."""
    choice = random.Random(SEED)  # noqa: S311 - the same questions in both worlds
    words = sorted({word for _, texts in VISIBLE for text in texts for word in text.split()})
    words += HIDDEN_WORDS.split()
    for _ in range(QUESTIONS):
        question = " ".join(choice.sample(words, choice.randint(1, 5)))
        body: dict[str, Any] = {"question": question}
        moment = choice.choice(MOMENTS)
        if moment:
            body["as_of"] = moment
        filters = choice.choice(
            [{}, {"tags": ["rules"]}, {"visibility_groups": ["a-hidden", "open"]}]
        )
        for mode in ("hybrid", "lexical", "dense"):
            limit = choice.choice([1, 3, 100])
            script.post("/api/v1/search", body | {"mode": mode, "limit": limit, "filters": filters})
        script.post("/api/v1/answers", body | {"filters": filters})
    for question in ("???", "", "the of and", "word " * 2000):
        script.post("/api/v1/search", {"question": question})
        script.post("/api/v1/answers", {"question": question})


def clash(script: Script) -> None:
    """Use names, slugs and bytes that hidden documents have."""
    for slug in ("flood-1", "refunds", "scheduled-2", "deleted-1"):
        body = {"title": "Mine", "visibility_group": "members", "slug": slug}
        response = script.client.post("/api/v1/documents", body, format="json")
        # The new id is random and the only thing that may differ.
        created = {**response.json(), "id": "ID", "request_id": "REQUEST"}
        script.answers.append((f"create {slug}", response.status_code, json.dumps(created)))
    for group in ("a-hidden", "z-hidden", "nowhere"):
        script.post("/api/v1/documents", {"title": "Mine", "visibility_group": group})
    members = uuid5(NAMESPACE, VISIBLE[0][0])
    for text in (HIDDEN_WORDS, f"{VISIBLE[1][1][-1]} Not for members.", "Words of one's own."):
        script.post(f"/api/v1/documents/{members}/revisions", {"text": text})
    script.delete(f"/api/v1/documents/{members}")
    script.get("/api/v1/documents")


@pytest.fixture
def script_of(frozen_clock) -> Iterator[Any]:
    """Build a world, ask it everything, roll it back and return what it answered."""
    reader = build_account("reader", groups=["Members"])

    def run(*, with_hidden: bool) -> Script:
        client = APIClient(raise_request_exception=False)
        client.force_login(reader)
        script = Script(client=client)
        with transaction.atomic():
            build(with_hidden=with_hidden, reader=reader)
            ask_everything(script)
            transaction.set_rollback(True)
        return script

    with indexing_builders():
        yield run


def test_what_is_hidden_changes_no_byte(script_of):
    without, with_hidden = script_of(with_hidden=False), script_of(with_hidden=True)
    check_worth_comparing(without.answers)
    for expected, actual in zip(without.answers, with_hidden.answers, strict=True):
        assert actual == expected


def check_worth_comparing(answers: list[tuple[str, int, str]]) -> None:
    """Make sure that the script finds, answers and refuses, so that equal bytes say something."""
    found = [text for name, status, text in answers if "/search" in name and status == 200]
    assert sum('"passages":[]' not in text for text in found) > 60
    answered = [text for name, status, text in answers if "/answers" in name and status == 200]
    assert sum('"refused":true' in text for text in answered) > 0
    assert len(answers) > 250
    assert [name for name, status, _ in answers if status >= 500] == []
