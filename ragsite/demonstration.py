"""Loads the demo organisation: its groups, accounts and documents, through the services.

Doing it again changes nothing. Passwords are random; nothing here can be signed in with before.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from documents import grants, services
from documents.audit import Operator
from documents.conf import organisation_zone
from documents.errors import NotPermitted
from documents.intervals import parse_moment
from documents.models import Document, VisibilityGroup
from documents.services import DocumentFields
from documents.visibility import MANAGE, READ
from ragsite.corpus import CorpusRevision, Failure, fingerprint
from ragsite.importing import finish_intake
from ragsite.intake import Intake, add_missing_revisions

FOLDER = Path(__file__).resolve().parent / "demo"
PASSWORDS_NAME = "demo_passwords.json"
OPERATOR = Operator("demo")
REASON = "Loaded with the demo."
FROM_LOADING = re.compile(r"\+(\d+) days")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoReport:
    """What loading the demo made; `new_passwords` are shown once and never again."""

    new_passwords: Mapping[str, str]
    passwords_path: Path
    documents: int
    added: int
    failed: tuple[Failure, ...]


def load_demo() -> DemoReport:
    """Make whatever the demo lacks, and return when all of it is searchable.

    Raises: NotPermitted where the settings are those of a served site.
    """
    if not settings.DEMO_ALLOWED:
        raise NotPermitted("The demo's accounts have no place on a served site.")
    manifest = yaml.safe_load((FOLDER / "manifest.yaml").read_text(encoding="utf-8"))
    passwords_path = Path(settings.STATE_DIR) / PASSWORDS_NAME
    groups = {entry["slug"]: _find_or_make_group(entry) for entry in manifest["groups"]}
    new_passwords = _make_accounts(manifest["accounts"], passwords_path)
    owners = {user.username: user for user in User.objects.filter(username__in=_owners(manifest))}
    intake = Intake()
    today = timezone.localdate(timezone=organisation_zone())
    for entry in manifest["documents"]:
        owner = owners[entry["owner"]]
        document = _find_or_create(entry, groups[entry["group"]], owner=owner)
        intake.document_ids.add(document.pk)
        add_missing_revisions(
            document, _revisions_of(entry, today=today), intake, acted_by=owner, reason=REASON
        )
    finish_intake(intake)
    return DemoReport(
        new_passwords=new_passwords,
        passwords_path=passwords_path,
        documents=len(intake.document_ids),
        added=intake.added,
        failed=tuple(intake.failures),
    )


def _owners(manifest: Mapping[str, Any]) -> list[str]:
    return [entry["owner"] for entry in manifest["documents"]]


@transaction.atomic
def _find_or_make_group(entry: Mapping[str, Any]) -> VisibilityGroup:
    group: VisibilityGroup | None = VisibilityGroup.objects.filter(slug=entry["slug"]).first()
    if group is not None:
        return group
    group = grants.create_group(
        slug=entry["slug"],
        name=entry["name"],
        description=entry["description"],
        reach=entry["reach"],
        acted_by=OPERATOR,
    )
    for permission, names in ((READ, entry["readers"]), (MANAGE, entry["managers"])):
        for name in names:
            reader, _ = Group.objects.get_or_create(name=name)
            grants.grant(group, permission, to=reader, acted_by=OPERATOR)
    return group


def _make_accounts(entries: Sequence[Mapping[str, Any]], path: Path) -> dict[str, str]:
    """Make the accounts that are missing; return their passwords, kept in the file before use."""
    known = set(User.objects.values_list("username", flat=True))
    missing = [entry for entry in entries if entry["username"] not in known]
    passwords = {entry["username"]: secrets.token_urlsafe(12) for entry in missing}
    if passwords:
        _keep_passwords(path, passwords)
    for entry in missing:
        _make_account(entry, passwords[entry["username"]])
    return passwords


@transaction.atomic
def _make_account(entry: Mapping[str, Any], password: str) -> None:
    first_name, _, last_name = entry["full_name"].rpartition(" ")
    user = User.objects.create_user(
        entry["username"],
        password=password,
        first_name=first_name,
        last_name=last_name,
        is_staff=entry.get("staff", False),
        is_superuser=entry.get("superuser", False),
    )
    groups = [Group.objects.get_or_create(name=name)[0] for name in entry["groups"]]
    grants.change_memberships(user, groups, acted_by=OPERATOR)


def _keep_passwords(path: Path, passwords: Mapping[str, str]) -> None:
    """Add passwords to the file that only its owner may read, replacing it as a whole."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({**kept, **passwords}, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _find_or_create(entry: Mapping[str, Any], group: VisibilityGroup, *, owner: User) -> Document:
    document: Document | None = (
        Document.objects.existing().filter(visibility_group=group, slug=entry["slug"]).first()
    )
    if document is not None:
        return document
    fields = DocumentFields(
        title=entry["title"],
        slug=entry["slug"],
        tags=entry["tags"],
        language=entry["language"],
    )
    return services.create_document(fields, group=group, acted_by=owner)


def _revisions_of(entry: Mapping[str, Any], *, today: date) -> list[CorpusRevision]:
    listed = entry["revisions"]
    starts = [_moment(item["from"], today=today) for item in listed]
    ends: list[datetime | None] = [*starts[1:], None]
    corpus = FOLDER / "corpus"
    return [
        CorpusRevision(
            file=item["file"],
            path=corpus / item["file"],
            sha256=fingerprint(corpus, corpus / item["file"]),
            starts_at=start,
            ends_at=_moment(item["withdrawn_at"], today=today) if "withdrawn_at" in item else end,
            change_note=item["change_note"],
        )
        for item, start, end in zip(listed, starts, ends, strict=True)
    ]


def _moment(value: date | str, *, today: date) -> datetime:
    """Return the start of the day that the manifest names, or counts from today."""
    if isinstance(value, str):
        counted = FROM_LOADING.fullmatch(value)
        if counted is None:
            raise ValueError(f"The manifest's {value!r} is no day.")
        value = today + timedelta(days=int(counted[1]))
    return parse_moment(value.isoformat(), zone=organisation_zone())
