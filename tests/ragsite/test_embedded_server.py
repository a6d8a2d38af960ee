import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from ragsite.embedded.accounts import find_account, run_as
from ragsite.embedded.errors import EmbeddedPostgresError
from ragsite.embedded.locks import is_held
from ragsite.embedded.server import EmbeddedPostgres
from tests.ragsite.embedded_servers import (
    await_use,
    connect,
    postmaster_pid,
    reachable_folder,
    running_server,
    start_user_process,
)

pytestmark = pytest.mark.db

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change accounts")


@pytest.fixture(scope="module")
def shared():
    """One server for the tests that only look."""
    with reachable_folder() as folder, running_server(folder / "state") as server:
        yield server


@pytest.fixture(scope="module")
def made_once():
    """A stopped server's state directory: making the files takes longer than all the rest."""
    with reachable_folder() as folder:
        with running_server(folder / "state"):
            pass
        yield folder / "state"


@pytest.fixture
def fresh():
    """A place where no server was made yet."""
    with reachable_folder() as folder:
        yield folder / "state"


@pytest.fixture
def state(made_once):
    """The state directory of a server that was made before and is stopped."""
    with reachable_folder() as folder:
        subprocess.run(["/bin/cp", "-a", made_once, folder], check=True)  # noqa: S603
        yield folder / "state"


def modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in [folder, *folder.iterdir(), *(folder / "postgres").iterdir()]
        if path.is_dir()
    }


def test_every_folder_is_closed_to_others(shared):
    assert modes(shared.state_folder) == dict.fromkeys(
        [".", "locks", "secrets", "postgres", "postgres/data", "postgres/log", "postgres/socket"],
        "0o700",
    )


def test_every_secret_is_readable_by_its_owner_only(shared):
    secrets = sorted((shared.state_folder / "secrets").iterdir())
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in secrets] == [
        ("postgres-ragsite", 0o600),
        ("postgres-superuser", 0o600),
    ]
    assert len({path.read_text() for path in secrets}) == 2


def test_the_server_listens_on_no_network_address(shared):
    with connect(shared) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
    pid_file = shared.state_folder / "postgres/data/postmaster.pid"
    assert pid_file.read_text().splitlines()[5].strip() == ""


def test_the_role_is_no_superuser_and_may_make_databases(shared):
    with connect(shared) as connection:
        row = connection.execute(
            "SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles"
            " WHERE rolname = current_user"
        ).fetchone()
    assert row == (False, True, False, False)


def test_the_database_sorts_by_code_point(shared):
    with connect(shared) as connection:
        row = connection.execute(
            "SELECT datlocprovider, datlocale, pg_encoding_to_char(encoding) FROM pg_database"
            " WHERE datname = current_database()"
        ).fetchone()
    assert row == ("b", "C.UTF-8", "UTF8")


def test_a_database_made_by_the_role_has_vectors_and_a_graph_index(shared):
    with connect(shared) as connection:
        connection.execute("CREATE DATABASE test_of_the_role")
    with connect(shared, dbname="test_of_the_role") as connection:
        connection.execute("CREATE TABLE things (vector halfvec)")
        connection.execute(
            "CREATE INDEX ON things USING hnsw ((vector::halfvec(3)) halfvec_ip_ops)"
        )
        connection.execute("INSERT INTO things VALUES ('[1,2,3]')")
        assert connection.execute("SELECT count(*) FROM things").fetchone() == (1,)


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes", "synchronous_commit"])
def test_durability_is_left_on(shared, setting):
    with connect(shared) as connection:
        assert connection.execute("SELECT current_setting(%s)", [setting]).fetchone() == ("on",)


@pytest.mark.parametrize("user", ["ragsite", "postgres"])
def test_nobody_enters_without_a_password(shared, user):
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(shared, user=user, password="guess")


def test_a_failed_statement_leaves_no_text_in_the_log(shared):
    with connect(shared) as connection, pytest.raises(psycopg.errors.InvalidTextRepresentation):
        connection.execute("SELECT 'xyzzy-canary', 'x'::integer")
    logs = list((shared.state_folder / "postgres/log").iterdir())
    assert len(logs) == 1
    assert "invalid input syntax" in logs[0].read_text()
    assert "xyzzy-canary" not in logs[0].read_text()


def test_an_address_does_not_show_its_password(shared):
    assert shared.address().password not in repr(shared.address())


def test_processes_that_start_together_share_one_server(fresh):
    processes = [start_user_process(fresh) for _ in range(5)]
    started = {await_use(process) for process in processes}
    for process in processes:
        _, complaints = process.communicate()
        assert process.returncode == 0, complaints
    assert len(started) == 1
    assert not EmbeddedPostgres(fresh).is_running()


def test_the_server_stays_until_its_last_user_leaves(state):
    first, second = start_user_process(state), start_user_process(state)
    await_use(first)
    await_use(second)
    first.communicate()
    assert EmbeddedPostgres(state).is_running()
    second.communicate()
    assert not EmbeddedPostgres(state).is_running()


