"""Bodies that are too long, before a real ASGI server."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import uvicorn

from documents import conf
from documents.conf import UPLOAD_ENVELOPE_BYTES
from ragsite import body_limit
from ragsite.body_limit import BodyLimit

LIMIT = 50_000
MOST = LIMIT + UPLOAD_ENVELOPE_BYTES


async def count_body(scope, receive, send) -> None:
    """Stand behind the limit: say how many bytes came through."""
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(length).encode()})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    lowered = replace(conf.documents_config(), upload_max_bytes=LIMIT)
    config = uvicorn.Config(BodyLimit(count_body), port=0, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(body_limit, "documents_config", lambda: lowered)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
        server.should_exit = True
        thread.join()


def post(port: int, path: str, body: bytes) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", path, body)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, content


def test_the_longest_body_comes_through(port):
    assert post(port, "/api/v1/documents", b"x" * MOST) == (200, str(MOST).encode())


def test_one_byte_more_is_refused_with_the_number_that_is_documented(port):
    status, content = post(port, "/api/v1/documents", b"x" * (MOST + 1))
    assert status == 413
    assert json.loads(content)["code"] == "too_large"
    assert json.loads(content)["details"] == {"limit_bytes": LIMIT}


def test_a_page_is_refused_in_words(port):
    status, content = post(port, "/admin/", b"x" * (MOST + 1))
    assert status == 413
    assert f"at most {LIMIT} are accepted" in content.decode()


def test_a_client_that_sends_everything_first_still_hears_why(port):
    status, content = post(port, "/api/v1/documents", b"x" * (3 * LIMIT + MOST))
    assert (status, json.loads(content)["code"]) == (413, "too_large")


def test_the_answer_comes_before_the_body_has_been_sent(port):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(
            b"POST /api/v1/documents HTTP/1.1\r\nHost: x\r\n"
            b"Content-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n"
        )
        assert client.recv(12) == b"HTTP/1.1 413"


def test_a_body_of_unknown_length_is_refused(port):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(
            b"POST /api/v1/documents HTTP/1.1\r\nHost: x\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        )
        answer = client.recv(4000)
    assert answer.startswith(b"HTTP/1.1 411")
