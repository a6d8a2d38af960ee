"""The named configurations that a suite can be run with, from settings.EVALUATION."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from answers.setup import AnswerSetup
from evaluation.errors import UnknownName
from retrieval.types import SearchMode

DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """What a named configuration changes: the mode, and knobs that need no other index."""

    mode: str | None = None
    retrieval: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """The settings of evaluation; each key is described in docs/settings.md."""

    configs: Mapping[str, Mapping[str, Any]]


@cache
def evaluation_config() -> EvaluationConfig:
    """Return the checked settings.

    Raises: ImproperlyConfigured for an unknown or missing key.
    """
    try:
        return EvaluationConfig(**settings.EVALUATION)  # type: ignore[misc]  # our own key
    except TypeError as error:
        raise ImproperlyConfigured(f"settings.EVALUATION: {error}") from error


def vary_setup(setup: AnswerSetup, *, name: str) -> AnswerSetup:
    """Return the setup as the named configuration changes it; `default` changes nothing.

    Raises: UnknownName; ImproperlyConfigured for a knob that does not exist or is out of bounds.
    """
    if name == DEFAULT:
        return setup
    configs = evaluation_config().configs
    if name not in configs:
        known = ", ".join([DEFAULT, *sorted(configs)])
        raise UnknownName(f"There is no configuration {name!r}; there are {known}.")
    try:
        variation = Variation(**configs[name])
        return replace(
            setup,
            mode=SearchMode(variation.mode) if variation.mode else setup.mode,
            retrieval=replace(setup.retrieval, **variation.retrieval),
            config=replace(setup.config, **variation.answers),
        )
    except (TypeError, ValueError) as error:
        raise ImproperlyConfigured(f"settings.EVALUATION, {name}: {error}") from error
