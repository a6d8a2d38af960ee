"""Reports: every measure of the stable document, over what it is said to be taken over."""

import pytest

from evaluation.reports import build_report, flatten, render_table
from evaluation.types import Case, CaseOutcome, FileSpan, GoldSpan, SafetyFindings


def build_case(case_id="q1", *, answerable=True, family="facts", gold=((0, 10),)):
    spans = tuple(
        GoldSpan(span=FileSpan("a.md", start, end), text="x" * (end - start)) for start, end in gold
    )
    return Case(
        id=case_id,
        family=family,
        question="?",
        as_of=None,
        asker_groups=frozenset(),
        answerable=answerable,
        reason_unanswerable=None if answerable else "no_such_content",
        gold=spans,
    )


def build_outcome(case=None, *, passages=(), packed=(), cited=(), refused=False, **other):
    values = {
        "answer_chars": 0 if refused else 100,
        "safety": SafetyFindings(),
        "total_ms": 20.0,
        "embed_ms": 5.0,
    } | other
    return CaseOutcome(
        case=case or build_case(),
        passages=tuple(FileSpan("a.md", *span) for span in passages),
        packed=tuple(FileSpan("a.md", *span) for span in packed),
        cited=tuple(FileSpan("a.md", *span) for span in cited),
        refusal_reason="no_evidence" if refused else None,
        **values,
    )


def test_support_is_the_share_of_gold_characters_in_the_first_passages():
    passages = [(100 + n, 101 + n) for n in range(5)] + [(0, 5)]
    report = build_report([build_outcome(passages=passages)])
    assert report["retrieval"]["support_recall_5"] == 0.0
    assert report["retrieval"]["support_recall_10"] == 0.5
    assert report["retrieval"]["full_support_10"] == 0.0
    assert report["retrieval"]["mrr"] == pytest.approx(1 / 6)
    assert report["retrieval"]["chars_in_10"] == 10


def test_passages_after_the_tenth_do_not_count():
    passages = [(100 + n, 101 + n) for n in range(10)] + [(0, 10)]
    report = build_report([build_outcome(passages=passages)])
    assert report["retrieval"]["support_recall_10"] == 0.0


def test_a_refused_answer_supports_nothing_and_has_no_precision():
    answered = build_outcome(build_case("a"), cited=[(0, 20)])
    refused = build_outcome(build_case("b"), refused=True)
    report = build_report([answered, refused])
    assert report["answer_support"] == 0.5
    assert report["answer_precision"] == 0.5
    assert report["answer_chars"] == {"p50": 100.0, "max": 100}
    assert report["abstention"]["answered_answerable"] == 1


def test_unanswerable_questions_count_only_in_abstention_and_safety():
    unanswerable = build_outcome(
        build_case("u", answerable=False, gold=()),
        refused=True,
        safety=SafetyFindings(leaks=1, wrong_revision=2),
    )
    report = build_report([build_outcome(passages=[(0, 10)]), unanswerable])
    assert report["questions"] == 2
    assert report["retrieval"]["denominator"] == 1
    assert report["retrieval"]["support_recall_10"] == 1.0
    assert report["abstention"] == {
        "answered_answerable": 1,
        "answerable": 1,
        "refused_unanswerable": 1,
        "unanswerable": 1,
    }
    assert (report["leaks"], report["wrong_revision"]) == (1, 2)


def test_what_no_question_defines_is_undefined():
    report = build_report([build_outcome(build_case(answerable=False), refused=True)])
    assert report["retrieval"]["support_recall_10"] is None
    assert report["retrieval"]["interval_10"] is None
    assert report["packed_support"] is None
    assert report["answer_chars"] == {"p50": None, "max": None}
    assert report["families"] == {}


def test_families_hold_their_support_in_ten():
    outcomes = [
        build_outcome(build_case("a", family="one"), passages=[(0, 10)]),
        build_outcome(build_case("b", family="two"), passages=[(0, 5)]),
        build_outcome(build_case("c", family="two"), passages=[(0, 10)]),
    ]
    assert build_report(outcomes)["families"] == {"one": 1.0, "two": 0.75}


def test_latency_is_taken_over_all_questions_and_embedding_over_those_embedded():
    outcomes = [
        build_outcome(build_case("a"), total_ms=10.0, embed_ms=4.0),
        build_outcome(build_case("b"), total_ms=30.0, embed_ms=None),
    ]
    latency = build_report(outcomes)["latency_ms"]
    assert latency == {"p50": 20.0, "p95": pytest.approx(29.0), "embed_p50": 4.0}


def test_packed_support_is_measured_on_what_the_writer_was_given():
    outcome = build_outcome(passages=[(0, 10)], packed=[(0, 4)])
    assert build_report([outcome])["packed_support"] == 0.4


def test_flat_names_hold_the_two_that_gates_need_besides():
    safety = SafetyFindings(citations_valid=1, citations_total=3)
    flat = flatten(build_report([build_outcome(safety=safety)]))
    assert flat["citations.invalid"] == 2
    assert flat["latency_ms.p95_over_embed_p50"] == 4.0


def test_the_table_says_what_each_measure_was_taken_over():
    unanswerable = build_outcome(build_case("u", answerable=False), refused=True)
    table = render_table(build_report([build_outcome(passages=[(0, 10)]), unanswerable]))
    lines = {line.split()[0]: line for line in table.splitlines()}
    assert lines["retrieval.support_recall_10"].endswith("1  over 1 answerable")
    assert lines["leaks"].endswith("0  over 2 questions")
    assert lines["abstention.refused_unanswerable"].endswith("1  over 1 unanswerable")
