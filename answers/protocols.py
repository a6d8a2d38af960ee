"""What a writer and a checker of claims must offer. No implementations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from answers.types import Brief, Draft, Fault


class AnswerWriter(Protocol):
    """Makes a draft of an answer from evidence and nothing else.

    Invariant: the same question and evidence give the same draft.
    """

    @property
    def name(self) -> str:
        """Name the writer; stored beside every answer."""

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text by the writer's own tokenizer."""

    def write(self, brief: Brief) -> Draft:
        """Write claims that cite spans of the evidence; none where nothing answers."""


class ClaimChecker(Protocol):
    """Judges whether the quotes of a claim carry what it says."""

    def find_fault(self, claim: str, quotes: Sequence[str]) -> Fault | None:
        """Give what the quotes do not carry; None where they carry all."""
