"""Every page of the administration, as every kind of person, and what none of them may show."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from documents import services
from documents.models import AuditEntry, Document, Revision, VisibilityGroup, Work
from documents.visibility import READ
from tests.builders import OPERATOR, add_text
from tests.world import CANARIES

pytestmark = pytest.mark.db

STAFF = ["root", "mia", "edith"]
OTHERS = ["anonymous", "ada", "cy", "leo"]

# Our own pages: the name of the address, and what each of the staff gets from a plain GET.
# `lab` is managed by edith; root and mia have Django's rights on the models and no grant.
PAGES = {
    "documents_document_changelist": (200, 200, 200),
    "documents_document_add": (403, 403, 200),
    "documents_document_change": (200, 200, 200),
    "documents_document_delete": (403, 403, 403),
    "documents_document_history": (302, 302, 302),
    "documents_document_access": (200, 200, 200),
    "documents_document_suggest": (200, 200, 403),
    "documents_document_edit": (403, 403, 200),
    "documents_document_upload": (403, 403, 200),
    "documents_document_action": (403, 403, 200),
    "documents_document_text": (404, 404, 200),
    "documents_document_revision_action": (403, 403, 200),
    "documents_visibilitygroup_changelist": (200, 200, 403),
    "documents_visibilitygroup_add": (200, 200, 403),
    "documents_visibilitygroup_change": (200, 200, 403),
    "documents_visibilitygroup_delete": (403, 403, 403),
    "documents_visibilitygroup_history": (200, 200, 403),
    "documents_visibilitygroup_grants": (200, 200, 404),
    "documents_auditentry_changelist": (200, 200, 200),
    "documents_auditentry_add": (403, 403, 403),
    "documents_auditentry_change": (404, 404, 404),
    "documents_auditentry_delete": (403, 403, 403),
    "documents_auditentry_history": (404, 404, 404),
    "documents_work_changelist": (200, 200, 200),
    "documents_work_add": (403, 403, 403),
    "documents_work_change": (404, 404, 404),
    "documents_work_delete": (403, 403, 403),
    "documents_work_history": (404, 404, 404),
    "documents_accesstoken_changelist": (200, 200, 200),
    "documents_accesstoken_add": (200, 200, 200),
    "documents_accesstoken_change": (404, 404, 404),
    "documents_accesstoken_delete": (403, 403, 403),
    "documents_accesstoken_history": (404, 404, 404),
    "documents_accesstoken_revoke": (404, 404, 404),
}


def client_of(world, person):
    client = Client()
    if person != "anonymous":
        client.force_login(world.user(person))
    return client


def address(world, name, document="lab"):
    public_id = world.documents[document].public_id
    arguments = {
        "documents_document_change": [public_id],
        "documents_document_delete": [public_id],
        "documents_document_history": [public_id],
        "documents_document_edit": [public_id],
        "documents_document_upload": [public_id],
        "documents_document_action": [public_id, "delete"],
        "documents_document_text": [public_id, 1],
        "documents_document_revision_action": [public_id, 1, "withdraw"],
        "documents_document_suggest": ["accounts"],
        "documents_visibilitygroup_grants": [world.groups["lab"].pk],
    }
    rows = {
        "visibilitygroup": world.groups["lab"].pk,
        "auditentry": AuditEntry.objects.latest("id").pk,
        "work": world.documents["lab"].revisions.get(number=1).work.get().pk,
        "accesstoken": 1,
    }
    if name in arguments:
        return reverse(f"admin:{name}", args=arguments[name])
    model, page = name.split("_")[1:]
    needs_row = page in {"change", "delete", "history", "revoke"}
    return reverse(f"admin:{name}", args=[rows[model]] if needs_row else [])


def addresses_of_site():
    names = set()
    for part in admin.site.get_urls():
        patterns = getattr(part, "url_patterns", [part])
        names |= {p.name for p in patterns if p.name and p.name.startswith("documents_")}
    return names


def test_every_address_is_in_the_table():
    assert addresses_of_site() == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_staff_get_what_the_table_says(shared_world, name):
    statuses = tuple(
        client_of(shared_world, person).get(address(shared_world, name)).status_code
        for person in STAFF
    )

    assert statuses == PAGES[name]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("person", OTHERS)
def test_everyone_else_is_sent_to_sign_in(shared_world, name, person):
    for method in ("get", "post"):
        response = getattr(client_of(shared_world, person), method)(address(shared_world, name))
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")


def shown_to(world, person, *addresses):
    client = client_of(world, person)
    pages = []
    for url in addresses:
        response = client.get(url)
        assert response.status_code in {200, 302, 400, 403, 404}, url
        pages.append(response.content.decode() + str(response.headers))
    return "\n".join(pages)


def every_address(world):
    found = []
    by_document = {f"documents_document_{page}" for page in ("change", "text", "edit")}
    for name in PAGES:
        names = world.documents if name in by_document else ["finance"]
        found += [address(world, name, document) for document in names]
    for listed in ("document", "auditentry", "work"):
        url = reverse(f"admin:documents_{listed}_changelist")
        found += [f"{url}?q={word}" for word in ("rules", CANARIES["finance"])]
        found += [f"{url}?standing=deleted", f"{url}?reading=failed", f"{url}?all="]
    access = reverse("admin:documents_document_access")
    found += [
        f"{access}?reader=ada&document={document.public_id}"
        for document in world.documents.values()
    ]
    return [*found, reverse("admin:index"), reverse("admin:app_list", args=["documents"])]


@pytest.mark.parametrize("person", ["root", "mia"])
def test_no_page_names_a_document_to_staff_who_may_not_read_it(shared_world, person):
    # Typed words come back in the search box, so those addresses are looked at one by one below.
    urls = [url for url in every_address(shared_world) if "q=" not in url]
    shown = shown_to(shared_world, person, *urls)

    assert len(urls) > 50
    assert str(shared_world.documents["finance"].public_id) in shown
    assert [word for word in CANARIES.values() if word in shown] == []
    assert "Staff handbook" in shown  # which everyone signed in may read


def test_editor_sees_the_names_of_the_groups_that_she_manages_only(shared_world):
    # What was typed comes back in its box, so searches and typed ids are left out here.
    typed = ("q=", "&document=")
    urls = [url for url in every_address(shared_world) if not any(t in url for t in typed)]
    shown = shown_to(shared_world, "edith", *urls)

    hidden = {CANARIES["finance"], CANARIES["board"]}
    assert {word for word in CANARIES.values() if word in shown} == set(CANARIES.values()) - hidden
    for name in ("finance", "board"):
        assert str(shared_world.documents[name].public_id) not in shown


def rows_for(world, person, listed, words):
    url = reverse(f"admin:documents_{listed}_changelist")
    response = client_of(world, person).get(url, {"q": words})
    return [row.pk for row in response.context["cl"].result_list]


@pytest.mark.parametrize("person", ["root", "mia"])
@pytest.mark.parametrize("listed", ["document", "auditentry", "work"])
def test_searching_finds_no_hidden_title(shared_world, person, listed):
    for word in CANARIES.values():
        assert rows_for(shared_world, person, listed, word) == []
        assert rows_for(shared_world, person, listed, f"rules-of-{word}") == []


def test_searching_finds_titles_that_may_be_read_and_ids_always(shared_world):
    documents = shared_world.documents

    assert rows_for(shared_world, "edith", "document", CANARIES["draft"]) == [documents["draft"].pk]
    assert rows_for(shared_world, "root", "document", "handbook") == [documents["handbook"].pk]
    public_id = str(documents["finance"].public_id)
    assert rows_for(shared_world, "root", "document", public_id) == [documents["finance"].pk]
    assert rows_for(shared_world, "edith", "document", public_id) == []
    assert len(rows_for(shared_world, "root", "document", "lab")) == 6


def test_order_of_the_list_follows_no_title(shared_world):
    url = reverse("admin:documents_document_changelist")
    response = client_of(shared_world, "root").get(url, {"o": "1"})
    ids = [row.pk for row in response.context["cl"].result_list]

    assert ids == sorted(ids, reverse=True)


@pytest.mark.parametrize(
    ("listed", "lookup"),
    [
        ("document", "title__startswith"),
        ("document", "slug"),
        ("document", "revisions__original_name__startswith"),
        ("auditentry", "reason__startswith"),
        ("work", "revision__change_note__startswith"),
        ("accesstoken", "digest__startswith"),
    ],
)
def test_filtering_by_hidden_columns_is_refused(shared_world, listed, lookup):
    url = reverse(f"admin:documents_{listed}_changelist")
    response = client_of(shared_world, "root").get(url, {lookup: "R"})

    assert response.status_code in {302, 400}


@pytest.mark.parametrize("name", ["documents_document_change", "documents_document_edit"])
def test_hidden_and_absent_documents_look_the_same_to_an_editor(shared_world, name):
    client = client_of(shared_world, "edith")
    absent = "00000000-0000-4000-8000-000000000000"
    hidden = shared_world.documents["finance"].public_id
    pages = []
    for public_id in (hidden, absent):
        with CaptureQueriesContext(connection) as queries:
            response = client.get(reverse(f"admin:{name}", args=[public_id]))
        page = re.sub(r'value="[A-Za-z0-9]{64}"', "", response.content.decode())  # CSRF tokens
        pages.append((response.status_code, page, len(queries)))

    assert pages[0] == pages[1]
    assert pages[0][0] == 404


def test_reader_who_manages_nothing_sees_titles_without_drafts_and_buttons(shared_world):
    ada = shared_world.user("ada")
    ada.is_staff = True
    ada.save()
    client = client_of(shared_world, "ada")
    page = client.get(address(shared_world, "documents_document_change")).content.decode()
    assert CANARIES["lab"] in page
    assert "Upload a revision" not in page

    for name in ("draft", "retracted", "deleted"):
        hidden = client.get(address(shared_world, "documents_document_change", name))
        assert hidden.status_code == 404


def test_page_says_why_a_file_failed(shared_world):
    revision = add_text(shared_world.documents["lab"], "Second text.")
    Revision.objects.filter(pk=revision.pk).update(
        status="failed", failure_code="no_text", failure_message=f"{CANARIES['lab']}.md has no text"
    )
    url = address(shared_world, "documents_document_change")

    assert "no_text: quokkalab.md has no text" in shown_to(shared_world, "edith", url)
    to_root = shown_to(shared_world, "root", url)
    assert "no_text" in to_root
    assert CANARIES["lab"] not in to_root


def test_pages_say_what_a_step_waits_for(shared_world):
    revision = add_text(shared_world.documents["lab"], "Second text.")
    Work.objects.filter(revision=revision).update(failure="model_unavailable: No model at /x.")
    pages = [
        shown_to(shared_world, "edith", address(shared_world, "documents_document_change")),
        shown_to(shared_world, "edith", reverse("admin:documents_work_changelist")),
    ]

    assert "Waits, and is tried again by itself. model_unavailable: No model at /x." in pages[0]
    assert "model_unavailable: No model at /x." in pages[1]


def test_reason_shows_only_where_the_document_may_be_named(shared_world):
    reason = "because of the quokkalab affair"
    services.delete_document(shared_world.documents["lab"], acted_by=OPERATOR, reason=reason)
    url = reverse("admin:documents_auditentry_changelist")

    assert reason in shown_to(shared_world, "edith", url)
    assert reason not in shown_to(shared_world, "root", url)
    services.purge_document(shared_world.documents["lab"], acted_by=OPERATOR, reason=reason)
    assert reason in shown_to(shared_world, "edith", f"{url}?q=lab")
    assert reason not in shown_to(shared_world, "root", f"{url}?q=lab")


def test_pages_keep_the_strict_content_policy(shared_world):
    client = client_of(shared_world, "edith")
    for name in PAGES:
        response = client.get(address(shared_world, name))
        if response.status_code != 200 or "html" not in response["Content-Type"]:
            continue
        assert "script-src 'self'" in response["Content-Security-Policy"]
        page = response.content.decode()
        assert "<style" not in page, name
        assert " style=" not in page, name
        assert "onclick=" not in page, name


@pytest.mark.parametrize("person", ["root", "edith"])
def test_lists_take_a_fixed_number_of_statements(shared_world, person):
    fill(shared_world, 190)
    client = client_of(shared_world, person)
    for listed in ("document", "work", "auditentry", "accesstoken"):
        url = reverse(f"admin:documents_{listed}_changelist")
        with CaptureQueriesContext(connection) as queries:
            response = client.get(url, {"all": ""})
        assert response.status_code == 200
        # Session, account, its rights (2), the count and the rows; never one for each row.
        assert len(queries) <= 12, listed


def fill(world, size):
    """Add documents with owed work, past the services: only their number matters."""
    now = timezone.now()
    lab = {"visibility_group": world.groups["lab"], "created_at": now}
    documents = Document.objects.bulk_create(
        Document(title=f"Filler {number}", slug=f"filler-{number}", **lab) for number in range(size)
    )
    source = world.documents["lab"].revisions.get().source_file
    revisions = Revision.objects.bulk_create(
        Revision(document=document, number=1, source_file=source, created_at=now)
        for document in documents
    )
    Work.objects.bulk_create(
        Work(revision=revision, step="extract", created_at=now) for revision in revisions
    )


def test_page_of_a_document_takes_a_fixed_number_of_statements(shared_world):
    url = address(shared_world, "documents_document_change")
    client = client_of(shared_world, "edith")
    counts = []
    for turn in range(2):
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        counts.append(len(queries))
        for number in range(5):
            add_text(shared_world.documents["lab"], f"Text {turn} {number}.")

    assert counts[0] == counts[1] <= 12


def test_grants_page_offers_no_long_choice(shared_world, django_user_model):
    django_user_model.objects.bulk_create(
        django_user_model(username=f"somebody{number}") for number in range(300)
    )
    for page in (
        address(shared_world, "documents_visibilitygroup_grants"),
        reverse("admin:auth_user_change", args=[shared_world.user("ada").pk]),
        address(shared_world, "documents_document_access"),
        address(shared_world, "documents_accesstoken_add"),
    ):
        assert "somebody299" not in shown_to(shared_world, "root", page)


def test_groups_of_accounts_are_asked_for_and_not_listed(shared_world):
    Group.objects.bulk_create(Group(name=f"team{number}") for number in range(300))
    page = reverse("admin:auth_user_change", args=[shared_world.user("ada").pk])

    assert "team299" not in shown_to(shared_world, "root", page)


def test_model_rights_on_groups_change_groups_and_read_nothing(shared_world):
    client = client_of(shared_world, "mia")
    url = address(shared_world, "documents_visibilitygroup_grants")
    response = client.post(url, {"grant": "1", "permission": READ, "account": "cy"})

    assert response.status_code == 302
    assert AuditEntry.objects.latest("id").action == "granted"
    assert VisibilityGroup.objects.count() == 5
    assert Document.objects.filter(title__contains=CANARIES["lab"]).count() == 1
