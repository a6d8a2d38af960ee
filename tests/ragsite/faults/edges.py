"""The edges between the states of a revision, and the faults armed at their commits.

A fault is an empty file in the state directory that names edge, moment and victim; the first
process to reach that commit claims it and strikes. No revision is struck twice: what kills three
workers is quarantined, as it should be, and these texts are innocent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.ragsite.faults.killing import (
    kill_database,
    kill_group_of_this_process,
    kill_this_process,
)

Moment = Literal["before", "after"]
Victim = Literal["process", "program", "database"]
ACCEPTED = "nothing-received"
TAKEN_UP = "splitting-splitting"  # the second step says so itself, however the first one ended
EDGES = (
    "received-extracting",
    "extracting-splitting",
    TAKEN_UP,
    "splitting-embedding",
    "embedding-ready",
)
_BY_STATUS = {
    "extracting": "received-extracting",
    "embedding": "splitting-embedding",
    "ready": "embedding-ready",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    edge: str
    moment: Moment
    victim: Victim

    @property
    def file_name(self) -> str:
        return f"{self.edge}.{self.moment}.{self.victim}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """A revision that goes over an edge, once the transaction commits."""

    edge: str
    revision: object  # its key; None where the row is new


def crossing_of(sql: object, params: object) -> Crossing | None:
    """What a statement makes cross an edge, if anything."""
    if not isinstance(sql, str) or not isinstance(params, tuple | list):
        return None
    if sql.startswith('INSERT INTO "documents_revision"'):
        return Crossing(edge=ACCEPTED, revision=None)
    if not sql.startswith('UPDATE "documents_revision"'):
        return None
    if params[-1] == "ready":
        params = params[:-1]  # what leaves alone those that are ready changes none to that
    edge = next((edge for status, edge in _BY_STATUS.items() if status in params), None)
    if "splitting" in params:
        edge = "extracting-splitting" if '"text_sha256"' in sql else TAKEN_UP
    return Crossing(edge=edge, revision=params[-1]) if edge else None


def arm(state: Path, faults: Sequence[Fault]) -> None:
    """Arm each fault once."""
    disarm(state)
    for number, fault in enumerate(faults):
        (_folder(state, "armed") / f"{number:02}.{fault.file_name}").touch()


def armed(state: Path) -> list[str]:
    return sorted(path.name for path in _folder(state, "armed").iterdir())


def disarm(state: Path) -> None:
    for name in ("armed", "struck"):
        for path in _folder(state, name).iterdir():
            path.unlink()


def strike(state: Path, crossing: Crossing, moment: Moment) -> None:
    """Carry out one fault armed here, if any."""
    struck = _folder(state, "struck") / str(crossing.revision)
    if crossing.revision is not None and struck.exists():
        return
    for path in sorted(_folder(state, "armed").glob(f"*.{crossing.edge}.{moment}.*")):
        try:
            path.rename(struck)
        except FileNotFoundError:
            continue  # another process was faster
        match path.name.rpartition(".")[2]:
            case "database":
                kill_database(state)
            case "program":
                kill_group_of_this_process()
            case _:
                kill_this_process()
        return


def _folder(state: Path, name: str) -> Path:
    folder = state / "faults" / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
