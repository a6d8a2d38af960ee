"""Runs one measurement by name: `python -m tests.bench ranking`.

It prints a table and writes bench/NAME.json under the state directory, with machine and commit.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys

import django


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("name", help="ranking, defaults, scale, import or recovery")
    parser.add_argument("--keep", action="store_true", help="keep the scratch database for reuse")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings.test")
    django.setup()
    # Only now: what they import needs the settings.
    recording = importlib.import_module("tests.bench.recording")
    module = importlib.import_module(f"tests.bench.measure_{arguments.name}")
    status: int = recording.run_measurement(arguments.name, module.measure, keep=arguments.keep)
    return status


if __name__ == "__main__":
    sys.exit(main())
