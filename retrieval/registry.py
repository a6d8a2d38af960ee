"""One embedder per process and precision, loaded on first use, after any fork.

The heavy libraries are imported here, inside the functions, so that commands and workers that
need no model never pay for them.
"""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from retrieval.conf import retrieval_config
from retrieval.protocols import Embedder, Precision

if TYPE_CHECKING:
    from retrieval.models_local import LocalEmbedder

_lock = threading.Lock()
_embedders: dict[tuple[str, Precision], "LocalEmbedder"] = {}
_measured: dict[str, Precision] = {}  # before there is an index
_chosen: dict[str, Precision] = {}  # by the active index


def get_embedder(*, precision: Precision | None = None) -> Embedder:
    """Give the configured embedder, in the precision of an index or else the configured one.

    Raises: ModelUnavailable naming the path and the reason.
    """
    from retrieval import models_local

    config = retrieval_config()
    path = (
        Path(config.embedder_path) if config.embedder_path else models_local.packaged_model_path()
    )
    with _lock:
        wanted = precision or _configured_precision(path)
        key = (str(path), wanted)
        if key not in _embedders:
            _embedders[key] = models_local.LocalEmbedder(
                path,
                name=config.embedder_name,
                languages=frozenset(config.embedder_languages),
                precision=wanted,
                batch_size=config.embedding_batch,
                threads=config.embedding_threads,
            )
        return _embedders[key]


def is_embedder_loaded() -> bool:
    """Say whether this process has a model ready, without loading one."""
    return bool(_embedders)


def _configured_precision(path: Path) -> Precision:
    """Give the configured precision; "auto" is that of the active index, or else measured once.

    What the index was made with decides, also for a process that measured before there was one:
    measurements differ on a busy machine, and then it could not search what another indexed.
    """
    from retrieval import models_local
    from retrieval.models import SearchIndex

    choice = retrieval_config().embedder_precision
    if choice != "auto":
        return choice
    if str(path) not in _chosen:
        index = SearchIndex.objects.filter(status=SearchIndex.Status.ACTIVE).first()
        known = {name: name for name in get_args(Precision)}
        if index is None:
            if str(path) not in _measured:
                _measured[str(path)] = models_local.faster_precision(path)
            return _measured[str(path)]
        _chosen[str(path)] = known[index.precision]
    return _chosen[str(path)]
