"""Accounts and groups that go: what they had is in the trail."""

import pytest
from django.contrib.auth.models import Group, User

from documents import accounts, grants
from documents.errors import NotPermitted
from documents.models import AuditEntry
from documents.visibility import MANAGE, READ
from tests.builders import OPERATOR, build_account, build_group

pytestmark = pytest.mark.db


@pytest.fixture
def ada():
    return build_account("ada", groups=["Lab"])


def entries_of(action):
    """Return what an action adds to the trail, oldest first."""
    before = AuditEntry.objects.count()
    action()
    return list(AuditEntry.objects.order_by("id")[before:])


def facts(entries):
    return [(entry.action, entry.visibility_group_slug, entry.details) for entry in entries]


def test_deleting_an_account_records_each_grant_that_it_had(ada):
    build_group("one", readers=[ada], managers=[ada])
    build_group("two", readers=[ada])
    pk = ada.pk
    entries = entries_of(lambda: accounts.delete_accounts([ada], acted_by=OPERATOR))

    lost = {"to": "account", "id": pk, "because": "account_deleted"}
    assert facts(entries) == [
        ("revoked", "one", lost | {"permission": MANAGE}),
        ("revoked", "one", lost | {"permission": READ}),
        ("revoked", "two", lost | {"permission": READ}),
        ("account_deleted", "", {"account": pk, "name": "ada", "member_of": ["Lab"]}),
    ]
    assert not User.objects.filter(pk=pk).exists()


def test_deleting_a_group_of_accounts_records_its_grants_and_members(ada):
    lab = Group.objects.get(name="Lab")
    group = build_group("lab", readers=[lab])
    grants.grant(group, READ, to=ada, acted_by=OPERATOR)
    pk = lab.pk
    entries = entries_of(lambda: accounts.delete_account_groups([lab], acted_by=OPERATOR))

    lost = {"permission": READ, "to": "group", "id": pk, "because": "group_deleted"}
    assert facts(entries) == [
        ("revoked", "lab", lost),
        ("account_group_deleted", "", {"group": pk, "name": "Lab", "members": [ada.pk]}),
    ]
    assert [given.name for given in grants.list_grants(group)] == ["ada"]


def test_saving_an_account_without_switching_it_is_no_entry(ada):
    ada.first_name = "Ada"
    assert entries_of(lambda: accounts.save_account(ada, acted_by=OPERATOR)) == []
    assert User.objects.get(pk=ada.pk).first_name == "Ada"


def test_accounts_are_for_whoever_has_djangos_permission(ada):
    lab, cy = Group.objects.get(name="Lab"), build_account("cy", staff=True)
    for act in (
        lambda: accounts.delete_accounts([ada], acted_by=cy),
        lambda: accounts.delete_account_groups([lab], acted_by=cy),
        lambda: accounts.save_account(ada, acted_by=cy),
    ):
        with pytest.raises(NotPermitted):
            act()
    assert User.objects.filter(pk=ada.pk, groups=lab).exists()
