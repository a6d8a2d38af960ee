"""System checks: what would otherwise come to light only when somebody asks a question."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connections

from answers.conf import answer_config
from documents.conf import documents_config, organisation_zone
from retrieval.conf import retrieval_config


@register()
def check_product_settings(**_: Any) -> list[CheckMessage]:
    """Read every product knob once, with its bounds."""
    problems: list[CheckMessage] = []
    for read in (documents_config, retrieval_config, answer_config, organisation_zone):
        try:
            read()
        except (ImproperlyConfigured, KeyError, OSError, ValueError) as error:
            problems.append(
                Error(str(error), hint="docs/settings.md says what is meant.", id="ragsite.E001")
            )
    return problems


@register()
def check_statements_stay_unprepared(**_: Any) -> list[CheckMessage]:
    """Refuse options that would let PostgreSQL plan a search once for every reader.

    A prepared search may get a generic plan: the same one went from 47 ms to 588 ms.
    """
    return [
        Error(
            f"DATABASES[{alias!r}] has the option {option}.",
            hint="Leave Django's defaults: bound by the client, never prepared.",
            id="ragsite.E002",
        )
        for alias, database in settings.DATABASES.items()
        for option in ("server_side_binding", "prepare_threshold")
        if database.get("OPTIONS", {}).get(option) is not None
    ]


@register(Tags.database)
def check_databases(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Ask each named database for its version, pgvector and migrations."""
    problems: list[CheckMessage] = []
    for alias in databases or []:
        try:
            connections[alias].ensure_connection()
        except OperationalError as error:
            problems.append(Error(str(error), id="ragsite.E003"))
    return problems
