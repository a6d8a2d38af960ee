"""Import a folder of documents and their dated revisions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ragsite.importing import ImportReport, import_folder


class Command(BaseCommand):
    """Parse, import, print. Exit status 1 where a file failed, 2 for wrong usage."""

    help = "Import a folder with an index.json, or plain files; ends when all is searchable."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the folder and the options."""
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument("--visibility", metavar="FILE", type=Path)
        parser.add_argument("--group", metavar="NAME")
        parser.add_argument("--encoding", metavar="NAME", default="")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Import the folder and print what came of it."""
        folder, visibility = options["folder"], options["visibility"]
        if not folder.is_dir():
            raise CommandError(f"{folder} is no folder.", returncode=2)
        if visibility is not None and not visibility.is_file():
            raise CommandError(f"{visibility} is no file.", returncode=2)
        report = import_folder(
            folder, visibility=visibility, group=options["group"], encoding=options["encoding"]
        )
        self.stdout.write(as_json(report) if options["as_json"] else as_text(report))
        if report.failed:
            sys.exit(1)


def as_json(report: ImportReport) -> str:
    """Return the report as the stable JSON document of this command."""
    return json.dumps(
        {
            "documents": report.documents,
            "revisions": report.revisions,
            "folded": report.folded,
            "passages": report.passages,
            "failed": [{"file": failure.file, "code": failure.code} for failure in report.failed],
            "seconds": {
                "total": round(report.total_seconds, 3),
                "embedding": round(report.embedding_seconds, 3),
            },
        },
        indent=2,
    )


def as_text(report: ImportReport) -> str:
    """Return the report for people."""
    lines = [
        f"{report.documents} documents, {report.revisions} revisions ({report.added} new), "
        f"{report.passages} passages.",
        f"{report.total_seconds:.1f} seconds, {report.embedding_seconds:.1f} of them embedding.",
    ]
    if report.folded:
        lines.insert(1, f"{report.folded} files equal to the one before them were folded into it.")
    lines += [f"failed: {item.file} ({item.code}) {item.message}" for item in report.failed]
    return "\n".join(lines)
