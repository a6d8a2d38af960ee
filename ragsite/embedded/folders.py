"""The state directory: private folders, secrets, and a socket folder whose path is short enough.

Every folder made here is 0700. The rights of folders that Ragsite did not make are never changed.
"""

import hashlib
import os
import secrets
import stat
import tempfile
from pathlib import Path

from ragsite.embedded.accounts import Account, can_enter, remove_as, write_file_as
from ragsite.embedded.errors import EmbeddedPostgresError

PROJECT_FOLDER = Path(__file__).resolve().parent.parent.parent
MARKER = "made-by-ragsite"
SYSTEM_STATE_FOLDER = Path("/var/lib/ragsite")
SOCKET_PATH_BYTES = 107
SOCKET_NAME = ".s.PGSQL.5432"


def default_state_folder(project: Path) -> Path:
    """Return where state goes when nobody says where: `var/` in the project's folder.

    Root runs the database under an unprivileged account; where the project's folder is closed to
    other accounts, state goes to a folder of its own under /var/lib/ragsite instead.
    """
    reachable = all(folder.stat().st_mode & stat.S_IXOTH for folder in (project, *project.parents))
    if os.geteuid() != 0 or reachable:
        return project / "var"
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:12]
    return SYSTEM_STATE_FOLDER / f"{project.name}-{digest}"


def prepare_state_folder(path: Path) -> Path:
    """Return the state directory, made 0700 and ours, with its absolute path.

    Raises: EmbeddedPostgresError naming RAGSITE_STATE_DIR when it belongs to others or is open.
    """
    folder = path.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        _tighten(folder)
    except OSError as error:
        raise EmbeddedPostgresError(
            f"Cannot make the state directory {folder} ({error.strerror}). Set RAGSITE_STATE_DIR "
            "to a folder that this account may write to."
        ) from error
    folder = folder.resolve()
    marker = folder / MARKER
    if not marker.exists():
        marker.touch(mode=0o600)
    return folder


def _tighten(folder: Path) -> None:
    """Close an existing state directory to others, unless it looks like somebody else's folder."""
    state = folder.stat()
    if not stat.S_ISDIR(state.st_mode):
        raise EmbeddedPostgresError(f"RAGSITE_STATE_DIR names {folder}, which is no folder.")
    if os.geteuid() != 0 and state.st_uid != os.geteuid():
        raise EmbeddedPostgresError(
            f"The state directory {folder} belongs to another account (uid {state.st_uid}). Run "
            "as that account, or set RAGSITE_STATE_DIR to another folder."
        )
    if stat.S_IMODE(state.st_mode) == 0o700:  # noqa: PLR2004 - a mode reads best as digits
        return
    ours = (folder / MARKER).exists() or PROJECT_FOLDER in folder.resolve().parents
    if not ours and any(entry.is_dir() for entry in folder.iterdir()):
        raise EmbeddedPostgresError(
            f"RAGSITE_STATE_DIR names {folder}, which others may enter and which holds folders "
            f"that Ragsite did not make. Name a folder of its own, or run: chmod 700 {folder}"
        )
    folder.chmod(0o700)


def private_folder(path: Path) -> Path:
    """Return a folder of this process's account inside the state directory, made 0700.

    Raises: EmbeddedPostgresError when a folder of that name belongs to another account.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    state = path.lstat()
    if state.st_uid != os.geteuid():
        raise EmbeddedPostgresError(
            f"{path} belongs to another account (uid {state.st_uid}); Ragsite will not trust it. "
            "Run as that account, or set RAGSITE_STATE_DIR to another folder."
        )
    if not stat.S_ISLNK(state.st_mode):
        path.chmod(0o700)
    return path


def kept_secret(state_folder: Path, name: str) -> str:
    """Return the random secret of that name, making it on first use at 0600.

    Invariant: processes that start together all return the same secret.
    """
    folder = private_folder(prepare_state_folder(state_folder) / "secrets")
    path = folder / name
    if not path.exists():
        # Written in full under another name and then linked: the first to link wins, and nobody
        # ever reads half a secret.
        descriptor, draft = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            Path(draft).unlink()
    return path.read_text().strip()


def broker_folders(state_folder: Path) -> dict[str, str]:
    """Return the private folders of the message broker, under Celery's names for them."""
    broker = private_folder(prepare_state_folder(state_folder) / "broker")
    messages = str(private_folder(broker / "messages"))
    return {
        "data_folder_in": messages,
        "data_folder_out": messages,
        "control_folder": str(private_folder(broker / "control")),
        "processed_folder": str(private_folder(broker / "taken")),
    }


