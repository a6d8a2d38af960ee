"""The API of search, asked over HTTP as the cast, with a fake model."""

from __future__ import annotations

import json

import pytest

from retrieval.models import Passage
from tests.api_clients import sign_in
from tests.builders import build_document
from tests.world import CANARIES, EARLIER, IN_THE_PAST

pytestmark = pytest.mark.db
SEARCH = "/api/v1/search"


@pytest.fixture
def world(searchable_world):
    return searchable_world


@pytest.fixture
def cy(world):
    return sign_in(world.user("cy"))


def found(response) -> list[tuple[str, int]]:
    assert response.status_code == 200, response.json()
    return [(passage["document"], passage["revision"]) for passage in response.json()["passages"]]


def test_finds_what_is_in_force_and_may_be_read(cy):
    response = cy.post(SEARCH, {"question": "How many days of leave?"}, format="json")
    assert found(response)[0] == ("staff-handbook", 2)
    assert {document for document, _ in found(response)} == {"staff-handbook", "opening-hours"}


def test_the_response_has_exactly_its_fields(cy):
    body = cy.post(SEARCH, {"question": "leave", "limit": 1}, format="json").json()
    assert set(body) == {"question", "as_of", "plan", "permitted_passages", "passages"}
    assert body["question"] == "leave"
    assert body["plan"] == "exact"
    assert body["permitted_passages"] == 2
    assert len(body["passages"]) == 1
    assert set(body["passages"][0]) == {
        "id",
        "document",
        "revision",
        "original_name",
        "start",
        "end",
        "text",
        "rank",
        "lexical_rank",
        "dense_rank",
        "heading_path",
        "page",
    }


def test_the_past_is_asked_about_by_a_moment(cy):
    body = {"question": "days of leave", "as_of": IN_THE_PAST.isoformat()}
    assert found(cy.post(SEARCH, body, format="json"))[0] == ("staff-handbook", 1)


def test_get_and_post_find_the_same(cy):
    posted = cy.post(
        SEARCH,
        {"question": "leave", "limit": 1, "filters": {"documents": ["staff-handbook"]}},
        format="json",
    )
    got = cy.get(SEARCH, {"question": "leave", "limit": 1, "documents": ["staff-handbook"]})
    assert got.json()["passages"] == posted.json()["passages"]
    assert len(got.json()["passages"]) == 1


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"documents": ["opening-hours"]}, {"opening-hours"}),
        ({"documents": []}, set()),
        ({"visibility_groups": ["notices"]}, {"opening-hours"}),
        ({"visibility_groups": ["finance"]}, set()),
        ({"languages": ["zh"]}, set()),
        ({"languages": ["en"]}, {"opening-hours", "staff-handbook"}),
        ({"tags": ["absent"]}, set()),
        ({"effective_until": "2023-01-01"}, set()),
        ({"effective_from": "2023-01-01"}, {"opening-hours", "staff-handbook"}),
    ],
)
def test_filters_limit_what_is_found(cy, filters, expected):
    response = cy.post(SEARCH, {"question": "open leave", "filters": filters}, format="json")
    assert {document for document, _ in found(response)} == expected


def test_a_document_is_named_by_its_id_too(cy, world):
    filters = {"documents": [str(world.documents["hours"].public_id)]}
    response = cy.post(SEARCH, {"question": "open", "filters": filters}, format="json")
    assert found(response) == [("opening-hours", 2)]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_every_mode_finds_the_words(cy, mode):
    response = cy.post(SEARCH, {"question": "forty thirty leave", "mode": mode}, format="json")
    assert found(response)[0] == ("staff-handbook", 2)


def test_a_filter_on_a_hidden_document_and_on_none_look_the_same(cy, world):
    answers = [
        cy.post(
            SEARCH, {"question": "threshold", "filters": {"documents": [name]}}, format="json"
        ).json()
        for name in (str(world.documents["board"].public_id), "nowhere")
    ]
    for answer in answers:
        del answer["as_of"]
    assert answers[0] == answers[1]
    assert answers[0]["passages"] == []


