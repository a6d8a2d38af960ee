"""The API of documents, asked over HTTP as the cast."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents.models import Document, Revision
from tests.api_clients import browse_as, sign_in
from tests.builders import build_document, make_text_ready
from tests.world import CANARIES, CHANGED, IN_THE_PAST

pytestmark = pytest.mark.db


@pytest.fixture
def world(shared_world):
    return shared_world


@pytest.fixture
def cy(world):
    return sign_in(world.user("cy"))


@pytest.fixture
def edith(world):
    return sign_in(world.user("edith"))


@pytest.fixture
def ada(world):
    return sign_in(world.user("ada"))


def address(document: Document, rest: str = "") -> str:
    return f"/api/v1/documents/{document.public_id}{rest}"


def slugs(response) -> list[str]:
    assert response.status_code == 200, response.json()
    return [entry["slug"] for entry in response.json()["results"]]


def masked(response) -> bytes:
    content: bytes = response.content
    return content.replace(response.headers["X-Request-ID"].encode(), b"REQUEST")


class TestMe:
    def test_a_token_sees_its_own_scopes(self, world):
        me = sign_in(world.user("ada"), scopes=["read"]).get("/api/v1/me").json()
        assert me["username"] == "ada"
        assert me["signed_in_by"] == "token"
        assert me["scopes"] == ["read"]
        assert me["time_zone"] == "Europe/Berlin"

    def test_a_session_has_every_scope(self, world):
        me = browse_as(world.user("ada")).get("/api/v1/me").json()
        assert me["signed_in_by"] == "session"
        assert me["scopes"] == ["read", "ask", "write"]

    def test_limits_are_the_configured_ones(self, ada, settings):
        limits = ada.get("/api/v1/me").json()["limits"]
        assert limits["upload_max_bytes"] == settings.DOCUMENTS["upload_max_bytes"]
        assert limits["page_size_max"] == settings.DOCUMENTS["api_page_size_max"]


class TestGroups:
    def test_only_readable_groups_are_listed_by_slug(self, ada):
        assert slugs(ada.get("/api/v1/visibility-groups")) == ["handbook", "lab", "notices"]

    def test_managing_is_said_of_each(self, edith):
        results = edith.get("/api/v1/visibility-groups").json()["results"]
        assert [group["manageable"] for group in results] == [True, True, True]

    def test_reading_is_not_managing(self, ada):
        results = ada.get("/api/v1/visibility-groups").json()["results"]
        assert [group["manageable"] for group in results] == [False, False, False]

    def test_a_superuser_reads_no_listed_group(self, world):
        root = sign_in(world.user("root"))
        assert slugs(root.get("/api/v1/visibility-groups")) == ["handbook", "notices"]

    def test_pages_follow_one_another(self, ada):
        first = ada.get("/api/v1/visibility-groups", {"limit": 2}).json()
        second = ada.get(
            "/api/v1/visibility-groups", {"limit": 2, "cursor": first["next_cursor"]}
        ).json()
        assert [group["slug"] for group in first["results"]] == ["handbook", "lab"]
        assert [group["slug"] for group in second["results"]] == ["notices"]
        assert second["next_cursor"] is None


class TestDocumentList:
    def test_lists_what_is_readable_and_in_force(self, ada):
        assert set(slugs(ada.get("/api/v1/documents"))) == {
            "opening-hours",
            "staff-handbook",
            f"rules-of-{CANARIES['lab']}",
        }

    def test_a_past_moment_lists_what_was_in_force_then(self, ada):
        moment = IN_THE_PAST.isoformat()
        assert set(slugs(ada.get("/api/v1/documents", {"as_of": moment}))) == {
            "opening-hours",
            "staff-handbook",
            f"rules-of-{CANARIES['withdrawn']}",
        }

    def test_managed_lists_drafts_too_but_not_deleted_ones(self, edith):
        found = slugs(edith.get("/api/v1/documents", {"managed": "true"}))
        assert f"rules-of-{CANARIES['draft']}" in found
        assert f"rules-of-{CANARIES['deleted']}" not in found

    def test_managed_lists_nothing_to_those_who_manage_nothing(self, ada):
        assert slugs(ada.get("/api/v1/documents", {"managed": "true"})) == []

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"q": "staff"}, ["staff-handbook"]),
            ({"q": "HANDBOOK staff"}, ["staff-handbook"]),
            ({"q": "staff opening"}, []),
            ({"q": "100%"}, []),
            ({"visibility_group": "notices"}, ["opening-hours"]),
            ({"visibility_group": "finance"}, []),
            ({"visibility_group": "nowhere"}, []),
            ({"language": "zh"}, []),
            ({"tag": "absent"}, []),
        ],
    )
    def test_filters_narrow_what_is_readable(self, cy, filters, expected):
        assert slugs(cy.get("/api/v1/documents", filters)) == expected

    def test_tags_are_found_as_filter_and_as_words(self, cy, world):
        build_document(
            "Tagged", "# T\n\nText.", world.groups["notices"], tags=["safety", "machines"]
        )
        assert slugs(cy.get("/api/v1/documents", {"q": "machine"})) == ["tagged"]
        both = cy.get("/api/v1/documents", {"tag": ["safety", "machines"]})
        assert slugs(both) == ["tagged"]

    def test_the_revision_in_force_is_shown(self, cy):
        response = cy.get("/api/v1/documents", {"q": "opening"})
        in_force = response.json()["results"][0]["in_force"]
        assert in_force["number"] == 2
        assert in_force["state"] == "in_force"
        assert datetime.fromisoformat(in_force["effective_from"]) == CHANGED

    def test_statements_do_not_grow_with_the_page(self, cy, world):
        cy.get("/api/v1/me")  # the token's first use in a minute is noted in a statement more
        with CaptureQueriesContext(connection) as few:
            cy.get("/api/v1/documents", {"limit": 1})
        for number in range(12):
            build_document(f"More {number}", "# M\n\nText.", world.groups["notices"])
        with CaptureQueriesContext(connection) as many:
            cy.get("/api/v1/documents", {"limit": 100})
        # The token, the count of requests, the page, its revisions in force.
        assert len(many) == len(few) == 4


class TestPagination:
    def build(self, world, count):
        # One moment for all, as an import gives: only the id can break the tie.
        for number in range(count):
            build_document(f"Notice {number:02}", "# N\n\nText.", world.groups["notices"])
            build_document(f"Hidden {number:02}", "# H\n\nText.", world.groups["board"])
        Document.objects.update(created_at=CHANGED)

    def read_all(self, client, *, limit, between=lambda: None):
        seen, cursor = [], None
        while True:
            query = {"limit": limit} | ({"cursor": cursor} if cursor else {})
            page = client.get("/api/v1/documents", query).json()
            seen += [entry["slug"] for entry in page["results"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return seen
            between()

    def test_each_row_appears_once_though_all_share_a_moment(self, cy, world):
        self.build(world, 33)
        seen = self.read_all(cy, limit=10)
        assert len(seen) == len(set(seen)) == 35

    def test_rows_present_throughout_appear_once_while_others_come_and_go(self, cy, world):
        self.build(world, 33)
        gone = Document.objects.get(slug="notice-07")
        made = iter(range(1000))

        def change():
            build_document(f"New {next(made)}", "# N\n\nText.", world.groups["notices"])
            Document.objects.filter(pk=gone.pk).update(deleted_at=datetime.now(UTC))

        seen = self.read_all(cy, limit=9, between=change)
        assert len(seen) == len(set(seen))
        assert {f"notice-{number:02}" for number in range(33)} - {"notice-07"} <= set(seen)

    @pytest.mark.parametrize(
        "limit", ["0", "-1", "1000000000", "1000000", "x", "", "1e9", "9" * 400]
    )
    def test_impossible_limits_are_refused(self, cy, limit):
        response = cy.get("/api/v1/documents", {"limit": limit})
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_input"
        assert list(response.json()["details"]["fields"]) == ["limit"]

    @pytest.mark.parametrize("cursor", ["x", "WyJhIl0", "WyJhIl0:forged", "é" * 20, "a:b:c"])
    def test_forged_cursors_are_refused(self, cy, cursor):
        response = cy.get("/api/v1/documents", {"cursor": cursor})
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_cursor"

    def test_a_cursor_of_another_list_is_refused(self, ada):
        cursor = ada.get("/api/v1/visibility-groups", {"limit": 1}).json()["next_cursor"]
        assert ada.get("/api/v1/documents", {"cursor": cursor}).json()["code"] == "invalid_cursor"

    def test_a_cursor_of_another_reader_shows_only_ones_own(self, world):
        dana, cy = sign_in(world.user("dana")), sign_in(world.user("cy"))
        cursor = dana.get("/api/v1/documents", {"limit": 1}).json()["next_cursor"]
        found = slugs(cy.get("/api/v1/documents", {"cursor": cursor}))
        assert set(found) <= {"opening-hours", "staff-handbook"}


class TestHiddenAndAbsent:
    @pytest.mark.parametrize("name", ["finance", "board", "draft", "retracted", "deleted"])
    @pytest.mark.parametrize(
        ("method", "rest"),
        [
            ("get", ""),
            ("delete", ""),
            ("get", "/revisions"),
            ("post", "/revisions"),
            ("get", "/revisions/1"),
            ("post", "/revisions/1/publish"),
            ("post", "/revisions/1/withdraw"),
        ],
    )
    def test_look_the_same_and_cost_the_same(self, ada, world, name, method, rest):
        hidden = world.documents[name]
        ada.get("/api/v1/me")  # the token's first use in a minute is noted in a statement more
        answers, statements = [], []
        for path in (address(hidden, rest), f"/api/v1/documents/{uuid.uuid4()}{rest}"):
            with CaptureQueriesContext(connection) as queries:
                answers.append(
                    getattr(ada, method)(path, {"text": "x"}, format="json")
                    if method == "post"
                    else getattr(ada, method)(path)
                )
            statements.append(len(queries))
        assert [answer.status_code for answer in answers] == [404, 404]
        assert masked(answers[0]) == masked(answers[1])
        assert statements[0] == statements[1]

    def test_a_draft_number_of_a_readable_document_is_hidden_from_readers(self, ada, edith, world):
        edith.post(address(world.documents["lab"], "/revisions"), {"text": "New."}, format="json")
        draft = ada.get(address(world.documents["lab"], "/revisions/2"))
        absent = ada.get(address(world.documents["lab"], "/revisions/99"))
        assert draft.status_code == absent.status_code == 404
        assert masked(draft) == masked(absent)

    def test_an_unknown_and_a_hidden_group_are_refused_alike(self, edith):
        answers = [
            edith.post("/api/v1/documents", {"title": "T", "visibility_group": slug}, format="json")
            for slug in ("finance", "nowhere")
        ]
        assert [answer.status_code for answer in answers] == [400, 400]
        assert masked(answers[0]) == masked(answers[1])
        assert answers[0].json()["code"] == "unknown_visibility_group"


class TestChanging:
    def test_a_manager_creates_a_document(self, edith):
        response = edith.post(
            "/api/v1/documents",
            {"title": "Guest policy", "visibility_group": "lab", "tags": ["guests"]},
            format="json",
        )
        assert response.status_code == 201
        created = response.json()
        assert created["slug"] == "guest-policy"
        assert created["in_force"] is None
        assert response.headers["Location"] == f"/api/v1/documents/{created['id']}"
        assert edith.get(response.headers["Location"]).json() == created

    def test_a_reader_may_not_create(self, ada):
        response = ada.post(
            "/api/v1/documents", {"title": "T", "visibility_group": "lab"}, format="json"
        )
        assert response.status_code == 403
        assert response.json()["code"] == "not_permitted"

    def test_a_slug_is_free_where_only_another_group_has_it(self, edith, world):
        taken = world.documents["board"].slug
        body = {"title": "T", "visibility_group": "lab", "slug": taken}
        assert edith.post("/api/v1/documents", body, format="json").status_code == 201
        again = edith.post("/api/v1/documents", body, format="json")
        assert again.status_code == 409
        assert again.json()["code"] == "slug_taken"

    @pytest.mark.parametrize(
        "bad",
        [
            {"title": ""},
            {"title": "x" * 501},
            {"title": "a\x00b"},
            {"title": "a\ud800b"},
            {"slug": "not a slug"},
            {"source_url": "javascript:alert(1)"},
            {"tags": "guests"},
            {"tags": ["x" * 101]},
        ],
    )
    def test_fields_that_cannot_be_are_named(self, edith, bad):
        body = json.dumps({"title": "T", "visibility_group": "lab"} | bad)
        response = edith.post("/api/v1/documents", body, content_type="application/json")
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_input"
        assert list(response.json()["details"]["fields"]) == list(bad)

    def test_a_manager_deletes_and_the_document_is_gone(self, edith, ada, world):
        lab = world.documents["lab"]
        assert edith.delete(address(lab)).status_code == 204
        assert ada.get(address(lab)).status_code == 404
        assert edith.get(address(lab)).status_code == 404

    @pytest.mark.parametrize(
        ("method", "rest"),
        [
            ("delete", ""),
            ("post", "/revisions"),
            ("post", "/revisions/1/publish"),
            ("post", "/revisions/1/withdraw"),
        ],
    )
    def test_a_reader_may_change_nothing(self, ada, world, method, rest):
        lab = world.documents["lab"]
        response = getattr(ada, method)(address(lab, rest), {"text": "x"}, format="json")
        assert response.status_code == 403
        assert response.json()["code"] == "not_permitted"
        assert Document.objects.get(pk=lab.pk).deleted_at is None
        assert lab.revisions.count() == 1


class TestUpload:
    def test_a_file_is_taken_in_and_its_bytes_kept(self, edith, world):
        lab = world.documents["lab"]
        file = SimpleUploadedFile("rules.md", b"# Rules\n\nThe limit is 40.", "text/markdown")
        response = edith.post(address(lab, "/revisions"), {"file": file, "change_note": "Raised."})
        assert response.status_code == 201, response.json()
        revision = Revision.objects.get(document=lab, number=2)
        assert response.json()["status"] == "received"
        assert response.json()["state"] == "draft"
        assert response.json()["original_name"] == "rules.md"
        assert revision.change_note == "Raised."
        assert response.headers["Location"] == address(lab, "/revisions/2")

    def test_a_text_is_taken_in(self, edith, world):
        body = {"text": "# Rules\n\n超过 40 📄.", "name": "rules.txt"}
        response = edith.post(address(world.documents["lab"], "/revisions"), body, format="json")
        assert response.status_code == 201
        assert response.json()["original_name"] == "rules.txt"

    def test_odd_characters_of_a_text_are_left_to_the_reading_of_files(self, edith, world):
        body = json.dumps({"text": "a\x00b \ud800 c"})
        lab = world.documents["lab"]
        response = edith.post(address(lab, "/revisions"), body, content_type="application/json")
        assert response.status_code == 201
        stored = lab.revisions.get(number=2).source_file
        assert stored.size_bytes == len(b"a\x00b \xed\xa0\x80 c")

    def test_publishing_now_waits_for_the_reading(self, edith, ada, world):
        lab = world.documents["lab"]
        response = edith.post(
            address(lab, "/revisions"), {"text": "# R\n\nNew.", "publish": "now"}, format="json"
        )
        assert response.json()["state"] == "ordered"
        make_text_ready(lab.revisions.get(number=2))
        assert ada.get(address(lab)).json()["in_force"]["number"] == 2

    def test_publishing_from_a_moment_schedules(self, edith, world):
        lab = world.documents["lab"]
        start = datetime.now(UTC) + timedelta(days=3)
        body = {"text": "# R\n\nNew.", "publish": start.isoformat()}
        edith.post(address(lab, "/revisions"), body, format="json")
        make_text_ready(lab.revisions.get(number=2))
        shown = edith.get(address(lab, "/revisions/2")).json()["revision"]
        assert shown["state"] == "scheduled"
        assert datetime.fromisoformat(shown["effective_from"]) == start

    def test_the_past_needs_a_reason_and_nothing_is_kept_without(self, edith, world):
        lab = world.documents["lab"]
        body = {"text": "# R\n\nNew.", "publish": "2020-01-01"}
        response = edith.post(address(lab, "/revisions"), body, format="json")
        assert response.status_code == 400
        assert response.json()["code"] == "reason_required"
        assert lab.revisions.count() == 1

    def test_the_same_bytes_again_are_a_conflict(self, edith, world):
        lab = world.documents["lab"]
        assert (
            edith.post(address(lab, "/revisions"), {"text": "Same."}, format="json").status_code
            == 201
        )
        again = edith.post(address(lab, "/revisions"), {"text": "Same."}, format="json")
        assert again.status_code == 409
        assert again.json()["code"] == "duplicate_revision"
        assert again.json()["details"] == {"revision": 2}

    def test_bytes_of_a_hidden_document_are_accepted_like_any_other(self, edith, world):
        text = f"# The {CANARIES['board']} rule\n\nThe {CANARIES['board']} threshold is 35 units."
        path = address(world.documents["lab"], "/revisions")
        same = edith.post(path, {"text": text}, format="json")
        other = edith.post(path, {"text": "Quite other words."}, format="json")
        assert same.status_code == other.status_code == 201
        assert set(same.json()) == set(other.json())

    def test_an_empty_file_is_refused_with_its_code(self, edith, world):
        response = edith.post(
            address(world.documents["lab"], "/revisions"),
            {"file": SimpleUploadedFile("empty.md", b"")},
        )
        assert response.status_code == 400
        assert response.json()["code"] == "empty"

    def test_a_file_beyond_the_limit_is_refused_with_the_number(self, edith, world, monkeypatch):
        limit = self.lower_limit(monkeypatch)
        lab = world.documents["lab"]
        file = SimpleUploadedFile("big.md", b"x" * (limit + 1))
        response = edith.post(address(lab, "/revisions"), {"file": file})
        assert response.status_code == 413
        assert response.json()["code"] == "too_large"
        assert response.json()["details"]["limit_bytes"] == limit
        assert lab.revisions.count() == 1

    def test_a_body_far_beyond_the_limit_is_never_parsed(self, edith, world, monkeypatch):
        limit = self.lower_limit(monkeypatch)
        path = address(world.documents["lab"], "/revisions")
        response = edith.generic(
            "POST", path, b"this is no multipart body" * 10_000, "multipart/form-data; boundary=x"
        )
        assert response.status_code == 413
        assert response.json()["code"] == "too_large"
        assert response.json()["details"]["limit_bytes"] == limit

    def test_a_file_at_the_limit_is_accepted(self, edith, world, monkeypatch):
        limit = self.lower_limit(monkeypatch)
        file = SimpleUploadedFile("full.md", b"x" * limit)
        response = edith.post(address(world.documents["lab"], "/revisions"), {"file": file})
        assert response.status_code == 201

    def lower_limit(self, monkeypatch) -> int:
        from dataclasses import replace

        from documents import api, conf, endpoint, services

        lowered = replace(conf.documents_config(), upload_max_bytes=50_000)
        for module in (api, endpoint, services):
            monkeypatch.setattr(module, "documents_config", lambda: lowered)
        return 50_000

    @pytest.mark.parametrize(
        ("body", "content_type", "code"),
        [
            (b"{", "application/json", "parse_error"),
            (b"[" * 200_000, "application/json", "parse_error"),
            (b"[1, 2]", "application/json", "parse_error"),
            (b"\xff\xfe{}", "application/json", "parse_error"),
            (b'{"text": NaN}', "application/json", "parse_error"),
            (b"text=x", "application/x-www-form-urlencoded", "unsupported_media_type"),
            (b"nonsense", "multipart/form-data; boundary=x", "invalid_input"),
            (b"nonsense", "multipart/form-data", "parse_error"),
            (b"{}", "application/json; charset=nowhere", "invalid_input"),
        ],
    )
    def test_bodies_that_cannot_be_read_have_a_code(self, edith, world, body, content_type, code):
        path = address(world.documents["lab"], "/revisions")
        response = edith.generic("POST", path, body, content_type)
        assert response.json()["code"] == code
        assert response.status_code in {400, 415}


class TestRevisions:
    def test_readers_see_published_ones_by_number(self, ada, edith, world):
        lab = world.documents["lab"]
        edith.post(address(lab, "/revisions"), {"text": "Draft."}, format="json")
        results = ada.get(address(lab, "/revisions")).json()["results"]
        assert [(entry["number"], entry["state"]) for entry in results] == [(1, "in_force")]

    def test_managers_see_drafts_with_their_state(self, edith, world):
        lab = world.documents["lab"]
        edith.post(address(lab, "/revisions"), {"text": "Draft."}, format="json")
        results = edith.get(address(lab, "/revisions")).json()["results"]
        assert [(entry["number"], entry["state"]) for entry in results] == [
            (1, "in_force"),
            (2, "draft"),
        ]

    def test_the_state_is_judged_at_the_moment_asked_about(self, cy, world):
        path = address(world.documents["handbook"], "/revisions")
        past = cy.get(path, {"as_of": IN_THE_PAST.isoformat()}).json()["results"]
        assert [entry["state"] for entry in past] == ["in_force", "scheduled", "scheduled"]
        now = cy.get(path).json()["results"]
        assert [entry["state"] for entry in now] == ["ended", "in_force", "scheduled"]

    def test_pages_follow_one_another(self, cy, world):
        path = address(world.documents["handbook"], "/revisions")
        first = cy.get(path, {"limit": 2}).json()
        second = cy.get(path, {"limit": 2, "cursor": first["next_cursor"]}).json()
        numbers = [entry["number"] for entry in first["results"] + second["results"]]
        assert numbers == [1, 2, 3]
        assert second["next_cursor"] is None

    def test_an_ended_revision_keeps_its_text(self, cy, world):
        shown = cy.get(address(world.documents["hours"], "/revisions/1")).json()
        assert shown["revision"]["state"] == "ended"
        assert shown["text"]["content"] == "# Opening hours\n\nOpen until 17:00."
        assert shown["text"]["headings"] == [
            {"start": 0, "end": 15, "level": 1, "title": "Opening hours"}
        ]

    def test_places_are_given_in_both_units(self, cy, world):
        text = "Notice 📄📄 the limit is 5 units."
        document = build_document("Emoji", text, world.groups["notices"])
        shown = cy.get(address(document, "/revisions/1"), {"start": 7, "end": 11}).json()["text"]
        assert shown["unit"] == "code_point"
        assert shown["content"] == "📄📄 t"
        assert (shown["start"], shown["end"], shown["length"]) == (7, 11, 31)
        assert (shown["utf16_start"], shown["utf16_end"], shown["utf16_length"]) == (7, 13, 33)
        assert shown["next_start"] == 11

    @pytest.mark.parametrize("window", [{"start": 99_999}, {"start": 5, "end": 2}])
    def test_windows_outside_the_text_are_refused(self, cy, world, window):
        response = cy.get(address(world.documents["hours"], "/revisions/1"), window)
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_window"

    @pytest.mark.parametrize("number", [0, 10**9, 10**30])
    def test_numbers_that_no_revision_has_are_not_found(self, cy, world, number):
        response = cy.get(address(world.documents["hours"], f"/revisions/{number}"))
        assert response.status_code == 404


class TestPublishing:
    def draft(self, edith, lab) -> str:
        edith.post(address(lab, "/revisions"), {"text": "# R\n\nNew."}, format="json")
        make_text_ready(lab.revisions.get(number=2))
        return address(lab, "/revisions/2/publish")

    def test_a_dry_run_shows_what_would_end_and_changes_nothing(self, edith, world):
        lab = world.documents["lab"]
        path = self.draft(edith, lab)
        result = edith.post(path, {"dry_run": True}, format="json").json()
        assert result["done"] is False
        assert result["plan"]["ended"] == [1]
        assert [result["plan"][name] for name in ("replaced", "cancelled", "awaited")] == [[]] * 3
        assert result["revision"]["state"] == "draft"

    def test_publishing_now_replaces_the_one_in_force(self, edith, ada, world):
        lab = world.documents["lab"]
        result = edith.post(self.draft(edith, lab), format="json").json()
        assert result["done"] is True
        assert result["plan"]["ended"] == [1]
        assert ada.get(address(lab)).json()["in_force"]["number"] == 2

    def test_publishing_twice_is_a_conflict(self, edith, world):
        path = self.draft(edith, world.documents["lab"])
        edith.post(path, format="json")
        again = edith.post(path, format="json")
        assert again.status_code == 409
        assert again.json()["code"] == "already_published"

    def test_a_withdrawn_revision_still_answers_for_the_past(self, edith, ada, world):
        lab = world.documents["lab"]
        before = datetime.now(UTC).isoformat()
        response = edith.post(address(lab, "/revisions/1/withdraw"), format="json")
        assert (response.status_code, response.json()["state"]) == (200, "ended")
        assert ada.get(address(lab)).json()["in_force"] is None
        assert ada.get(address(lab), {"as_of": before}).json()["in_force"]["number"] == 1

    def test_withdrawing_what_is_not_in_force_is_a_conflict(self, edith, world):
        path = address(world.documents["handbook"], "/revisions/1/withdraw")
        response = edith.post(path, format="json")
        assert response.status_code == 409
        assert response.json()["code"] == "not_in_force"


class TestUnknownNames:
    def test_a_misspelt_filter_is_refused_and_named(self, cy):
        response = cy.get("/api/v1/documents", {"as-of": "2020-01-01"})
        assert response.status_code == 400
        assert list(response.json()["details"]["fields"]) == ["as-of"]

    def test_a_misspelt_field_of_a_body_is_refused_and_named(self, edith):
        body = {"title": "T", "visibility_group": "lab", "tag": ["x"]}
        response = edith.post("/api/v1/documents", body, format="json")
        assert response.status_code == 400
        assert list(response.json()["details"]["fields"]) == ["tag"]


class TestMoments:
    @pytest.mark.parametrize(
        ("moment", "code"),
        [
            ("yesterday", "invalid_moment"),
            ("", "invalid_moment"),
            ("2026-02-30", "invalid_moment"),
            ("0001-01-01", "invalid_moment"),
            ("9999-12-31T23:59:59-14:00", "invalid_moment"),
            ("2026-03-29T02:30", "nonexistent_moment"),
            ("2026-10-25T02:30", "ambiguous_moment"),
            ("1" * 5000, "invalid_moment"),
            ("2026-01-01T00:00:00+99:99", "invalid_moment"),
        ],
    )
    def test_bad_moments_have_a_code_and_their_field(self, cy, moment, code):
        response = cy.get("/api/v1/documents", {"as_of": moment})
        assert response.status_code == 400
        assert response.json()["code"] == code
        assert response.json()["details"] == {"field": "as_of"}

    def test_a_bad_moment_of_a_publication_names_its_field(self, edith, world):
        path = address(world.documents["lab"], "/revisions")
        response = edith.post(path, {"text": "New.", "publish": "soon"}, format="json")
        assert response.json()["code"] == "invalid_moment"
        assert response.json()["details"] == {"field": "publish"}

    def test_a_date_is_the_start_of_that_day_here(self, cy, world):
        path = address(world.documents["hours"])
        # The change is at 01:00 in Berlin on 1 January 2024.
        assert cy.get(path, {"as_of": "2024-01-01"}).json()["in_force"]["number"] == 1
        assert cy.get(path, {"as_of": "2024-01-02"}).json()["in_force"]["number"] == 2