def test_a_killed_user_does_not_keep_the_server_for_ever(state):
    with running_server(state) as server:
        killed = start_user_process(state)
        await_use(killed)
        killed.kill()
        killed.communicate()
        server.release()
        assert not server.is_running()


def test_a_killed_server_starts_again_with_what_was_committed(state):
    with running_server(state) as server:
        with connect(server) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        os.kill(postmaster_pid(state), signal.SIGKILL)
        server.ensure_running()
        with connect(server) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (42,)


def test_a_killed_server_starts_again_though_an_orphan_still_computes(state):
    with running_server(state) as server:
        busy = connect(server)
        # It waits for nothing, so that it does not notice that its postmaster is gone.
        busy.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000000)")
        time.sleep(0.2)
        os.kill(postmaster_pid(state), signal.SIGKILL)
        server.ensure_running()
        busy.close()
        with connect(server) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_pid_file_that_names_a_living_stranger_is_not_believed(state):
    with running_server(state) as server:
        pid_file = state / "postgres/data/postmaster.pid"
        left_behind = pid_file.read_text().splitlines()
        server.stop()
        account = find_account("nobody")
        identity = None if account.is_self else account.uid
        with subprocess.Popen(["/bin/sleep", "60"], user=identity) as stranger:
            left_behind[0] = str(stranger.pid)
            pid_file.write_text("\n".join(left_behind))
            server.ensure_running()
            stranger.kill()
        with connect(server) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_path_too_long_for_a_socket_gets_a_private_folder_elsewhere(fresh):
    deep = fresh.parent / ("d" * 60) / ("e" * 60) / "state"
    with running_server(deep) as server, connect(server) as connection:
        folder = Path(server.address().host)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert (deep / "postgres/socket-folder").read_text().strip() == str(folder)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert folder.stat().st_uid == (deep / "postgres").stat().st_uid
    folder.rmdir()


def test_a_lost_socket_folder_is_made_anew(state):
    deep = state.parent / ("d" * 60) / ("e" * 60) / "state"
    with running_server(deep) as server:
        lost = Path(server.address().host)
        account = find_account("nobody")
        run_as(account, ["/bin/rm", "-rf", lost])
        lost.rmdir() if lost.exists() else None
        server.ensure_running()
        with connect(server) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        found = Path(server.address().host)
    found.rmdir()


def test_a_path_with_spaces_quotes_and_commas_works(fresh):
    odd = fresh.parent / 'it\'s, "odd" ü' / "state"
    with running_server(odd) as server, connect(server) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        found = Path(server.address().host)
    found.rmdir()


def test_stop_says_whether_anything_ran(fresh):
    server = EmbeddedPostgres(fresh)
    assert server.stop() is False
    assert not fresh.exists()
    with running_server(fresh):
        assert server.stop() is True
    assert not is_held(fresh / "locks/server")


def test_a_database_of_another_postgres_is_refused_with_both_versions(state):
    with running_server(state) as server:
        server.stop()
        (state / "postgres/data/PG_VERSION").write_text("17\n")
        with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 17.*18.*operations\.md"):
            server.ensure_running()


def test_a_server_that_cannot_start_shows_its_last_words(state):
    with running_server(state) as server:
        server.stop()
        (state / "postgres/data/local.conf").write_text("no_such_setting = 1\n")
        with pytest.raises(EmbeddedPostgresError, match="no_such_setting"):
            server.ensure_running()


@as_root
def test_root_runs_the_server_under_the_unprivileged_account(state):
    with running_server(state):
        assert Path(f"/proc/{postmaster_pid(state)}").stat().st_uid == find_account("nobody").uid
        assert (state / "secrets").stat().st_uid == 0


@as_root
def test_a_place_that_the_account_cannot_reach_is_refused_and_left_alone(tmp_path):
    tmp_path.chmod(0o700)
    with pytest.raises(EmbeddedPostgresError, match="RAGSITE_STATE_DIR") as caught:
        EmbeddedPostgres(tmp_path / "below" / "state").ensure_running()
    assert "may not enter" in str(caught.value)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@as_root
def test_an_unknown_account_is_refused_by_the_name_of_its_setting(fresh):
    with pytest.raises(EmbeddedPostgresError, match="RAGSITE_POSTGRES_ACCOUNT"):
        EmbeddedPostgres(fresh, account="no-such-account").ensure_running()


@as_root
def test_it_works_without_root_too(fresh):
    fresh.parent.chmod(0o777)
    account = find_account("nobody")
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(account.gid)
        os.setuid(account.uid)
        with running_server(fresh) as server, connect(server) as connection:
            worked = connection.execute("SELECT 42").fetchone() == (42,)
        os._exit(0 if worked else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert {path.stat().st_uid for path in fresh.iterdir()} == {account.uid}
