"""The settings that are part of an index, compared with those of this process. Writes nothing."""

from __future__ import annotations

from dataclasses import asdict

from retrieval.conf import RetrievalConfig
from retrieval.errors import IndexSettingsChanged
from retrieval.models import SearchIndex

# Where the setting is called otherwise than the parameter that an index keeps.
SETTING_NAMES = {"scheme": "splitting_scheme", "threshold": "semantic_threshold"}


def find_changes(index: SearchIndex, config: RetrievalConfig) -> dict[str, tuple[object, object]]:
    """Return the settings that are not as the index was made with: its value, and the one now.

    What an index does not name came later than it, and says nothing of how it was made.
    """
    kept = {**index.splitter, **index.analysis}
    now = {**asdict(config.splitter), **asdict(config.bm25)}
    return {
        SETTING_NAMES.get(name, name): (kept[name], value)
        for name, value in now.items()
        if name in kept and kept[name] != value
    }


def check_settings(index: SearchIndex, config: RetrievalConfig) -> None:
    """Make sure that what is added to the index is split and weighed like what it holds.

    Raises: IndexSettingsChanged naming each setting, its two values and the way out.
    """
    changes = find_changes(index, config)
    if not changes:
        return
    named = "; ".join(
        f"{name} was {before!r} and is {now!r}" for name, (before, now) in sorted(changes.items())
    )
    raise IndexSettingsChanged(
        f"The active index was made with other settings of RETRIEVAL: {named}. "
        "Set them back, or build a new index."
    )
