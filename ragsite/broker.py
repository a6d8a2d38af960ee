"""A message broker made of files in private folders, for one machine and no further service.

Celery's own filesystem transport lets a reader see half a message, moves what it reads through the
machine's shared temporary folder, or else keeps every message for ever. Here a message appears
whole, moves only between folders of its own, and is gone once read. The folders may be wiped at any
time, also under running processes. They carry hints: what is owed stands in the database.
"""

import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads


class FolderChannel(filesystem.Channel):
    """Puts and takes messages, each by one rename."""

    def get_table(self, exchange: str) -> Any:
        """Return the queues of an exchange.

        One that nobody declared, or whose file was wiped since, has the queue of its own name, as
        Celery's default exchange does. Without this its messages would be dropped.
        """
        declared = super().get_table(exchange)
        return declared or [filesystem.exchange_queue_t(exchange, "", exchange)]

    # kombu's own bases disagree on the name of the second argument.
    def _put(  # type: ignore[override]
        self, queue: str, payload: dict[str, Any], **_: Any
    ) -> None:
        name = f"{time_ns()}_{uuid.uuid4().hex}.{queue}.msg"
        draft = _folder(self.processed_folder) / f"draft-{name}"
        draft.write_text(dumps(payload), encoding="utf-8")
        draft.rename(_folder(self.data_folder_out) / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:  # noqa: ARG002 - kombu's signature
        for path in sorted(_folder(self.data_folder_in).iterdir()):
            # The queue's name follows the first dot, and may itself have dots.
            if path.name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = _folder(self.processed_folder) / path.name
            try:
                path.rename(taken)
            except FileNotFoundError:
                continue  # another reader was faster
            message: dict[str, Any] = loads(taken.read_text(encoding="utf-8"))
            taken.unlink()
            return message
        raise Empty


def _folder(path: str) -> Path:
    folder = Path(path)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class FolderTransport(filesystem.Transport):
    """The transport named by the setting CELERY_BROKER_TRANSPORT."""

    Channel = FolderChannel

    @property
    def default_connection_params(self) -> dict[str, Any]:
        """None: folders have no host, and kombu would warn that it made one up."""
        return {}
