"""manage.py ask: answer a question as a reader, with its citations, or refuse with a reason."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from answers.errors import UnknownWriter
from answers.json_form import response_as_json
from answers.services import answer_question
from answers.setup import default_setup
from answers.types import AnswerResponse
from documents.command_readers import (
    WRONG_USAGE,
    add_reader_arguments,
    find_account,
    read_scope,
)
from documents.errors import ProductError
from retrieval.registry import get_embedder


class Command(BaseCommand):
    """Ask one question from the shell."""

    help = "Answer a question from what a reader may read, with citations, or refuse."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the question, its reader and the form of the output."""
        parser.add_argument("question", metavar="QUESTION")
        add_reader_arguments(parser)
        parser.add_argument("--writer", metavar="NAME", help="the writer; default: the settings'")
        parser.add_argument("--json", action="store_true", help="print the response as JSON")

    def handle(self, *_args: str, **options: Any) -> None:
        """Ask and print."""
        user = options["user"]
        scope = read_scope(user=user, groups=options["groups"], as_of=options["as_of"])
        try:
            response = answer_question(
                options["question"],
                scope=scope,
                asker=None if user is None else find_account(user),
                asked_at=timezone.now(),
                setup=default_setup(get_embedder(), writer_name=options["writer"]),
            )
        except UnknownWriter as error:
            raise CommandError(f"{error.code}: {error.message}", returncode=WRONG_USAGE) from error
        except ProductError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        if options["json"]:
            self.stdout.write(json.dumps(response_as_json(response), ensure_ascii=False, indent=2))
        else:
            self.stdout.write(_as_text(response))


def _as_text(response: AnswerResponse) -> str:
    if response.refused:
        return f"No answer: {response.refusal_reason} (confidence {response.confidence:.2f})."
    lines = []
    for claim in response.claims:
        marks = "".join(f" [{number}]" for number in claim.citations)
        lines.append(f"{claim.text}{marks}")
    for citation in response.citations:
        place = " > ".join(citation.heading_path)
        lines.append(
            f"[{citation.n}] {citation.document.title}, revision {citation.revision}, "
            f"{citation.start}-{citation.end}{': ' if place else ''}{place}"
        )
    return "\n\n".join(lines)
