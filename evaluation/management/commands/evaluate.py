"""Run a labelled suite as its askers and print every metric with its denominator."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from answers.setup import default_setup
from documents.conf import organisation_zone
from documents.errors import ProductError
from evaluation.cases import load_suite
from evaluation.conf import DEFAULT, vary_setup
from evaluation.errors import SuiteInvalid, UnknownName
from evaluation.gates import find_broken, load_gate
from evaluation.reports import Report, build_report, render_table
from evaluation.runner import run_suite
from retrieval.registry import get_embedder

WRONG_USAGE = 2
LINE_EVERY_QUESTIONS = 25


class Command(BaseCommand):
    """Ask every question, report, and keep the gate: status 1 where a bound is broken."""

    help = "Measure the product on a suite of labelled questions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the suite and what to do with its report."""
        parser.add_argument("suite", metavar="SUITE.jsonl", type=Path)
        parser.add_argument(
            "--config", metavar="NAME", nargs="+", default=[DEFAULT], help="named in settings"
        )
        parser.add_argument("--gate", metavar="FILE", type=Path, help="bounds, in YAML")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *_args: str, **options: Any) -> None:
        """Measure each configuration and print."""
        try:
            reports, broken = self._measure(options)
        except (SuiteInvalid, UnknownName) as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        except ProductError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        if options["as_json"]:
            only = next(iter(reports.values())) if len(reports) == 1 else reports
            self.stdout.write(json.dumps(only, indent=2))
        else:
            self._print(reports)
        for sentence in broken:
            self.stderr.write(sentence)
        if broken:
            sys.exit(1)

    def _measure(self, options: Mapping[str, Any]) -> tuple[dict[str, Report], list[str]]:
        cases = load_suite(options["suite"], zone=organisation_zone())
        gate = load_gate(options["gate"]) if options["gate"] else None
        setup = default_setup(get_embedder())
        setups = {name: vary_setup(setup, name=name) for name in options["config"]}
        reports: dict[str, Report] = {}
        broken: list[str] = []
        for name, varied in setups.items():
            outcomes = run_suite(cases, setup=varied, now=timezone.now(), show=self._show)
            reports[name] = build_report(outcomes)
            if gate is not None:
                broken += [f"{name}: {bound}" for bound in find_broken(gate, outcomes)]
        return reports, broken

    def _print(self, reports: Mapping[str, Report]) -> None:
        for name, report in reports.items():
            self.stdout.write(f"configuration {name}\n{render_table(report)}\n")

    def _show(self, done: int) -> None:
        if done % LINE_EVERY_QUESTIONS == 0:
            self.stderr.write(f"{done} questions asked")
