"""Running a suite: as its askers, through the product, and judged from outside."""

from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from documents import visibility
from documents.models import VisibilityGroup
from documents.querysets import RevisionQuerySet
from evaluation.cases import load_suite
from evaluation.reports import build_report
from evaluation.runner import run_suite

pytestmark = pytest.mark.db(transaction=True)


@pytest.fixture
def run(rules, setup, suite):
    """Run the suite; return the outcomes by the id of their question."""

    def run_now():
        cases = load_suite(suite, zone=ZoneInfo("UTC"))
        outcomes = run_suite(cases, setup=setup, now=timezone.now(), show=lambda _: None)
        return {outcome.case.id: outcome for outcome in outcomes}

    return run_now


def test_each_question_is_asked_as_its_asker_at_its_moment(run):
    outcomes = run()
    files = {key: {span.file for span in item.passages} for key, item in outcomes.items()}
    assert files == {
        "now": {"refunds/2.md"},
        "then": {"refunds/1.md"},
        "hidden": {"refunds/2.md"},
        "permitted": {"refunds/2.md", "severance/1.md"},
    }


def test_the_report_of_the_product_as_it_is_shows_no_leak_and_no_wrong_revision(run):
    report = build_report(list(run().values()))
    assert (report["leaks"], report["wrong_revision"]) == (0, 0)
    assert report["retrieval"]["support_recall_10"] == 1.0
    assert report["citations"]["valid"] == report["citations"]["total"] > 0
    assert report["latency_ms"]["embed_p50"] is not None


def test_what_was_packed_comes_from_the_stored_answer(run):
    outcome = run()["now"]
    assert {span.file for span in outcome.packed} == {"refunds/2.md"}


def test_without_the_access_gate_leaks_are_counted(run, monkeypatch):
    monkeypatch.setattr(visibility, "readable_groups", lambda _scope: VisibilityGroup.objects.all())
    outcomes = run()
    assert outcomes["hidden"].safety.leaks > 0
    assert build_report(list(outcomes.values()))["leaks"] > 0
    assert outcomes["permitted"].safety.leaks == 0


def test_without_the_interval_wrong_revisions_are_counted(run, monkeypatch):
    monkeypatch.setattr(RevisionQuerySet, "in_force", lambda self, _at: self.ever_in_force())
    outcomes = run()
    assert outcomes["now"].safety.wrong_revision > 0
    assert outcomes["then"].safety.wrong_revision > 0
    assert build_report(list(outcomes.values()))["wrong_revision"] > 0


def test_a_question_without_a_word_is_a_refusal_with_its_code(rules, setup, suite):
    text = suite.read_text(encoding="utf-8").replace(
        "Within how many days must refund requests be made?", "?!"
    )
    suite.write_text(text, encoding="utf-8")
    cases = load_suite(suite, zone=ZoneInfo("UTC"))
    first, *_ = run_suite(cases, setup=setup, now=timezone.now(), show=lambda _: None)
    assert first.refusal_reason == "nothing_to_search_for"
    assert first.passages == ()
