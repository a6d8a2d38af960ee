"""What documents tell, passed on to what keeps the index true to it.

Statistics change in the transaction that changed what is in force, so these receivers run in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from retrieval.indexing import drop_revisions
from retrieval.statistics import refresh_statistics


def on_in_force_changed(*, document_ids: Sequence[int], at: datetime, **_: object) -> None:
    """Bring the word statistics of the documents up to date."""
    refresh_statistics(document_ids, at=at)


def on_revisions_purged(*, revision_ids: Sequence[int], **_: object) -> None:
    """Remove everything computed from the revisions."""
    drop_revisions(revision_ids)
