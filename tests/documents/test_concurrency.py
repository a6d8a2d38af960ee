"""Many at once on one document, each with its own connection."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from documents import publishing, services, work
from documents.errors import Conflict
from documents.intervals import interval_of
from documents.models import Document, Revision, SourceFile, Work
from documents.publishing import Publication
from documents.services import DocumentFields, Upload
from documents.storage import read_source
from tests.builders import OPERATOR, build_document, build_group, build_revision

pytestmark = pytest.mark.db(transaction=True)

DAY = timedelta(days=1)


def at_once(action, arguments, *, threads=12):
    """Run the action for every argument from several threads; errors are returned as values."""

    def run(argument):
        try:
            return action(argument)
        except Conflict as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=threads) as pool:
        return list(pool.map(run, arguments))


def test_two_hundred_publications_at_once_never_overlap():
    with transaction.atomic():
        document = build_document("Rules", "Text 0.", build_group("lab"), publish=False)
        drafts = [document.revisions.get()]
        drafts += [build_revision(document, f"Text {n}.", publish=False) for n in range(1, 200)]
    now = timezone.now()

    def publish(index):
        publication = Publication(
            starts_at=now + (index % 50 - 25) * DAY if index % 4 else None,
            reason="at once",
            replace_scheduled=index % 7 == 0,
        )
        return publishing.publish_revision(drafts[index], publication, acted_by=OPERATOR)

    results = at_once(publish, range(200))

    assert [result for result in results if isinstance(result, Conflict)] == []
    stored = [interval_of(r.effective) for r in document.revisions.exclude(effective=None)]
    assert len(stored) == 200
    intervals = sorted((i for i in stored if i), key=lambda interval: interval.start)
    assert len(intervals) >= 2
    for earlier, later in itertools.pairwise(intervals):
        assert earlier.end is not None
        assert earlier.end <= later.start


def test_one_revision_published_by_many_is_published_once():
    document = build_document("Rules", "Text.", build_group("lab"), publish=False)
    revision = document.revisions.get()
    results = at_once(
        lambda _: publishing.publish_revision(revision, Publication(), acted_by=OPERATOR),
        range(20),
    )

    assert sum(isinstance(result, Revision) for result in results) == 1
    assert {r.code for r in results if isinstance(r, Conflict)} == {"already_published"}


def test_same_bytes_at_once_are_one_file_and_one_revision():
    document = build_document("Rules", "Text.", build_group("lab"))
    upload = Upload(content=b"Second text.", original_name="second.md")
    results = at_once(
        lambda _: services.add_revision(document, upload, acted_by=OPERATOR), range(12)
    )

    assert sum(isinstance(result, Revision) for result in results) == 1
    assert {r.code for r in results if isinstance(r, Conflict)} == {"duplicate_revision"}
    assert SourceFile.objects.count() == 2


def test_same_bytes_for_different_documents_at_once_are_stored_once():
    group = build_group("lab")
    documents = [build_document(f"Rules {n}", f"Text {n}.", group) for n in range(8)]
    upload = Upload(content=b"Common text.", original_name="common.md")
    at_once(lambda d: services.add_revision(d, upload, acted_by=OPERATOR), documents)

    assert Revision.objects.filter(original_name="common.md").count() == 8
    assert SourceFile.objects.count() == 9


def test_revisions_added_at_once_get_every_number_once():
    document = build_document("Rules", "Text.", build_group("lab"))

    def add(number):
        upload = Upload(content=f"Text {number}.".encode(), original_name="x.md")
        return services.add_revision(document, upload, acted_by=OPERATOR)

    at_once(add, range(20))

    assert sorted(document.revisions.values_list("number", flat=True)) == list(range(1, 22))


def test_one_slug_at_once_makes_one_document():
    group = build_group("lab")
    results = at_once(
        lambda _: services.create_document(
            DocumentFields(title="Rules"), group=group, acted_by=OPERATOR
        ),
        range(12),
    )

    assert sum(isinstance(result, Document) for result in results) == 1
    assert {r.code for r in results if isinstance(r, Conflict)} == {"slug_taken"}


def test_purge_and_upload_of_the_same_bytes_leave_the_upload_its_bytes():
    group = build_group("lab")
    content = b"Shared text, at once."
    for turn in range(5):
        old = build_document(f"Old {turn}", content.decode(), group)
        new = services.create_document(
            DocumentFields(title=f"New {turn}"), group=group, acted_by=OPERATOR
        )
        services.delete_document(old, acted_by=OPERATOR)
        upload = Upload(content=content, original_name="new.md")
        at_once(
            lambda act: act(),
            [
                lambda old=old: services.purge_document(old, acted_by=OPERATOR, reason="x"),
                lambda new=new, upload=upload: services.add_revision(
                    new, upload, acted_by=OPERATOR
                ),
            ],
        )
        assert read_source(new.revisions.get().source_file) == content


def test_step_and_cancellation_at_once_never_wait_for_each_other():
    document = build_document("Rules", "Text 0.", build_group("lab"))
    revisions = [
        services.add_revision(
            document,
            Upload(content=f"Text {n + 1}.".encode(), original_name="x.md"),
            acted_by=OPERATOR,
        )
        for n in range(10)
    ]

    def finish(lease):
        with transaction.atomic():
            work.complete(lease)
            publishing.mark_ready(lease.revision_id)

    kept = dict(work._STEPS)
    work.register_step(work.EXTRACT, finish)
    try:
        at_once(
            lambda act: act(),
            [
                act
                for revision in revisions
                for act in (
                    lambda r=revision: work.take_step(r.work.get().pk),
                    lambda r=revision: services.cancel_revision(r, acted_by=OPERATOR),
                )
            ],
        )
    finally:
        work._STEPS.clear()
        work._STEPS.update(kept)

    assert {r.status for r in document.revisions.all()} <= {"ready", "cancelled"}
    assert not Work.objects.filter(state__in=["owed", "leased"], revision__number__gt=1).exists()
