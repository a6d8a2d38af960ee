from pathlib import Path

import pytest

from ragsite.embedded.tuning import Machine, configuration_text, read_machine, server_settings, tune

GIGABYTE = 1024**3


def machine(gigabytes: float, *, processors: int = 2, shared: int = 8 * GIGABYTE) -> Machine:
    return Machine(memory=int(gigabytes * GIGABYTE), shared_memory=shared, processors=processors)


@pytest.mark.parametrize(
    ("gigabytes", "shared_buffers", "work_mem", "maintenance"),
    [
        (0.5, "128MB", "16MB", "64MB"),
        (8, "1024MB", "21MB", "512MB"),
        (24, "3072MB", "64MB", "1536MB"),
        (256, "4096MB", "128MB", "2048MB"),
    ],
)
def test_memory_follows_the_machine_within_bounds(gigabytes, shared_buffers, work_mem, maintenance):
    settings = tune(machine(gigabytes))
    assert settings["shared_buffers"] == shared_buffers
    assert settings["work_mem"] == work_mem
    assert settings["maintenance_work_mem"] == maintenance


@pytest.mark.parametrize(("processors", "gather"), [(1, "0"), (2, "1"), (8, "4"), (64, "4")])
def test_parallel_workers_follow_the_processors(processors, gather):
    settings = tune(machine(24, processors=processors))
    assert settings["max_parallel_workers"] == str(processors)
    assert settings["max_parallel_workers_per_gather"] == gather


def test_index_builds_do_not_depend_on_a_small_shared_memory():
    assert tune(machine(24, shared=64 * 1024**2))["dynamic_shared_memory_type"] == "mmap"
    assert tune(machine(24))["dynamic_shared_memory_type"] == "posix"


def test_durability_is_never_a_setting():
    settings = server_settings(machine(24), socket_folder=Path("/a"), log_folder=Path("/b"))
    assert len(settings) > 20
    assert not {"fsync", "full_page_writes", "synchronous_commit"} & set(settings)


def test_values_with_quotes_stay_whole():
    assert configuration_text({"log_directory": "it's a \\"}).splitlines()[1] == (
        "log_directory = 'it''s a \\\\'"
    )


def test_this_machine_can_be_read():
    found = read_machine()
    assert found.memory > 0
    assert found.processors > 0
