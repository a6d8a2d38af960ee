"""Makes the database files, and the role, database and extension inside them."""

from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from ragsite.embedded.accounts import Account, remove_as, run_as, write_file_as
from ragsite.embedded.binaries import POSTGRES_MAJOR
from ragsite.embedded.errors import EmbeddedPostgresError
from ragsite.embedded.tuning import configuration_text

SUPERUSER = "postgres"
ROLE = "ragsite"
DATABASE = "ragsite"
DATA = "data"
DRAFT = "data.new"
# Passwords for everybody, over the socket only. Replication is for backups by an administrator.
ACCESS_RULES = f"""\
local  all          {SUPERUSER}  scram-sha-256
local  all          {ROLE}   scram-sha-256
local  replication  {SUPERUSER}  scram-sha-256
"""
INCLUDES = "\ninclude_if_exists = 'ragsite.conf'\ninclude_if_exists = 'local.conf'\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Where the server's files and programs are."""

    account: Account
    folder: Path
    programs: Path

    @property
    def data_folder(self) -> Path:
        """The folder that PostgreSQL itself calls its data directory."""
        return self.folder / DATA

    @property
    def log_folder(self) -> Path:
        """One log file per day of the week, each overwritten a week later."""
        return self.folder / "log"


def create_files(cluster: Cluster, *, superuser_password: str) -> None:
    """Make the database files, complete or not at all.

    Raises: EmbeddedPostgresError when they are of another PostgreSQL, or cannot be made.
    """
    version_file = cluster.data_folder / "PG_VERSION"
    if version_file.exists():
        found = version_file.read_text().strip()
        if found != POSTGRES_MAJOR:
            raise EmbeddedPostgresError(
                f"The database in {cluster.data_folder} is of PostgreSQL {found}, the package "
                f"brings {POSTGRES_MAJOR}. docs/operations.md says how to carry it over."
            )
        return
    draft = cluster.folder / DRAFT
    password_file = cluster.folder / "initial-password"
    remove_as(cluster.account, draft)
    write_file_as(cluster.account, password_file, superuser_password)
    try:
        _run_initdb(cluster, password_file)
    finally:
        remove_as(cluster.account, password_file)
    settings_file = draft / "postgresql.conf"
    write_file_as(cluster.account, settings_file, settings_file.read_text() + INCLUDES)
    write_file_as(cluster.account, draft / "pg_hba.conf", ACCESS_RULES)
    outcome = run_as(cluster.account, ["/bin/mv", "--", draft, cluster.data_folder])
    if outcome.returncode != 0:
        raise EmbeddedPostgresError(f"Cannot keep the new database: {outcome.stderr.strip()}")


def _run_initdb(cluster: Cluster, password_file: Path) -> None:
    # Relative, because initdb and pg_ctl put their paths into shell commands in double quotes.
    arguments: list[str | Path] = [
        cluster.programs / "initdb",
        f"--pgdata={DRAFT}",
        f"--username={SUPERUSER}",
        f"--pwfile={password_file}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--data-checksums",
        "--no-instructions",
    ]
    outcome = run_as(cluster.account, arguments, cwd=cluster.folder)
    if outcome.returncode != 0:
        raise EmbeddedPostgresError(f"Cannot make the database: {outcome.stderr.strip()}")


def write_settings(cluster: Cluster, values: dict[str, str]) -> None:
    """Write the settings that the next start of the server reads."""
    write_file_as(cluster.account, cluster.data_folder / "ragsite.conf", configuration_text(values))


def provision(*, socket_folder: Path, superuser_password: str, role_password: str) -> None:
    """Make the extension, the role and the database where they are missing.

    The extension goes into template1 too, so that databases made by the role, such as the
    tests', have it: only a superuser may create it.
    """

    def connect(database: str) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(socket_folder),
            dbname=database,
            user=SUPERUSER,
            password=superuser_password,
            autocommit=True,
        )

    with connect("template1") as connection:
        _provide_extension(connection)
        _provide_role(connection, role_password)
        made = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if made.fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(DATABASE), sql.Identifier(ROLE)
                )
            )
            return
    with connect(DATABASE) as connection:
        _provide_extension(connection)


def _provide_extension(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    row = connection.execute(
        "SELECT installed_version, default_version FROM pg_available_extensions"
        " WHERE name = 'vector'"
    ).fetchone()
    if row is None:
        raise EmbeddedPostgresError("The package's PostgreSQL has no pgvector. Reinstall it.")
    installed, packaged = row
    if installed is None:
        connection.execute("CREATE EXTENSION vector")
    elif installed != packaged:
        connection.execute("ALTER EXTENSION vector UPDATE")


def _provide_role(connection: psycopg.Connection[tuple[object, ...]], password: str) -> None:
    known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone()
    verb = "CREATE" if known is None else "ALTER"
    connection.execute(
        sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEROLE CREATEDB PASSWORD {}").format(
            sql.SQL(verb), sql.Identifier(ROLE), sql.Literal(password)
        )
    )