def test_a_public_passage_is_read_at_its_offsets(cy):
    passage = cy.post(SEARCH, {"question": "open until"}, format="json").json()["passages"][0]
    document, number, span = passage["id"].split("/")
    start, end = span.split("-")
    path = f"/api/v1/documents/{document}/revisions/{number}"
    window = cy.get(path, {"start": start, "end": end}).json()["text"]
    assert window["content"] == passage["text"]


@pytest.mark.parametrize(
    "question", ["the and of", "???", "🙂", "   ", "", "\u200b", "." * 3999, "'\"()" * 900]
)
def test_questions_without_a_word_have_a_code(cy, question):
    response = cy.post(SEARCH, {"question": question}, format="json")
    assert response.status_code == 400
    assert response.json()["code"] == "nothing_to_search_for"


def test_a_question_beyond_the_limit_is_refused_naming_it(cy, settings):
    response = cy.post(SEARCH, {"question": "word " * 40_000}, format="json")
    assert response.status_code == 400
    assert response.json()["code"] == "question_too_long"
    assert response.json()["details"] == {"limit_chars": 4000}


def test_a_body_beyond_its_limit_is_refused_naming_it(cy, settings):
    response = cy.post(SEARCH, {"question": "word " * 300_000}, format="json")
    assert response.status_code == 413
    assert response.json()["details"] == {"limit_bytes": settings.DOCUMENTS["api_body_max_bytes"]}


@pytest.mark.parametrize(
    "bad",
    [
        {"question": None},
        {"question": ["a"]},
        {"question": {"text": "a"}},
        {"question": "a\x00b"},
        {"question": "a\ud800b"},
        {"limit": 0},
        {"limit": 101},
        {"limit": 10**400},
        {"limit": "ten"},
        {"limit": True},
        {"mode": "psychic"},
        {"mode": None},
        {"filters": []},
        {"filters": "all"},
        {"filters": {"documents": "a"}},
        {"filters": {"documents": ["x"] * 51}},
        {"filters": {"documents": ["a\x00"]}},
        {"filters": {"document": ["opening-hours"]}},
        {"unknown": 1},
        {"as_of": "2026-02-30"},
        {"as_of": 5},
        {"filters": {"effective_from": "soon"}},
    ],
)
def test_values_that_cannot_be_are_a_400_with_a_code(cy, bad):
    body = json.dumps({"question": "leave"} | bad)
    response = cy.post(SEARCH, body, content_type="application/json")
    assert response.status_code == 400, response.json()
    assert response.json()["code"] in {"invalid_input", "invalid_moment"}


def test_a_token_that_may_only_read_may_not_search(world):
    reader = sign_in(world.user("cy"), scopes=["read", "write"])
    assert reader.get(SEARCH, {"question": "leave"}).json()["code"] == "scope_missing"


def test_a_model_other_than_the_index_was_made_with_is_said_so(cy, monkeypatch):
    from retrieval import registry
    from tests.fakes import FakeEmbedder

    monkeypatch.setattr(registry, "get_embedder", lambda **_: FakeEmbedder(name="other"))
    response = cy.post(SEARCH, {"question": "leave"}, format="json")
    assert response.status_code == 503
    assert response.json()["code"] == "embedder_changed"


def test_five_visible_passages_come_back_among_many_hidden_ones(world):
    for number in range(5):
        build_document(
            f"Seal {number}",
            f"Seal kit number {number} fits.",
            world.groups["lab"],
            starts_at=EARLIER,
        )
    for number in range(30):
        build_document(
            f"Hidden seal {number}",
            "seal kit seal kit",
            world.groups["finance"],
            starts_at=EARLIER,
        )
    ada = sign_in(world.user("ada"))
    response = ada.post(SEARCH, {"question": "seal kit", "limit": 5}, format="json")
    assert {document for document, _ in found(response)} == {f"seal-{n}" for n in range(5)}
    assert Passage.objects.count() > 35


def test_no_word_of_a_hidden_document_is_found(cy):
    for name in ("lab", "finance", "board", "draft", "retracted", "deleted", "scheduled"):
        response = cy.post(SEARCH, {"question": CANARIES[name]}, format="json")
        assert response.status_code == 200
        passages = response.json()["passages"]
        assert CANARIES[name] not in json.dumps(passages)
