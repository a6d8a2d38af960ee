import json
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from answers.errors import CalibrationFailed
from answers.models import Answer
from answers.setup import read_calibration
from documents.visibility import scope_for_groups
from evaluation.calibrating import HIDDEN_WEIGHT, as_file, calibrate, label_case, read_suites

pytestmark = pytest.mark.db


@pytest.fixture
def suites(suite):
    return read_suites([suite], zone=ZoneInfo("UTC"))


def label(case, setup):
    scope = scope_for_groups(case.asker_groups, at=case.as_of or timezone.now())
    return label_case(case, scope, subject=case.id, setup=setup)


def test_an_answerable_question_is_also_asked_with_its_documents_out_of_sight(rules, setup, suites):
    [case] = [case for case in suites[0].cases if case.id == "now"]
    as_asked, hidden = label(case, setup)
    assert (as_asked.supported, as_asked.answerable, as_asked.counts) == (True, True, True)
    assert (hidden.supported, hidden.answerable, hidden.counts) == (False, False, False)
    assert hidden.weight == HIDDEN_WEIGHT
    assert hidden.signals.coverage < as_asked.signals.coverage
    assert hidden.subject == as_asked.subject


def test_an_unanswerable_question_is_asked_as_it_stands(rules, setup, suites):
    [case] = [case for case in suites[0].cases if case.reason_unanswerable == "not_permitted"]
    [only] = label(case, setup)
    assert (only.supported, only.answerable, only.counts) == (False, False, True)


def test_observing_stores_nothing(rules, setup, suites):
    assert suites[0].cases
    for case in suites[0].cases:
        label(case, setup)
    assert not Answer.objects.exists()


def test_the_written_file_is_read_back_as_the_same_curve(rules, setup, suites, tmp_path):
    calibrated = calibrate(suites, setup=setup, now=timezone.now(), show=lambda _: None)
    path = tmp_path / "curve.json"
    path.write_text(as_file(calibrated))
    assert read_calibration(path) == calibrated.calibration
    written = json.loads(path.read_text())
    assert [entry["name"] for entry in written["suites"]] == [suites[0].name]
    assert written["chosen"] in written["trade_off"]


def test_questions_of_one_kind_only_calibrate_nothing(rules, setup, suites):
    answerable = tuple(case for case in suites[0].cases if case.answerable)
    with pytest.raises(CalibrationFailed):
        calibrate(
            [replace(suites[0], cases=answerable)],
            setup=setup,
            now=datetime.now(UTC),
            show=lambda _: None,
        )


def test_the_command_prints_the_whole_trade_off_and_writes_one_file(
    rules, suite, fake_model, capsys, tmp_path
):
    path = tmp_path / "curve.json"
    call_command("calibrate", str(suite), "--to", str(path))
    printed = capsys.readouterr().out
    written = json.loads(path.read_text())
    assert printed.count("chosen") == 1
    assert len(printed.splitlines()) == len(written["trade_off"]) + 3


def test_a_dry_run_writes_nothing(rules, suite, fake_model, tmp_path):
    path = tmp_path / "curve.json"
    call_command("calibrate", str(suite), "--to", str(path), "--dry-run")
    assert not path.exists()


def test_a_suite_that_cannot_be_read_is_wrong_usage(db, fake_model, tmp_path):
    with pytest.raises(CommandError) as raised:
        call_command("calibrate", str(tmp_path / "none.jsonl"))
    assert raised.value.returncode == 2


@pytest.fixture
def fake_model(fake_index, monkeypatch):
    """Let the command's process hold the fake model."""
    monkeypatch.setattr("evaluation.management.commands.calibrate.get_embedder", lambda: fake_index)
