"""Makes revisions searchable in tests by the product's own indexing, mostly with a fake model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest

from documents import services, work
from documents.models import Document, Revision, Work
from retrieval import registry
from retrieval.protocols import Embedder
from tests import builders
from tests.fakes import FakeEmbedder


@contextmanager
def model_in_use(model: Embedder) -> Iterator[None]:
    """Let every edge, and the owed step that indexes, use the model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "get_embedder", lambda **_: model)
        yield


@contextmanager
def indexing_with(model: Embedder) -> Iterator[None]:
    """Let every builder index what it makes ready, with the model."""
    with model_in_use(model), pytest.MonkeyPatch.context() as patch:
        patch.setattr(builders, "make_text_ready", make_searchable)
        yield


@contextmanager
def fake_model(embedder: FakeEmbedder | None = None) -> Iterator[FakeEmbedder]:
    """Let every edge, and the owed step that indexes, use the fake model."""
    model = embedder or FakeEmbedder()
    with model_in_use(model):
        yield model


@contextmanager
def indexing_builders(embedder: FakeEmbedder | None = None) -> Iterator[FakeEmbedder]:
    """Let every builder index what it makes ready, with the fake model."""
    model = embedder or FakeEmbedder()
    with indexing_with(model):
        yield model


def make_searchable(revision: Revision) -> None:
    """Read the file in this process and do the indexing that is owed, as a worker would."""
    owed = owe_indexing(revision)
    assert work.take_step(owed.pk)
    revision = Revision.objects.get(pk=revision.pk)
    assert revision.status == Revision.Status.READY, revision.failure_message


def owe_indexing(revision: Revision) -> Work:
    """Read the file in this process, so that only its indexing is owed."""
    canonical = builders.read_in_process(revision)
    Revision.objects.filter(pk=revision.pk).update(
        text=canonical.text,
        text_sha256=services.text_fingerprint(canonical.text),
        language=revision.document.language or canonical.language,
        layout=canonical.layout.to_json(),
        warnings=list(canonical.warnings),
        status=Revision.Status.SPLITTING,
    )
    Work.objects.filter(revision=revision).update(state=Work.State.DONE)
    return work.owe(revision.pk, work.INDEX)


def index_text(
    document: Document, text: str, starts_at: datetime, *, original_name: str = ""
) -> Revision:
    """Add a revision, order its publication from a moment, and do what is owed to it."""
    revision = builders.add_text(document, text, original_name=original_name)
    builders.publish_at(revision, starts_at)
    make_searchable(revision)
    return Revision.objects.get(pk=revision.pk)
