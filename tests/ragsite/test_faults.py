"""Kill -9 of worker, web server and database while documents come in: all of it once, none lost.

A site runs as people start it, with light model and short leases (tests/ragsite/faults). Faults
armed at the commit of an edge between two states strike right before or right after it.
"""

import itertools
import random
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.ragsite.embedded_servers import reachable_folder
from tests.ragsite.faults.edges import ACCEPTED, EDGES, Fault, arm
from tests.ragsite.faults.killing import kill_database, kill_program, programs_of
from tests.ragsite.faults.oracle import Indexed, judge, undisturbed_texts
from tests.ragsite.faults.site import Site, await_that, free_port, prepare, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's /proc is read")

SETTINGS = "tests.ragsite.faults.settings"
TEXTS = [
    f"# Rule {number}\n\nMembers pay {number} euros. Guests pay nothing.\n\n"
    f"## Refunds\n\n- Ask within {number} days.\n- Bring the receipt.\n\n"
    f"Whoever asks later gets nothing back, except for rule {number}.\n"
    for number in range(4)
]
TITLE = "Rules"
KILLS = 5


class Imports:
    """Uploads to one site, whose undisturbed index is known."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.undisturbed: dict[tuple[str, str], Indexed] = {}
        self._documents = 0

    def add_documents(self, wanted: int) -> list[str]:
        """Create documents without text, while nothing is killed."""
        first, self._documents = self._documents, self._documents + wanted
        return [
            self.site.create_document(f"rules-{number}", TITLE)
            for number in range(first, self._documents)
        ]

    def upload(self, document: str, number: int) -> None:
        self.site.upload(document, title=TITLE, text=TEXTS[number % len(TEXTS)])

    def finish_and_judge(self) -> None:
        self.site.await_finished()
        judge(self.site, self.undisturbed)


@pytest.fixture(scope="module")
def imports() -> Iterator[Imports]:
    """A running site that has taken in every text once, undisturbed."""
    with reachable_folder() as folder:
        site = Site(state=folder / "state", port=free_port(), settings=SETTINGS)
        prepare(site)
        with started(site):
            imports = Imports(site)
            for number, document in enumerate(imports.add_documents(len(TEXTS))):
                imports.upload(document, number)
            site.await_finished()
            imports.undisturbed = undisturbed_texts(site)
            assert len(imports.undisturbed) == len(TEXTS)
            imports.finish_and_judge()
            yield imports


@pytest.mark.parametrize("edge", EDGES)
def test_kill_right_before_and_after_the_commit_of_an_edge(imports, edge):
    faults = [
        Fault(edge=edge, moment=moment, victim=victim)
        for victim in ("process", "database", "program")
        for moment in ("before", "after")
    ]
    documents = imports.add_documents(len(faults) + 2)
    arm(imports.site.state, faults)
    for number, document in enumerate(documents):
        imports.upload(document, number)

    imports.finish_and_judge()


@pytest.mark.parametrize("victim", ["program", "database"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_kill_right_before_and_after_a_text_is_accepted(imports, moment, victim):
    (document,) = imports.add_documents(1)
    arm(imports.site.state, [Fault(edge=ACCEPTED, moment=moment, victim=victim)])
    imports.upload(document, 0)
    imports.upload(document, 1)

    imports.finish_and_judge()


@pytest.mark.parametrize("victim", ["worker", "uvicorn", "database"])
def test_kill_at_five_random_moments_of_an_import(imports, victim):
    site = imports.site
    moments = random.Random(victim)  # noqa: S311 - moments, not secrets
    documents = imports.add_documents(8)
    enough = threading.Event()

    def upload_on_and_on() -> None:
        for turn in itertools.count():
            for number, document in enumerate(documents):
                imports.upload(document, number + turn)
                if enough.wait(0.1):
                    return

    with ThreadPoolExecutor(1) as threads:
        uploading = threads.submit(upload_on_and_on)
        for _ in range(KILLS):
            await_that(lambda: is_up(site, victim))
            time.sleep(moments.uniform(0.1, 1.5))
            kill(site, victim)
        enough.set()
        uploading.result()

    imports.finish_and_judge()


def is_up(site: Site, victim: str) -> bool:
    """Whether there is something to kill that does its work."""
    if victim == "worker":
        return len(programs_of(site.state)["worker"]) > 1  # it has its pool
    return site.is_ready()


def kill(site: Site, victim: str) -> None:
    if victim == "database":
        kill_database(site.state)
    else:
        kill_program(site.state, victim)
