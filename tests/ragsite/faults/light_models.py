"""What registry.py asks of retrieval.models_local, with the fake embedder: loads in no time."""

from pathlib import Path

from retrieval.protocols import Precision
from tests.fakes import FakeEmbedder


def packaged_model_path() -> Path:
    return Path(__file__)


def faster_precision(_path: Path) -> Precision:
    return "float32"


class LocalEmbedder(FakeEmbedder):
    def __init__(self, _path: Path, *, languages: frozenset[str], **_others: object) -> None:
        super().__init__(languages=languages)
