"""The whole way from a text to searchable passages, with the fake model."""

import functools

import pytest

from documents import work
from documents.models import Revision
from retrieval import registry
from retrieval.indexing import index_revision
from tests.builders import add_text, publish_at
from tests.fakes import FakeEmbedder


@pytest.fixture
def fake_index():
    """Index with the fake embedder for as long as the test runs."""
    embedder = FakeEmbedder()
    work.register_step(work.INDEX, functools.partial(index_revision, embedder=embedder))
    yield embedder
    work.register_step(
        work.INDEX, lambda lease: index_revision(lease, embedder=registry.get_embedder())
    )


def index_text(document, text, starts_at, *, original_name=""):
    """Add a revision, publish it from a moment, and do what is owed to it."""
    revision = add_text(document, text, original_name=original_name)
    publish_at(revision, starts_at)
    while work.has_unfinished([revision.pk]):
        work.take_owed(limit=10)
    revision = Revision.objects.get(pk=revision.pk)
    assert revision.status == "ready", revision.failure_message
    return revision
