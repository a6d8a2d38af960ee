"""The graph of an index: when it is built, when it is asked, and when it is not trusted."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.models import Revision, VisibilityGroup
from documents.visibility import scope_for_groups
from retrieval.conf import retrieval_config
from retrieval.graph import graph_of, needs_graph
from retrieval.models import Passage, SearchIndex
from retrieval.pipeline import retrieve_evidence
from retrieval.types import DensePlan, Question, SearchMode
from tests.builders import build_document, build_group
from tests.retrieval.conftest import SMALL_PASSAGES
from tests.searching import indexing_builders
from tests.world import EARLIER

pytestmark = pytest.mark.db

PASSAGES = 2000
# So few that everything is above the limit; a list by meaning as short as the question asks for.
LIMITS = {"exact_limit": 50, "pool_size": 10, "graph_candidates": 40}


def paragraphs(rng, count):
    words = [f"{first}{last}" for first in "bcdfglmnprst" for last in ("adow", "eral", "ivok")]
    return "\n\n".join("# Rule\n\n" + " ".join(rng.choices(words, k=8)) + "." for _ in range(count))


def build_library():
    """Many passages that everyone may read, and a few that only members of Lab may."""
    rng = random.Random(11)  # noqa: S311 - random texts, no secrets
    rules = build_group("rules", reach="signed_in")
    lab = build_group("lab", readers=[Group.objects.create(name="Lab")])
    for number in range(4):
        build_document(f"Rules {number}", paragraphs(rng, PASSAGES // 4), rules, starts_at=EARLIER)
    build_document("Lab", paragraphs(rng, 30), lab, starts_at=EARLIER)


@pytest.fixture(scope="module")
def library_of_module(django_db_setup, django_db_blocker):
    """Many passages and their graph, made once in a transaction around a module's tests."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.RETRIEVAL", SMALL_PASSAGES)
        with indexing_builders() as model, transaction.atomic():
            build_library()
            index = SearchIndex.objects.get()
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            with connection.schema_editor() as editor:
                editor.add_index(Passage, graph_of(index, config=retrieval_config()))
            SearchIndex.objects.update(graph_built_at=timezone.now())
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE retrieval_passage")
            yield model
            transaction.set_rollback(True)


@pytest.fixture
def search(library_of_module, db):
    def search_as(text="badow ceral divok", *, groups=(), config=None, **question):
        return retrieve_evidence(
            Question(text=text, **question),
            scope_for_groups(frozenset(groups), at=timezone.now()),
            embedder=library_of_module,
            config=replace(retrieval_config(), **{**LIMITS, **(config or {})}),
        )

    return search_as


def ids(retrieval):
    return [passage.passage_id for passage in retrieval.passages]


def explained(action, *, without=()):
    """Return the plan of the search statement that the action runs, under its own settings.

    On so few rows the planner's choice hangs on whether they were analysed: `without` makes ways
    dear, so that only what gives the order by itself is left.
    """
    with CaptureQueriesContext(connection) as captured:
        action()
    (statement,) = [q["sql"] for q in captured.captured_queries if "nearest AS" in q["sql"]]
    with connection.cursor() as cursor:
        for way in without:
            cursor.execute(f"SET LOCAL {way} = off")
        cursor.execute("EXPLAIN " + statement.replace("%", "%%"), {})
        return "\n".join(row[0] for row in cursor.fetchall())


@pytest.mark.parametrize("mode", [SearchMode.DENSE, SearchMode.HYBRID])
def test_above_the_limit_the_graph_is_asked(search, mode):
    plan = explained(lambda: search(mode=mode), without=["enable_seqscan", "enable_sort"])
    assert f"Index Scan using passage_graph_{SearchIndex.objects.get().pk}" in plan
    assert search(mode=mode).plan is DensePlan.GRAPH


def test_the_permitted_revisions_are_a_filter_and_never_the_way_in(search):
    plan = explained(lambda: search(mode=SearchMode.DENSE), without=["enable_seqscan"])
    by_graph = plan.partition("CTE graph")[2].partition("CTE nearest")[0]
    assert "Filter: ((ANY (revision_id = (hashed SubPlan" in by_graph
    assert "Cond: (revision_id" not in by_graph


