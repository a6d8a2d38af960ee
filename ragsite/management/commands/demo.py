"""Load the demo organisation: groups, accounts, documents and their revisions."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.errors import ProductError
from ragsite.demonstration import load_demo


class Command(BaseCommand):
    """Load what is missing and print the new accounts' passwords, this once."""

    help = "Load the demo organisation; running it again changes nothing."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Load and print."""
        try:
            report = load_demo()
        except ProductError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{report.documents} documents, {report.added} new revisions.")
        for username, password in report.new_passwords.items():
            self.stdout.write(f"  {username}  {password}")
        self.stdout.write(f"The demo's passwords are kept in {report.passwords_path}.")
        for failure in report.failed:
            self.stderr.write(f"failed: {failure.file} ({failure.code}) {failure.message}")
        if report.failed:
            sys.exit(1)
