"""The answers app's product settings, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from answers.sentence_scores import SentenceWeights

PACKAGED_CALIBRATION = Path(__file__).resolve().parent / "calibration.json"
BOUNDS: dict[str, tuple[float, float]] = {
    "passages": (1, 100),
    "evidence_tokens": (0, 1_000_000),
    "most_overlap": (0, 1),
    "answer_sentences": (1, 3),
    "answer_max_chars": (100, 900),
    "answer_target_chars": (50, 900),
    "least_sentence_share": (0, 1),
    "least_word_share": (0, 1),
    "similarity_weight": (0, 10),
    "neighbour_weight": (0, 10),
    "passage_weight": (0, 10),
    "words_weight": (0, 10),
    "amount_weight": (0, 10),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConfig:
    """How answers are made; each key is described in docs/settings.md.

    Units: tokens by the writer's own tokenizer; characters are code points; shares and
    `confidence_threshold` are 0 to 1, None takes the calibrated threshold; weights have no unit.
    """

    writer: str
    passages: int
    evidence_tokens: int
    most_overlap: float
    answer_sentences: int
    answer_max_chars: int
    answer_target_chars: int
    least_sentence_share: float
    least_word_share: float
    similarity_weight: float
    neighbour_weight: float
    passage_weight: float
    words_weight: float
    amount_weight: float
    confidence_threshold: float | None
    calibration_file: str

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        for key, (low, high) in BOUNDS.items():
            value = getattr(self, key)
            if isinstance(value, bool) or not low <= value <= high:
                raise ImproperlyConfigured(f"ANSWERS[{key!r}] must be {low:g} to {high:g}.")
        threshold = self.confidence_threshold
        if threshold is not None and not 0 <= threshold <= 1:
            raise ImproperlyConfigured("ANSWERS['confidence_threshold'] must be 0 to 1, or None.")
        if self.answer_target_chars > self.answer_max_chars:
            raise ImproperlyConfigured("ANSWERS['answer_target_chars'] exceeds the maximum.")

    @property
    def sentence_weights(self) -> SentenceWeights:
        """Give the weights by which sentences are scored."""
        return SentenceWeights(
            similarity=self.similarity_weight,
            neighbour=self.neighbour_weight,
            passage=self.passage_weight,
            words=self.words_weight,
            amount=self.amount_weight,
        )

    @property
    def calibration_path(self) -> Path:
        """Give the file that `manage.py calibrate` wrote."""
        return Path(self.calibration_file) if self.calibration_file else PACKAGED_CALIBRATION


@cache
def answer_config() -> AnswerConfig:
    """Return the checked settings.

    Raises: ImproperlyConfigured for an unknown or missing key, or a value out of bounds.
    """
    try:
        return AnswerConfig(**settings.ANSWERS)  # type: ignore[misc]  # our own key
    except TypeError as error:
        raise ImproperlyConfigured(f"settings.ANSWERS: {error}") from error
