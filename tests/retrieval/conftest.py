"""Texts made searchable with a fake model, and ways to ask about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from documents.visibility import scope_for_groups
from retrieval.conf import retrieval_config
from retrieval.pipeline import retrieve_evidence
from retrieval.results import RankedPassage, Retrieval
from retrieval.types import Question
from tests.builders import build_group
from tests.fakes import FakeEmbedder
from tests.searching import indexing_builders

Ask = Callable[..., Retrieval]
SMALL_PASSAGES = {
    "max_tokens": 32,
    "prefix_tokens": 8,
    "overlap_tokens": 0,
    "merge_below_tokens": 0,
}


@pytest.fixture
def embedder(db) -> Iterator[FakeEmbedder]:
    """The fake model, with which builders index what they make."""
    with indexing_builders() as model:
        yield model


@pytest.fixture
def rules(embedder):
    """A group that everyone signed in may read."""
    return build_group("rules", reach="signed_in")


@pytest.fixture
def ask(embedder) -> Ask:
    """Ask as a signed-in member of Django groups; further words go to the question."""

    def ask_as(
        text: str,
        *,
        groups: Sequence[str] = (),
        at: datetime | None = None,
        config: dict[str, Any] | None = None,
        **question: Any,
    ) -> Retrieval:
        return retrieve_evidence(
            Question(text=text, **question),
            scope_for_groups(frozenset(groups), at=at or timezone.now()),
            embedder=embedder,
            config=replace(retrieval_config(), **(config or {})),
        )

    return ask_as


@pytest.fixture
def small_passages(settings) -> None:
    """Split into passages of a few words, each paragraph its own."""
    settings.RETRIEVAL = SMALL_PASSAGES


def texts_of(retrieval: Retrieval) -> list[str]:
    """Return the found texts, best first."""
    return [passage.text.strip() for passage in retrieval.passages]


def titles_of(retrieval: Retrieval) -> list[str]:
    """Return the titles of the found documents, best first."""
    return [passage.document_title for passage in retrieval.passages]


def place_of(passage: RankedPassage) -> tuple[str, int, int]:
    """Return what names a passage to a reader of a test."""
    return passage.document_title, passage.revision_number, passage.start
