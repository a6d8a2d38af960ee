"""How parent and child speak: each message is its length in eight bytes, then that many bytes.

A request is two frames, a JSON object and the file's content; a reply is one JSON object.
"""

import json
from typing import IO, TypedDict

from documents.extraction.types import CanonicalText, Layout

LENGTH_BYTES = 8


class RequestFrame(TypedDict):
    """What the child is asked; the content follows in a frame of its own."""

    original_name: str
    encoding: str | None
    seconds: float
    memory_bytes: int
    output_bytes: int
    text_chars: int


class ReplyFrame(TypedDict, total=False):
    """Exactly one of a text, a failure of the file, or a crash of the child."""

    text: dict[str, object]
    failed: dict[str, str]
    crashed: str


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Send one message."""
    stream.write(len(content).to_bytes(LENGTH_BYTES, "big"))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Receive one message; None where the other side has gone, also in the middle of one."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    content = stream.read(length)
    return content if len(content) == length else None


def encode_reply(reply: ReplyFrame) -> bytes:
    """Give the bytes of a reply."""
    return json.dumps(reply, ensure_ascii=False).encode()


def show_text(canonical: CanonicalText) -> dict[str, object]:
    """Give a canonical text as a JSON object."""
    return {
        "text": canonical.text,
        "layout": canonical.layout.to_json(),
        "language": canonical.language,
        "warnings": list(canonical.warnings),
    }


def read_text(value: dict[str, object]) -> CanonicalText:
    """Read what `show_text` gave.

    Raises: ValueError where the value has another shape.
    """
    match value:
        case {
            "text": str(text),
            "layout": layout,
            "language": str(language),
            "warnings": list(warnings),
        }:
            return CanonicalText(
                text=text,
                layout=Layout.from_json(layout),
                language=language,
                warnings=tuple(str(warning) for warning in warnings),
            )
        case _:
            raise ValueError("a canonical text has another shape")
