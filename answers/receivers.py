"""News from documents: what is purged takes the claims that cite it along."""

from __future__ import annotations

from typing import Any

from answers.services import remove_purged


def remove_what_cites(*, revision_ids: list[int], **_: Any) -> None:
    """Remove what cites the revisions, in the sender's transaction."""
    remove_purged(revision_ids)
