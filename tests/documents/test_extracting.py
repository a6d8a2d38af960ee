"""The owed step that reads a file: what is the file's fault ends it, what is not is tried again."""

import os
import signal
import threading

import pytest

from documents import work
from documents.extraction import run
from documents.models import Revision, Work
from tests.builders import add_text, build_document, build_group

pytestmark = pytest.mark.db


@pytest.fixture
def step():
    document = build_document("Rules", "First text.", build_group("lab"))
    return Work.objects.get(revision=add_text(document, "Second text."))


@pytest.fixture
def stopped_child():
    """A child that takes the next file and never answers."""
    run.close_children()
    child = run.Child()
    os.kill(child.pid, signal.SIGSTOP)
    run._idle.put(child)
    yield child
    run.close_children()


def test_file_whose_reader_was_lost_is_read_again(step, stopped_child, frozen_clock):
    killer = threading.Timer(0.2, os.kill, (stopped_child.pid, signal.SIGKILL))
    killer.start()
    assert work.take_step(step.pk) is True
    killer.join()
    step.refresh_from_db()
    assert (step.state, step.attempts) == (Work.State.OWED, 1)

    frozen_clock.at = step.not_before
    assert work.take_step(step.pk) is True
    revision = Revision.objects.get(pk=step.revision_id)
    assert (revision.status, revision.text) == (Revision.Status.SPLITTING, "Second text.")
