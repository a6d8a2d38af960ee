"""What a refusal says to a person: why there is no answer and what may be done next."""

from __future__ import annotations

from dataclasses import dataclass

from answers.types import RefusalReason


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalWords:
    """A headline and its explanation."""

    headline: str
    explanation: str


WORDS: dict[RefusalReason, RefusalWords] = {
    RefusalReason.NOTHING_TO_SEARCH_FOR: RefusalWords(
        headline="There is no word in this question to look for.",
        explanation="Only very common words or signs were left of it.",
    ),
    RefusalReason.NO_EVIDENCE: RefusalWords(
        headline="Nothing that you may read speaks of this.",
        explanation="No passage in force at that moment holds these words or comes near them.",
    ),
    RefusalReason.LOW_RETRIEVAL_CONFIDENCE: RefusalWords(
        headline="Nothing that you may read answers this well enough.",
        explanation="Passages were found, but none that is sure to support an answer. Rather than "
        "guess, none is given.",
    ),
    RefusalReason.INSUFFICIENT_CONTEXT: RefusalWords(
        headline="What was found does not make an answer.",
        explanation="Passages come near the question, but none of their sentences answers it.",
    ),
    RefusalReason.UNVERIFIED_CLAIM: RefusalWords(
        headline="An answer was written and did not stand up.",
        explanation="No claim in it was carried by the words that it cited, so it is not shown.",
    ),
    RefusalReason.EVIDENCE_WITHDRAWN: RefusalWords(
        headline="What this answer stood on can no longer be read.",
        explanation="Its sources were deleted, withdrawn or closed to you since, so the answer is "
        "withheld with them.",
    ),
    RefusalReason.TIME_BUDGET: RefusalWords(
        headline="The answer took too long.",
        explanation="It was stopped at its time limit. Nothing half-checked is shown.",
    ),
    RefusalReason.OVER_BUDGET: RefusalWords(
        headline="The passages found are too long to answer from.",
        explanation="None of them fits what may be read at once for one answer.",
    ),
    RefusalReason.INVALID_QUESTION: RefusalWords(
        headline="This question cannot be used.",
        explanation="It holds something that cannot be searched for.",
    ),
}

REWORD = "Ask with the words that a document would use: names, numbers, identifiers."
SPLIT = "Ask one thing at a time."
WAIT = "Ask again in a moment."
STEPS: dict[RefusalReason, tuple[str, ...]] = {
    RefusalReason.INSUFFICIENT_CONTEXT: (REWORD, SPLIT),
    RefusalReason.UNVERIFIED_CLAIM: (REWORD, SPLIT),
    RefusalReason.EVIDENCE_WITHDRAWN: ("Ask again: what is in force now may answer it.",),
    RefusalReason.TIME_BUDGET: (WAIT, SPLIT),
    RefusalReason.OVER_BUDGET: (SPLIT,),
}


def words_of(reason: RefusalReason) -> RefusalWords:
    """Return headline and explanation of a reason."""
    return WORDS[reason]


def steps_after(reason: RefusalReason) -> tuple[str, ...]:
    """Return what may be done after a refusal for this reason."""
    return STEPS.get(reason, (REWORD,))
