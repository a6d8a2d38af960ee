"""The demo: everything of the manifest, through services, once."""

import io
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from documents.models import AuditEntry, Document, Revision, VisibilityGroup
from documents.visibility import can_manage, readable_documents, readable_revisions, scope_for

pytestmark = pytest.mark.db(transaction=True)


@pytest.fixture
def load(settings, tmp_path, fake_index):
    """Load the demo into a state directory of its own; return what was printed."""
    settings.STATE_DIR = tmp_path / "state"

    def load_demo():
        out = io.StringIO()
        call_command("demo", stdout=out)
        return out.getvalue()

    return load_demo


def readable_titles(username, *, at=None):
    scope = scope_for(User.objects.get(username=username), at=at or timezone.now())
    return sorted(readable_documents(scope).values_list("title", flat=True))


def test_the_demo_holds_what_its_manifest_names(load):
    load()
    assert VisibilityGroup.objects.count() == 4
    assert User.objects.count() == 5
    assert Document.objects.count() == 13
    assert Revision.objects.filter(status="ready", effective__isnull=False).count() == 28


def test_each_account_reads_its_own_share(load):
    load()
    counts = {name: len(readable_titles(name)) for name in ("mara", "joon", "wen", "sten")}
    assert counts == {"mara": 7, "joon": 10, "wen": 12, "sten": 7}
    assert "Annual budget" in readable_titles("wen")
    assert "Annual budget" not in readable_titles("joon")


def test_the_owner_manages_every_group_and_made_its_documents(load):
    load()
    elif_ = User.objects.get(username="elif")
    assert all(can_manage(elif_, group) for group in VisibilityGroup.objects.all())
    assert set(Document.objects.values_list("owner__username", flat=True)) == {"elif"}


def test_the_deadline_is_friday_then_wednesday_then_monday(load):
    load()
    scope_at = [
        datetime(2024, 10, 1, tzinfo=UTC),
        datetime(2025, 6, 1, tzinfo=UTC),
        timezone.now() + timedelta(days=20),
    ]
    mara = User.objects.get(username="mara")
    names = [
        readable_revisions(scope_for(mara, at=at))
        .get(document__slug="event-registration")
        .original_name
        for at in scope_at
    ]
    assert names == [
        "event-registration/2024-09-02.md",
        "event-registration/2025-03-03.md",
        "event-registration/scheduled.md",
    ]


def test_the_withdrawn_document_answers_for_its_time_only(load):
    load()
    before = readable_titles("mara", at=datetime(2024, 6, 1, tzinfo=UTC))
    assert "Overnight access" in before
    assert "Overnight access" not in readable_titles("mara")


def test_passwords_are_printed_once_and_kept_for_the_owner_of_the_files(load, settings):
    printed = load()
    path = Path(settings.STATE_DIR) / "demo_passwords.json"
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(kept) == ["elif", "joon", "mara", "sten", "wen"]
    assert len(set(kept.values())) == 5
    assert all(f"{name}  {password}" in printed for name, password in kept.items())
    assert User.objects.get(username="mara").check_password(kept["mara"])
    again = load()
    assert not any(password in again for password in kept.values())
    assert json.loads(path.read_text(encoding="utf-8")) == kept


def test_loading_again_changes_nothing(load):
    load()
    entries = AuditEntry.objects.count()
    rows = list(Revision.objects.order_by("pk").values_list("pk", "effective"))
    assert "0 new revisions" in load()
    assert AuditEntry.objects.count() == entries
    assert list(Revision.objects.order_by("pk").values_list("pk", "effective")) == rows


def test_a_served_site_refuses_the_demo(settings):
    settings.DEMO_ALLOWED = False
    with pytest.raises(CommandError, match="no place on a served site"):
        call_command("demo")
    assert not User.objects.exists()