def account_folder(path: Path, account: Account) -> Path:
    """Return a folder inside the state directory that belongs to the server's account.

    The state directory then belongs to that account too: it must be able to enter it, and nobody
    else may. Folders of this process inside stay this process's.

    Raises: EmbeddedPostgresError naming the setting when the account cannot get there.
    """
    if not account.is_self:
        _check_reach(account, path.parent.parent)
        owner = path.parent.stat().st_uid
        if owner not in {os.geteuid(), account.uid}:
            raise EmbeddedPostgresError(
                f"The state directory {path.parent} belongs to uid {owner}, the server runs as "
                f"{account.name}. Set RAGSITE_POSTGRES_ACCOUNT to the former, or "
                "RAGSITE_STATE_DIR to another folder."
            )
        os.chown(path.parent, account.uid, account.gid)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    else:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
    state = path.lstat()
    if state.st_uid != account.uid or not stat.S_ISDIR(state.st_mode):
        raise EmbeddedPostgresError(
            f"{path} is no folder or belongs to uid {state.st_uid}, the server runs as "
            f"{account.name}. Set RAGSITE_POSTGRES_ACCOUNT to the former, or RAGSITE_STATE_DIR to "
            "another folder."
        )
    return path


def _check_reach(account: Account, folder: Path) -> None:
    if can_enter(account, folder):
        return
    blocked = next(
        place for place in [*reversed(folder.parents), folder] if not can_enter(account, place)
    )
    raise EmbeddedPostgresError(
        f"PostgreSQL runs as {account.name!r}, which may not enter {blocked}. Set "
        "RAGSITE_STATE_DIR to a folder that it can reach, for example below /var/lib, or "
        "RAGSITE_POSTGRES_ACCOUNT to an account that can reach this one."
    )


def socket_folder(postgres_folder: Path, account: Account) -> Path:
    """Return the private folder of the server's socket, making it if need be.

    A socket's path ends at 107 bytes, and a comma in it separates hosts for clients. Where the
    state directory's path is longer or has one, the folder is a fresh one among the temporary
    files, and its name is kept in the state directory.
    """
    near = postgres_folder / "socket"
    if len(os.fsencode(near / SOCKET_NAME)) <= SOCKET_PATH_BYTES and "," not in str(near):
        return near
    note = postgres_folder / "socket-folder"
    if note.exists():
        named = Path(note.read_text().strip())
        if _is_private(named, account):
            return named
        remove_as(account, note)
    fresh = Path(tempfile.mkdtemp(prefix="ragsite-"))
    if not account.is_self:
        os.chown(fresh, account.uid, account.gid)
    write_file_as(account, note, f"{fresh}\n")
    return fresh


def find_socket_folder(postgres_folder: Path) -> Path:
    """Return where the socket is, without making or checking anything."""
    note = postgres_folder / "socket-folder"
    return Path(note.read_text().strip()) if note.exists() else postgres_folder / "socket"


def _is_private(folder: Path, account: Account) -> bool:
    try:
        state = folder.lstat()
    except FileNotFoundError:
        return False
    # Where anybody may make folders, only one that is provably the account's own is used again.
    return (
        stat.S_ISDIR(state.st_mode)
        and state.st_uid == account.uid
        and stat.S_IMODE(state.st_mode) == 0o700  # noqa: PLR2004 - a mode reads best as digits
    )
