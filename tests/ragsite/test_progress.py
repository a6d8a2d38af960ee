"""Progress: a bar on a terminal, plain lines elsewhere."""

import io

from ragsite import progress
from ragsite.progress import Progress


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self):
        return True


def test_elsewhere_the_end_is_one_plain_line():
    stream = io.StringIO()
    bar = Progress("revisions", total=3, stream=stream)
    bar.show(1)
    bar.close(3)
    assert stream.getvalue() == "revisions: 3 of 3\n"


def test_elsewhere_a_line_comes_every_few_seconds(monkeypatch):
    monkeypatch.setattr(progress, "LINE_EVERY_SECONDS", 0.0)
    stream = io.StringIO()
    bar = Progress("revisions", total=3, stream=stream)
    bar.show(1)
    bar.show(3)
    bar.close(3)
    assert stream.getvalue() == "revisions: 1 of 3\nrevisions: 3 of 3\n"


def test_a_terminal_gets_a_bar():
    stream = Terminal()
    bar = Progress("revisions", total=3, stream=stream)
    bar.close(3)
    assert "revisions: 100%" in stream.getvalue()
