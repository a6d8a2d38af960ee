"""Bytes: stored once, durably, given back unchanged, gone when nobody needs them."""

import os
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.db import transaction

from documents import services, storage, tasks
from documents.models import Revision, SourceFile
from documents.services import DocumentFields, Upload
from tests.builders import OPERATOR, add_text, build_document, build_group

pytestmark = pytest.mark.db

CONTENT = b"Common text."


@pytest.fixture
def folder(settings, tmp_path):
    """Keep files on the disk, as production does."""
    options = {
        "location": tmp_path / "files",
        "file_permissions_mode": 0o600,
        "directory_permissions_mode": 0o700,
    }
    backend = {"BACKEND": "documents.storage.DurableFileSystemStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    return tmp_path / "files"


@pytest.fixture
def group(db):
    return build_group("lab")


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def upload(document, content=CONTENT):
    return services.add_revision(
        document, Upload(content=content, original_name="../../etc/passwd\0.md"), acted_by=OPERATOR
    )


def new_document(group, title):
    return services.create_document(DocumentFields(title=title), group=group, acted_by=OPERATOR)


def purge(document):
    services.delete_document(document, acted_by=OPERATOR)
    services.purge_document(document, acted_by=OPERATOR, reason="asked for")


def test_equal_bytes_are_kept_once(folder, group):
    first, second = (upload(new_document(group, title)) for title in ("One", "Two"))

    assert first.source_file == second.source_file
    assert len(files_in(folder)) == 1
    assert storage.read_source(second.source_file) == CONTENT


def test_place_of_a_file_follows_from_its_hash_and_never_from_its_name(folder, group):
    revision = upload(new_document(group, "One"))
    sha256 = revision.source_file.sha256

    assert files_in(folder) == [folder / sha256[:2] / sha256[2:4] / sha256]
    assert revision.original_name == "../../etc/passwd\\u0000.md"


def test_only_the_owner_may_read_the_files(folder, group):
    upload(new_document(group, "One"))
    path = files_in(folder)[0]

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_file_and_every_folder_on_the_way_are_flushed(folder, group, monkeypatch):
    flushed = []
    fsync = os.fsync

    def record(descriptor):
        flushed.append(Path(f"/proc/self/fd/{descriptor}").resolve())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    upload(new_document(group, "One"))
    path = files_in(folder)[0]

    assert flushed == [path, path.parent, path.parent.parent, folder]


def test_bytes_that_changed_on_the_disk_are_not_read(folder, group):
    revision = upload(new_document(group, "One"))
    path = files_in(folder)[0]
    path.write_bytes(b"Other bytes.")

    with pytest.raises(OSError, match="have changed"):
        storage.read_source(revision.source_file)


def test_missing_bytes_are_an_error_and_come_back_with_the_next_upload(folder, group):
    revision = upload(new_document(group, "One"))
    files_in(folder)[0].unlink()
    with pytest.raises(OSError, match="No such file"):
        storage.read_source(revision.source_file)

    upload(new_document(group, "Two"))
    revision.source_file.refresh_from_db()
    assert storage.read_source(revision.source_file) == CONTENT


def test_purging_keeps_bytes_that_another_document_needs(
    folder, group, django_capture_on_commit_callbacks
):
    one, two = new_document(group, "One"), new_document(group, "Two")
    upload(one)
    kept = upload(two)
    with django_capture_on_commit_callbacks(execute=True):
        purge(one)

    assert storage.read_source(kept.source_file) == CONTENT
    kept.source_file.refresh_from_db()
    assert kept.source_file.drop_owed is False
    with django_capture_on_commit_callbacks(execute=True):
        purge(two)
    assert files_in(folder) == []
    assert not SourceFile.objects.exists()


def test_bytes_go_only_after_the_purge_was_committed(
    folder, group, django_capture_on_commit_callbacks
):
    document = new_document(group, "One")
    revision = upload(document)
    with pytest.raises(RuntimeError), transaction.atomic():
        purge(document)
        raise RuntimeError

    assert storage.read_source(revision.source_file) == CONTENT
    with django_capture_on_commit_callbacks(execute=True):
        purge(document)
    assert files_in(folder) == []


def test_bytes_that_a_crash_left_behind_go_with_the_next_sweep(folder, group):
    document = new_document(group, "One")
    upload(document)
    purge(document)  # its transaction never ends here, so nothing that follows a commit runs

    assert len(files_in(folder)) == 1
    tasks.sweep()
    assert files_in(folder) == []


def test_storage_that_fails_to_delete_is_tried_again(
    folder, group, monkeypatch, django_capture_on_commit_callbacks
):
    document = new_document(group, "One")
    upload(document)

    def fail(name):
        raise OSError("storage is away")

    with monkeypatch.context() as patch:
        patch.setattr(default_storage, "delete", fail)
        with django_capture_on_commit_callbacks(execute=True):
            purge(document)
    assert not Revision.objects.exists()
    assert SourceFile.objects.get().drop_owed is True

    storage.drop_unneeded_sources()
    assert files_in(folder) == []


def test_bytes_owed_to_go_stay_when_they_are_uploaded_again(folder, group):
    one = new_document(group, "One")
    upload(one)
    purge(one)
    again = upload(new_document(group, "Two"))

    storage.drop_unneeded_sources()
    assert storage.read_source(again.source_file) == CONTENT


def test_same_file_may_come_again_after_a_purge(folder, group, django_capture_on_commit_callbacks):
    document = build_document("Rules", "First text.", group)
    with django_capture_on_commit_callbacks(execute=True):
        purge(document)
    again = build_document("Rules", "First text.", group)

    assert again.revisions.get().text == "First text."


def test_bytes_of_a_hidden_document_are_accepted_like_any_other(folder, group):
    add_text(new_document(build_group("finance"), "Budget"), "Nine thousand.")
    added = add_text(new_document(group, "Copy"), "Nine thousand.")

    assert (added.number, added.status) == (1, "received")
