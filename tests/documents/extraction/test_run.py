import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from documents.conf import documents_config
from documents.extraction.errors import ExtractionCrashed, ExtractionFailed
from documents.extraction.frames import RequestFrame
from documents.extraction.run import Child, IdleChildren, close_children, extract
from documents.extraction.types import Block, CanonicalText, Heading, Layout

REQUEST: RequestFrame = {
    "original_name": "a.txt",
    "encoding": None,
    "seconds": 1.0,
    "memory_bytes": 1 << 30,
    "output_bytes": 1_000,
    "text_chars": 100,
}
MARKDOWN = b"# Refunds\r\n\r\nThe refund period is 14 days.\r\n"


def extract_file(content, name="rules.md", *, encoding=None, **limits):
    return extract(
        content,
        original_name=name,
        encoding=encoding,
        limits=replace(documents_config().extraction_limits, **limits),
    )


def failure_of(content, name="rules.md", **options):
    with pytest.raises(ExtractionFailed) as caught:
        extract_file(content, name, **options)
    return caught.value


def test_file_comes_back_as_canonical_text():
    assert extract_file(MARKDOWN) == CanonicalText(
        text=MARKDOWN.decode(),
        layout=Layout(
            headings=(Heading(start=0, end=9, level=1, title="Refunds"),),
            blocks=(
                Block(kind="heading", start=0, end=9),
                Block(kind="paragraph", start=13, end=42),
            ),
        ),
        language="en",
    )


@pytest.mark.parametrize("name", ["A.MD", "a.markdown", "a.txt", "a.text", "a.html", "a.b.HTM"])
def test_extension_chooses_the_format_whatever_its_case(name):
    assert extract_file(b"The refund period is 14 days.", name).language == "en"


@pytest.mark.parametrize(
    "name",
    [
        "a.pdf",
        "README",
        "",
        ".md",
        "a.md.exe",
        "\ud800\n.doc",
    ],
)
def test_other_names_are_unsupported(name):
    failure = failure_of(MARKDOWN, name)
    assert failure.code == "unsupported"
    assert "Markdown (.md, .markdown)" in failure.message


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n", b"PK\x03\x04rest", b"\x89PNG\r\n\x1a\n" + bytes(99)]
)
def test_content_that_belies_its_name_is_unsupported(content):
    failure = failure_of(content, "notes.txt")
    assert failure.code == "unsupported"
    assert "notes.txt" in failure.message


@pytest.mark.parametrize("content", [b"", b"x", b" \r\n\t", "\ufeff\u3000\u200b".encode()])
def test_nothing_visible_is_empty(content):
    assert failure_of(content).code == "empty"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"<title>T</title><script>a()</script><p>&nbsp;", "a.html"),
        (b"<!-- nothing else -->\n", "a.md"),
    ],
)
def test_file_without_text_for_a_reader_has_no_text(content, name):
    assert failure_of(content, name).code == "no_text"


def test_legacy_encoding_needs_an_encoding():
    assert failure_of("Gebühr".encode("latin-1")).code == "needs_encoding"
    assert failure_of(b"Fee", encoding="gb18030").code == "needs_encoding"


def test_slow_file_is_stopped_and_the_next_one_read():
    started = time.monotonic()
    assert failure_of(b"<div>" * 400_000 + b"x", "a.html", seconds=1).code == "time_limit"
    assert time.monotonic() - started < 30
    assert extract_file(MARKDOWN).language == "en"


def test_hungry_file_meets_the_memory_limit():
    content = b"- a\n" * 500_000
    assert failure_of(content, memory_bytes=400_000_000).code == "memory_limit"


def test_too_much_output_meets_the_stream_limit():
    assert failure_of(MARKDOWN * 100, output_bytes=1_000).code == "stream_limit"
    assert failure_of(MARKDOWN, text_chars=41).code == "stream_limit"


def test_threads_extract_at_the_same_time():
    texts = [f"Rule {number} of the club." for number in range(20)]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda text: extract_file(text.encode(), "a.txt"), texts))
    assert [result.text for result in results] == texts


def test_forked_process_starts_a_child_of_its_own():
    extract_file(MARKDOWN)
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            os.write(writing, extract_file(MARKDOWN).language.encode())
            close_children()
        finally:
            os._exit(0)
    os.close(writing)
    assert os.read(reading, 10) == b"en"
    os.close(reading)
    os.wait()
    assert extract_file(MARKDOWN).language == "en"


def test_child_that_was_killed_is_a_crash_and_not_a_fault_of_the_file():
    child = Child()
    os.kill(child.pid, signal.SIGKILL)
    with pytest.raises(ExtractionCrashed):
        child.ask(REQUEST, b"")
    child.kill()


def test_reading_stops_when_the_reader_has_gone():
    child = Child()
    assert child._send(REQUEST | {"seconds": 60.0, "original_name": "a.html"}, b"<div>" * 400_000)
    child.let_go()
    started = time.monotonic()
    child.close()
    assert time.monotonic() - started < 10


def test_idle_child_that_died_is_replaced():
    idle = IdleChildren()
    child = idle.take()
    idle.put(child)
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    replacement = idle.take()
    assert replacement.pid != child.pid
    replacement.close()


def test_result_can_be_stored_as_json():
    result = extract_file("a\ud83db\x00c\ufffe".encode("utf-8", "surrogatepass"), "a.txt")
    stored = json.dumps(result.layout.to_json(), ensure_ascii=False).encode()
    assert Layout.from_json(json.loads(stored)) == result.layout
    assert result.text.encode() == b"a\\ud83db\xe2\x90\x80c\\ufffe"
