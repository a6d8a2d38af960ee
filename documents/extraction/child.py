"""The child process: loads parsers and language model once, then forks for every file.

Each file is read in a fresh copy of a clean process with limits of its own, so nothing of one file
reaches the next, and a copy costs milliseconds where a new interpreter with the language model
costs half a second. Refuses to know Django, the network and the file system: a copy can open
no file descriptor.
"""

import gc
import json
import math
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import IO

from documents.extraction.errors import ExtractionFailed
from documents.extraction.frames import (
    RequestFrame,
    encode_reply,
    read_frame,
    show_text,
    write_frame,
)
from documents.extraction.language import LanguageModel
from documents.extraction.reading import read_file

READY = b"ready"
INPUT, ERRORS = 0, 2  # file descriptors; output stands between them
PIECE_BYTES = 1 << 20
# Made beforehand: a copy without memory could not make its own.
MEMORY_REPLY, TIME_REPLY, STREAM_REPLY = (
    encode_reply({"failed": {"code": code, "message": message}})
    for code, message in (
        ("memory_limit", "Reading the file takes too much memory."),
        ("time_limit", "Reading the file takes too long."),
        ("stream_limit", "The file unfolds into too much text."),
    )
)
WARM_UPS = (
    ("a.md", "# A\n\n- *a* &amp; `b`\n\n|a|\n|-|\n".encode("utf-16")),
    ("a.html", b"\xfe\xff" + "<h1>A</h1><ul><li>a</ul>".encode("utf-16-be")),
    ("a.txt", b"Warm up the language model."),
)
REPLIES_BY_SIGNAL: dict[int, bytes] = {signal.SIGXCPU: TIME_REPLY, signal.SIGKILL: MEMORY_REPLY}


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until the parent has gone."""
    model = LanguageModel()
    _warm_up(model)
    # Shared pages stay shared only if the collector leaves them alone.
    gc.collect()
    gc.freeze()
    write_frame(replies, READY)
    while (head := read_frame(requests)) is not None:
        content = read_frame(requests)
        if content is None:
            return
        read = partial(_read, json.loads(head), content, model)
        write_frame(replies, _run_apart(read, json.loads(head), parent=requests.fileno()))


def _warm_up(model: LanguageModel) -> None:
    """Load what is loaded at first use: a copy could not open the files for it."""
    for name, content in WARM_UPS:
        read_file(
            content,
            original_name=name,
            encoding=None,
            most_chars=len(content),
            detect_language=model.detect,
        )


def _run_apart(read: Callable[[], bytes], request: RequestFrame, *, parent: int) -> bytes:
    """Read one file in a copy of this process and give the bytes of its reply."""
    reading, writing = os.pipe()
    copy = os.fork()
    if copy == 0:
        os.closerange(INPUT, ERRORS)
        os.close(reading)
        _limit(request)
        _send(writing, read())
        os._exit(0)
    os.close(writing)
    reply = _receive(reading, request["output_bytes"], parent=parent)
    os.close(reading)
    if reply is None:
        os.kill(copy, signal.SIGKILL)
    _, status = os.waitpid(copy, 0)
    if reply is None:
        return STREAM_REPLY
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        crash = encode_reply({"crashed": f"signal {number}"})
        return REPLIES_BY_SIGNAL.get(number, crash)
    exit_code = os.waitstatus_to_exitcode(status)
    return reply if exit_code == 0 else encode_reply({"crashed": f"exit status {exit_code}"})


def _limit(request: RequestFrame) -> None:
    seconds = math.ceil(request["seconds"])
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_AS, request["memory_bytes"], request["memory_bytes"]),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 0, 0),
    ):
        resource.setrlimit(kind, (soft, hard))


def _read(request: RequestFrame, content: bytes, model: LanguageModel) -> bytes:
    """Give the bytes of the reply to one file."""
    try:
        canonical = read_file(
            content,
            original_name=request["original_name"],
            encoding=request["encoding"],
            most_chars=request["text_chars"],
            detect_language=model.detect,
        )
        return encode_reply({"text": show_text(canonical)})
    except ExtractionFailed as error:
        return encode_reply({"failed": {"code": error.code, "message": error.message}})
    except MemoryError:
        return MEMORY_REPLY


def _send(writing: int, reply: bytes) -> None:
    rest = memoryview(reply)
    while rest:
        rest = rest[os.write(writing, rest[:PIECE_BYTES]) :]


def _receive(reading: int, most_bytes: int, *, parent: int) -> bytes | None:
    """Collect what the copy sends; None where it is more than it may be."""
    pieces: list[bytes] = []
    length = 0
    while True:
        readable, _, _ = select.select([reading, parent], [], [])
        if parent in readable:
            # A parent that waits sends nothing: it has gone, and nobody wants the reply.
            os.killpg(os.getpgrp(), signal.SIGKILL)
        piece = os.read(reading, PIECE_BYTES)
        if not piece:
            return b"".join(pieces)
        length += len(piece)
        if length > most_bytes:
            return None
        pieces.append(piece)


def _report_place(
    kind: type[BaseException], _error: BaseException, trace: TracebackType | None
) -> None:
    """Print where an unexpected error arose, without its message: that may hold text of a file."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "nowhere"
    sys.stderr.write(f"extraction: {kind.__name__} at {place}\n")


if __name__ == "__main__":
    sys.excepthook = _report_place
    serve(sys.stdin.buffer, sys.stdout.buffer)
