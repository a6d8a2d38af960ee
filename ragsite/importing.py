"""The import service: a folder in, searchable documents and a report out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.db import InterfaceError, OperationalError
from django.db.models import Sum

from documents.conf import organisation_zone
from documents.models import Revision
from ragsite.corpus import CorpusDocument, CorpusUnreadable, Failure, read_audience, read_corpus
from ragsite.intake import (
    STEPS_OF_A_REVISION,
    Intake,
    finish_work,
    only_one_import,
    take_in_document,
)
from ragsite.outlasting import outlasting
from ragsite.progress import Progress
from retrieval.models import IndexedRevision, SearchIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What a folder's documents came to.

    Units: `revisions` are searchable ones; `folded` counts files equal to the one before them;
    `added` counts revisions that this run brought; seconds, those of embedding by every process
    that took part.
    """

    documents: int
    revisions: int
    folded: int
    passages: int
    failed: tuple[Failure, ...]
    added: int
    total_seconds: float
    embedding_seconds: float


def import_folder(
    folder: Path, *, visibility: Path | None = None, group: str | None = None, encoding: str = ""
) -> ImportReport:
    """Bring a folder's documents in and return when everything is searchable or has failed.

    A file that fails is in the report, and the rest goes on; without a usable index or visibility
    file nothing is imported.
    """
    started = time.perf_counter()
    intake = Intake()
    try:
        audience = read_audience(visibility, group=group)
        corpus = read_corpus(folder, audience, zone=organisation_zone())
    except CorpusUnreadable as error:
        failure = Failure(file=str(error.details["file"]), code=error.code, message=error.message)
        return _report(intake, failures=[failure], waiting=[], started=started)
    intake.folded += corpus.folded
    progress = Progress("documents", total=len(corpus.documents))
    for done, document in enumerate(corpus.documents, start=1):
        outlasting(partial(_take_in, document, intake, encoding=encoding))
        progress.show(done)
    progress.close(len(corpus.documents))
    waiting = outlasting(partial(finish_intake, intake))
    failures = [*corpus.failures, *intake.failures]
    return outlasting(partial(_report, intake, failures=failures, waiting=waiting, started=started))


def finish_intake(intake: Intake) -> list[int]:
    """Do what is owed to the revisions of an intake; return the ids of those that waited for it."""
    ids = list(intake.files_by_revision)
    unfinished = Revision.objects.filter(pk__in=ids).exclude(status=Revision.Status.READY)
    waiting = list(unfinished.values_list("pk", flat=True))
    progress = Progress("steps of the work", total=STEPS_OF_A_REVISION * len(ids))
    finish_work(intake, show=progress.show)
    progress.close(STEPS_OF_A_REVISION * len(ids))
    return waiting


def _take_in(document: CorpusDocument, intake: Intake, *, encoding: str) -> None:
    """Bring one document in; where the database goes away, as if it had not been tried."""
    folded, failures = intake.folded, len(intake.failures)
    try:
        with only_one_import():
            take_in_document(document, intake, encoding=encoding)
    except (OperationalError, InterfaceError):
        intake.folded = folded
        del intake.failures[failures:]
        raise


def _report(
    intake: Intake, *, failures: Sequence[Failure], waiting: Sequence[int], started: float
) -> ImportReport:
    ids = list(intake.files_by_revision)
    active = IndexedRevision.objects.filter(index__status=SearchIndex.Status.ACTIVE)
    passages = active.filter(revision__in=ids).aggregate(total=Sum("passages"))["total"]
    embedding = active.filter(revision__in=waiting).aggregate(total=Sum("embedding_seconds"))
    ready = Revision.objects.filter(pk__in=ids, status=Revision.Status.READY).count()
    return ImportReport(
        documents=len(intake.document_ids),
        revisions=ready,
        folded=intake.folded,
        passages=passages or 0,
        failed=tuple(failures),
        added=intake.added,
        total_seconds=time.perf_counter() - started,
        embedding_seconds=embedding["total"] or 0.0,
    )
