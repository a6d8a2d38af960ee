"""`manage.py search`: its JSON form, its readers and its exit statuses."""

from __future__ import annotations

import io
import json
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command

from documents.models import Revision
from retrieval.management.commands.search import Command
from tests.world import CANARIES

pytestmark = pytest.mark.db

FIELDS = ["question", "as_of", "plan", "permitted_passages", "passages"]
PASSAGE_FIELDS = [
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
]


@pytest.fixture
def search(searchable_world, fake_index):
    """Search with the fake model; return what was printed."""

    def run(*arguments):
        out = io.StringIO()
        call_command("search", *arguments, stdout=out)
        return out.getvalue()

    return run


def found(output):
    return [passage["document"] for passage in json.loads(output)["passages"]]


def test_json_has_exactly_its_fields(search):
    body = json.loads(search("days of leave", "--user", "cy", "--json"))
    assert list(body) == FIELDS
    assert (body["question"], body["plan"], body["permitted_passages"]) == (
        "days of leave",
        "exact",
        2,
    )
    assert datetime.fromisoformat(body["as_of"]).tzinfo is not None
    assert [list(passage) for passage in body["passages"]] == [PASSAGE_FIELDS] * 2


def test_a_passage_names_its_span(search, searchable_world):
    body = json.loads(search("days of leave", "--user", "cy", "--limit", "1", "--json"))
    (passage,) = body["passages"]
    document = searchable_world.documents["handbook"]
    revision = Revision.objects.get(document=document, number=2)
    span = f"{passage['start']}-{passage['end']}"
    assert passage == {
        "id": f"{document.public_id}/2/{span}",
        "document": "staff-handbook",
        "revision": 2,
        "original_name": revision.original_name,
        "start": passage["start"],
        "end": passage["end"],
        "text": revision.text[passage["start"] : passage["end"]],
        "rank": 1,
        "lexical_rank": 1,
        "dense_rank": 1,
        "heading_path": ["Leave"],
        "page": None,
    }
    assert "Thirty days" in passage["text"]


def test_json_prints_one_document_and_nothing_else(search):
    output = search("leave", "--user", "cy", "--json")
    assert output.count("\n") == 1
    assert output.endswith("}\n")


@pytest.mark.parametrize(
    ("reader", "documents"),
    [
        (["--user", "ada"], {"lab"}),
        (["--user", "ben"], {"finance"}),
        (["--user", "dana"], {"lab", "finance"}),
        (["--user", "leo"], set()),
        (["--user", "root"], set()),
        (["--groups", "Lab"], {"lab"}),
        (["--groups", " Lab , Finance "], {"lab", "finance"}),
        (["--groups", "nowhere"], set()),
        (["--groups", ""], set()),
        (["--groups", "lab"], set()),
    ],
)
def test_readers_find_what_is_theirs(search, reader, documents):
    slugs = {f"rules-of-{CANARIES[name]}": name for name in CANARIES}
    output = search("threshold severance", *reader, "--limit", "100", "--json")
    assert {slugs[slug] for slug in found(output) if slug in slugs} == documents
    hidden = {CANARIES[name] for name in CANARIES} - {CANARIES[name] for name in documents}
    assert [word for word in hidden if word in output] == []


def test_the_past_is_asked_about_by_a_day(search):
    body = json.loads(search("days of leave", "--user", "cy", "--as-of", "2022-06-01", "--json"))
    assert body["as_of"] == "2022-06-01T00:00:00+02:00"
    assert "Twenty days" in body["passages"][0]["text"]


@pytest.mark.parametrize(("mode", "plan"), [("lexical", "none"), ("dense", "exact")])
def test_a_mode_can_be_chosen(search, mode, plan):
    body = json.loads(search("leave", "--user", "cy", "--mode", mode, "--json"))
    assert body["plan"] == plan
    assert body["passages"][0]["document"] == "staff-handbook"


def test_people_read_places_and_words(search):
    lines = search("days of leave", "--user", "cy").splitlines()
    assert lines[0].startswith("1. Staff handbook > Leave (revision 2, ")
    assert lines[1] == "   # Leave Thirty days of leave."
    assert lines[-1] == "2 of 2 passages, exact"


def test_nothing_found_is_no_failure(search):
    body = json.loads(search("leave", "--groups", "", "--as-of", "2001-01-01", "--json"))
    assert (body["passages"], body["permitted_passages"]) == ([], 0)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["???", "--user", "cy"], 1),
        (["", "--user", "cy"], 1),
        (["x" * 200_000, "--user", "cy"], 1),
        (["leave", "--user", "nobody"], 2),
        (["leave", "--user", "cy", "--as-of", "Friday"], 2),
    ],
)
def test_failures_and_wrong_usage_have_their_status(search, arguments, status):
    with pytest.raises(CommandError) as raised:
        search(*arguments, "--json")
    assert raised.value.returncode == status


@pytest.mark.parametrize(
    "arguments",
    [
        ["leave"],
        ["--user", "cy"],
        ["leave", "--user", "cy", "--groups", "Lab"],
        ["leave", "--user", "cy", "--limit", "0"],
        ["leave", "--user", "cy", "--limit", "101"],
        ["leave", "--user", "cy", "--mode", "psychic"],
    ],
)
def test_arguments_that_cannot_be_read_are_wrong_usage(capsys, arguments):
    with pytest.raises(SystemExit) as raised:
        Command().run_from_argv(["manage.py", "search", *arguments])
    assert raised.value.code == 2


def test_the_error_names_its_code(search):
    with pytest.raises(CommandError, match=r"^nothing_to_search_for: "):
        search("the and of", "--user", "cy")


def test_a_question_of_broken_bytes_is_printed_as_json(searchable_world, fake_index):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    call_command("search", "leave \udcff", "--user", "cy", "--json", stdout=out)
    out.flush()
    body = json.loads(out.buffer.getvalue())
    assert body["question"] == "leave \udcff"
    assert body["passages"][0]["document"] == "staff-handbook"
