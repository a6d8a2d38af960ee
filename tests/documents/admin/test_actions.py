"""What the buttons of the administration do: through services, asked first, shown before."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from documents import publishing, tokens
from documents.intervals import interval_of
from documents.models import AccessToken, AuditEntry, Document, PublicationOrder, Revision
from documents.publishing import Publication
from documents.visibility import MANAGE, READ, can_read, scope_for
from tests.builders import OPERATOR, add_text, build_revision

pytestmark = pytest.mark.db

DAY = timedelta(days=1)


@pytest.fixture
def edith(shared_world):
    client = Client()
    client.force_login(shared_world.user("edith"))
    return client


@pytest.fixture
def root(shared_world):
    client = Client()
    client.force_login(shared_world.user("root"))
    return client


@pytest.fixture
def lab(shared_world):
    """A document of the Lab, whose first revision is in force."""
    return shared_world.documents["lab"]


def file(text="Second text."):
    return SimpleUploadedFile("second.md", text.encode())


def act(client, document, name, number=None, **values):
    arguments = [document.public_id, *([] if number is None else [number]), name]
    page = "action" if number is None else "revision_action"
    return client.post(reverse(f"admin:documents_document_{page}", args=arguments), values)


def confirm(client, document, name, number, **values):
    """Post twice, as a person does: once to see what would change, once to confirm it."""
    shown = act(client, document, name, number, **values)
    assert shown.status_code == 200
    return act(client, document, name, number, **values, shown=shown.context["shown"])


def stored(document, number):
    return Revision.objects.get(document=document, number=number)


def last_entry():
    return AuditEntry.objects.latest("id")


def test_document_is_created_with_its_first_file_and_its_order(shared_world, edith):
    response = edith.post(
        reverse("admin:documents_document_add"),
        {"title": "New rules", "group": "lab", "tags": "a, b", "file": file(), "publish": "on"},
    )
    document = Document.objects.get(title="New rules")

    assert response.status_code == 302
    assert response["Location"].endswith(f"/{document.public_id}/change/")
    assert (document.slug, document.tags) == ("new-rules", ["a", "b"])
    assert document.owner == shared_world.user("edith")
    assert document.revisions.get().original_name == "second.md"
    assert PublicationOrder.objects.get().revision == document.revisions.get()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"group": "finance"}, "There is no such group, or you may not manage its documents."),
        ({"group": "nowhere"}, "There is no such group, or you may not manage its documents."),
        ({"slug": "rules-of-quokkalab"}, "already has a document with this slug"),
        ({"file": b""}, "second.md is empty."),
        ({"title": ""}, "This field is required."),
    ],
)
def test_refused_creation_says_why_and_leaves_nothing(shared_world, edith, values, words):
    given = {"title": "New rules", "group": "lab", "file": file()} | values
    if given["file"] == b"":
        given["file"] = file("")
    before = (Document.objects.count(), AuditEntry.objects.count())
    response = edith.post(reverse("admin:documents_document_add"), given)

    assert response.status_code == 400
    assert words in response.content.decode()
    assert (Document.objects.count(), AuditEntry.objects.count()) == before


def test_upload_adds_a_revision(lab, edith):
    url = reverse("admin:documents_document_upload", args=[lab.public_id])
    response = edith.post(url, {"file": file(), "change_note": "Second."})

    assert response.status_code == 302
    assert (stored(lab, 2).status, stored(lab, 2).change_note) == ("received", "Second.")
    again = edith.post(url, {"file": file()})
    assert again.status_code == 400
    assert "already revision 2" in again.content.decode()


def test_fields_are_changed(lab, edith):
    url = reverse("admin:documents_document_edit", args=[lab.public_id])
    assert edith.get(url).context["form"].initial["title"] == lab.title
    response = edith.post(url, {"title": "Other title", "tags": "x"})

    assert response.status_code == 302
    assert Document.objects.get(pk=lab.pk).title == "Other title"


def test_publishing_shows_what_it_would_change_and_then_does_it(lab, edith):
    build_revision(lab, "Second text.", publish=False)
    shown = act(edith, lab, "publish", 2)

    page = shown.content.decode()
    assert "Revision 1 ends at that start." in page
    assert "without an end" in page
    assert stored(lab, 2).effective is None
    done = act(edith, lab, "publish", 2, shown=shown.context["shown"])
    assert done.status_code == 302
    assert interval_of(stored(lab, 2).effective) is not None
    assert last_entry().action == "published"


def test_plan_names_the_order_that_ends_it(lab, edith):
    later = Publication(starts_at=timezone.now() + DAY)
    publishing.publish_revision(add_text(lab, "Ordered."), later, acted_by=OPERATOR)
    build_revision(lab, "Third text.", publish=False)
    page = act(edith, lab, "publish", 3).content.decode()

    assert "Revision 2 is ordered but not ready: once it is, this one ends at its start." in page
    assert " until " in page


def test_plan_says_that_one_with_the_same_start_is_replaced(lab, edith):
    second = build_revision(lab, "Second text.", publish=False)
    start = (timezone.now() + DAY).replace(microsecond=0)
    publishing.publish_revision(second, Publication(starts_at=start), acted_by=OPERATOR)
    build_revision(lab, "Third text.", publish=False)
    page = act(edith, lab, "publish", 3, starts_at=start.isoformat()).content.decode()

    assert "Revision 2 has that same start: it is replaced and never in force." in page
    assert "ends at that start" not in page


def test_plan_that_changed_meanwhile_is_shown_again(lab, edith):
    build_revision(lab, "Second text.", publish=False)
    shown = act(edith, lab, "publish", 2)
    third = build_revision(lab, "Third text.", publish=False)
    later = Publication(starts_at=timezone.now() + DAY)
    publishing.publish_revision(third, later, acted_by=OPERATOR)
    again = act(edith, lab, "publish", 2, shown=shown.context["shown"])

    assert again.status_code == 200
    assert " until " in again.content.decode()
    assert stored(lab, 2).effective is None


def test_start_that_is_changed_after_the_plan_is_shown_again(lab, edith):
    build_revision(lab, "Second text.", publish=False)
    shown = act(edith, lab, "publish", 2, starts_at="2090-01-01")
    values = {"starts_at": "2095-05-05", "shown": shown.context["shown"]}
    again = act(edith, lab, "publish", 2, **values)

    assert again.status_code == 200
    assert "In force from 5 May 2095" in again.content.decode()
    assert stored(lab, 2).effective is None


def test_publishing_from_the_past_asks_for_a_reason(lab, edith):
    build_revision(lab, "Second text.", publish=False)
    values = {"starts_at": "2025-03-01 12:00"}
    refused = act(edith, lab, "publish", 2, **values)
    assert refused.status_code == 400
    assert "A start in the past needs a reason." in refused.content.decode()

    done = confirm(edith, lab, "publish", 2, **values, reason="was on paper")
    assert done.status_code == 302
    interval = interval_of(stored(lab, 2).effective)
    assert interval is not None
    assert interval.start.isoformat() == "2025-03-01T11:00:00+00:00"  # noon in Berlin
    assert stored(lab, 2).entered_late is True


@pytest.mark.parametrize("moment", ["2027-03-28 02:30", "Friday", "2026-10-25T02:30"])
def test_moments_that_do_not_exist_once_are_refused(lab, edith, moment):
    build_revision(lab, "Second text.", publish=False)
    response = act(edith, lab, "publish", 2, starts_at=moment)

    assert response.status_code == 400
    assert response.context["form"].errors["starts_at"]


def test_scheduled_publication_is_cancelled(lab, edith):
    build_revision(lab, "Second text.", publish=False)
    confirm(edith, lab, "publish", 2, starts_at="2099-01-01")
    response = act(edith, lab, "unschedule", 2)

    assert response.status_code == 302
    assert interval_of(stored(lab, 2).effective) is None


def test_withdrawing_and_restoring(lab, edith):
    assert act(edith, lab, "withdraw", 1, reason="wrong number").status_code == 302
    assert (last_entry().action, last_entry().reason) == ("withdrawn", "wrong number")
    assert confirm(edith, lab, "restore", 1).status_code == 302
    assert stored(lab, 2).text == stored(lab, 1).text


def test_retracting_needs_a_reason(lab, edith):
    assert act(edith, lab, "retract", 1).status_code == 400
    assert act(edith, lab, "retract", 1, reason="never valid").status_code == 302
    assert stored(lab, 1).retracted_at is not None


def test_reading_is_stopped_and_tried_again(lab, edith):
    add_text(lab, "Second text.")
    assert act(edith, lab, "stop", 2).status_code == 302
    assert stored(lab, 2).status == "cancelled"
    assert act(edith, lab, "retry", 2).status_code == 302
    assert stored(lab, 2).status == "received"


def test_document_is_moved_deleted_brought_back_and_purged(shared_world, lab, edith):
    act(edith, lab, "move", group="handbook")
    assert Document.objects.get(pk=lab.pk).visibility_group == shared_world.groups["handbook"]
    act(edith, lab, "delete", reason="obsolete")
    act(edith, lab, "undelete")
    assert Document.objects.get(pk=lab.pk).deleted_at is None
    assert act(edith, lab, "purge", reason="asked for").status_code == 302
    assert Document.objects.filter(pk=lab.pk).exists()  # it was not deleted first

    act(edith, lab, "delete")
    assert act(edith, lab, "purge").status_code == 400
    response = act(edith, lab, "purge", reason="asked for")
    assert response["Location"] == reverse("admin:documents_document_changelist")
    assert not Document.objects.filter(pk=lab.pk).exists()


def test_deleted_document_offers_nothing_that_its_services_refuse(lab, edith):
    add_text(lab, "Second text.")
    act(edith, lab, "delete")
    page_of_lab = reverse("admin:documents_document_change", args=[lab.public_id])
    page = edith.get(page_of_lab).content.decode()
    offered = set(re.findall(r"/(?:\d+/)?do/(\w+)/", page))
    assert offered == {"undelete", "purge", "stop"}
    assert act(edith, lab, "withdraw", 1)["Location"] == page_of_lab
    upload = reverse("admin:documents_document_upload", args=[lab.public_id])
    assert edith.post(upload, {"file": file("Third text.")})["Location"] == page_of_lab
    assert lab.revisions.count() == 2
    assert act(edith, lab, "stop", 2).status_code == 302
    assert stored(lab, 2).status == "cancelled"


def test_moving_to_a_group_that_she_does_not_manage_is_refused(lab, edith):
    assert act(edith, lab, "move", group="finance").status_code == 400
    assert Document.objects.get(pk=lab.pk).visibility_group.slug == "lab"


def test_looking_at_an_action_changes_nothing(lab, edith):
    before = AuditEntry.objects.count()
    for name in ("move", "delete"):
        url = reverse("admin:documents_document_action", args=[lab.public_id, name])
        assert edith.get(url).status_code == 200
    for name in ("withdraw", "restore", "retract"):
        url = reverse("admin:documents_document_revision_action", args=[lab.public_id, 1, name])
        assert edith.get(url).status_code == 200

    assert AuditEntry.objects.count() == before


def test_action_that_is_not_offered_any_more_leads_back(lab, edith):
    for name, number in (("publish", 1), ("retry", 1), ("undelete", None), ("explode", None)):
        response = act(edith, lab, name, number)
        assert response.status_code == 302
        assert response["Location"].endswith("/change/")


def test_form_without_its_token_is_refused(shared_world, lab):
    client = Client(enforce_csrf_checks=True)
    client.force_login(shared_world.user("edith"))

    assert act(client, lab, "delete").status_code == 403
    assert Document.objects.get(pk=lab.pk).deleted_at is None


@pytest.mark.parametrize("person", ["root", "mia"])
def test_staff_without_the_grant_change_no_document(shared_world, lab, person):
    client = Client()
    client.force_login(shared_world.user(person))
    before = AuditEntry.objects.count()

    for name in ("move", "delete"):
        assert act(client, lab, name, group="handbook", reason="x").status_code == 403
    for name in ("withdraw", "retract", "restore"):
        assert act(client, lab, name, 1, reason="x").status_code == 403
    assert (
        client.post(
            reverse("admin:documents_document_add"), {"title": "X", "group": "lab", "file": file()}
        ).status_code
        == 403
    )
    assert AuditEntry.objects.count() == before


def test_text_of_a_draft_is_for_those_who_manage_it(shared_world, edith):
    draft = shared_world.documents["draft"]
    url = reverse("admin:documents_document_text", args=[draft.public_id, 1])

    assert "The ibexdraft threshold is 35 units." in edith.get(url).content.decode()
    ada = shared_world.user("ada")
    ada.is_staff = True
    ada.save()
    client = Client()
    client.force_login(ada)
    assert client.get(url).status_code == 404


def test_text_is_shown_as_text(lab, edith):
    build_revision(lab, "Beware of <script>alert(1)</script> here.", publish=False)
    url = reverse("admin:documents_document_text", args=[lab.public_id, 2])
    page = edith.get(url).content.decode()

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def grants_url(group):
    return reverse("admin:documents_visibilitygroup_grants", args=[group.pk])


def test_grant_is_given_and_taken_at_once(shared_world, lab, root):
    cy, url = shared_world.user("cy"), grants_url(shared_world.groups["lab"])
    scope = scope_for(cy, at=timezone.now())
    root.post(url, {"grant": "1", "permission": READ, "account": "cy"})
    assert can_read(scope, lab)
    assert last_entry().actor == shared_world.user("root")

    root.post(url, {"revoke": f"{READ}.account.{cy.pk}"})
    assert not can_read(scope, lab)
    assert last_entry().action == "revoked"


def test_group_of_accounts_is_given_managing(shared_world, root):
    url = grants_url(shared_world.groups["lab"])
    root.post(url, {"grant": "1", "permission": MANAGE, "account_group": "Finance"})
    page = root.get(url).content.decode()

    assert re.search(r"Finance\s+<span class=\"quiet\">group</span>", page)
    assert last_entry().details["id"] == Group.objects.get(name="Finance").pk


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"account": "nobody"},
        {"account": "cy", "account_group": "Finance"},
        {"account": "cy", "permission": "everything"},
    ],
)
def test_grant_to_nobody_or_to_two_is_refused(shared_world, root, values):
    before = AuditEntry.objects.count()
    given = {"grant": "1", "permission": READ} | values
    response = root.post(grants_url(shared_world.groups["lab"]), given)

    assert response.context["form"].errors
    assert AuditEntry.objects.count() == before


def test_group_is_made_and_changed_by_its_services(shared_world, root):
    values = {"name": "Archive", "slug": "archive", "reach": "listed", "description": ""}
    response = root.post(reverse("admin:documents_visibilitygroup_add"), values)
    assert response["Location"].endswith("/grants/")
    assert last_entry().action == "group_created"

    group = shared_world.groups["lab"]
    url = reverse("admin:documents_visibilitygroup_change", args=[group.pk])
    root.post(url, {"name": "Laboratory", "reach": "public", "description": "", "slug": "other"})
    assert last_entry().details == {"from": "listed", "to": "public"}
    group.refresh_from_db()
    assert (group.name, group.slug, group.reach) == ("Laboratory", "lab", "public")


def test_membership_is_an_entry_each(shared_world, root):
    ada, finance = shared_world.user("ada"), Group.objects.get(name="Finance")
    values = {
        "username": "ada",
        "is_active": "on",
        "groups": [finance.pk],
        "date_joined_0": "2026-01-01",
        "date_joined_1": "12:00",
    }
    url = reverse("admin:auth_user_change", args=[ada.pk])
    before = AuditEntry.objects.count()
    assert root.post(url, values).status_code == 302

    entries = AuditEntry.objects.order_by("id")[before:]
    assert [(entry.action, entry.details["name"]) for entry in entries] == [
        ("member_added", "Finance"),
        ("member_removed", "Lab"),
    ]
    assert list(ada.groups.all()) == [finance]


def test_switching_an_account_off_and_on_is_an_entry_each(shared_world, root):
    ada = shared_world.user("ada")
    values = {
        "username": "ada",
        "groups": [Group.objects.get(name="Lab").pk],
        "date_joined_0": "2026-01-01",
        "date_joined_1": "12:00",
    }
    url = reverse("admin:auth_user_change", args=[ada.pk])
    before = AuditEntry.objects.count()
    for switch in ({}, {}, {"is_active": "on"}):
        assert root.post(url, values | switch).status_code == 302

    entries = AuditEntry.objects.order_by("id")[before:]
    assert [entry.action for entry in entries] == ["account_deactivated", "account_reactivated"]
    facts = {"account": ada.pk, "name": "ada"}
    who = shared_world.user("root")
    assert [(entry.details, entry.actor) for entry in entries] == [(facts, who)] * 2


def delete_one(client, row):
    url = reverse(f"admin:auth_{row._meta.model_name}_delete", args=[row.pk])
    return client.post(url, {"post": "yes"})


def delete_chosen(client, row):
    url = reverse(f"admin:auth_{row._meta.model_name}_changelist")
    return client.post(url, {"action": "delete_selected", "_selected_action": row.pk, "post": "y"})


@pytest.mark.parametrize("delete", [delete_one, delete_chosen])
def test_grants_that_go_with_an_account_are_entries(shared_world, root, delete):
    board = shared_world.user("board")
    before = AuditEntry.objects.count()
    assert delete(root, board).status_code == 302

    assert not User.objects.filter(username="board").exists()
    entries = AuditEntry.objects.order_by("id")[before:]
    assert [(entry.action, entry.visibility_group_slug) for entry in entries] == [
        ("revoked", "board"),
        ("account_deleted", ""),
    ]
    assert entries[0].details["because"] == "account_deleted"


@pytest.mark.parametrize("delete", [delete_one, delete_chosen])
def test_grants_that_go_with_a_group_of_accounts_are_entries(shared_world, root, delete):
    before = AuditEntry.objects.count()
    assert delete(root, Group.objects.get(name="Lab")).status_code == 302

    assert not Group.objects.filter(name="Lab").exists()
    entries = AuditEntry.objects.order_by("id")[before:]
    assert [(entry.action, entry.visibility_group_slug) for entry in entries] == [
        ("revoked", "lab"),
        ("account_group_deleted", ""),
    ]
    assert entries[1].actor == shared_world.user("root")


def test_secret_of_a_token_is_shown_once_and_works(shared_world, edith):
    url = reverse("admin:documents_accesstoken_add")
    response = edith.post(url, {"name": "script", "scopes": ["read", "ask"], "expires_at": ""})
    secret = response.context["secret"]

    assert secret in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    found = tokens.find_token(secret, at=timezone.now())
    assert found is not None
    assert (found.user, found.scopes) == (shared_world.user("edith"), ["ask", "read"])
    listed = edith.get(reverse("admin:documents_accesstoken_changelist")).content.decode()
    assert "script" in listed
    assert secret not in listed
    assert found.digest not in listed


def test_token_is_revoked(shared_world, edith):
    user = shared_world.user("edith")
    token, secret = tokens.create_token(
        user=user, name="x", scopes=["read"], expires_at=None, acted_by=user
    )
    url = reverse("admin:documents_accesstoken_revoke", args=[token.pk])
    assert edith.get(url).status_code == 200
    assert tokens.find_token(secret, at=timezone.now()) is not None

    edith.post(url)
    assert tokens.find_token(secret, at=timezone.now()) is None


def test_tokens_of_others_are_out_of_reach(shared_world, edith, root):
    user = shared_world.user("ada")
    token, _ = tokens.create_token(
        user=user, name="x", scopes=["read"], expires_at=None, acted_by=user
    )
    url = reverse("admin:documents_accesstoken_revoke", args=[token.pk])
    assert edith.post(url).status_code == 404
    made = edith.post(
        reverse("admin:documents_accesstoken_add"),
        {"name": "y", "scopes": ["read"], "account": "ada"},
    )
    assert made.status_code == 400
    assert AccessToken.objects.count() == 1

    assert root.post(url).status_code == 302
    assert AccessToken.objects.get().revoked_at is not None


@pytest.mark.parametrize(
    ("values", "answer", "rule"),
    [
        ({"reader": "ada"}, "Yes", "group_read_documents"),
        ({"reader": "edith"}, "Yes", "account_manage_documents"),
        ({"reader": "root"}, "No", "no_rule"),
        ({"reader": "leo"}, "No", "inactive_account"),
        ({"reader": ""}, "No", "no_rule"),
        ({"reader": "ada", "at": "2019-01-01"}, "No", "not_in_force"),
    ],
)
def test_access_is_explained(lab, edith, values, answer, rule):
    url = reverse("admin:documents_document_access")
    response = edith.get(url, {"document": lab.public_id, **values})
    page = response.content.decode()

    assert f"<h2>{answer}</h2>" in page
    assert f"<code>{rule}</code>" in page


def test_readers_are_listed_beside_the_explanation(lab, edith):
    url = reverse("admin:documents_document_access")
    page = edith.get(url, {"document": lab.public_id}).content.decode()

    assert "3 active accounts: ada, dana, edith." in page


def test_suggestions_are_few_and_only_for_those_who_may_look(shared_world, edith, root):
    def names(client, kind, typed=""):
        url = reverse("admin:documents_document_suggest", args=[kind])
        response = client.get(url, {"q": typed})
        return response.json()["names"] if response.status_code == 200 else response.status_code

    assert names(edith, "visibility-groups") == ["handbook", "lab", "notices"]
    assert names(root, "visibility-groups") == []
    assert names(root, "accounts", "b") == ["ben", "board"]
    assert names(root, "account-groups", "F") == ["Finance"]
    assert names(edith, "accounts") == names(edith, "account-groups") == 403
    assert names(root, "documents") == 404
