import contextlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from ragsite.embedded.folders import broker_folders


@pytest.fixture
def folders(tmp_path):
    return broker_folders(tmp_path / "state")


def connect(folders: dict[str, str]) -> Connection:
    return Connection(
        "filesystem://", transport="ragsite.broker.FolderTransport", transport_options=folders
    )


def queue_at(folders: dict[str, str]):
    return connect(folders).SimpleQueue("hints", serializer="json")


def files_in(folders: dict[str, str], name: str) -> list[Path]:
    return list(Path(folders[name]).iterdir())


def test_a_message_is_gone_once_read(folders):
    with queue_at(folders) as queue:
        queue.put({"work_id": 7})
        message = queue.get(timeout=5)
        assert message.payload == {"work_id": 7}
        message.ack()
    assert files_in(folders, "data_folder_in") == []
    assert files_in(folders, "processed_folder") == []


def test_each_message_reaches_one_reader_only(folders):
    with queue_at(folders) as queue:
        for number in range(60):
            queue.put({"work_id": number})

    def read_until_empty(_: int) -> list[str]:
        channel: Any = connect(folders).channel()
        bodies = []
        with contextlib.suppress(Empty):
            while True:
                bodies.append(channel._get("hints")["body"])
        return bodies

    with ThreadPoolExecutor(3) as pool:
        read = [body for part in pool.map(read_until_empty, range(3)) for body in part]
    assert len(read) == 60
    assert len(set(read)) == 60


def test_folders_wiped_under_a_running_process_lose_no_later_message(folders):
    with queue_at(folders) as queue:
        queue.put({"work_id": 1})
        shutil.rmtree(Path(folders["control_folder"]).parent)
        queue.put({"work_id": 2})
        assert queue.get(timeout=5).payload == {"work_id": 2}


def test_broker_folders_are_closed_to_others(folders):
    paths = {Path(path) for path in folders.values()}
    assert len(paths) == 3
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o700}
