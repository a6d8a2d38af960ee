"""The API of answers, asked over HTTP as the cast, with a fake model."""

from __future__ import annotations

import json
import uuid

import pytest

from answers.models import Answer
from answers.serializers import (
    AnswerPassageSerializer,
    AnswerSerializer,
    CitationSerializer,
    ClaimSerializer,
    CompletenessSerializer,
    ReopenedAnswerSerializer,
)
from documents import grants, services
from documents.visibility import READ
from tests.api_clients import sign_in
from tests.builders import OPERATOR, build_account, build_document, build_group
from tests.world import EARLIER

pytestmark = pytest.mark.db
ANSWERS = "/api/v1/answers"
QUESTION = "What is the threshold of the seal kit?"


@pytest.fixture
def world(searchable_world):
    return searchable_world


@pytest.fixture
def reader(world):
    return build_account("reader")


@pytest.fixture
def rules(world, reader):
    group = build_group("rules", readers=[reader])
    text = "# Seal kits\n\nThe threshold of the seal kit is 35 units. Ask the lab first."
    return build_document("Seal kits", text, group, starts_at=EARLIER)


@pytest.fixture
def client(reader, rules, settings):
    from answers import conf

    conf.answer_config.cache_clear()
    settings.ANSWERS = {**settings.ANSWERS, "confidence_threshold": 0.0}
    yield sign_in(reader)
    conf.answer_config.cache_clear()


def ask(client, question=QUESTION, **more):
    return client.post(ANSWERS, {"question": question, **more}, format="json")


def masked(response) -> bytes:
    content: bytes = response.content
    return content.replace(response.headers["X-Request-ID"].encode(), b"REQUEST")


class TestAsking:
    def test_an_answer_is_made_of_exact_quotes(self, client, rules):
        body = ask(client).json()
        assert body["refused"] is False
        assert "35 units" in body["answer"]
        text = rules.revisions.get().text
        assert len(body["citations"]) >= 1
        for citation in body["citations"]:
            assert text[citation["start"] : citation["end"]] == citation["quote"]
            assert citation["document"]["id"] == str(rules.public_id)

    def test_the_response_has_exactly_the_described_fields(self, client):
        body = ask(client).json()
        assert list(body) == list(AnswerSerializer().fields)
        assert list(body["claims"][0]) == list(ClaimSerializer().fields)
        assert list(body["citations"][0]) == list(CitationSerializer().fields)
        assert list(body["passages"][0]) == list(AnswerPassageSerializer().fields)
        assert list(body["completeness"]) == list(CompletenessSerializer().fields)

    @pytest.mark.usefixtures("world")
    def test_nothing_permitted_is_a_refusal_with_a_reason(self):
        nobody = sign_in(build_account("nobody"))
        body = ask(nobody, filters={"documents": []}).json()
        assert body["refused"] is True
        assert body["refusal_reason"] == "no_evidence"
        assert (body["answer"], body["claims"], body["citations"]) == (None, [], [])

    def test_filters_come_back_as_they_were_understood(self, client):
        body = ask(client, filters={"documents": ["seal-kits"]}).json()
        assert body["filters"] == {"documents": ["seal-kits"]}
        assert {passage["document"] for passage in body["passages"]} == {"seal-kits"}

    def test_an_unknown_writer_is_refused(self, client):
        response = ask(client, writer="oracle")
        assert response.status_code == 400
        assert list(response.json()["details"]["fields"]) == ["writer"]

    @pytest.mark.parametrize("question", ["", "   ", "???", "the of and"])
    def test_questions_without_a_word_have_a_code(self, client, question):
        response = ask(client, question)
        assert response.status_code == 400
        assert response.json()["code"] == "nothing_to_search_for"
        assert Answer.objects.count() == 0

    @pytest.mark.parametrize(
        "bad", [{"question": "a\x00b"}, {"question": "a\ud800b"}, {"as_of": "x"}, {"limit": 5}]
    )
    def test_values_that_cannot_be_are_a_400_with_a_code(self, client, bad):
        body = json.dumps({"question": QUESTION} | bad)
        response = client.post(ANSWERS, body, content_type="application/json")
        assert response.status_code == 400
        assert response.json()["code"] in {"invalid_input", "invalid_moment"}

    def test_a_very_long_question_is_refused_naming_the_limit(self, client):
        response = ask(client, "word " * 40_000)
        assert response.status_code == 400
        assert response.json()["details"] == {"limit_chars": 4000}

    def test_a_token_that_may_only_read_may_not_ask(self, reader):
        assert ask(sign_in(reader, scopes=["read"])).json()["code"] == "scope_missing"


class TestReopening:
    def test_the_asker_gets_the_same_answer_again(self, client):
        asked = ask(client).json()
        again = client.get(f"{ANSWERS}/{asked['query_id']}").json()
        assert list(again) == list(ReopenedAnswerSerializer().fields)
        assert again["withheld"] == []
        assert {name: again[name] for name in asked} == asked

    def test_another_reader_gets_what_an_absent_answer_gives(self, client, world):
        asked = ask(client).json()
        other = sign_in(world.user("dana"))
        somebody_elses = other.get(f"{ANSWERS}/{asked['query_id']}")
        absent = other.get(f"{ANSWERS}/{uuid.uuid4()}")
        assert somebody_elses.status_code == absent.status_code == 404
        assert masked(somebody_elses) == masked(absent)
        assert absent.json()["code"] == "answer_not_found"

    def test_what_was_lost_is_withheld_and_said_so(self, client, reader, rules):
        asked = ask(client).json()
        grants.revoke(rules.visibility_group, READ, to=reader, acted_by=OPERATOR)
        again = client.get(f"{ANSWERS}/{asked['query_id']}").json()
        assert again["refusal_reason"] == "evidence_withdrawn"
        assert again["withheld"] == [citation["n"] for citation in asked["citations"]]
        assert "35 units" not in json.dumps(again)

    def test_a_deleted_document_is_withheld(self, client, rules):
        asked = ask(client).json()
        services.delete_document(rules, acted_by=OPERATOR)
        again = client.get(f"{ANSWERS}/{asked['query_id']}").json()
        assert again["refused"] is True
        assert "35 units" not in json.dumps(again)
        assert "seal-kits" not in json.dumps(again)
