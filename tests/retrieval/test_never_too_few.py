"""Whoever may read k passages gets k, exactly those that the ORM spells out plainly."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone
from pgvector import HalfVector, SparseVector
from pgvector.django import CosineDistance, MaxInnerProduct

from documents.visibility import readable_revisions, scope_for_groups
from retrieval.indexing import sparse
from retrieval.models import Passage
from retrieval.types import DensePlan, SearchMode
from tests.builders import build_document, build_group
from tests.retrieval.conftest import SMALL_PASSAGES, titles_of
from tests.searching import indexing_builders
from tests.world import EARLIER

pytestmark = pytest.mark.db

WORDS = ["refund", "budget", "valve", "seal", "member", "board", "notice", "appeal", "fee", "club"]
HIDDEN, PERMITTED = 1500, 15


def paragraphs(rng, count):
    return "\n\n".join(
        f"# {rng.choice(WORDS)}\n\n" + " ".join(rng.choices(WORDS, k=rng.randint(3, 12))) + "."
        for _ in range(count)
    )


@pytest.fixture(scope="module")
def crowd_of_module(django_db_setup, django_db_blocker):
    """A few documents that everyone may read among many passages that only Finance may."""
    rng = random.Random(7)  # noqa: S311 - random texts, no secrets
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.RETRIEVAL", SMALL_PASSAGES)
        with indexing_builders(), transaction.atomic():
            rules = build_group("open", reach="signed_in")
            finance = build_group("finance", readers=[Group.objects.create(name="Finance")])
            for number in range(3):
                for title, group, count in (
                    ("Hidden", finance, HIDDEN // 6),
                    ("Rules", rules, PERMITTED // 3),
                    ("More", finance, HIDDEN // 6),
                ):
                    text = paragraphs(rng, count)
                    build_document(f"{title} {number}", text, group, starts_at=EARLIER)
            yield rng
            transaction.set_rollback(True)


@pytest.fixture
def crowd(crowd_of_module, embedder):
    return crowd_of_module


def nearest_by_orm(embedder, question, scope, limit):
    """Return the ids of the passages nearest to the question, spelled out."""
    distance = CosineDistance("embedding", HalfVector(embedder.embed_question(question)))
    return list(
        Passage.objects.filter(revision__in=readable_revisions(scope))
        .order_by(distance, "revision__document_id", "revision__number", "start")
        .values_list("pk", flat=True)[:limit]
    )


def best_by_orm(retrieval, scope, limit):
    """Return the ids of the passages that hold the question's words best, spelled out."""
    question: SparseVector = sparse(dict(retrieval.term_weights))
    return list(
        Passage.objects.filter(revision__in=readable_revisions(scope))
        .annotate(distance=MaxInnerProduct("weights", question))
        .filter(distance__lt=0)
        .order_by("distance", "revision__document_id", "revision__number", "start")
        .values_list("pk", flat=True)[:limit]
    )


def ids(retrieval):
    return [passage.passage_id for passage in retrieval.passages]


def test_ids_equal_those_of_the_orm(crowd, ask, embedder):
    for groups in ((), ("Finance",)):
        scope = scope_for_groups(frozenset(groups), at=timezone.now())
        for _ in range(5):
            question = " ".join(crowd.sample(WORDS, 3))
            for limit in (1, 10, 100):
                near = ask(question, mode=SearchMode.DENSE, limit=limit, groups=groups)
                assert ids(near) == nearest_by_orm(embedder, question, scope, limit)
                worded = ask(question, mode=SearchMode.LEXICAL, limit=limit, groups=groups)
                assert ids(worded) == best_by_orm(worded, scope, limit)


@pytest.mark.parametrize("mode", [SearchMode.DENSE, SearchMode.HYBRID])
@pytest.mark.parametrize("limit", [5, PERMITTED, 100])
def test_who_may_read_one_percent_gets_all_there_is(crowd, ask, mode, limit):
    found = ask("refund budget valve", mode=mode, limit=limit)
    assert Passage.objects.count() > 100 * PERMITTED
    assert found.permitted_passages == PERMITTED
    assert len(found.passages) == min(limit, PERMITTED)
    assert len(set(ids(found))) == len(found.passages)
    assert {title.split()[0] for title in titles_of(found)} == {"Rules"}
    assert [passage.rank for passage in found.passages] == list(range(1, len(found.passages) + 1))


def test_a_hundred_are_given_to_who_may_read_more(crowd, ask):
    for mode in (SearchMode.DENSE, SearchMode.HYBRID):
        found = ask("refund", mode=mode, limit=100, groups=["Finance"])
        assert found.permitted_passages >= HIDDEN
        assert len(set(ids(found))) == 100


def test_results_stay_the_same_when_the_hidden_passages_go(crowd, ask):
    before = ask("refund budget valve", limit=10)
    Passage.objects.filter(revision__document__visibility_group__slug="finance").delete()
    after = ask("refund budget valve", limit=10)
    assert after.passages == before.passages
    assert after.plan == before.plan == DensePlan.EXACT
