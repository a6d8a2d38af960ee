"""What the search statement fuses equals what fusion.py fuses, on random texts."""

import random

import pytest
from django.utils import timezone

from documents.models import VisibilityGroup
from documents.visibility import scope_for_groups
from retrieval.analysis import analyse_question
from retrieval.conf import retrieval_config
from retrieval.fusion import Scored, fuse_ranks, fuse_scores, fuse_shares
from retrieval.indexing import ensure_active_index
from retrieval.search import PermittedSearch, SearchRequest
from retrieval.types import Question, SearchFilters
from tests.builders import build_document, build_group
from tests.world import EARLIER

pytestmark = pytest.mark.db

WORDS = ["refund", "budget", "valve", "seal", "member", "board", "notice", "appeal", "fee"]
SEEDS = range(3)
WEIGHTS = (1.0, 0.85)


def search(embedder, settings, *, fusion, seed):
    settings.RETRIEVAL = {**settings.RETRIEVAL, "fusion": fusion, "dense_weight": WEIGHTS[1]}
    rng = random.Random(seed)  # noqa: S311 - random texts, no secrets
    group = build_group("lab", reach=VisibilityGroup.Reach.SIGNED_IN)
    for number in range(12):
        text = "\n\n".join(
            f"# {rng.choice(WORDS)}\n\n" + " ".join(rng.choices(WORDS, k=rng.randint(3, 60))) + "."
            for _ in range(4)
        )
        build_document(f"Rules {number}", text, group, starts_at=EARLIER)
    config = retrieval_config()
    text = " ".join(rng.sample(WORDS, 3))
    request = SearchRequest(
        question=Question(text=text, limit=100),
        terms=analyse_question(text, language="en"),
        vector=embedder.embed_question(text),
        lexical_weight=WEIGHTS[0],
        dense_weight=WEIGHTS[1],
        foreign_weight=0.0,
        known_languages=embedder.languages,
    )
    index = ensure_active_index(embedder, config)
    scope = scope_for_groups(frozenset(), at=timezone.now())
    permitted = PermittedSearch(index, scope, filters=SearchFilters(), config=config)
    return permitted.find(request, census=permitted.take_census())


def key(passage):
    return passage.document_id, passage.revision_number, passage.start


def lists(found):
    words = [p for p in found.passages if p.lexical_rank is not None]
    meaning = [p for p in found.passages if p.dense_rank is not None]
    words.sort(key=lambda passage: passage.lexical_rank)
    meaning.sort(key=lambda passage: passage.dense_rank)
    return (
        [Scored(key(passage), passage.lexical_score) for passage in words],
        [Scored(key(passage), passage.similarity) for passage in meaning],
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fusion", ["ranks", "scores", "shares"])
def test_the_statement_fuses_as_python_does(embedder, settings, fusion, seed):
    found = search(embedder, settings, fusion=fusion, seed=seed)
    total = sum(found.term_weights[term] for term in found.known_terms)
    words, meaning = lists(found)
    if fusion == "ranks":
        keys = [[scored.key for scored in members] for members in (words, meaning)]
        expected = fuse_ranks(keys, constant=60, weights=WEIGHTS)
    elif fusion == "scores":
        expected = fuse_scores([words, meaning], weights=WEIGHTS)
    else:
        expected = fuse_shares(words, meaning, question_total=total, weights=WEIGHTS)
    assert len(found.passages) > 10
    assert len(words) > 10
    assert [passage.score for passage in found.passages] == pytest.approx(
        [scored.score for scored in expected], abs=1e-6
    )
    rounded = {scored.key: round(scored.score, 6) for scored in expected}
    assert [round(p.score, 6) for p in found.passages] == [rounded[key(p)] for p in found.passages]
