"""Suites: what a line must hold, and errors that name the line."""

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from evaluation.cases import load_suite
from evaluation.errors import SuiteInvalid
from evaluation.types import FileSpan

ZONE = ZoneInfo("UTC")
GOLD = {"file": "rules/1.md", "start": 3, "end": 8, "text": "five."}
LINE = {
    "id": "q1",
    "family": "direct_fact",
    "question": "How many?",
    "as_of": None,
    "asker_groups": ["everyone"],
    "answerable": True,
    "reason_unanswerable": None,
    "gold": [GOLD],
    "reference_answer": "Five.",
    "note": "",
}
HIDDEN = {"answerable": False, "reason_unanswerable": "not_permitted"}


def load(tmp_path, *lines, zone=ZONE):
    path = tmp_path / "suite.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return load_suite(path, zone=zone)


def test_a_line_becomes_a_case(tmp_path):
    (case,) = load(tmp_path, LINE)
    assert (case.id, case.family, case.question) == ("q1", "direct_fact", "How many?")
    assert case.as_of is None
    assert case.asker_groups == {"everyone"}
    assert case.gold_spans == (FileSpan("rules/1.md", 3, 8),)
    assert case.forbidden_texts == ()


def test_a_date_is_the_start_of_its_day_in_the_organisations_zone(tmp_path):
    (case,) = load(tmp_path, LINE | {"as_of": "2022-07-01"}, zone=ZoneInfo("Europe/Berlin"))
    assert case.as_of == datetime(2022, 6, 30, 22, tzinfo=UTC)


def test_the_gold_of_a_hidden_question_is_forbidden_and_never_recalled(tmp_path):
    (case,) = load(tmp_path, LINE | HIDDEN)
    assert case.gold_spans == ()
    assert case.forbidden_texts == ("five.",)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"id": ""}, "id must be a text"),
        ({"question": 3}, "question must be a text"),
        ({"as_of": "soon"}, "is no date or moment"),
        ({"asker_groups": "everyone"}, "asker_groups must be a list"),
        ({"asker_groups": [1]}, "asker_groups must be names"),
        ({"answerable": "yes"}, "answerable must be true or false"),
        ({"gold": []}, "needs gold"),
        ({"gold": [GOLD | {"end": 3}]}, "start and end, in order"),
        ({"gold": [GOLD | {"start": True}]}, "start and end, in order"),
        ({"gold": [GOLD | {"text": "fiv"}]}, "not as long as its span"),
        ({"answerable": False}, "belongs to unanswerable questions only"),
        (HIDDEN | {"reason_unanswerable": "because"}, "is none of"),
        (HIDDEN | {"gold": []}, "needs the hidden text"),
    ],
)
def test_an_unusable_line_is_named(tmp_path, change, complaint):
    with pytest.raises(SuiteInvalid) as raised:
        load(tmp_path, LINE | {"id": "q0"}, LINE | change)
    assert "suite.jsonl, line 2: " in raised.value.message
    assert complaint in raised.value.message


def test_a_line_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "suite.jsonl"
    path.write_text(f"{json.dumps(LINE)}\n{{", encoding="utf-8")
    with pytest.raises(SuiteInvalid, match="line 2: no JSON"):
        load_suite(path, zone=ZONE)


def test_an_id_that_is_there_twice_is_refused(tmp_path):
    with pytest.raises(SuiteInvalid, match="'q1' twice"):
        load(tmp_path, LINE, LINE)


def test_an_empty_suite_is_refused(tmp_path):
    with pytest.raises(SuiteInvalid, match="no question"):
        load(tmp_path)


def test_the_policy_questions_load(data_dir):
    cases = load_suite(data_dir / "site-policy" / "questions-dev.jsonl", zone=ZONE)
    assert len(cases) == 56
    assert sum(case.answerable for case in cases) == 45
    assert sum(bool(case.forbidden_texts) for case in cases) == 5
