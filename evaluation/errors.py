"""Errors of evaluation."""

from __future__ import annotations

from documents.errors import ProductError


class SuiteInvalid(ProductError):
    """A suite of questions, or a gate file, cannot be used; the message names the place."""

    code = "invalid_suite"


class UnknownName(ProductError):
    """A configuration or a metric of this name does not exist."""

    code = "unknown_name"