@pytest.mark.parametrize(
    "changes", [{"config": {"exact_limit": 40_000}}, {"exact_only": True}], ids=["few", "told"]
)
@pytest.mark.parametrize("mode", list(SearchMode))
def test_a_scan_never_uses_the_graph_even_where_it_stands(search, mode, changes):
    # Even where sorting is dear, which the graph alone would spare.
    plan = explained(lambda: search(mode=mode, **changes), without=["enable_sort"])
    assert "passage_graph" not in plan
    assert "passage_lexemes" not in plan
    expected = DensePlan.NONE if mode is SearchMode.LEXICAL else DensePlan.EXACT
    assert search(mode=mode, **changes).plan is expected


def test_words_alone_are_found_by_their_index(search):
    plan = explained(lambda: search("badow", mode=SearchMode.LEXICAL))
    assert "passage_graph" not in plan
    assert search(mode=SearchMode.LEXICAL).plan is DensePlan.NONE


def test_both_shapes_find_the_same_words(search):
    by_index = search(mode=SearchMode.LEXICAL, limit=50)
    by_scan = search(mode=SearchMode.LEXICAL, limit=50, exact_only=True)
    assert len(by_index.passages) == 50
    assert ids(by_index) == ids(by_scan)


def test_the_graph_finds_nearly_all_of_the_nearest(search):
    questions = ["badow ceral", "pivok sadow teral", "geral", "nadow rivok feral madow"]
    near = 0
    for question in questions:
        exact = search(question, mode=SearchMode.DENSE, exact_only=True)
        graph = search(question, mode=SearchMode.DENSE, config={"graph_candidates": 200})
        assert graph.plan is DensePlan.GRAPH
        assert len(set(ids(graph))) == 10
        similarities = [passage.similarity for passage in graph.passages]
        assert similarities == sorted(similarities, reverse=True)
        # Passages as near as the last of the nearest are as right as it.
        near += sum(s > exact.passages[-1].similarity - 1e-6 for s in similarities)
    assert near >= 0.95 * 10 * len(questions)


def test_a_hundred_are_given_by_the_graph_too(search):
    found = search(mode=SearchMode.DENSE, limit=100)
    assert (found.plan, len(set(ids(found)))) == (DensePlan.GRAPH, 100)


def test_where_the_graph_gives_too_few_everything_is_read(search):
    few = {"graph_max_scan_tuples": 1000, "graph_candidates": 10, "exact_limit": 10}
    # What is left to read is 1.5 % of what the graph holds.
    VisibilityGroup.objects.filter(slug="rules").update(reach="listed")
    found = search(groups=["Lab"], mode=SearchMode.DENSE, limit=30, config=few)
    assert found.permitted_passages == 30
    assert found.plan is DensePlan.EXACT_FALLBACK
    assert ids(found) == ids(
        search(groups=["Lab"], mode=SearchMode.DENSE, limit=30, exact_only=True)
    )


def test_more_wanted_than_permitted_gives_all_that_are(search):
    VisibilityGroup.objects.filter(slug="rules").update(reach="listed")
    for changes in ({}, {"exact_only": True}):
        found = search(groups=["Lab"], limit=100, config={"exact_limit": 10}, **changes)
        assert len(set(ids(found))) == found.permitted_passages == 30


@pytest.mark.parametrize("mode", list(SearchMode))
def test_the_graph_gives_no_hidden_passage(search, mode):
    text = Revision.objects.get(document__title="Lab").text
    question = text.split("\n\n")[1]
    hidden = search(question, mode=mode)
    assert {passage.document_title[:5] for passage in hidden.passages} == {"Rules"}
    assert search(question, mode=mode, groups=["Lab"]).passages[0].document_title == "Lab"


def test_without_a_graph_everything_is_read(search):
    SearchIndex.objects.update(graph_built_at=None)
    assert search(mode=SearchMode.DENSE).plan is DensePlan.EXACT
    assert search().plan is DensePlan.EXACT


def test_settings_of_the_graph_end_with_the_search(search):
    with transaction.atomic():
        search(mode=SearchMode.DENSE)
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


def test_an_index_needs_a_graph_once_it_has_outgrown_the_scan(search):
    index = SearchIndex.objects.get()
    config = retrieval_config()
    few = replace(config, exact_limit=Passage.objects.count() - 1)
    enough = replace(config, exact_limit=Passage.objects.count())
    assert not needs_graph(index, config=few)  # it has one
    index.graph_built_at = None
    assert needs_graph(index, config=few)
    assert not needs_graph(index, config=enough)
