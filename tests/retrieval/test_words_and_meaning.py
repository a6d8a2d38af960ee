"""What each way of searching finds with the real model: identifiers by words, paraphrase not."""

from __future__ import annotations

import pytest
from django.utils import timezone

from documents.visibility import scope_for_groups
from retrieval.conf import retrieval_config
from retrieval.pipeline import retrieve_evidence
from retrieval.registry import get_embedder
from retrieval.types import Question, SearchMode
from tests.builders import build_document, build_group
from tests.searching import indexing_with
from tests.world import EARLIER

pytestmark = [pytest.mark.db, pytest.mark.model]

TEXTS = {
    "Backups": "Backups are retained for 30 days.",
    "Spare parts": "Valve IX-2350-B replaces valve IX-2340-B.",
    "Tax forms": "Rents are reported on form 1099-MISC.",
    "Builds": "Throughput degradation in continuous integration comes from a full cache.",
    "Canteen": "The canteen opens at noon and serves soup.",
    "Bicycles": "Bicycles stand behind the hall.",
}


@pytest.fixture
def titles_found():
    """Search as anyone signed in, with the real model, and give the titles, best first."""
    model = get_embedder(precision="float32")
    with indexing_with(model):
        group = build_group("rules", reach="signed_in")
        for title, text in TEXTS.items():
            build_document(title, text, group, starts_at=EARLIER)

        def search(text, *, mode=SearchMode.HYBRID):
            retrieval = retrieve_evidence(
                Question(text=text, mode=mode),
                scope_for_groups(frozenset(), at=timezone.now()),
                embedder=model,
                config=retrieval_config(),
            )
            return [passage.document_title for passage in retrieval.passages]

        yield search


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How long are backups retained?", "Backups"),
        ("IX-2350-B", "Spare parts"),
        ("1099-MISC", "Tax forms"),
    ],
)
def test_its_own_words_and_identifiers_are_found_by_words(titles_found, question, title):
    assert titles_found(question, mode=SearchMode.LEXICAL) == [title]


@pytest.mark.parametrize(
    ("question", "title"),
    [("How long is recovery history kept?", "Backups"), ("why is my pipeline slow?", "Builds")],
)
def test_a_paraphrase_is_missed_by_words_and_found_by_meaning(titles_found, question, title):
    assert titles_found(question, mode=SearchMode.LEXICAL) == []
    assert titles_found(question, mode=SearchMode.DENSE)[0] == title
    assert titles_found(question)[0] == title
