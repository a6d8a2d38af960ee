import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from ragsite.embedded.locks import is_held
from ragsite.embedded.server import EmbeddedPostgres
from tests.ragsite.embedded_servers import PROJECT_FOLDER, reachable_folder, running_server

SHOW_MIGRATED = "from django.db import connection; print(*connection.introspection.table_names())"
SURVIVE_A_KILL = """
import os
from pathlib import Path
from django.contrib.auth.models import User
from django.db import OperationalError, close_old_connections
User.objects.create_user("kept")
pid_file = Path(os.environ["RAGSITE_STATE_DIR"]) / "postgres/data/postmaster.pid"
os.kill(int(pid_file.read_text().split()[0]), 9)
try:
    # The process behind an open connection may answer a while before it notices.
    while True:
        User.objects.count()
except OperationalError:
    close_old_connections()
print(User.objects.get().username)
"""


@pytest.fixture
def state():
    with reachable_folder() as folder:
        yield folder / "state"
        EmbeddedPostgres(folder / "state").stop()


@pytest.fixture(scope="module")
def settled():
    """The state directory of an embedded database that has all migrations."""
    with reachable_folder() as folder:
        manage(folder / "state", "shell", "--no-imports", "-c", SHOW_MIGRATED)
        yield folder / "state"
        EmbeddedPostgres(folder / "state").stop()


def manage(
    state: Path, *arguments: str, url: str = "", settings: str = "local"
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "RAGSITE_STATE_DIR": str(state),
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": f"ragsite.settings.{settings}",
    }
    return subprocess.run(  # noqa: S603 - this project's own commands
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT_FOLDER,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def url_of(state: Path, database: str, *, user: str, password: str) -> str:
    folder = str(state / "postgres/socket").replace("/", "%2F")
    return f"postgres://{user}:{password}@{folder}/{database}"


@pytest.mark.db
def test_statements_are_bound_by_the_client_and_never_prepared():
    connection.ensure_connection()
    assert connection.connection.prepare_threshold is None
    assert issubclass(connection.connection.cursor_factory, psycopg.ClientCursor)


@pytest.mark.db
def test_the_database_of_the_tests_has_vectors():
    with connection.cursor() as cursor:
        cursor.execute("SELECT '[1,2]'::halfvec <-> '[1,2]'::halfvec")
        assert cursor.fetchone() == (0.0,)


def test_a_command_that_needs_no_database_starts_none(state):
    assert manage(state, "check").returncode == 0
    assert not (state / "postgres").exists()


def test_the_first_command_makes_the_database_and_later_ones_find_it_done(state):
    first = manage(state, "shell", "--no-imports", "-c", SHOW_MIGRATED)
    assert "documents_revision" in first.stdout.split()
    assert "Preparing the database" in first.stderr
    second = manage(state, "shell", "--no-imports", "-c", SHOW_MIGRATED)
    assert second.stdout == first.stdout
    assert second.stderr == ""
    assert not is_held(state / "locks/server")


def test_a_command_about_migrations_applies_none_by_itself(state):
    shown = manage(state, "showmigrations", "documents")
    assert "[ ] 0001" in shown.stdout
    assert "[X]" not in shown.stdout


def test_the_next_connection_brings_a_killed_server_back(settled):
    outcome = manage(settled, "shell", "--no-imports", "-c", SURVIVE_A_KILL)
    assert (outcome.returncode, outcome.stdout) == (0, "kept\n"), outcome.stderr


def test_a_named_database_is_never_migrated_by_itself(settled):
    with running_server(settled) as server:
        password = server.address().password
        with psycopg.connect(
            host=server.address().host, user="ragsite", password=password, dbname="ragsite"
        ) as bare:
            bare.autocommit = True
            bare.execute("CREATE DATABASE named")
        url = url_of(settled, "named", user="ragsite", password=password)
        refused = manage(settled, "shell", "--no-imports", "-c", SHOW_MIGRATED, url=url)
        assert refused.returncode == 1
        assert "manage.py migrate" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert manage(settled, "migrate", url=url).returncode == 0
        accepted = manage(settled, "shell", "--no-imports", "-c", SHOW_MIGRATED, url=url)
        assert "documents_revision" in accepted.stdout.split()


def test_a_role_that_may_not_create_the_extension_learns_the_line_to_run(settled):
    with running_server(settled) as server:
        address = server.address()
        secret = (settled / "secrets/postgres-superuser").read_text()
        with psycopg.connect(
            host=address.host, user="postgres", password=secret, dbname="postgres"
        ) as bare:
            bare.autocommit = True
            bare.execute("CREATE DATABASE without_vectors OWNER ragsite TEMPLATE template0")
        url = url_of(settled, "without_vectors", user="ragsite", password=address.password)
        refused = manage(settled, "migrate", url=url)
        assert refused.returncode == 1
        assert "run in without_vectors: CREATE EXTENSION vector;" in refused.stderr
        assert "Traceback" not in refused.stderr


def test_production_takes_no_secret_from_the_state_directory(settled):
    refused = manage(settled, "check", settings="production", url="postgres://nobody@nowhere/x")
    assert refused.returncode == 1
    assert "RAGSITE_SECRET_KEY" in refused.stderr
