"""What can go wrong with the embedded server, said so that an administrator can act on it."""


class EmbeddedPostgresError(Exception):
    """The embedded server cannot be used; the message names what to change."""
