"""Brings documents read from files into the product, through its services, and sees them done.

Doing it again changes nothing: a revision is known by its document, its name and its bytes.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Count, Q

from documents import grants, publishing, services, work
from documents.audit import Actor, Operator
from documents.errors import Conflict, ProductError
from documents.models import AuditEntry, Document, Revision, VisibilityGroup
from documents.publishing import Publication
from documents.services import ENDED_BADLY, DocumentFields, Upload
from documents.visibility import READ
from ragsite.corpus import EVERYONE, CorpusDocument, CorpusRevision, Failure

OPERATOR = Operator("import_corpus")
REASON = "Imported with its history."
STEPS_AT_ONCE = 8
STEPS_OF_A_REVISION = 2
WAIT_SECONDS = 0.5
LOCK_NAME = "ragsite import"

Reach = VisibilityGroup.Reach
Show = Callable[[int], None]


@dataclass(slots=True)
class Intake:
    """What has been brought in so far, and what could not be."""

    document_ids: set[int] = field(default_factory=set)
    files_by_revision: dict[int, str] = field(default_factory=dict)
    added: int = 0
    folded: int = 0
    failures: list[Failure] = field(default_factory=list)


@contextmanager
def only_one_import() -> Iterator[None]:
    """Make a second import wait for the first, so that neither doubles what the other brings."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext(%s))", [LOCK_NAME])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s))", [LOCK_NAME])


def find_or_make_audience(names: frozenset[str]) -> VisibilityGroup:
    """Return the visibility group that exactly these names may read.

    Raises: Conflict (`group_reach_differs`) where a group of that slug is open to others than the
    names say; ValidationError where the names make no slug.
    """
    slug = "--".join(sorted(names))
    reach = Reach.SIGNED_IN if EVERYONE in names else Reach.LISTED
    with transaction.atomic():
        group = VisibilityGroup.objects.filter(slug=slug).first()
        if group is None:
            group = grants.create_group(
                slug=slug, name=" and ".join(sorted(names)), reach=reach, acted_by=OPERATOR
            )
        if group.reach != reach:
            raise Conflict(
                f"The visibility group {slug!r} exists; its reach is {group.reach}, not {reach}.",
                code="group_reach_differs",
            )
        for name in sorted(names - {EVERYONE}):
            reader, _ = Group.objects.get_or_create(name=name)
            grants.grant(group, READ, to=reader, acted_by=OPERATOR)
    return group


def take_in_document(
    planned: CorpusDocument, intake: Intake, *, encoding: str, acted_by: Actor = OPERATOR
) -> None:
    """Create, move or find a document and add the revisions that it lacks."""
    try:
        group = find_or_make_audience(planned.readers)
        document = _find_or_create(planned, group, acted_by=acted_by)
    except (ProductError, ValidationError) as error:
        intake.failures.extend(_failure_of(revision.file, error) for revision in planned.revisions)
        return
    intake.document_ids.add(document.pk)
    add_missing_revisions(document, planned.revisions, intake, encoding=encoding, acted_by=acted_by)


def add_missing_revisions(
    document: Document,
    planned: Sequence[CorpusRevision],
    intake: Intake,
    *,
    encoding: str = "",
    acted_by: Actor = OPERATOR,
    reason: str = REASON,
) -> None:
    """Add each revision that the document does not have yet, published for its interval."""
    stored: dict[tuple[str, str], list[Revision]] = defaultdict(list)
    for revision in _revisions_of(document):
        stored[revision.original_name, revision.source_file.sha256].append(revision)
    for plan in planned:
        known = stored[services.clean_name(plan.file), plan.sha256]
        try:
            if known:
                revision = known.pop(0)
                _try_again(revision, acted_by=acted_by)
            else:
                revision = _add(document, plan, encoding=encoding, acted_by=acted_by, reason=reason)
                intake.added += 1
        except Conflict as error:
            if error.code == "duplicate_revision":
                intake.folded += 1
            else:
                intake.failures.append(_failure_of(plan.file, error))
        except (ProductError, ValidationError, OSError) as error:
            intake.failures.append(_failure_of(plan.file, error))
        else:
            intake.files_by_revision[revision.pk] = plan.file


