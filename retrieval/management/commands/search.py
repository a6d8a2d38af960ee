"""`manage.py search`: ranked passages with their spans, as a reader."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.command_readers import add_reader_arguments, read_scope
from documents.errors import ProductError
from retrieval import registry
from retrieval.conf import retrieval_config
from retrieval.pipeline import retrieve_evidence
from retrieval.results import RankedPassage, Retrieval
from retrieval.types import Question, SearchMode

MAX_LIMIT = 100
PREVIEW_CHARS = 300


class Command(BaseCommand):
    """Search as an account or as a member of groups."""

    help = "Ranked passages with spans, for a reader at a moment."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("question")
        add_reader_arguments(parser)
        parser.add_argument(
            "--limit",
            type=int,
            choices=range(1, MAX_LIMIT + 1),
            default=10,
            metavar=f"1..{MAX_LIMIT}",
        )
        parser.add_argument(
            "--mode", choices=[mode.value for mode in SearchMode], default=SearchMode.HYBRID.value
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *_args: str, **options: Any) -> None:
        """Parse, search, print."""
        scope = read_scope(user=options["user"], groups=options["groups"], as_of=options["as_of"])
        question = Question(
            text=options["question"], mode=SearchMode(options["mode"]), limit=options["limit"]
        )
        try:
            retrieval = retrieve_evidence(
                question, scope, embedder=registry.get_embedder(), config=retrieval_config()
            )
        except ProductError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        if options["json"]:
            text = json.dumps(as_json(retrieval), ensure_ascii=False)
            # Bytes that are no UTF-8 reach a command as unpaired surrogates: JSON has escapes.
            self.stdout.write(text.encode("utf-8", "backslashreplace").decode())
        else:
            self._print(retrieval)

    def _print(self, retrieval: Retrieval) -> None:
        for passage in retrieval.passages:
            place = " > ".join([passage.document_title, *passage.heading_path])
            self.stdout.write(
                f"{passage.rank}. {place} (revision {passage.revision_number}, "
                f"{passage.start}-{passage.end})"
            )
            self.stdout.write("   " + " ".join(passage.text.split())[:PREVIEW_CHARS])
        self.stdout.write(
            f"{len(retrieval.passages)} of {retrieval.permitted_passages} passages, "
            f"{retrieval.plan.value}"
        )


def as_json(retrieval: Retrieval) -> dict[str, object]:
    """Return the stable JSON form of a search."""
    return {
        "question": retrieval.question.text,
        "as_of": retrieval.as_of.isoformat(),
        "plan": retrieval.plan.value,
        "permitted_passages": retrieval.permitted_passages,
        "passages": [_passage(passage) for passage in retrieval.passages],
    }


def _passage(passage: RankedPassage) -> dict[str, object]:
    return {
        "id": passage.public_id,
        "document": passage.document_slug,
        "revision": passage.revision_number,
        "original_name": passage.original_name,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "rank": passage.rank,
        "lexical_rank": passage.lexical_rank,
        "dense_rank": passage.dense_rank,
        "heading_path": list(passage.heading_path),
        "page": passage.page,
    }
