"""manage.py calibrate: fit the confidence of answers to labelled questions, into one file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from answers.conf import answer_config
from answers.setup import default_setup
from documents.conf import organisation_zone
from documents.errors import ProductError
from evaluation.calibrating import Calibrated, as_file, calibrate, read_suites
from evaluation.errors import SuiteInvalid
from retrieval.registry import get_embedder

WRONG_USAGE = 2


class Command(BaseCommand):
    """Calibrate on suites whose documents are imported, and print the whole trade-off."""

    help = "Fit the confidence of answers to labelled questions and choose its threshold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the suites and where the file goes."""
        parser.add_argument("suites", metavar="SUITE.jsonl", nargs="+", type=Path)
        parser.add_argument(
            "--to", metavar="FILE", type=Path, help="default: the file that the settings name"
        )
        parser.add_argument("--dry-run", action="store_true", help="print, and write nothing")

    def handle(self, *_args: str, **options: Any) -> None:
        """Calibrate, print, write."""
        try:
            calibrated = calibrate(
                read_suites(options["suites"], zone=organisation_zone()),
                setup=default_setup(get_embedder()),
                now=timezone.now(),
                show=lambda _done: None,
            )
        except SuiteInvalid as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        except ProductError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        self.stdout.write(_as_text(calibrated))
        if not options["dry_run"]:
            path = options["to"] or answer_config().calibration_path
            path.write_text(as_file(calibrated), encoding="utf-8")
            self.stdout.write(f"Written to {path}.")


def _as_text(calibrated: Calibrated) -> str:
    lines = ["threshold  answered of answerable  refused of unanswerable"]
    lines += [
        f"{option.threshold:9.4f}  {option.answered_answerable:8} of {option.answerable:<10}"
        f"  {option.refused_unanswerable:7} of {option.unanswerable}"
        f"{'   chosen' if option == calibrated.chosen else ''}"
        for option in calibrated.options
    ]
    weights = ", ".join(
        f"{name} {weight:.2f}" for name, weight in calibrated.calibration.weights.items()
    )
    names = ", ".join(suite.name for suite in calibrated.suites)
    return "\n".join([*lines, f"Weights: {weights}. Suites: {names}."])
