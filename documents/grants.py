"""Services for audiences: groups, and who may read or manage their documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction

from documents import audit
from documents.audit import Actor, Operator
from documents.errors import InvalidInput, NotPermitted
from documents.models import (
    VisibilityGroup,
    VisibilityGroupGroupObjectPermission,
    VisibilityGroupUserObjectPermission,
)
from documents.visibility import MANAGE, READ

Grantee = User | Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One permission on a visibility group, and who has it."""

    permission: str
    grantee: Grantee

    @property
    def kind(self) -> str:
        """Whether an account or a group of accounts has it."""
        return "account" if isinstance(self.grantee, User) else "group"

    @property
    def name(self) -> str:
        """The name of whoever has it."""
        return self.grantee.username if isinstance(self.grantee, User) else self.grantee.name

    @property
    def is_active(self) -> bool:
        """Whether it gives anything: nothing to a deactivated account."""
        return not isinstance(self.grantee, User) or self.grantee.is_active

    @property
    def key(self) -> str:
        """Names the grant among those of its visibility group."""
        return f"{self.permission}.{self.kind}.{self.grantee.pk}"


def check_may_administer(acted_by: Actor) -> None:
    """Make sure that the actor may change audiences.

    Administration is Django's permission to change visibility groups; it reads nothing.
    Raises: NotPermitted.
    """
    if isinstance(acted_by, Operator):
        return
    if not acted_by.has_perm("documents.change_visibilitygroup"):
        raise NotPermitted("You may not change who reads what.")


@transaction.atomic
def create_group(
    *, slug: str, name: str, reach: str, acted_by: Actor, description: str = ""
) -> VisibilityGroup:
    """Create an audience that nobody is listed in yet.

    Raises: NotPermitted; ValidationError naming the field.
    """
    check_may_administer(acted_by)
    group = VisibilityGroup(slug=slug, name=name, reach=reach, description=description)
    group.full_clean()
    group.save()
    audit.record("group_created", acted_by=acted_by, group=group, details={"reach": reach})
    return group


@transaction.atomic
def change_group(
    group: VisibilityGroup, *, name: str, reach: str, acted_by: Actor, description: str = ""
) -> VisibilityGroup:
    """Change an audience's name, description or reach, from the next statement on.

    Raises: NotPermitted; ValidationError naming the field.
    """
    check_may_administer(acted_by)
    group = VisibilityGroup.objects.select_for_update().get(pk=group.pk)
    before = group.reach
    group.name, group.reach, group.description = name, reach, description
    group.full_clean()
    group.save()
    audit.record(
        "group_changed", acted_by=acted_by, group=group, details={"from": before, "to": reach}
    )
    return group


@transaction.atomic
def grant(group: VisibilityGroup, permission: str, *, to: Grantee, acted_by: Actor) -> None:
    """Give an account or a Django group `read_documents` or `manage_documents` on the group.

    Raises: NotPermitted; InvalidInput (`unknown_permission`).
    """
    check_may_administer(acted_by)
    _, made = _rows(permission, to).get_or_create(**_key(group, permission, to))
    if made:
        _record("granted", group, permission, to, acted_by)


@transaction.atomic
def revoke(group: VisibilityGroup, permission: str, *, to: Grantee, acted_by: Actor) -> None:
    """Take a permission back, from the next statement on.

    Raises: NotPermitted; InvalidInput (`unknown_permission`).
    """
    check_may_administer(acted_by)
    removed, _ = _rows(permission, to).filter(**_key(group, permission, to)).delete()
    if removed:
        _record("revoked", group, permission, to, acted_by)


def list_grants(group: VisibilityGroup) -> list[Grant]:
    """Return every permission given on the group: groups of accounts first, then by name."""
    to_groups = VisibilityGroupGroupObjectPermission.objects.filter(content_object=group)
    to_accounts = VisibilityGroupUserObjectPermission.objects.filter(content_object=group)
    return [
        *(
            Grant(permission=row.permission.codename, grantee=row.group)
            for row in to_groups.select_related("permission", "group").order_by(
                "group__name", "permission__codename"
            )
        ),
        *(
            Grant(permission=row.permission.codename, grantee=row.user)
            for row in to_accounts.select_related("permission", "user").order_by(
                "user__username", "permission__codename"
            )
        ),
    ]


@transaction.atomic
def change_memberships(user: User, groups: Iterable[Group], *, acted_by: Actor) -> None:
    """Make the account a member of exactly these groups of accounts; each change is an entry.

    Raises: NotPermitted.
    """
    if not isinstance(acted_by, Operator) and not acted_by.has_perm("auth.change_user"):
        raise NotPermitted("You may not change accounts.")
    user = User.objects.select_for_update().get(pk=user.pk)
    before = {group.pk: group.name for group in user.groups.all()}
    after = {group.pk: group.name for group in groups}
    user.groups.set(after)
    for action, changed in (
        ("member_added", after.keys() - before.keys()),
        ("member_removed", before.keys() - after.keys()),
    ):
        for pk in sorted(changed):
            details = {"account": user.pk, "group": pk, "name": (before | after)[pk]}
            audit.record(action, acted_by=acted_by, details=details)


def take_back_all(to: Grantee, *, acted_by: Actor) -> None:
    """Take back every permission of an account or a group that is about to be deleted.

    Called in the transaction of whoever deletes it, which has checked that the actor may.
    """
    kind = "account" if isinstance(to, User) else "group"
    rows = _rows(READ, to).filter(**{"user" if kind == "account" else "group": to})
    listed = rows.select_related("content_object", "permission")
    for row in listed.order_by("content_object__slug", "permission__codename"):
        _record(
            "revoked",
            row.content_object,
            row.permission.codename,
            to,
            acted_by,
            because=f"{kind}_deleted",
        )
    rows.delete()


def _rows(permission: str, to: Grantee) -> Any:
    # guardian's abstract models give their managers no types.
    if permission not in {READ, MANAGE}:
        raise InvalidInput(
            f"There is no permission {permission!r} on a group.", code="unknown_permission"
        )
    if isinstance(to, User):
        return VisibilityGroupUserObjectPermission.objects
    return VisibilityGroupGroupObjectPermission.objects


def _key(group: VisibilityGroup, permission: str, to: Grantee) -> dict[str, object]:
    row = Permission.objects.get(codename=permission, content_type__app_label="documents")
    return {
        "content_object": group,
        "permission": row,
        ("user" if isinstance(to, User) else "group"): to,
    }


def _record(
    action: str,
    group: VisibilityGroup,
    permission: str,
    to: Grantee,
    acted_by: Actor,
    **circumstances: str,
) -> None:
    kind = "account" if isinstance(to, User) else "group"
    audit.record(
        action,
        acted_by=acted_by,
        group=group,
        details={"permission": permission, "to": kind, "id": to.pk, **circumstances},
    )
