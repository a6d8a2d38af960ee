"""`manage.py explain_access`: may this reader read this document at this moment, and why."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from documents.conf import organisation_zone
from documents.errors import InvalidInput
from documents.intervals import parse_moment
from documents.models import Document
from documents.visibility import explain_access


class Command(BaseCommand):
    """Explain one reader's access to one document."""

    help = "Say whether a reader may read a document at a moment, and by which rule."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the document's public id, the reader, and the moment."""
        parser.add_argument("document", type=UUID, help="the document's public id")
        parser.add_argument("--user", default="", help="an account; nobody signed in when left out")
        parser.add_argument("--as-of", default="", help="an ISO date or moment; now when left out")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        """Print the answer.

        Raises: CommandError for an unknown document, account or moment.
        """
        document = Document.objects.filter(public_id=options["document"]).first()
        if document is None:
            raise CommandError("There is no such document.")
        reader: User | AnonymousUser | None = AnonymousUser()
        if options["user"]:
            reader = User.objects.filter(username=options["user"]).first()
        if reader is None:
            raise CommandError("There is no such account.")
        at = timezone.now()
        if options["as_of"]:
            try:
                at = parse_moment(options["as_of"], zone=organisation_zone())
            except InvalidInput as error:
                raise CommandError(error.message) from error
        answer = explain_access(reader, document, at=at)
        if options["json"]:
            values = {"allowed": answer.allowed, "rule": answer.rule, "sentence": answer.sentence}
            self.stdout.write(json.dumps(values | {"as_of": at.isoformat()}))
            return
        self.stdout.write(f"{'Yes' if answer.allowed else 'No'} ({answer.rule}): {answer.sentence}")
