"""Reads a folder of dated files into documents, revisions and intervals. Writes nothing."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from django.utils.text import slugify

from documents.errors import InvalidInput, ProductError
from documents.intervals import parse_moment

INDEX_NAME = "index.json"
EVERYONE = "everyone"
MAX_SLUG_CHARS = 200
MAX_GROUP_NAME_CHARS = 150


class CorpusUnreadable(ProductError):
    """A file that the whole folder depends on cannot be used; nothing is imported."""

    code = "invalid_index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A file that could not be imported, and the stable code of the reason."""

    file: str
    code: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusRevision:
    """One file of a document.

    `starts_at=None` is as soon as it is searchable; `ends_at == starts_at` is never in force.
    """

    file: str
    path: Path
    sha256: str
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    change_note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusDocument:
    """A document with its revisions, oldest first, and the names that may read it."""

    slug: str
    title: str
    readers: frozenset[str]
    revisions: tuple[CorpusRevision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What a folder holds; `folded` counts files equal to the one before them."""

    documents: tuple[CorpusDocument, ...]
    folded: int
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who may read what: by slug from a visibility file, or one set of names for the rest."""

    by_slug: Mapping[str, frozenset[str]] | None
    otherwise: frozenset[str] | None

    def readers_of(self, slug: str) -> frozenset[str]:
        """Return the names that may read the document.

        Raises: InvalidInput (`no_visibility`): a document that nobody was named for stays out.
        """
        readers = (self.by_slug or {}).get(slug) or self.otherwise
        if not readers:
            raise InvalidInput(
                f"The visibility file names no group for {slug!r}.", code="no_visibility"
            )
        return readers


def read_audience(visibility: Path | None, *, group: str | None) -> Audience:
    """Return the audience that the command's options describe.

    Raises: CorpusUnreadable (`invalid_visibility`).
    """
    if visibility is None:
        return Audience(by_slug=None, otherwise=frozenset({group or EVERYONE}))
    value = _read_json(visibility, code="invalid_visibility")
    if not isinstance(value, dict):
        raise _unreadable(visibility, "it holds no object of slugs", code="invalid_visibility")
    by_slug: dict[str, frozenset[str]] = {}
    for slug, names in value.items():
        if not isinstance(names, list) or not all(map(_is_group_name, names)):
            raise _unreadable(
                visibility, f"{slug!r} is no list of group names", code="invalid_visibility"
            )
        by_slug[slug] = frozenset(names)
    return Audience(by_slug=by_slug, otherwise=frozenset({group}) if group else None)


def read_corpus(folder: Path, audience: Audience, *, zone: ZoneInfo) -> Corpus:
    """Return what the folder's index, or else its plain files, describe.

    Units: dates without a time are the start of that day in `zone`.
    Raises: CorpusUnreadable (`invalid_index`).
    """
    if (folder / INDEX_NAME).exists():
        return _read_indexed(folder, audience, zone=zone)
    return _read_plain(folder, audience)


def _read_indexed(folder: Path, audience: Audience, *, zone: ZoneInfo) -> Corpus:
    entries = _read_json(folder / INDEX_NAME, code="invalid_index")
    if not isinstance(entries, list):
        raise _unreadable(folder / INDEX_NAME, "it holds no list of documents")
    documents: list[CorpusDocument] = []
    failures: list[Failure] = []
    folded = 0
    for position, entry in enumerate(entries):
        try:
            slug, title, listed = _fields_of(entry, position)
            readers = audience.readers_of(slug)
        except ProductError as error:
            failures.append(_failure(INDEX_NAME, error))
            continue
        revisions, failed = _dated_revisions(folder, listed, zone=zone)
        failures.extend(failed)
        kept = _fold(revisions)
        folded += len(revisions) - len(kept)
        readable = tuple(revision for revision in kept if revision.sha256)
        if readable:
            documents.append(
                CorpusDocument(slug=slug, title=title, readers=readers, revisions=readable)
            )
    repeated = {slug for slug, times in Counter(d.slug for d in documents).items() if times > 1}
    failures.extend(
        Failure(file=INDEX_NAME, code="repeated_slug", message=f"{slug!r} is there twice.")
        for slug in sorted(repeated)
    )
    return Corpus(
        documents=tuple(d for d in documents if d.slug not in repeated),
        folded=folded,
        failures=tuple(failures),
    )


def _fields_of(entry: object, position: int) -> tuple[str, str, Sequence[object]]:
    if isinstance(entry, dict):
        slug, title, revisions = entry.get("slug"), entry.get("title"), entry.get("revisions")
        if isinstance(slug, str) and slug and isinstance(revisions, list):
            title = title if isinstance(title, str) and title else slug
            if f"{slug}{title}".isprintable():
                return slug, title, revisions
    raise InvalidInput(
        f"Document {position + 1} has no usable slug, title or list of revisions.",
        code="invalid_index",
    )


def _dated_revisions(
    folder: Path, listed: Iterable[object], *, zone: ZoneInfo
) -> tuple[list[CorpusRevision], list[Failure]]:
    """Return the revisions with their intervals, and what could not be read.

    A file that is missing still ends the text before it: its hash stays empty, and nothing is in
    force in its place.
    """
    revisions: list[CorpusRevision] = []
    failures: list[Failure] = []
    previous: datetime | None = None
    for entry in listed:
        file = entry.get("file") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(file, str):
            failures.append(
                Failure(file=INDEX_NAME, code="invalid_index", message=f"No file in {entry!r}.")
            )
            continue
        try:
            previous = _start_of(entry, previous, zone=zone)
        except ProductError as error:
            failures.append(_failure(file, error))
            continue
        revision = CorpusRevision(file=file, path=folder / file, sha256="", starts_at=previous)
        try:
            revision = replace(revision, sha256=fingerprint(folder, revision.path))
        except ProductError as error:
            failures.append(_failure(file, error))
        revisions.append(revision)
    return revisions, failures


def _start_of(
    entry: Mapping[str, object], previous: datetime | None, *, zone: ZoneInfo
) -> datetime:
    """Return when a revision starts.

    Where a stated date is given and later than the start before it, then; otherwise when it was
    published, but never before the start before it.
    """
    stated, published = entry.get("stated_effective"), entry.get("published")
    if stated is not None:
        start = _moment(stated, zone)
        if previous is None or start > previous:
            return start
    start = _moment(published, zone)
    return start if previous is None else max(start, previous)


def _moment(value: object, zone: ZoneInfo) -> datetime:
    if not isinstance(value, str):
        raise InvalidInput(f"{value!r} is no date.", code="invalid_moment")
    return parse_moment(value, zone=zone)


def _fold(revisions: Sequence[CorpusRevision]) -> list[CorpusRevision]:
    """Let equal bytes in a row be one revision, and end each where the next one starts."""
    kept: list[CorpusRevision] = []
    for revision in revisions:
        if not (kept and revision.sha256 and kept[-1].sha256 == revision.sha256):
            kept.append(revision)
    ends = [revision.starts_at for revision in kept[1:]]
    return [
        replace(revision, ends_at=end) for revision, end in zip(kept, [*ends, None], strict=True)
    ]


def _read_plain(folder: Path, audience: Audience) -> Corpus:
    """Make each file a document of its own, in force from now."""
    files = sorted(_plain_files(folder))
    slugs = _slugs_of(files)
    documents: list[CorpusDocument] = []
    failures: list[Failure] = []
    for file in files:
        try:
            readers = audience.readers_of(slugs[file])
            sha256 = fingerprint(folder, folder / file)
        except ProductError as error:
            failures.append(_failure(file, error))
            continue
        revision = CorpusRevision(file=file, path=folder / file, sha256=sha256)
        documents.append(
            CorpusDocument(
                slug=slugs[file], title=Path(file).stem, readers=readers, revisions=(revision,)
            )
        )
    return Corpus(documents=tuple(documents), folded=0, failures=tuple(failures))


def _plain_files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") for part in parts):
            yield "/".join(parts)


def _slugs_of(files: Sequence[str]) -> dict[str, str]:
    """Give each file a slug: its path without the ending, or with it where two would be equal."""
    short = {file: _slug_of(file) for file in files}
    times = Counter(short.values())
    slugs: dict[str, str] = {}
    for file in files:
        slug = short[file]
        if not slug or times[slug] > 1 or len(slug) > MAX_SLUG_CHARS:
            mark = hashlib.sha256(file.encode("utf-8")).hexdigest()[:8]
            slug = f"{slug[: MAX_SLUG_CHARS - 20]}-{mark}".lstrip("-")
        slugs[file] = slug
    return slugs


def _slug_of(file: str) -> str:
    stem = file.rpartition(".")[0] or file
    return slugify(stem.replace("/", "-"), allow_unicode=True)


def fingerprint(folder: Path, path: Path) -> str:
    """Return the hash of a file that lies within the folder.

    Raises: InvalidInput (`outside_folder`, `missing_file`).
    """
    try:
        outside = not path.resolve().is_relative_to(folder.resolve())
        if not outside:
            with path.open("rb") as content:
                return hashlib.file_digest(content, "sha256").hexdigest()
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        raise InvalidInput("The file cannot be read.", code="missing_file") from error
    raise InvalidInput("The file lies outside the folder.", code="outside_folder")


def _is_group_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= MAX_GROUP_NAME_CHARS and name.isprintable()


def _read_json(path: Path, *, code: str) -> object:
    try:
        value: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unreadable(path, str(error), code=code) from error
    return value


def _unreadable(path: Path, reason: str, *, code: str = "invalid_index") -> CorpusUnreadable:
    return CorpusUnreadable(
        f"{path.name} cannot be used: {reason}.", code=code, details={"file": path.name}
    )


def _failure(file: str, error: ProductError) -> Failure:
    return Failure(file=file, code=error.code, message=error.message)
