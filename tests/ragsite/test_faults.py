"""Kill -9 of worker, web server and database while documents come in: all of it once, none lost.

A site runs as people start it, with light model and short leases (tests/ragsite/faults). Faults
armed at the commit of an edge between two states strike right before or right after it.
"""

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ragsite.embedded_servers import reachable_folder
from tests.ragsite.faults.edges import ACCEPTED, EDGES, Fault, arm, armed
from tests.ragsite.faults.killing import kill_database, kill_program, programs_of
from tests.ragsite.faults.oracle import Indexed, judge, undisturbed_texts
from tests.ragsite.faults.site import Accepted, Site, await_that, free_port, prepare, started

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
RETRY = """
import django
django.setup()
from documents import services
from documents.audit import Operator
from documents.models import Revision
revision = Revision.objects.get(document__public_id="{document}")
services.retry_revision(revision, acted_by=Operator("fault tests"))
"""


class Imports:
    """Uploads to one site, whose undisturbed index is known."""

    def __init__(self, site: Site, start: "subprocess.Popen[str]") -> None:
        self.site = site
        self.start = start
        self.undisturbed: dict[tuple[str, str], Indexed] = {}
        self._documents = 0

    def add_documents(self, wanted: int) -> list[str]:
        """Create documents without text, while nothing is killed."""
        # The test before may have ended with a kill that is still being recovered from.
        await_that(self.site.is_ready)
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
        with started(site) as start:
            imports = Imports(site, start)
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


@pytest.mark.parametrize("kills", [0, 3])
def test_import_command_outlives_the_database_and_goes_on_after_its_own_death(
    imports, kills, tmp_path
):
    site = imports.site
    names = write_folder(tmp_path, first=kills)
    arguments = ("import_corpus", str(tmp_path), "--group", "members", "--json")
    moments = random.Random(kills)  # noqa: S311 - moments, not secrets
    with site.start_command(*arguments) as command:
        await_that(lambda: bool(documents_named(site, names)))
        for _ in range(kills):
            time.sleep(moments.uniform(0.1, 1.0))
            kill_database(site.state)
            await_that(site.is_ready)
        if not kills:
            command.kill()
        command.communicate()
    again = site.run("manage.py", *arguments)

    assert (command.returncode, again.returncode) == (0 if kills else -9, 0), again.stderr
    report = json.loads(again.stdout)
    assert (report["documents"], report["revisions"], report["failed"]) == (6, 12, [])
    documents = documents_named(site, names)
    site.accepted += [
        Accepted(document=documents[name], title=TITLE, text=text)
        for number, name in enumerate(names)
        for text in (TEXTS[number % 4], TEXTS[(number + 1) % 4])
    ]
    imports.finish_and_judge()


def write_folder(folder: Path, *, first: int) -> list[str]:
    """Write six documents of two revisions each; return their slugs."""
    names = [f"imported-{first}-{number}" for number in range(6)]
    index = []
    for number, name in enumerate(names):
        revisions = []
        for year, text in ((2020, TEXTS[number % 4]), (2021, TEXTS[(number + 1) % 4])):
            (folder / f"{name}-{year}.md").write_text(text)
            dates = {"published": f"{year}-01-01", "stated_effective": None}
            revisions.append({"file": f"{name}-{year}.md", **dates})
        index.append({"slug": name, "title": TITLE, "revisions": revisions})
    (folder / "index.json").write_text(json.dumps(index))
    return names


def documents_named(site: Site, names: list[str]) -> dict[str, str]:
    sql = "SELECT slug, public_id::text AS id FROM documents_document WHERE slug = ANY(%s)"
    return {row["slug"]: row["id"] for row in site.query(sql, names)}


def test_five_deliveries_of_each_step_do_it_once(imports):
    site = imports.site
    (newest,) = site.query("SELECT max(id) AS id FROM documents_work")
    for number, document in enumerate(imports.add_documents(6)):
        imports.upload(document, number)
        for row in site.query("SELECT id FROM documents_work WHERE id > %s", newest["id"]):
            site.deliver(row["id"], times=5)

    imports.finish_and_judge()


def test_wiped_broker_loses_nothing(imports):
    with stopped_worker(imports.site):
        for number, document in enumerate(imports.add_documents(4)):
            imports.upload(document, number)
        shutil.rmtree(imports.site.state / "broker")

    imports.finish_and_judge()


@contextmanager
def stopped_worker(site: Site) -> Iterator[None]:
    pids = programs_of(site.state)["worker"]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_what_kills_three_workers_is_quarantined_and_holds_up_nobody(imports):
    site = imports.site
    killing, other = imports.add_documents(2)
    fault = Fault(edge="received-extracting", moment="before", victim="process")
    arm(site.state, [fault])
    imports.upload(killing, 0)
    for _ in range(2):
        await_that(lambda: not armed(site.state))
        arm(site.state, [fault])
    await_that(lambda: not armed(site.state))
    imports.upload(other, 1)
    await_that(lambda: status_of(site, killing) == "quarantined")
    await_that(lambda: status_of(site, other) == "ready")

    outcome = site.run("-c", RETRY.format(document=killing))
    assert outcome.returncode == 0, outcome.stderr
    imports.finish_and_judge()


def status_of(site: Site, document: str) -> str:
    (row,) = site.query(
        "SELECT r.status FROM documents_revision r JOIN documents_document d"
        " ON d.id = r.document_id WHERE d.public_id::text = %s",
        document,
    )
    return str(row["status"])


def test_everything_killed_at_once_is_finished_after_the_next_start(imports):
    """Comes last: it leaves the site stopped."""
    site = imports.site
    for number, document in enumerate(imports.add_documents(6)):
        imports.upload(document, number)
    imports.start.kill()
    kill_database(site.state)
    await_that(lambda: not any(programs_of(site.state).values()))

    with started(site):
        imports.finish_and_judge()
