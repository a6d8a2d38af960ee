"""The operating system account of the embedded server, and programs run under it.

PostgreSQL refuses to run as root, so a root process starts it under an unprivileged account. All
that happens inside that account's folders is done by programs that run as the account: a root
process that wrote there itself could be led elsewhere by a link.
"""

import os
import pwd
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragsite.embedded.errors import EmbeddedPostgresError

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account that owns the database files; `is_self` when it is this process's own."""

    name: str
    uid: int
    gid: int
    is_self: bool


def find_account(name: str) -> Account:
    """Return the account that the server must run under.

    Raises: EmbeddedPostgresError when this is root and `name` is unknown or root again.
    """
    if os.geteuid() != 0:
        return Account(name=f"uid {os.geteuid()}", uid=os.geteuid(), gid=os.getegid(), is_self=True)
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise EmbeddedPostgresError(
            f"PostgreSQL does not run as root, and there is no account named {name!r} to run it "
            "under. Set RAGSITE_POSTGRES_ACCOUNT to an unprivileged account of this machine."
        ) from None
    if entry.pw_uid == 0:
        raise EmbeddedPostgresError(
            f"PostgreSQL does not run as root, and {name!r} is root. Set "
            "RAGSITE_POSTGRES_ACCOUNT to an unprivileged account of this machine."
        )
    return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, is_self=False)


def run_as(
    account: Account,
    arguments: Sequence[str | Path],
    *,
    cwd: Path = Path("/"),
    text: str = "",
    keep_open: Collection[int] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a program under the account with a bare environment and wait for it.

    `text` becomes its standard input; the descriptors in `keep_open` stay open in it.
    """
    return subprocess.run(  # noqa: S603 - every caller names its program by path
        [str(argument) for argument in arguments],
        user=None if account.is_self else account.uid,
        group=None if account.is_self else account.gid,
        extra_groups=None if account.is_self else [],
        cwd=cwd,
        env=ENVIRONMENT,
        umask=0o077,
        start_new_session=True,
        pass_fds=tuple(keep_open),
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def can_enter(account: Account, folder: Path) -> bool:
    """Say whether the account may enter the folder, by trying it."""
    return run_as(account, ["/bin/sh", "-c", 'cd -- "$0"', folder]).returncode == 0


def write_file_as(account: Account, path: Path, text: str) -> None:
    """Write a file that only the account can read, as the account."""
    outcome = run_as(
        account, ["/bin/sh", "-c", 'cat > "$0.new" && mv -f "$0.new" "$0"', path], text=text
    )
    if outcome.returncode != 0:
        raise EmbeddedPostgresError(f"Cannot write {path}: {outcome.stderr.strip()}")


def remove_as(account: Account, path: Path) -> None:
    """Remove a file or a whole folder, as the account; a missing one is fine."""
    outcome = run_as(account, ["/bin/rm", "-rf", "--", path])
    if outcome.returncode != 0:
        raise EmbeddedPostgresError(f"Cannot remove {path}: {outcome.stderr.strip()}")
