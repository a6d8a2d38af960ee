"""Fixtures of the tests that import whole folders."""

import functools

import pytest

from documents import work
from retrieval import registry
from retrieval.indexing import index_revision
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
