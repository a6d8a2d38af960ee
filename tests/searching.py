"""Makes revisions searchable in tests by the product's own indexing, with a fake model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from documents import services, work
from documents.models import Revision, Work
from retrieval import registry
from tests import builders
from tests.fakes import FakeEmbedder


@contextmanager
def indexing_builders(embedder: FakeEmbedder | None = None) -> Iterator[FakeEmbedder]:
    """Let every builder index what it makes ready, and every edge use the fake model."""
    model = embedder or FakeEmbedder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "get_embedder", lambda **_: model)
        patch.setattr(builders, "make_text_ready", make_searchable)
        yield model


def make_searchable(revision: Revision) -> None:
    """Read the file in this process and do the indexing that is owed, as a worker would."""
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
    owed = work.owe(revision.pk, work.INDEX)
    assert work.take_step(owed.pk)
    assert Revision.objects.get(pk=revision.pk).status == Revision.Status.READY
