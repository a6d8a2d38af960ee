"""Who may read or manage: given and taken by services."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError

from documents import grants
from documents.errors import InvalidInput, NotPermitted
from documents.models import AuditEntry, VisibilityGroup
from documents.visibility import MANAGE, READ
from tests.builders import OPERATOR, build_account, build_group

pytestmark = pytest.mark.db


@pytest.fixture
def group():
    return build_group("lab")


def entries(action):
    return AuditEntry.objects.filter(action=action).order_by("id")


@pytest.mark.parametrize("permission", [READ, MANAGE])
@pytest.mark.parametrize("kind", ["account", "group"])
def test_grant_and_revocation_are_each_one_entry(group, kind, permission):
    to = build_account("ada") if kind == "account" else Group.objects.create(name="Lab")
    for _ in range(2):
        grants.grant(group, permission, to=to, acted_by=OPERATOR)
    for _ in range(2):
        grants.revoke(group, permission, to=to, acted_by=OPERATOR)

    expected = {"permission": permission, "to": kind, "id": to.pk}
    for action in ("granted", "revoked"):
        entry = entries(action).get()
        assert (entry.details, entry.visibility_group_slug) == (expected, "lab")
        assert (entry.command, entry.actor) == ("tests", None)


def test_unknown_permission_is_refused(group):
    for service in (grants.grant, grants.revoke):
        with pytest.raises(InvalidInput) as error:
            service(
                group, "delete_everything", to=build_account(service.__name__), acted_by=OPERATOR
            )
        assert error.value.code == "unknown_permission"


def test_administering_needs_djangos_permission_and_no_grant(group):
    manager = build_account("manager", staff=True)
    grants.grant(group, MANAGE, to=manager, acted_by=OPERATOR)
    with pytest.raises(NotPermitted):
        grants.grant(group, READ, to=manager, acted_by=manager)
    with pytest.raises(NotPermitted):
        grants.create_group(slug="x", name="X", reach="listed", acted_by=manager)
    with pytest.raises(NotPermitted):
        grants.change_group(group, name="X", reach="public", acted_by=manager)

    administrator = build_account("administrator", staff=True)
    administrator.user_permissions.add(Permission.objects.get(codename="change_visibilitygroup"))
    grants.grant(group, READ, to=manager, acted_by=administrator)
    assert entries("granted").last().actor == administrator


def test_deactivated_superuser_administers_nothing(group):
    gone = build_account("gone", superuser=True, active=False)
    with pytest.raises(NotPermitted):
        grants.change_group(group, name="X", reach="public", acted_by=gone)


def test_changing_the_reach_is_recorded_with_both(group):
    grants.change_group(group, name="Laboratory", reach="public", acted_by=OPERATOR)

    assert VisibilityGroup.objects.get(pk=group.pk).reach == "public"
    assert entries("group_changed").get().details == {"from": "listed", "to": "public"}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"slug": "lab"}, "slug"),
        ({"slug": "no spaces"}, "slug"),
        ({"reach": "everyone"}, "reach"),
        ({"name": ""}, "name"),
    ],
)
def test_unusable_groups_are_refused_by_field(group, values, field):
    given = {"slug": "other", "name": "Other", "reach": "listed"} | values
    with pytest.raises(ValidationError) as error:
        grants.create_group(acted_by=OPERATOR, **given)
    assert list(error.value.message_dict) == [field]


def test_grants_go_with_the_account_and_the_group(group):
    ada = build_account("ada", groups=["Lab"])
    grants.grant(group, READ, to=ada, acted_by=OPERATOR)
    grants.grant(group, READ, to=Group.objects.get(), acted_by=OPERATOR)
    ada.delete()
    Group.objects.all().delete()

    assert not group.visibilitygroupuserobjectpermission_set.exists()
    assert not group.visibilitygroupgroupobjectpermission_set.exists()
