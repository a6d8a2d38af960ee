"""What a model or a splitter must offer to take part. No implementations."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from retrieval.types import Vector

Precision = Literal["float32", "bfloat16"]
TokenCounter = Callable[[str], int]


class Embedder(Protocol):
    """Turns texts into vectors of unit length.

    Invariant: the same fingerprint means the same weights, configuration and precision, so
    vectors of one SearchIndex may be compared.
    """

    @property
    def name(self) -> str:
        """Name the model; stored beside every index."""

    @property
    def width(self) -> int:
        """Count the numbers of a vector."""

    @property
    def fingerprint(self) -> str:
        """Identify weights, configuration and precision: a sha256 in hexadecimal."""

    @property
    def precision(self) -> Precision:
        """Say in which number format the model computes."""

    @property
    def max_tokens(self) -> int:
        """Give the most tokens of one text, as `count_tokens` counts them."""

    @property
    def languages(self) -> frozenset[str]:
        """Give the languages that the model knows, as primary BCP 47 codes."""

    def embed_question(self, text: str) -> Vector:
        """Embed a question, whatever characters it holds.

        One beyond `max_tokens` is read in parts, all of which count.
        """

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts, in their order.

        Raises: PassageTooLong for a text beyond `max_tokens`.
        """

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text by the model's own tokenizer, without its own markers."""
