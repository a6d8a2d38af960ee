"""What answers are made with: models, settings, curve and writer, chosen once by an edge."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from answers.conf import AnswerConfig, answer_config
from answers.confidence import FEATURES, Calibration
from answers.errors import UnknownWriter
from answers.grounding import DeterministicChecker
from answers.protocols import AnswerWriter, ClaimChecker
from answers.writers.extractive import ExtractiveParams, ExtractiveWriter
from retrieval.conf import RetrievalConfig, retrieval_config
from retrieval.protocols import Embedder
from retrieval.types import SearchMode

WRITERS = (ExtractiveWriter.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSetup:
    """Everything that shapes an answer besides the question and its reader."""

    embedder: Embedder
    retrieval: RetrievalConfig
    config: AnswerConfig
    calibration: Calibration
    writer: AnswerWriter
    checker: ClaimChecker
    mode: SearchMode = SearchMode.HYBRID

    @property
    def threshold(self) -> float:
        """Give the confidence below which a question is refused."""
        configured = self.config.confidence_threshold
        return self.calibration.threshold if configured is None else configured


def default_setup(embedder: Embedder, *, writer_name: str | None = None) -> AnswerSetup:
    """Return the setup that the settings describe, with another writer where one is named.

    Raises: UnknownWriter; ImproperlyConfigured for settings or a calibration that cannot be used.
    """
    config = answer_config()
    return AnswerSetup(
        embedder=embedder,
        retrieval=retrieval_config(),
        config=config,
        calibration=read_calibration(config.calibration_path),
        writer=make_writer(writer_name or config.writer, config, embedder),
        checker=DeterministicChecker(least_word_share=config.least_word_share),
    )


def make_writer(name: str, config: AnswerConfig, embedder: Embedder) -> AnswerWriter:
    """Return the writer of that name.

    Raises: UnknownWriter.
    """
    if name != ExtractiveWriter.name:
        raise UnknownWriter(f"There is no writer {name[:40]!r}; known: {', '.join(WRITERS)}.")
    params = ExtractiveParams(
        sentences=config.answer_sentences,
        max_chars=config.answer_max_chars,
        target_chars=config.answer_target_chars,
        least_share=config.least_sentence_share,
    )
    return ExtractiveWriter(params=params, count_tokens=embedder.count_tokens)


@cache
def read_calibration(path: Path) -> Calibration:
    """Return the curve that `manage.py calibrate` wrote.

    Raises: ImproperlyConfigured where the file is missing or not one of ours.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        features = value["features"]
        calibration = Calibration(
            means={name: float(features[name]["mean"]) for name in FEATURES},
            spreads={name: float(features[name]["spread"]) for name in FEATURES},
            weights={name: float(features[name]["weight"]) for name in FEATURES},
            bias=float(value["bias"]),
            threshold=float(value["threshold"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ImproperlyConfigured(f"{path} is no calibration: {error}") from error
    if not all(spread > 0 for spread in calibration.spreads.values()):
        raise ImproperlyConfigured(f"{path}: every spread must be above 0.")
    return calibration
