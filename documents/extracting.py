"""The first owed step: from stored bytes to canonical text, in a child process."""

from __future__ import annotations

from django.db import transaction

from documents import work
from documents.conf import documents_config
from documents.extraction.errors import ExtractionCrashed
from documents.extraction.run import extract
from documents.models import Revision
from documents.services import text_fingerprint
from documents.storage import read_source
from documents.work import Lease, StepInterrupted

MAX_WARNING_CHARS = 500


def extract_revision(lease: Lease) -> None:
    """Read the file of a revision and owe the indexing of its text.

    Raises: ExtractionFailed with its code; StepInterrupted where there was no verdict; LeaseLost.
    """
    revision = Revision.objects.select_related("source_file", "document").get(pk=lease.revision_id)
    work.set_status(lease, Revision.Status.EXTRACTING)
    try:
        canonical = extract(
            read_source(revision.source_file),
            original_name=revision.original_name,
            encoding=revision.declared_encoding or None,
            limits=documents_config().extraction_limits,
        )
    except ExtractionCrashed as error:
        raise StepInterrupted(error.message) from error
    with transaction.atomic():
        work.complete(lease)
        Revision.objects.filter(pk=revision.pk).update(
            text=canonical.text,
            text_sha256=text_fingerprint(canonical.text),
            language=revision.document.language or canonical.language,
            layout=canonical.layout.to_json(),
            warnings=[warning[:MAX_WARNING_CHARS] for warning in canonical.warnings],
            status=Revision.Status.SPLITTING,
        )
        work.owe(revision.pk, work.INDEX)
