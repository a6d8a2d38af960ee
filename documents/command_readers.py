"""The reader that a command asks as: an account by name, or a set of Django groups."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import datetime

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.utils import timezone

from documents.conf import organisation_zone
from documents.errors import InvalidInput
from documents.intervals import parse_moment
from documents.visibility import ReadScope, scope_for, scope_for_groups

WRONG_USAGE = 2


def add_reader_arguments(parser: ArgumentParser) -> None:
    """Add --user, --groups and --as-of."""
    reader = parser.add_mutually_exclusive_group(required=True)
    reader.add_argument("--user", metavar="NAME", help="ask as this account")
    reader.add_argument(
        "--groups",
        metavar="A,B",
        help="ask as a signed-in reader in exactly these Django groups; '' for none",
    )
    parser.add_argument("--as-of", metavar="ISO", help="a past moment or day; default now")


def read_scope(*, user: str | None, groups: str | None, as_of: str | None) -> ReadScope:
    """Return the scope that the arguments name.

    Raises: CommandError (exit status 2) for an unknown account or a moment that cannot be read.
    """
    at = _moment(as_of)
    if user is None:
        names = frozenset(name.strip() for name in (groups or "").split(",") if name.strip())
        return scope_for_groups(names, at=at)
    return scope_for(find_account(user), at=at)


def find_account(name: str) -> User:
    """Return the account of that name.

    Raises: CommandError (exit status 2) where there is none.
    """
    account = User.objects.filter(username=name).first()
    if account is None:
        raise CommandError(f"There is no account {name!r}.", returncode=WRONG_USAGE)
    return account


def _moment(as_of: str | None) -> datetime:
    if as_of is None:
        return timezone.now()
    try:
        return parse_moment(as_of, zone=organisation_zone())
    except InvalidInput as error:
        raise CommandError(f"--as-of: {error.message}", returncode=WRONG_USAGE) from error