def finish_work(intake: Intake, *, show: Show) -> None:
    """Do what is owed, beside any worker, until nothing is owed to these revisions any more.

    Where all that is left waits for something the site lacks, such as its model, it stays owed.
    """
    revision_ids = sorted(intake.files_by_revision)
    waits: dict[int, str] = {}
    while work.has_unfinished([pk for pk in revision_ids if pk not in waits]):
        taken = work.take_owed(limit=STEPS_AT_ONCE)
        show(_count_steps_done(revision_ids))
        if not taken:
            time.sleep(WAIT_SECONDS)
        waiting = work.waiting().filter(revision__in=revision_ids)
        waits = dict(waiting.values_list("revision", "failure"))
    failed = Revision.objects.filter(pk__in=revision_ids).exclude(status=Revision.Status.READY)
    intake.failures.extend(
        Failure(
            file=intake.files_by_revision[pk],
            code=code or ("waiting" if pk in waits else str(status)),
            message=message or waits.get(pk, ""),
        )
        for pk, status, code, message in failed.order_by("pk").values_list(
            "pk", "status", "failure_code", "failure_message"
        )
    )


def _count_steps_done(revision_ids: Sequence[int]) -> int:
    """Count two steps for a revision that is finished and one for a file that has been read."""
    finished = Q(status__in=(Revision.Status.READY, *ENDED_BADLY))
    read = Q(status__in=(Revision.Status.SPLITTING, Revision.Status.EMBEDDING))
    counts = Revision.objects.filter(pk__in=revision_ids).aggregate(
        finished=Count("pk", filter=finished), read=Count("pk", filter=read)
    )
    return STEPS_OF_A_REVISION * int(counts["finished"]) + int(counts["read"])


def _find_or_create(
    planned: CorpusDocument, group: VisibilityGroup, *, acted_by: Actor
) -> Document:
    document = Document.objects.existing().filter(visibility_group=group, slug=planned.slug).first()
    if document is not None:
        return document
    elsewhere = _find_elsewhere(planned)
    if elsewhere is not None:
        return services.move_document(elsewhere, to_group=group, acted_by=acted_by)
    fields = DocumentFields(title=planned.title, slug=planned.slug)
    return services.create_document(fields, group=group, acted_by=acted_by)


def _find_elsewhere(planned: CorpusDocument) -> Document | None:
    """Return the document that an earlier import made of the same files for another audience.

    A document of the same slug that somebody else made is theirs, and stays where it is.
    """
    wanted = {(services.clean_name(plan.file), plan.sha256) for plan in planned.revisions}
    for document in Document.objects.existing().filter(slug=planned.slug).order_by("pk"):
        imported = AuditEntry.objects.filter(
            document_public_id=document.public_id,
            action="document_created",
            command=OPERATOR.command,
        )
        if imported.exists() and any(
            (revision.original_name, revision.source_file.sha256) in wanted
            for revision in _revisions_of(document)
        ):
            return document
    return None


@transaction.atomic
def _add(
    document: Document, plan: CorpusRevision, *, encoding: str, acted_by: Actor, reason: str
) -> Revision:
    upload = Upload(
        content=plan.path.read_bytes(),
        original_name=plan.file,
        declared_encoding=encoding,
        change_note=plan.change_note,
    )
    revision = services.add_revision(document, upload, acted_by=acted_by)
    publication = Publication(starts_at=plan.starts_at, ends_at=plan.ends_at, reason=reason)
    return publishing.publish_revision(revision, publication, acted_by=acted_by)


def _try_again(revision: Revision, *, acted_by: Actor) -> None:
    """Give a revision that ended badly another chance; its waiting publication still stands."""
    if revision.status in ENDED_BADLY:
        services.retry_revision(revision, acted_by=acted_by)


def _revisions_of(document: Document) -> list[Revision]:
    return list(
        Revision.objects.without_text()
        .filter(document=document)
        .select_related("source_file", "document")
        .order_by("number")
    )


def _failure_of(file: str, error: Exception) -> Failure:
    match error:
        case ProductError():
            return Failure(file=file, code=error.code, message=error.message)
        case ValidationError():
            return Failure(file=file, code="invalid_input", message=" ".join(error.messages))
        case _:
            return Failure(file=file, code="missing_file", message="The file cannot be read.")
