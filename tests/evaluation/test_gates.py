"""Gates: bounds that hold or break, and the questions that break them."""

import pytest

from evaluation.errors import SuiteInvalid, UnknownName
from evaluation.gates import find_broken, load_gate
from evaluation.types import SafetyFindings
from tests.evaluation.test_reports import build_case, build_outcome


@pytest.fixture
def outcomes():
    return [
        build_outcome(build_case("good", family="one"), passages=[(0, 10)]),
        build_outcome(
            build_case("poor", family="two"),
            passages=[(0, 5)],
            safety=SafetyFindings(leaks=2),
            total_ms=90.0,
        ),
        build_outcome(build_case("open", answerable=False, family="two"), refused=False),
    ]


def broken(tmp_path, text, outcomes):
    path = tmp_path / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    return [
        (item.family, item.metric, item.questions)
        for item in find_broken(load_gate(path), outcomes)
    ]


def test_a_gate_that_holds_breaks_nothing(tmp_path, outcomes):
    text = "thresholds: {support_recall_10: 0.75}\nat_most: {leaks: 2}\n"
    assert broken(tmp_path, text, outcomes) == []


def test_a_value_below_its_minimum_names_the_questions_below_it(tmp_path, outcomes):
    text = "thresholds: {retrieval.support_recall_10: 0.8}"
    assert broken(tmp_path, text, outcomes) == [(None, "retrieval.support_recall_10", ("poor",))]


def test_a_total_above_its_maximum_names_every_question_that_adds_to_it(tmp_path, outcomes):
    assert broken(tmp_path, "at_most: {leaks: 0}", outcomes) == [(None, "leaks", ("poor",))]


def test_a_percentile_above_its_maximum_names_the_slow_questions(tmp_path, outcomes):
    assert broken(tmp_path, "at_most: {p95: 50}", outcomes) == [(None, "latency_ms.p95", ("poor",))]


def test_too_few_refusals_name_the_questions_that_were_answered(tmp_path, outcomes):
    text = "thresholds: {refused_unanswerable: 1}"
    assert broken(tmp_path, text, outcomes) == [
        (None, "abstention.refused_unanswerable", ("open",))
    ]


def test_a_family_is_measured_alone(tmp_path, outcomes):
    text = "families: {one: {support_recall_10: 0.9}, two: {support_recall_10: 0.9}}"
    assert broken(tmp_path, text, outcomes) == [("two", "retrieval.support_recall_10", ("poor",))]


def test_an_undefined_metric_keeps_no_bound(tmp_path):
    outcomes = [build_outcome(build_case(answerable=False), refused=True)]
    assert broken(tmp_path, "thresholds: {answer_support: 0.1}", outcomes) == [
        (None, "answer_support", ())
    ]


@pytest.mark.parametrize("name", ["nothing", "p50"])
def test_a_metric_that_is_none_or_several_is_refused(tmp_path, outcomes, name):
    with pytest.raises(UnknownName):
        broken(tmp_path, f"thresholds: {{{name}: 1}}", outcomes)


def test_an_unknown_family_is_refused(tmp_path, outcomes):
    with pytest.raises(UnknownName):
        broken(tmp_path, "families: {three: {mrr: 1}}", outcomes)


@pytest.mark.parametrize(
    "text", ["[", "[]", "least: {}", "thresholds: [1]", "at_most: {leaks: none}", "families: 3"]
)
def test_an_unusable_gate_file_is_refused(tmp_path, outcomes, text):
    with pytest.raises(SuiteInvalid):
        broken(tmp_path, text, outcomes)


def test_a_broken_bound_reads_as_a_sentence(tmp_path, outcomes):
    path = tmp_path / "gate.yaml"
    path.write_text("families: {two: {mrr: 2}}", encoding="utf-8")
    (bound,) = find_broken(load_gate(path), outcomes)
    assert str(bound) == "two: retrieval.mrr is 1, the gate asks for 2: poor"
