"""evaluate: one JSON document, named configurations, and the exit status of a gate."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.management.commands import evaluate

pytestmark = pytest.mark.db(transaction=True)

KEYS = [
    "questions",
    "retrieval",
    "packed_support",
    "answer_support",
    "answer_precision",
    "answer_chars",
    "citations",
    "abstention",
    "leaks",
    "wrong_revision",
    "latency_ms",
    "families",
]


@pytest.fixture
def run(rules, suite, fake_index, monkeypatch):
    """Run the command with the fake model; return status, standard output and errors."""
    monkeypatch.setattr(evaluate, "get_embedder", lambda: fake_index)

    def run_command(**options):
        out, err = io.StringIO(), io.StringIO()
        status: object = 0
        try:
            call_command("evaluate", str(suite), stdout=out, stderr=err, **options)
        except SystemExit as ended:
            status = ended.code
        return status, out.getvalue(), err.getvalue()

    return run_command


def test_json_is_one_document_with_exactly_the_promised_keys(run):
    status, out, _ = run(as_json=True)
    report = json.loads(out)
    assert status == 0
    assert list(report) == KEYS
    assert list(report["retrieval"]) == [
        "support_recall_5",
        "support_recall_10",
        "full_support_10",
        "mrr",
        "denominator",
        "interval_10",
        "chars_in_10",
    ]
    assert (report["questions"], report["retrieval"]["denominator"]) == (4, 3)
    assert sorted(report["families"]) == ["facts", "past"]


def test_several_configurations_are_reported_by_name(run):
    _, out, _ = run(as_json=True, config=["default", "lexical"])
    reports = json.loads(out)
    assert list(reports) == ["default", "lexical"]
    assert list(reports["lexical"]) == KEYS


def test_the_table_names_the_configuration(run):
    _, out, _ = run()
    assert out.startswith("configuration default\n")
    assert "over 3 answerable" in out


def test_a_gate_that_holds_ends_well(run, tmp_path):
    gate = tmp_path / "gate.yaml"
    gate.write_text("at_most: {leaks: 0, wrong_revision: 0}", encoding="utf-8")
    assert run(as_json=True, gate=gate)[0] == 0


def test_a_broken_gate_ends_with_one_and_names_the_questions(run, tmp_path):
    gate = tmp_path / "gate.yaml"
    gate.write_text("families: {past: {mrr: 2}}", encoding="utf-8")
    status, out, err = run(as_json=True, gate=gate)
    assert status == 1
    assert list(json.loads(out)) == KEYS
    assert "default: past: retrieval.mrr is 1, the gate asks for 2: then" in err


def test_an_unknown_configuration_is_wrong_usage(run):
    with pytest.raises(CommandError) as raised:
        run(config=["nothing"])
    assert raised.value.returncode == 2


def test_an_unusable_suite_is_wrong_usage(run, suite):
    suite.write_text("{", encoding="utf-8")
    with pytest.raises(CommandError) as raised:
        run()
    assert raised.value.returncode == 2
