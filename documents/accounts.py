"""Services for accounts and groups of accounts: what takes grants away without naming them.

Deleting either takes its grants with it, and a deactivated account reads nothing: the trail says
so. Who is given what is documents/grants.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import Group, User
from django.db import transaction

from documents import audit, grants
from documents.audit import Actor, Operator
from documents.errors import NotPermitted


@transaction.atomic
def save_account(account: User, *, acted_by: Actor) -> None:
    """Store an account that is there already; switching it off or on is an entry.

    Raises: NotPermitted.
    """
    _check_may(acted_by, "auth.change_user")
    was_active = User.objects.select_for_update().get(pk=account.pk).is_active
    account.save()
    if account.is_active != was_active:
        action = "account_reactivated" if account.is_active else "account_deactivated"
        audit.record(action, acted_by=acted_by, details=_facts_of(account))


@transaction.atomic
def delete_accounts(accounts: Iterable[User], *, acted_by: Actor) -> None:
    """Delete the accounts; each, and each grant that goes with it, is an entry.

    Raises: NotPermitted.
    """
    _check_may(acted_by, "auth.delete_user")
    # The lock keeps out a grant made meanwhile: its row refers to the account.
    chosen = User.objects.filter(pk__in=[account.pk for account in accounts])
    for account in chosen.select_for_update().order_by("pk"):
        groups = sorted(group.name for group in account.groups.all())
        grants.take_back_all(account, acted_by=acted_by)
        details = _facts_of(account) | {"member_of": groups}
        account.delete()
        audit.record("account_deleted", acted_by=acted_by, details=details)


@transaction.atomic
def delete_account_groups(groups: Iterable[Group], *, acted_by: Actor) -> None:
    """Delete the groups of accounts; each, and each grant that goes with it, is an entry.

    Raises: NotPermitted.
    """
    _check_may(acted_by, "auth.delete_group")
    chosen = Group.objects.filter(pk__in=[group.pk for group in groups])
    for group in chosen.select_for_update().order_by("pk"):
        members = sorted(User.objects.filter(groups=group).values_list("pk", flat=True))
        grants.take_back_all(group, acted_by=acted_by)
        details = {"group": group.pk, "name": group.name, "members": members}
        group.delete()
        audit.record("account_group_deleted", acted_by=acted_by, details=details)


def _check_may(acted_by: Actor, permission: str) -> None:
    if not isinstance(acted_by, Operator) and not acted_by.has_perm(permission):
        raise NotPermitted("You may not do this to accounts.")


def _facts_of(account: User) -> dict[str, object]:
    # The name, too: once the account is gone, nothing else says whose number it was.
    return {"account": account.pk, "name": account.username}
