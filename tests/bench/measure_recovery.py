"""How soon a site is whole again after kill -9 of worker, web server or database.

With the real model, real leases and the real sweep, while documents come in. The worker dies right
after it has taken a step, so that its lease has all of its time before it. Also how soon /readyz
answers at a first and a second start.
"""

from __future__ import annotations

import time

from tests.bench.recording import print_table
from tests.ragsite.embedded_servers import reachable_folder
from tests.ragsite.faults.edges import Fault, Victim, arm, armed
from tests.ragsite.faults.killing import kill_program
from tests.ragsite.faults.oracle import judge
from tests.ragsite.faults.site import Site, await_that, free_port, prepare, started

ASKED_SECONDS = 120
DOCUMENTS = 12
FAULTS: dict[str, Victim] = {
    "worker": "program",
    "worker process": "process",
    "database": "database",
}


def measure() -> dict[str, object]:
    """Kill each program once in a running import, and wait until all is done and right."""
    with reachable_folder() as folder:
        site = Site(
            state=folder / "state",
            port=free_port(),
            settings="tests.ragsite.faults.unhurried",
            workers=1,
        )
        prepare(site)
        starts = {"first start": _seconds_to_ready(site)}
        began = time.monotonic()
        with started(site):
            starts["second start"] = time.monotonic() - began
            recoveries = {name: _recovery(site, name) for name in (*FAULTS, "web")}
    print_table(
        f"Seconds until everything is finished (asked for: {ASKED_SECONDS})",
        ["killed", "seconds"],
        [list(row) for row in recoveries.items()],
    )
    print_table(
        "Seconds until /readyz answers (asked for: 20 at the second start)",
        ["start", "seconds"],
        [list(row) for row in starts.items()],
    )
    return {"recovery_seconds": recoveries, "ready_seconds": starts}


def _seconds_to_ready(site: Site) -> float:
    began = time.monotonic()
    with started(site):
        return time.monotonic() - began


def _recovery(site: Site, victim: str) -> float:
    documents = [
        site.create_document(f"{victim.replace(' ', '-')}-{number}", "Rules")
        for number in range(DOCUMENTS)
    ]
    if victim in FAULTS:
        arm(
            site.state,
            [Fault(edge="splitting-embedding", moment="after", victim=FAULTS[victim])],
        )
    for number, document in enumerate(documents):
        site.upload(document, title="Rules", text=_text(victim, number))
    if victim == "web":
        kill_program(site.state, "uvicorn")
    await_that(lambda: not armed(site.state), pause_seconds=0.01)
    killed = time.monotonic()
    site.await_finished()
    await_that(site.is_ready)
    seconds = time.monotonic() - killed
    judge(site, None)
    return seconds


def _text(victim: str, number: int) -> str:
    """Some ten passages that no other text has."""
    return f"# Rules {number} of the {victim}\n\n" + "\n\n".join(
        f"## Part {part}\n\n"
        + " ".join(
            f"Whoever loses the {victim} in week {number} of part {part} pays {line} euros."
            for line in range(10)
        )
        for part in range(10)
    )
