"""Typed readers of the environment. The only module that looks at os.environ."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})


def read_text(name: str, default: str) -> str:
    """Return the variable as text, or the default where it is unset or empty."""
    return os.environ.get(name) or default


def read_required(name: str) -> str:
    """Return the variable as text.

    Raises: ImproperlyConfigured naming the variable where it is unset or empty.
    """
    value = os.environ.get(name)
    if not value:
        raise ImproperlyConfigured(f"The environment variable {name} must be set.")
    return value


def read_flag(name: str, *, default: bool) -> bool:
    """Return the variable as a boolean (1/true/yes/on or 0/false/no/off).

    Raises: ImproperlyConfigured for any other word.
    """
    word = os.environ.get(name, "").strip().lower()
    if not word:
        return default
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {word!r}.")


def read_number(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """Return the variable as a whole number within its bounds.

    Raises: ImproperlyConfigured where it is no number or out of bounds.
    """
    word = os.environ.get(name, "").strip()
    if not word:
        return default
    try:
        number = int(word)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {word!r}.") from error
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(f"{name} must be between {minimum} and {maximum}.")
    return number


def read_list(name: str, default: list[str]) -> list[str]:
    """Return a comma-separated variable as a list of trimmed words."""
    word = os.environ.get(name)
    if not word:
        return default
    return [part.strip() for part in word.split(",") if part.strip()]


def read_path(name: str, default: Path) -> Path:
    """Return the variable as an absolute path."""
    return Path(os.environ.get(name) or default).expanduser().absolute()
