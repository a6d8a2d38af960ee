"""A word that only hidden documents hold shows nowhere that a reader, an operator or a broker sees.

Each hidden document of the cast has a word of its own in its title, slug, file name and text.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from celery.signals import before_task_publish
from django.apps import apps
from django.core import serializers
from rest_framework.test import APIClient

from answers.models import Answer
from documents import services, work
from documents.models import Revision, Work
from documents.services import Upload
from tests.api_clients import sign_in
from tests.builders import OPERATOR
from tests.world import CANARIES, World

pytestmark = pytest.mark.db

# Rows that are there to hold a document's words; everything else must do without them.
HOLD_DOCUMENT_TEXT = {
    "documents.document",
    "documents.revision",
    "retrieval.passage",
    "retrieval.termstatistic",
}
QUESTIONS = [
    "What is the threshold?",
    "Which rule has 35 units?",
    "severance budget",
    "legacy rule",
]


@pytest.fixture
def world(searchable_world: World) -> World:
    return searchable_world


def logged(caplog) -> str:
    """Return all that was logged, with everything attached to each line."""
    logging.getLogger("tests").warning("the log is kept")
    assert caplog.records[-1].getMessage() == "the log is kept"
    return "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)


@pytest.fixture
def messages() -> Iterator[list[str]]:
    """Everything handed to the broker."""
    sent: list[str] = []

    def keep(body: Any = None, headers: Any = None, **_: object) -> None:
        sent.append(f"{body!r} {headers!r}")

    before_task_publish.connect(keep, weak=False)
    yield sent
    before_task_publish.disconnect(keep)


def words_in(text: str, *, but: tuple[str, ...] = ()) -> list[str]:
    """Return the names of the hidden documents whose word is in a text."""
    return [name for name, word in CANARIES.items() if name not in but and word in text.lower()]


def ask_all(client: APIClient, world: World) -> Iterator[tuple[str, Any]]:
    """Use every way in which a reader asks, hidden names and ids included."""
    for path in ("/", "/documents/", "/api/v1/documents", "/api/v1/visibility-groups", "/history/"):
        yield path, client.get(path)
    for query in ("rule", "threshold", "units"):
        yield query, client.get("/documents/", {"q": query})
        yield query, client.get("/api/v1/documents", {"q": query, "managed": "true"})
    for document in world.documents.values():
        for path in (f"/documents/{document.public_id}", f"/api/v1/documents/{document.public_id}"):
            yield path, client.get(path, follow=True)
            yield path, client.get(f"{path}/revisions/1", follow=True)
            yield path, client.get(f"{path}/revisions/1/", follow=True)
        yield "revisions", client.get(f"/api/v1/documents/{document.public_id}/revisions")
        yield "delete", client.delete(f"/api/v1/documents/{document.public_id}")
    for question in QUESTIONS:
        for moment in (None, "2022-06-01", "2101-01-01"):
            body = {"question": question} | ({"as_of": moment} if moment else {})
            yield question, client.post("/api/v1/search", body | {"limit": 100}, format="json")
            yield question, client.post("/api/v1/answers", body, format="json")
        yield question, client.post("/", {"question": question}, follow=True)


@pytest.mark.parametrize("persona", ["cy", "root", "mia"])
def test_no_answer_to_a_reader_holds_a_hidden_word(world, caplog, persona):
    caplog.set_level(logging.DEBUG)
    client = APIClient(raise_request_exception=False)
    client.force_login(world.user(persona))
    statuses = set()
    for name, response in ask_all(client, world):
        shown = f"{response.headers} {response.content.decode()}"
        assert words_in(shown) == [], name
        statuses.add(response.status_code)
    assert 200 in statuses
    assert 404 in statuses
    assert max(statuses) < 500
    assert words_in(logged(caplog)) == []


def test_a_hidden_word_that_is_asked_for_comes_back_in_the_question_only(world):
    client = sign_in(world.user("cy"))
    for word in CANARIES.values():
        for path in ("/api/v1/search", "/api/v1/answers"):
            body = client.post(path, {"question": f"the {word} threshold"}, format="json").json()
            assert word in body.pop("question")
            assert words_in(json.dumps(body)) == []


def test_a_hidden_slug_that_is_filtered_by_comes_back_in_the_filter_only(world):
    client = sign_in(world.user("cy"))
    slug = world.documents["board"].slug
    body = client.post(
        "/api/v1/answers",
        {"question": "threshold", "filters": {"documents": [slug]}},
        format="json",
    ).json()
    assert body.pop("filters") == {"documents": [slug]}
    assert words_in(json.dumps(body)) == []
    assert body["passages"] == []


def test_a_readers_answer_is_stored_and_logged_without_the_documents_words(world, caplog):
    caplog.set_level(logging.DEBUG)
    client = sign_in(world.user("ada"))
    body = client.post(
        "/api/v1/answers", {"question": "Which threshold is 35 units?"}, format="json"
    ).json()
    assert words_in(json.dumps(body)) == ["lab"]
    client.get(f"/api/v1/answers/{body['query_id']}")
    assert Answer.objects.filter(query_id=uuid.UUID(body["query_id"])).count() == 1
    assert words_in(everything_else_stored()) == []
    assert words_in(logged(caplog)) == []


def test_an_upload_reaches_log_and_broker_by_its_ids_alone(
    world, caplog, messages, django_capture_on_commit_callbacks
):
    caplog.set_level(logging.DEBUG)
    client = sign_in(world.user("edith"))
    word = CANARIES["lab"]
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(
            f"/api/v1/documents/{world.documents['lab'].public_id}/revisions",
            {"text": f"# {word}\n\nThe {word} rule.", "name": f"{word}.md", "change_note": word},
            format="json",
        )
    assert response.status_code == 201
    assert len(messages) == 1
    assert words_in(messages[0]) == []
    assert words_in(logged(caplog)) == []


def test_a_file_that_cannot_be_read_fails_without_its_words(world, caplog):
    caplog.set_level(logging.DEBUG)
    upload = Upload(
        content=f"The {CANARIES['lab']} rule ".encode() + b"\xff\xfe\xfa" * 50,
        original_name="rule.md",
    )
    revision = services.add_revision(world.documents["lab"], upload, acted_by=OPERATOR)
    work.take_step(Work.objects.get(revision=revision).pk)
    failed = Revision.objects.get(pk=revision.pk)
    assert failed.status == Revision.Status.FAILED
    assert words_in(failed.failure_message) == []
    assert words_in(Work.objects.get(revision=revision).failure) == []
    assert words_in(logged(caplog)) == []


def everything_else_stored() -> str:
    """Return every row of every table that has no business with a document's words."""
    rows = [
        serializers.serialize("json", model._default_manager.all())
        for model in apps.get_models()
        if model._meta.label_lower not in HOLD_DOCUMENT_TEXT
    ]
    assert len(rows) > 20
    return "\n".join(rows)
