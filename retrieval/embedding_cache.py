"""Vectors already computed for an index within one visibility group. Never across groups."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from retrieval.models import Passage, SearchIndex, Sentence
from retrieval.types import Vector


def find_known_vectors(
    index: SearchIndex, *, group_id: int, hashes: Sequence[UUID]
) -> dict[UUID, Vector]:
    """Return by hash the vectors that documents of the group have in the index.

    Other groups' vectors are never looked at: how fast an upload is must tell nothing about them.
    """
    known: dict[UUID, Vector] = {}
    passages = Passage.objects.filter(
        index=index,
        revision__document__visibility_group=group_id,
        embedded_hash__in=hashes,
    )
    known.update(passages.values_list("embedded_hash", "embedding"))
    sentences = Sentence.objects.filter(
        passage__index=index,
        passage__revision__document__visibility_group=group_id,
        embedded_hash__in=hashes,
    )
    known.update(sentences.values_list("embedded_hash", "embedding"))
    return known
