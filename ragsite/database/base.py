"""Django's PostgreSQL backend, with the embedded server behind it where no other was named.

The server is started by the first connection that finds none, so that commands which need no
database start nothing and a killed server comes back with the next connection. How statements are
sent is Django's own and stays so: arguments bound by the client, nothing prepared.
"""

from functools import cache
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base

from ragsite.database.errors import UnusableDatabase
from ragsite.database.readiness import check_server_version, prepare_once
from ragsite.embedded.errors import EmbeddedPostgresError
from ragsite.embedded.server import EmbeddedPostgres


@cache
def embedded_server() -> EmbeddedPostgres:
    """Return this process's view of the embedded server."""
    return EmbeddedPostgres(settings.STATE_DIR, account=settings.POSTGRES_ACCOUNT)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that brings up its server, and refuses a database that is not ready."""

    @property
    def is_embedded(self) -> bool:
        """Whether this connection is to the embedded server."""
        return settings.EMBEDDED_POSTGRES and not self.settings_dict["HOST"]

    def connect(self) -> None:
        """Connect; the first time in a process, make sure that the database is ready."""
        super().connect()
        try:
            prepare_once(self, is_embedded=self.is_embedded)
        except BaseException:
            # A refused connection must not be found open by whoever asks next.
            self.close()
            raise

    def get_new_connection(self, conn_params: dict[str, Any]) -> psycopg.Connection[Any]:
        """Open a connection, starting the embedded server where none answers."""
        if not self.is_embedded:
            return self._open(conn_params)
        server = embedded_server()
        try:
            server.hold()
            try:
                return self._open(conn_params | _whereabouts(server))
            except psycopg.OperationalError:
                server.ensure_running()
                return self._open(conn_params | _whereabouts(server))
        except EmbeddedPostgresError as error:
            raise UnusableDatabase(str(error)) from error

    def _open(self, conn_params: dict[str, Any]) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        return connection

    def check_database_version_supported(self) -> None:
        """Refuse a server that is too old, in words that say which is needed."""
        check_server_version(self)


def _whereabouts(server: EmbeddedPostgres) -> dict[str, str]:
    address = server.address()
    return {"host": address.host, "user": address.user, "password": address.password}
