"""What the search admits, in which order ties stand, and how words are weighed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from documents.visibility import scope_for_groups
from retrieval.analysis import analyse_question
from retrieval.conf import retrieval_config
from retrieval.indexing import ensure_active_index
from retrieval.models import Passage
from retrieval.search import PermittedSearch, TermWeight, rarest, rarest_within, weigh_terms
from retrieval.types import QuestionTerms, SearchFilters, SearchMode
from tests.builders import build_document, build_group, build_revision
from tests.retrieval.conftest import titles_of
from tests.world import CHANGED, EARLIER, IN_THE_PAST, SCHEDULED

pytestmark = pytest.mark.db


def test_ties_go_by_document_revision_and_start(rules, ask, small_passages):
    text = "\n\n".join(["# Rule\n\nRefund."] * 3)
    for title in ("Same", "Same", "Same"):
        build_document(title, text, rules, starts_at=EARLIER, slug=f"s{Passage.objects.count()}")
    for mode in SearchMode:
        found = ask("refund", mode=mode, config={"most_overlap": 1.0})
        places = [
            (Passage.objects.get(pk=p.passage_id).revision.document_id, p.start)
            for p in found.passages
        ]
        assert len(places) == 9
        assert places == sorted(places)


@pytest.fixture
def library(rules):
    """Documents that differ in everything that a filter looks at."""
    notices = build_group("notices", reach="public")
    first = build_document("First", "Refund one.", rules, starts_at=EARLIER, tags=["a", "b"])
    build_revision(first, "Refund two.", starts_at=CHANGED)
    build_document("Second", "Refund three.", notices, starts_at=EARLIER, tags=["b"], language="de")
    build_document("Third", "Refund four.", notices, starts_at=SCHEDULED)
    return first


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ({}, {"First", "Second"}),
        ({"documents": ("first",)}, {"First"}),
        ({"documents": ("first", "second", "nowhere")}, {"First", "Second"}),
        ({"documents": ("third",)}, set()),
        ({"documents": ()}, set()),
        ({"tags": ("a",)}, {"First"}),
        ({"tags": ("a", "b")}, {"First", "Second"}),
        ({"tags": ()}, set()),
        ({"visibility_groups": ("rules",)}, {"First"}),
        ({"visibility_groups": ("notices", "nowhere")}, {"Second"}),
        ({"visibility_groups": ()}, set()),
        ({"languages": ("de",)}, {"Second"}),
        ({"languages": ("en", "de")}, {"First", "Second"}),
        ({"languages": ()}, set()),
        ({"effective_from": CHANGED}, {"First"}),
        ({"effective_until": CHANGED}, {"Second"}),
        ({"effective_from": EARLIER, "effective_until": CHANGED}, {"Second"}),
        ({"effective_from": datetime(2030, 1, 1, tzinfo=UTC)}, set()),
        ({"tags": ("b",), "languages": ("en",)}, {"First"}),
        ({"tags": ("a",), "visibility_groups": ("notices",)}, set()),
    ],
)
@pytest.mark.parametrize("mode", list(SearchMode))
def test_filters_admit_what_fits_all_of_them(library, ask, filters, titles, mode):
    found = ask("refund", mode=mode, filters=SearchFilters(**filters))
    assert set(titles_of(found)) == titles
    assert found.permitted_passages == len(titles)


def test_a_document_is_named_by_its_id_as_well(library, ask):
    filters = SearchFilters(documents=(str(library.public_id),))
    assert titles_of(ask("refund", filters=filters)) == ["First"]


def test_filters_speak_of_the_revision_in_force_at_the_moment(library, ask):
    filters = SearchFilters(effective_until=CHANGED)
    assert set(titles_of(ask("refund", at=IN_THE_PAST, filters=filters))) == {"First", "Second"}
    assert titles_of(ask("refund", at=SCHEDULED, filters=SearchFilters(documents=("third",)))) == [
        "Third"
    ]


def test_the_census_counts_by_language(library, embedder):
    config = retrieval_config()
    search = PermittedSearch(
        ensure_active_index(embedder, config),
        scope_for_groups(frozenset(), at=timezone.now()),
        filters=SearchFilters(),
        config=config,
    )
    census = search.take_census()
    assert census.passages_by_language == {"en": 1, "de": 1}
    assert census.passages == 2
    assert census.languages_known_to(frozenset({"en"})) == ["en"]
    assert census.passages_in(["en"]) == 1


def weights(**counts):
    terms = QuestionTerms(lexemes=tuple(counts))
    return weigh_terms(terms, counts={k: n for k, n in counts.items() if n}, passages=100)


def test_a_word_is_weighed_by_its_rarity():
    weighed = weights(common=90, rare=2, unknown=0)
    assert weighed["unknown"].weight > weighed["rare"].weight > weighed["common"].weight > 0
    assert not weighed["unknown"].is_known
    assert list(weighed) == ["common", "rare", "unknown"]


def test_counts_that_run_ahead_of_the_total_give_no_negative_weight():
    weighed = weigh_terms(QuestionTerms(lexemes=("a",)), counts={"a": 7}, passages=3)
    assert weighed["a"].weight > 0


def test_the_rarest_words_are_kept_within_the_budget():
    weighed = weights(common=90, rare=2, seldom=9)
    assert rarest_within(weighed, budget=11) == ["rare", "seldom"]
    assert rarest_within(weighed, budget=10) == ["rare"]
    assert rarest_within(weighed, budget=1) == ["rare"]
    assert rarest_within({}, budget=1) == []


def test_words_that_something_in_force_holds_are_kept_first():
    weighed = weights(unknown=0, common=90, rare=2)
    assert list(rarest(weighed, limit=2)) == ["rare", "common"]
    assert list(rarest(weighed, limit=9)) == ["rare", "common", "unknown"]
    assert isinstance(weighed["rare"], TermWeight)


def test_terms_of_a_question_are_those_of_its_analysis(library, ask):
    assert ask("Refunds of two").terms == analyse_question("Refunds of two", language="en").lexemes
