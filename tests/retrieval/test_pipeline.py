"""From a question to ranked passages: the gate, the moment, the mode, and any question at all."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from documents import publishing, services
from documents.models import Document
from retrieval.errors import NothingToSearchFor, QuestionTooLong
from retrieval.types import DensePlan, SearchFilters, SearchMode
from tests.builders import (
    OPERATOR,
    build_document,
    build_group,
    build_revision,
)
from tests.fakes import FakeEmbedder
from tests.retrieval.conftest import texts_of, titles_of
from tests.world import BEFORE_ALL, CHANGED, EARLIER, IN_THE_PAST

pytestmark = pytest.mark.db

CURRENT = "The refund budget rule."
OBSOLETE = "The refund budget rule, refund budget."
PRIVATE = "The refund budget rule, refund budget, refund budget."
FRIDAY = "Registration closes Friday."
WEDNESDAY = "Registration closes Wednesday. This is for in-person events only."


@pytest.fixture
def finance(embedder):
    """A group that only members of Finance may read."""
    return build_group("finance", readers=[Group.objects.create(name="Finance")])


@pytest.fixture
def gated(rules, finance):
    """A current rule, and two that match better: an obsolete one, and one of another group."""
    document = build_document("Rule", OBSOLETE, rules, starts_at=EARLIER)
    build_revision(document, CURRENT, starts_at=CHANGED)
    build_document("Budget", PRIVATE, finance, starts_at=EARLIER)
    return document


def test_the_private_and_the_obsolete_match_better_where_they_may(gated, ask):
    past = ask("refund budget", groups=["Finance"], at=IN_THE_PAST)
    assert texts_of(past) == [PRIVATE, OBSOLETE]
    similarities = [passage.similarity for passage in past.passages]
    now = ask("refund budget")
    assert similarities == sorted(similarities, reverse=True)
    assert similarities[-1] > now.passages[0].similarity


@pytest.mark.parametrize("mode", list(SearchMode))
def test_the_gate_comes_before_the_rank(gated, ask, mode):
    assert texts_of(ask("refund budget", limit=2, mode=mode)) == [CURRENT]


def test_a_document_without_a_confirmed_revision_gives_nothing(rules, ask):
    build_document("Draft", "Refund budget.", rules, publish=False)
    withdrawn = build_document("Withdrawn", "Refund budget.", rules, starts_at=EARLIER)
    publishing.withdraw_revision(withdrawn.revisions.get(), acted_by=OPERATOR)
    found = ask("refund budget")
    assert (found.passages, found.permitted_passages) == ((), 0)
    assert texts_of(ask("refund budget", at=IN_THE_PAST)) == ["Refund budget."]


def test_a_deadline_answers_for_its_own_days(rules, ask, frozen_clock):
    document = build_document("Meeting", FRIDAY, rules, starts_at=EARLIER)
    change = frozen_clock.at + timedelta(days=1)
    build_revision(document, WEDNESDAY, starts_at=change)
    question = "When does registration close?"
    assert texts_of(ask(question)) == [FRIDAY]
    assert texts_of(ask(question, at=change - timedelta(microseconds=1))) == [FRIDAY]
    assert texts_of(ask(question, at=change)) == [WEDNESDAY]
    frozen_clock.advance(days=1)
    assert texts_of(ask(question)) == [WEDNESDAY]
    assert texts_of(ask(question, at=change - timedelta(days=1))) == [FRIDAY]
    assert ask(question, at=BEFORE_ALL).passages == ()


def test_what_the_lifecycle_gate_hides_now_it_shows_for_its_time(rules, ask):
    legacy = "The legacy refund policy: refund requests within 30 days."
    document = build_document("Refunds", legacy, rules, starts_at=EARLIER)
    build_revision(document, "Refund requests must be made within 14 days.", starts_at=CHANGED)
    question = "legacy refund policy within 30 days"
    assert legacy not in texts_of(ask(question))
    assert texts_of(ask(question, at=IN_THE_PAST)) == [legacy]


def test_the_past_is_found_by_words_that_nothing_in_force_holds(rules, ask):
    document = build_document("Rules", "The zeppelin is moored.", rules, starts_at=EARLIER)
    build_document("Other", "Nothing of the kind.", rules, starts_at=EARLIER)
    build_revision(document, "The balloon is moored.", starts_at=CHANGED)
    past = ask("zeppelin", at=IN_THE_PAST, mode=SearchMode.LEXICAL)
    assert texts_of(past) == ["The zeppelin is moored."]
    assert past.passages[0].lexical_score > 0
    assert ask("zeppelin", mode=SearchMode.LEXICAL).passages == ()


def test_what_is_deleted_is_gone_at_every_moment_and_comes_back_as_new(rules, ask):
    document = build_document("Rules", "The zeppelin is moored.", rules, starts_at=EARLIER)
    services.delete_document(document, acted_by=OPERATOR)
    for at in (None, IN_THE_PAST):
        found = ask("zeppelin", at=at)
        assert (found.passages, found.permitted_passages) == ((), 0)
        assert found.matched_terms == ()
    services.purge_document(Document.objects.get(), acted_by=OPERATOR, reason="by law")
    build_document("Rules", "The zeppelin is moored.", rules)
    assert texts_of(ask("zeppelin")) == ["The zeppelin is moored."]


def test_a_passage_comes_with_its_place(rules, ask):
    text = "# Leave\n\n## Days\n\nTwenty days of leave. 🙂 Ask the office first."
    build_document("Handbook", text, rules, starts_at=EARLIER)
    passage = ask("office leave").passages[0]
    assert passage.text == text[passage.start : passage.end]
    assert (passage.document_title, passage.revision_number, passage.rank) == ("Handbook", 1, 1)
    assert passage.original_name == "handbook.md"
    assert passage.public_id == f"{passage.document_id}/1/{passage.start}-{passage.end}"
    assert [text[s.start : s.end] for s in passage.sentences][-1] == "🙂 Ask the office first."
    assert all(-1 <= sentence.similarity <= 1 for sentence in passage.sentences)


def test_modes_use_the_legs_they_name(rules, ask):
    build_document("One", "Refund rules.", rules, starts_at=EARLIER)
    build_document("Two", "Valve kits.", rules, starts_at=EARLIER)
    lexical = ask("refund", mode=SearchMode.LEXICAL)
    assert (lexical.plan, titles_of(lexical)) == (DensePlan.NONE, ["One"])
    assert (lexical.passages[0].dense_rank, lexical.passages[0].similarity) == (None, None)
    dense = ask("refund", mode=SearchMode.DENSE)
    assert (dense.plan, titles_of(dense)) == (DensePlan.EXACT, ["One", "Two"])
    assert [passage.lexical_rank for passage in dense.passages] == [None, None]
    hybrid = ask("refund")
    assert [(p.lexical_rank, p.dense_rank) for p in hybrid.passages] == [(1, 1), (None, 2)]


def test_an_identifier_is_found_by_words_and_near_numbers_are_not_it(rules, ask):
    text = "Valve DS-7604NI-E1/4P needs seal kit SK-1234."
    build_document("Decoy", "Valve DS-7605 needs nothing.", rules, starts_at=EARLIER)
    build_document("Valves", text, rules, starts_at=EARLIER)
    for question in ("DS-7604NI-E1/4P", "DS-7604", "ds 7604ni", "SK-1234", "-1234"):
        assert titles_of(ask(question))[0] == "Valves", question
        assert titles_of(ask(question, mode=SearchMode.LEXICAL))[0] == "Valves", question
    assert "7606" not in ask("DS-7606").matched_terms


def test_words_of_two_characters_are_found_in_chinese_and_japanese(rules, ask):
    texts = ["外币汇率换算按每月首个工作日中间价。", "日本語のテスト手順書", "The exchange rate."]
    for number, text in enumerate(texts):
        build_document(f"Text {number}", text, rules, starts_at=EARLIER)
    for question, text in (("汇率换算", texts[0]), ("汇率", texts[0]), ("テスト", texts[1])):
        found = ask(question, mode=SearchMode.LEXICAL)
        assert texts_of(found) == [text]
        assert texts_of(ask(question))[0] == text


class SameToForeign(FakeEmbedder):
    """Finds every text in another script as near as can be to any question."""

    def _vector(self, text):
        return super()._vector("everything" if any(c > "\u3000" for c in text) else text)

    def embed_question(self, text):
        foreign = self._vector("一")
        vector = [
            own + 3 * other
            for own, other in zip(super().embed_question(text), foreign, strict=True)
        ]
        length = math.hypot(*vector)
        return [number / length for number in vector]


@pytest.fixture
def embedder_of_mixed(embedder):
    """The fake model, disturbed by scripts that it does not know."""
    embedder.__class__ = SameToForeign
    return embedder


ENGLISH = ["Refund requests within 14 days.", "Valve kits.", "Members meet. Refund."]
CHINESE = [f"第{number}条 外币汇率换算。" for number in range(8)]


def stretched(found):
    """Return what meaning adds to the scores, without what words add."""
    total = sum(found.term_weights[lexeme] for lexeme in found.matched_terms)
    return [passage.score - passage.lexical_score / total for passage in found.passages]


def test_an_english_question_is_not_disturbed_by_chinese_passages(rules, ask, embedder_of_mixed):
    for text in ENGLISH:
        build_document(text[:5], text, rules, starts_at=EARLIER)
    alone = ask("refund requests", limit=3)
    for text in CHINESE:
        build_document(text[:3], text, rules, starts_at=EARLIER, language="zh")
    for pool_size in (10, 200):
        mixed = ask("refund requests", limit=3, config={"pool_size": pool_size})
        assert texts_of(mixed) == texts_of(alone)
        assert stretched(mixed) == pytest.approx(stretched(alone))
    assert len(ask("refund requests", limit=100).passages) == len(ENGLISH) + len(CHINESE)


def test_a_chinese_question_trusts_words(rules, ask, embedder_of_mixed):
    for text in (*CHINESE, *ENGLISH):
        build_document(text[:6], text, rules, starts_at=EARLIER)
    found = ask("第5条", limit=3)
    assert texts_of(found)[0] == CHINESE[5]
    assert [p.lexical_rank for p in found.passages] == [1, 2, 3]


def test_a_language_with_its_region_is_known(rules, ask):
    build_document("British", "Refund requests.", rules, starts_at=EARLIER, language="en-GB")
    build_document("Swiss", "Refund requests.", rules, starts_at=EARLIER, language="de-CH")
    scores = {p.document_title: p.score for p in ask("refund", language="en-US").passages}
    assert scores["British"] > scores["Swiss"] > 0


@pytest.mark.parametrize(
    "question",
    ["", "   ", "???", "🙂", "the and of", "\0", "\ud800", "\n\t", "-", "'", "()", "\u200b", "“”"],
)
def test_nothing_to_search_for_is_said_before_any_model_is_called(rules, ask, embedder, question):
    build_document("Rules", "Refund requests.", rules, starts_at=EARLIER)
    embedder.embed_question = None
    with pytest.raises(NothingToSearchFor):
        ask(question)


def test_a_stop_word_written_as_a_name_is_searched_for(rules, ask):
    build_document("Laptops", "IT handles laptop requests.", rules, starts_at=EARLIER)
    build_document("Other", "It is what it is.", rules, starts_at=EARLIER)
    assert titles_of(ask("IT")) == ["Laptops", "Other"]
    assert titles_of(ask("IT", mode=SearchMode.LEXICAL)) == ["Laptops"]


def test_a_question_over_the_limit_is_refused_with_the_limit(rules, ask, embedder):
    embedder.embed_question = None
    with pytest.raises(QuestionTooLong, match="200000 characters; at most 4000 are read") as raised:
        ask("x" * 200_000)
    assert raised.value.details == {"limit_chars": 4000}


@pytest.mark.parametrize("mode", list(SearchMode))
@pytest.mark.parametrize(
    "question",
    [
        "refund\0requests",
        "refund \ud83d requests \udc80",
        "refund' OR '1'='1",
        "refund \\ ' \" %s %(x)s {permitted_revisions} :*&|!<->",
        "refund " + "\"'()" * 900,
        "refund " + " ".join(f"w{number}" for number in range(700)),
        "refund " + "汇" * 3000,
        "refund " + "".join(chr(0x4E00 + number) for number in range(3900)),
        "refund " + "\u0301" * 1000,
    ],
)
def test_every_question_within_the_limit_is_searched_for(rules, ask, question, mode):
    build_document("Rules", "Refund requests.", rules, starts_at=EARLIER)
    assert titles_of(ask(question, mode=mode)) == ["Rules"]


def test_no_more_words_are_searched_than_stated(rules, ask):
    build_document("Rules", "Refund requests.", rules, starts_at=EARLIER)
    build_document("Other", "Common common.", rules, starts_at=EARLIER)
    build_document("Third", "Common ground.", rules, starts_at=EARLIER)
    found = ask("common refund", mode=SearchMode.LEXICAL, config={"question_lexemes": 1})
    assert titles_of(found) == ["Rules"]


def test_an_empty_corpus_and_a_hidden_one_look_the_same(embedder, ask):
    empty = ask("how many days of leave do we have")
    hidden = build_group("hidden")
    for number in range(5):
        build_document(f"Rules {number}", "Days of leave.", hidden, starts_at=EARLIER)
    again = ask("how many days of leave do we have")
    assert (empty.passages, empty.permitted_passages, empty.plan) == ((), 0, DensePlan.EXACT)
    for name in ("passages", "permitted_passages", "plan", "terms", "matched_terms"):
        assert getattr(again, name) == getattr(empty, name)
    assert dict(again.term_weights) == dict(empty.term_weights)


def test_hidden_texts_change_no_weight_and_no_score(rules, ask):
    build_document("Rules", "Refund requests.", rules, starts_at=EARLIER)
    build_document("Other", "Refund budget.", rules, starts_at=EARLIER)
    before = ask("refund requests budget")
    hidden = build_group("hidden")
    for number in range(5):
        build_document(f"Hidden {number}", "Refund refund budget.", hidden, starts_at=EARLIER)
    after = ask("refund requests budget")
    assert dict(after.term_weights) == dict(before.term_weights)
    assert after.passages == before.passages


def test_traces_count_and_time_every_stage(rules, ask):
    build_document("Rules", "Refund requests.", rules, starts_at=EARLIER)
    traces = ask("refund").traces
    assert [trace.name for trace in traces] == ["census", "embed", "search", "order", "read"]
    assert [trace.count_out for trace in traces] == [1, 0, 1, 1, 1]
    assert all(trace.ms >= 0 for trace in traces)


def test_repeats_stand_behind_what_is_distinct_and_none_is_lost(rules, ask, settings):
    settings.RETRIEVAL = {
        **settings.RETRIEVAL,
        "splitting_scheme": "fixed",
        "max_chars": 100,
        "overlap_chars": 90,
    }
    text = "Refund requests are made in the office by members of the club on any day. " * 4
    build_document("Rules", text, rules, starts_at=EARLIER)
    found = ask("refund office", limit=100, config={"most_overlap": 0.5})
    spans = [passage.span for passage in found.passages]
    assert len(spans) == found.permitted_passages > 10
    first = spans[: spans.index(next(s for s in spans[1:] if overlaps(s, spans[0])))]
    assert len(first) >= 2
    assert not any(overlaps(a, b) for a in first for b in first if a != b)


def overlaps(first, second):
    shared = min(first[1], second[1]) - max(first[0], second[0])
    return shared > 0.5 * (first[1] - first[0])


def test_filters_and_the_reader_narrow_together(rules, finance, ask):
    build_document("Rules", "Refund requests.", rules, starts_at=EARLIER, tags=["money"])
    build_document("Budget", "Refund budget.", finance, starts_at=EARLIER, tags=["money"])
    filters = SearchFilters(tags=("money",))
    assert titles_of(ask("refund", filters=filters)) == ["Rules"]
    assert set(titles_of(ask("refund", filters=filters, groups=["Finance"]))) == {"Rules", "Budget"}
    both = SearchFilters(tags=("money",), visibility_groups=("finance",))
    assert titles_of(ask("refund", filters=both)) == []
