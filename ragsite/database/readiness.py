"""Whether a database can serve Ragsite: its version, pgvector, its migrations.

Asked once per process and database, on its first connection. Pending migrations are applied to the
embedded database only; for any other they are the administrator's to apply.
"""

import sys
import threading

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import ProgrammingError

from ragsite.database.errors import UnusableDatabase

MINIMUM_POSTGRES = 16
MINIMUM_PGVECTOR = (0, 8, 5)
# These show or change what is applied; applying everything first would take their work away.
COMMANDS_ABOUT_MIGRATIONS = frozenset(
    {"makemigrations", "migrate", "optimizemigration", "showmigrations", "sqlmigrate"}
)
MIGRATION_LOCK = 7_246_748_311
SETTLED = "migrated"

_prepared: set[tuple[str, str]] = set()
_in_preparation: set[tuple[str, str]] = set()
_preparing = threading.RLock()


def check_server_version(wrapper: DatabaseWrapper) -> None:
    """Refuse a PostgreSQL that is too old."""
    major = wrapper.pg_version // 10_000
    if major < MINIMUM_POSTGRES:
        raise UnusableDatabase(
            f"DATABASE_URL names a PostgreSQL {major}; Ragsite needs {MINIMUM_POSTGRES} or newer."
        )


def prepare_once(wrapper: DatabaseWrapper, *, is_embedded: bool) -> None:
    """Make sure, once per process, that the database behind an open connection is ready.

    Raises: UnusableDatabase saying what the administrator must do.
    """
    name = wrapper.settings_dict["NAME"]
    if wrapper.alias not in connections.settings or not name:
        return  # Django's own visit to the maintenance database
    key = (wrapper.alias, name)
    if key in _prepared:
        return
    with _preparing:
        if key in _prepared or key in _in_preparation:
            return  # the latter when migrating makes a connection of its own
        _in_preparation.add(key)
        try:
            check_pgvector(wrapper)
            if _migrations_matter(wrapper, name):
                _settle_migrations(wrapper, is_embedded=is_embedded)
            _prepared.add(key)
        finally:
            _in_preparation.discard(key)


def check_pgvector(wrapper: DatabaseWrapper) -> None:
    """Refuse a database without pgvector, or with one that is too old.

    Creates the extension where it is missing and the role may.
    """
    with wrapper.cursor() as cursor:
        cursor.execute(
            "SELECT installed_version, default_version FROM pg_available_extensions"
            " WHERE name = 'vector'"
        )
        row = cursor.fetchone()
    needed = ".".join(map(str, MINIMUM_PGVECTOR))
    if row is None or _version(row[1]) < MINIMUM_PGVECTOR:
        raise UnusableDatabase(
            f"The PostgreSQL server offers {'no pgvector' if row is None else f'pgvector {row[1]}'}"
            f"; Ragsite needs {needed} or newer. Install it on the server."
        )
    name = wrapper.settings_dict["NAME"]
    if row[0] is None:
        _create_extension(wrapper, name)
    elif _version(row[0]) < MINIMUM_PGVECTOR:
        raise UnusableDatabase(
            f"The database {name} has pgvector {row[0]}; Ragsite needs {needed} or newer. "
            f"As its administrator, run in it: ALTER EXTENSION vector UPDATE;"
        )


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _create_extension(wrapper: DatabaseWrapper, name: str) -> None:
    try:
        with wrapper.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except ProgrammingError as error:
        raise UnusableDatabase(
            f"The database {name} has no pgvector, and this role may not create it. As the "
            f"server's administrator, run in {name}: CREATE EXTENSION vector;"
        ) from error


def _migrations_matter(wrapper: DatabaseWrapper, name: str) -> bool:
    about_migrations = sys.argv[1:2] and sys.argv[1] in COMMANDS_ABOUT_MIGRATIONS
    is_test = name.startswith(TEST_DATABASE_PREFIX)
    return wrapper.alias == DEFAULT_DB_ALIAS and not about_migrations and not is_test


def _settle_migrations(wrapper: DatabaseWrapper, *, is_embedded: bool) -> None:
    if not is_embedded:
        pending = _count_pending(wrapper)
        if pending:
            raise UnusableDatabase(
                f"The database lacks {pending} migrations of this Ragsite. Make a backup, then "
                "run: manage.py migrate"
            )
        return
    with wrapper.cursor() as cursor:
        # Processes that start together take turns: the first migrates, the others find it done.
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        try:
            pending = _count_pending(wrapper)
            if pending or not _is_settled(wrapper):
                _migrate(wrapper, pending)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])


def _count_pending(wrapper: DatabaseWrapper) -> int:
    executor = MigrationExecutor(wrapper)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _is_settled(wrapper: DatabaseWrapper) -> bool:
    with wrapper.cursor() as cursor:
        cursor.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database"
            " WHERE datname = current_database()"
        )
        return bool(cursor.fetchone() == (SETTLED,))


def _migrate(wrapper: DatabaseWrapper, pending: int) -> None:
    """Apply migrations, and note the end of it.

    Django makes permissions after the last migration is recorded: without the note, a process
    killed between the two would leave them missing for ever.
    """
    sys.stderr.write(f"Preparing the database: {pending} migrations.\n")
    with wrapper.cursor() as cursor:
        cursor.execute("COMMENT ON DATABASE ragsite IS NULL")
    call_command("migrate", database=wrapper.alias, interactive=False, verbosity=0)
    with wrapper.cursor() as cursor:
        cursor.execute(f"COMMENT ON DATABASE ragsite IS '{SETTLED}'")
