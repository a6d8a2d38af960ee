"""An embedder that never embeds a text twice, across runs: measurements re-index the same texts."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.protocols import Embedder, Precision


class RememberingEmbedder:
    """The real embedder with its vectors kept in a file named by its fingerprint."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self._store = sqlite3.connect(folder / f"vectors-{embedder.fingerprint[:16]}.sqlite")
        self._store.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB)")
        self.asked = 0
        self.computed = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def width(self) -> int:
        return self._embedder.width

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def precision(self) -> Precision:
        return self._embedder.precision

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def languages(self) -> frozenset[str]:
        return self._embedder.languages

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_question(self, text: str) -> list[float]:
        key = hashlib.sha256(b"question\0" + text.encode()).digest()
        known = self._find(key)
        if known is None:
            known = self._embedder.embed_question(text)
            self._keep({key: known})
        return known

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        found = {key: self._find(key) for key in keys}
        missing = [(key, text) for key, text in zip(keys, texts, strict=True) if found[key] is None]
        self.asked += len(texts)
        self.computed += len(missing)
        made = self._embedder.embed_passages([text for _, text in missing]) if missing else []
        fresh = {key: vector for (key, _), vector in zip(missing, made, strict=True)}
        self._keep(fresh)
        return [found[key] or fresh[key] for key in keys]

    def _find(self, key: bytes) -> list[float] | None:
        row = self._store.execute("SELECT value FROM vector WHERE key = ?", [key]).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32).tolist()

    def _keep(self, vectors: dict[bytes, list[float]]) -> None:
        self._store.executemany(
            "INSERT OR REPLACE INTO vector VALUES (?, ?)",
            [(key, np.asarray(vector, np.float32).tobytes()) for key, vector in vectors.items()],
        )
        self._store.commit()
