"""Beat, and commands that need no model, never import what models need."""

import subprocess
import sys

import pytest

from tests.ragsite.embedded_servers import PROJECT_FOLDER, reachable_folder
from tests.ragsite.test_start import environment

MODEL_LIBRARIES = {"torch", "sentence_transformers", "transformers", "tokenizers", "numpy"}
# Runs a command as `manage.py` does, and says which of its libraries were imported by the end.
PROBE = """
import atexit, sys
atexit.register(lambda: print("imported:", *sorted({libraries} & set(sys.modules))))
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", *sys.argv[1:]])
"""
# As `celery beat` does until its first tick.
BEAT = """
import sys
from ragsite.celery import app
beat = app.Beat(loglevel="warning")
service = beat.Service(app=app)
beat.init_loader()
service.scheduler.tick()
print("imported:", *sorted({libraries} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("migrate", "--check"),
        ("makemigrations", "--check"),
        ("createsuperuser", "--help"),
        ("explain_access", "--help"),
        ("explain_access", "nobody", "nothing"),
        ("import_corpus", "--help"),
        ("start", "--help"),
        ("stop",),
    ],
    ids=" ".join,
)
def test_command_without_a_model_imports_no_model_library(command):
    assert imported_by(PROBE, *command) == set()


def test_beat_imports_no_model_library():
    assert imported_by(BEAT) == set()


def imported_by(code: str, *arguments: str) -> set[str]:
    """Which of the model libraries the code has imported when it ends, in a new site."""
    with reachable_folder() as folder:
        outcome = subprocess.run(  # noqa: S603 - this interpreter and the texts above
            [sys.executable, "-c", code.format(libraries=MODEL_LIBRARIES), *arguments],
            cwd=PROJECT_FOLDER,
            env=environment(folder / "state"),
            capture_output=True,
            text=True,
            check=False,
        )
    (said,) = [line for line in outcome.stdout.splitlines() if line.startswith("imported:")]
    return set(said.split()[1:])
