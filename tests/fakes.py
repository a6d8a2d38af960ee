"""Stand-ins for models: deterministic, fast, and held to the same contracts as the real ones."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence

from retrieval.errors import PassageTooLong
from retrieval.protocols import Precision
from retrieval.types import Vector

_WORD = re.compile(r"\w+")


class FakeEmbedder:
    """A hashed bag of words: texts that share words are near, equal texts are equal."""

    def __init__(
        self,
        *,
        width: int = 384,
        max_tokens: int = 254,
        languages: frozenset[str] = frozenset({"en"}),
        name: str = "fake-words",
    ) -> None:
        self.name = name
        self.width = width
        self.max_tokens = max_tokens
        self.languages = languages
        self.precision: Precision = "float32"
        self.fingerprint = hashlib.sha256(f"{name} {width} {max_tokens}".encode()).hexdigest()
        self.embedded: list[str] = []

    def embed_question(self, text: str) -> Vector:
        return self._vector(text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        for text in texts:
            if self.count_tokens(text) > self.max_tokens:
                raise PassageTooLong("A text is too long for the fake model.")
        self.embedded.extend(texts)
        return [self._vector(text) for text in texts]

    def count_tokens(self, text: str) -> int:
        return len(_WORD.findall(text))

    def _vector(self, text: str) -> Vector:
        counts = Counter(_WORD.findall(text.lower()))
        numbers = [0.0] * self.width
        numbers[0] = 0.01  # a text without words still has a direction
        for word, times in counts.items():
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            numbers[int.from_bytes(digest, "big") % self.width] += math.sqrt(times)
        length = math.hypot(*numbers)
        return [number / length for number in numbers]
