import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kombu import Connection

from ragsite.embedded.folders import broker_folders


@pytest.fixture
def folders(tmp_path):
    return broker_folders(tmp_path / "state")


def queue_at(folders: dict[str, str]):
    connection = Connection(
        "filesystem://", transport="ragsite.broker.FolderTransport", transport_options=folders
    )
    return connection.SimpleQueue("hints", serializer="json")


def test_a_message_is_gone_once_read(folders):
    with queue_at(folders) as queue:
        queue.put({"work_id": 7})
        message = queue.get(timeout=5)
        assert message.payload == {"work_id": 7}
        message.ack()
    assert list(Path(folders["data_folder_in"]).iterdir()) == []
    assert list(Path(folders["processed_folder"]).iterdir()) == []


def test_each_message_reaches_one_reader_only(folders):
    with queue_at(folders) as queue:
        for number in range(60):
            queue.put({"work_id": number})

    def read_until_empty(_: int) -> list[int]:
        numbers = []
        with queue_at(folders) as queue, contextlib.suppress(queue.Empty):
            while True:
                message = queue.get(timeout=1.5)
                message.ack()
                numbers.append(message.payload["work_id"])
        return numbers

    with ThreadPoolExecutor(3) as pool:
        read = [number for part in pool.map(read_until_empty, range(3)) for number in part]
    assert sorted(read) == list(range(60))


def test_broker_folders_are_closed_to_others(folders):
    paths = {Path(path) for path in folders.values()}
    assert len(paths) == 3
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o700}
