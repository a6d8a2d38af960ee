"""Makes accounts, groups and documents for tests, by calling the services that people reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from documents import grants, publishing, services
from documents.audit import Operator
from documents.extraction.language import detect_by_script
from documents.extraction.reading import read_file
from documents.extraction.types import CanonicalText, Layout
from documents.models import Document, Revision, VisibilityGroup, Work
from documents.publishing import Publication
from documents.services import DocumentFields, Upload
from documents.storage import read_source
from documents.visibility import MANAGE, READ

OPERATOR = Operator("tests")
LATE = "history, entered by a test"
MOST_CHARS = 10_000_000
PASSWORD = "correct horse battery"


def build_account(
    username: str,
    *,
    groups: Sequence[str] = (),
    staff: bool = False,
    superuser: bool = False,
    active: bool = True,
) -> User:
    """Make an account in the named Django groups, which are made where they are missing."""
    user = User.objects.create_user(
        username,
        f"{username}@example.org",
        PASSWORD,
        is_staff=staff,
        is_superuser=superuser,
        is_active=active,
    )
    user.groups.set([Group.objects.get_or_create(name=name)[0] for name in groups])
    return user


def build_group(
    slug: str,
    *,
    reach: str = "listed",
    readers: Iterable[User | Group] = (),
    managers: Iterable[User | Group] = (),
) -> VisibilityGroup:
    """Make a visibility group and grant its permissions."""
    group = grants.create_group(
        slug=slug, name=slug.replace("-", " ").title(), reach=reach, acted_by=OPERATOR
    )
    for permission, grantees in ((READ, readers), (MANAGE, managers)):
        for grantee in grantees:
            grants.grant(group, permission, to=grantee, acted_by=OPERATOR)
    return group


def build_document(
    title: str,
    text: str,
    group: VisibilityGroup,
    *,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    publish: bool = True,
    **fields: Any,
) -> Document:
    """Make a document whose first revision is ready and, unless told otherwise, in force.

    `fields` go to DocumentFields: slug, tags, language, source_url. Nothing is embedded.
    """
    document = services.create_document(
        DocumentFields(title=title, **fields), group=group, acted_by=OPERATOR
    )
    build_revision(document, text, starts_at=starts_at, ends_at=ends_at, publish=publish)
    return document


def build_revision(
    document: Document,
    text: str,
    *,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    publish: bool = True,
    original_name: str = "",
    change_note: str = "",
) -> Revision:
    """Add a ready revision; a start in the past is entered late, with a reason."""
    revision = add_text(document, text, original_name=original_name, change_note=change_note)
    make_text_ready(revision)
    if publish:
        publish_at(revision, starts_at, ends_at=ends_at)
    return Revision.objects.get(pk=revision.pk)


def add_text(
    document: Document, text: str, *, original_name: str = "", change_note: str = ""
) -> Revision:
    """Upload a text as the document's next revision; its work stays owed."""
    upload = Upload(
        content=text.encode(),
        original_name=original_name or f"{document.slug}.md",
        change_note=change_note,
    )
    return services.add_revision(document, upload, acted_by=OPERATOR)


def publish_at(
    revision: Revision, starts_at: datetime | None = None, *, ends_at: datetime | None = None
) -> Revision:
    """Publish from a moment, or now."""
    publication = Publication(starts_at=starts_at, ends_at=ends_at, reason=LATE)
    return publishing.publish_revision(revision, publication, acted_by=OPERATOR)


@transaction.atomic
def make_text_ready(revision: Revision) -> None:
    """Do the work owed to a revision here and now, without vectors."""
    canonical = read_in_process(revision)
    Revision.objects.filter(pk=revision.pk).update(
        text=canonical.text,
        text_sha256=services.text_fingerprint(canonical.text),
        language=revision.document.language or canonical.language,
        layout=canonical.layout.to_json(),
        warnings=list(canonical.warnings),
    )
    Work.objects.filter(revision=revision).update(state=Work.State.DONE, finished_at=timezone.now())
    publishing.mark_ready(revision.pk)


def read_in_process(revision: Revision) -> CanonicalText:
    """Extract as the product does, without its child process and its model of languages."""
    return read_file(
        read_source(revision.source_file),
        original_name=revision.original_name,
        encoding=revision.declared_encoding or None,
        most_chars=MOST_CHARS,
        detect_language=_tell_language,
    )


def _tell_language(text: str, _layout: Layout) -> str:
    by_script = detect_by_script(text)
    return by_script if by_script in {"zh", "ja", "ko"} else "en"
