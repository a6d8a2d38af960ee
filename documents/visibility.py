"""Who may read what, and when. The only module that decides it; everyone else calls it.

Invariant: nothing here caches rights. A scope holds identities, so that each read, and each
recheck with the same scope, sees the rights of that moment in its own statement.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Exists, OuterRef, Q, QuerySet

from documents.models import (
    Document,
    Revision,
    VisibilityGroup,
    VisibilityGroupGroupObjectPermission,
    VisibilityGroupUserObjectPermission,
)
from documents.querysets import DocumentQuerySet, RevisionQuerySet

READ = "read_documents"
MANAGE = "manage_documents"
READING = (READ, MANAGE)  # whoever manages also reads
MANAGING = (MANAGE,)

Reach = VisibilityGroup.Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who is reading: an account, a command's set of group names, or nobody signed in."""

    user_id: int | None = None
    group_names: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScope:
    """Who is reading, at which moment. Built only by the functions of this module.

    `also` narrows the scope to what a second viewer may read too: whoever asks as somebody else
    sees no more than both may.
    """

    viewer: Viewer
    at: datetime
    also: Viewer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessExplanation:
    """Whether a reader may read a document at a moment, and the rule that decided."""

    allowed: bool
    rule: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers of a document at a moment: everyone, or these active accounts."""

    unsigned: bool
    accounts: QuerySet[User]


def viewer_of(user: AbstractBaseUser | AnonymousUser) -> Viewer:
    """Return the viewer that an account, or nobody signed in, is."""
    return Viewer(user_id=user.pk if isinstance(user, AbstractBaseUser) else None)


def scope_for(user: AbstractBaseUser | AnonymousUser, *, at: datetime) -> ReadScope:
    """Return the scope of an account (or of nobody signed in) at a moment.

    Raises: ValueError where the moment has no time zone.
    """
    return _scope(viewer_of(user), at)


def scope_for_groups(names: frozenset[str], *, at: datetime) -> ReadScope:
    """Return the scope of a signed-in reader who belongs to exactly these Django groups.

    For commands and for labelled questions: an unknown name grants nothing.
    """
    return _scope(Viewer(group_names=names), at)


def scope_for_both(
    reader: AbstractBaseUser | AnonymousUser, *, onlooker: AbstractBaseUser, at: datetime
) -> ReadScope:
    """Return the scope of an onlooker who asks as a reader: what both may read."""
    scope = _scope(viewer_of(reader), at)
    return ReadScope(viewer=scope.viewer, at=scope.at, also=viewer_of(onlooker))


def narrowed_to(
    scope: ReadScope, onlooker: AbstractBaseUser | AnonymousUser, *, at: datetime
) -> ReadScope:
    """Return the scope of an onlooker, at a moment, who looks at what another scope was shown.

    Raises: ValueError where the scope is narrowed already: three readers are never meant.
    """
    if scope.also is not None:
        raise ValueError("This scope has an onlooker already.")
    return ReadScope(viewer=scope.viewer, at=_aware(at), also=viewer_of(onlooker))


def moved_to(scope: ReadScope, *, at: datetime) -> ReadScope:
    """Return the same readers at another moment."""
    return ReadScope(viewer=scope.viewer, at=_aware(at), also=scope.also)


def _scope(viewer: Viewer, at: datetime) -> ReadScope:
    return ReadScope(viewer=viewer, at=_aware(at))


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError("A scope needs a moment with a time zone.")
    return at


def readable_groups(scope: ReadScope) -> QuerySet[VisibilityGroup]:
    """Return the groups whose documents the scope may read, as an unevaluated subquery."""
    groups = VisibilityGroup.objects.filter(_granted(scope.viewer, READING, with_reach=True))
    if scope.also is not None:
        groups = groups.filter(_granted(scope.also, READING, with_reach=True))
    return groups.order_by()


def manageable_groups(user: AbstractBaseUser | AnonymousUser) -> QuerySet[VisibilityGroup]:
    """Return the groups whose documents the account may manage."""
    return VisibilityGroup.objects.filter(_granted(viewer_of(user), MANAGING, with_reach=False))


def readable_documents(scope: ReadScope) -> DocumentQuerySet:
    """Return the documents that the scope may read and that have a revision in force then."""
    in_force = Revision.objects.in_force(scope.at).filter(document=OuterRef("pk"))
    return Document.objects.existing().in_groups(readable_groups(scope)).filter(Exists(in_force))


def citable_documents(scope: ReadScope) -> DocumentQuerySet:
    """Return the documents of which the scope may open some revision, of whatever moment."""
    published = Revision.objects.ever_in_force().filter(document=OuterRef("pk"))
    return Document.objects.existing().in_groups(readable_groups(scope)).filter(Exists(published))


def readable_revisions(scope: ReadScope) -> RevisionQuerySet:
    """Return the revisions that are evidence for the scope: readable and in force at its moment."""
    return Revision.objects.in_force(scope.at).in_groups(readable_groups(scope)).order_by()


def citable_revisions(scope: ReadScope) -> RevisionQuerySet:
    """Return the revisions that the scope may open: in force at any moment, readable now.

    Citations of ended revisions open for ever; unpublished, retracted and deleted ones never.
    """
    return Revision.objects.ever_in_force().in_groups(readable_groups(scope)).order_by()


def manageable_documents(user: AbstractBaseUser | AnonymousUser) -> DocumentQuerySet:
    """Return the documents, deleted ones included, that the account may manage."""
    return Document.objects.in_groups(manageable_groups(user))


def manageable_revisions(user: AbstractBaseUser | AnonymousUser) -> RevisionQuerySet:
    """Return the revisions, drafts included, of the documents that the account may manage."""
    return Revision.objects.in_groups(manageable_groups(user))


def nameable_documents(user: AbstractBaseUser | AnonymousUser, *, at: datetime) -> DocumentQuerySet:
    """Return the documents whose title an administration page may show to the account.

    Those that it manages, drafts and deleted ones included, and those of which it may open some
    revision. Every other document goes by its public id.
    """
    managed = Q(visibility_group__in=manageable_groups(user))
    opened = Q(pk__in=citable_documents(scope_for(user, at=at)).order_by().values("pk"))
    return Document.objects.filter(managed | opened)


def nameable_revisions(user: AbstractBaseUser | AnonymousUser, *, at: datetime) -> RevisionQuerySet:
    """Return the revisions whose file name, note and text such a page may show to the account."""
    managed = Q(document__visibility_group__in=manageable_groups(user))
    opened = Q(pk__in=citable_revisions(scope_for(user, at=at)).values("pk"))
    return Revision.objects.filter(managed | opened)


def can_read(scope: ReadScope, document: Document) -> bool:
    """Whether the scope may read the document at its moment."""
    return readable_documents(scope).filter(pk=document.pk).exists()


def can_manage(user: AbstractBaseUser | AnonymousUser, group: VisibilityGroup) -> bool:
    """Whether the account may manage the documents of the group."""
    return manageable_groups(user).filter(pk=group.pk).exists()


def readers_of(document: Document, *, at: datetime) -> Readers:
    """Return who may read the document at the moment."""
    accounts = get_user_model().objects.filter(is_active=True)
    if not Revision.objects.in_force(at).filter(document=document.pk).exists():
        return Readers(unsigned=False, accounts=accounts.none())
    group = document.visibility_group
    if group.reach != Reach.LISTED:
        return Readers(unsigned=group.reach == Reach.PUBLIC, accounts=accounts)
    granted = Q(
        pk__in=VisibilityGroupUserObjectPermission.objects.filter(
            content_object=group, permission__codename__in=READING
        ).values("user")
    ) | Q(
        groups__in=VisibilityGroupGroupObjectPermission.objects.filter(
            content_object=group, permission__codename__in=READING
        ).values("group")
    )
    return Readers(unsigned=False, accounts=accounts.filter(granted).distinct())


def explain_access(
    user: AbstractBaseUser | AnonymousUser, document: Document, *, at: datetime
) -> AccessExplanation:
    """Return whether the reader may read the document at the moment, and by which rule."""
    scope = scope_for(user, at=at)
    if document.deleted_at is not None:
        return _denied("deleted", "The document is deleted.")
    rule = _granting_rule(scope.viewer, document.visibility_group)
    if rule is None:
        if isinstance(user, AbstractBaseUser) and not user.is_active:
            return _denied("inactive_account", "The account is deactivated.")
        return _denied("no_rule", "No rule gives this reader the document's visibility group.")
    if not Revision.objects.in_force(at).filter(document=document.pk).exists():
        return _denied("not_in_force", "No revision of the document is in force at that moment.")
    return AccessExplanation(allowed=True, rule=rule, sentence=RULE_SENTENCES[rule])


RULE_SENTENCES = {
    "reach_public": "The group is open to everyone.",
    "reach_signed_in": "The group is open to everyone signed in.",
    "account_read_documents": "The account was given read_documents on the group.",
    "account_manage_documents": "The account was given manage_documents on the group.",
    "group_read_documents": "A Django group of the account was given read_documents on the group.",
    "group_manage_documents": "A Django group of the account was given manage_documents on it.",
}


def _granting_rule(viewer: Viewer, group: VisibilityGroup) -> str | None:
    rules: list[tuple[str, Q]] = [
        ("reach_public", Q(reach=Reach.PUBLIC)),
        ("reach_signed_in", _by_reach(viewer)),
        *((f"account_{name}", _by_account(viewer, (name,))) for name in READING),
        *((f"group_{name}", _by_group(viewer, (name,))) for name in READING),
    ]
    for rule, condition in rules:
        if VisibilityGroup.objects.filter(condition, pk=group.pk).exists():
            return rule
    return None


def _denied(rule: str, sentence: str) -> AccessExplanation:
    return AccessExplanation(allowed=False, rule=rule, sentence=sentence)


def _granted(viewer: Viewer, codenames: tuple[str, ...], *, with_reach: bool) -> Q:
    condition = _by_account(viewer, codenames) | _by_group(viewer, codenames)
    if with_reach:
        condition |= Q(reach=Reach.PUBLIC) | _by_reach(viewer)
    return condition


def _nothing() -> Q:
    return Q(pk__in=[])


def _by_reach(viewer: Viewer) -> Q:
    if viewer.group_names is not None:
        return Q(reach=Reach.SIGNED_IN)
    if viewer.user_id is None:
        return _nothing()
    active = get_user_model().objects.filter(pk=viewer.user_id, is_active=True)
    return Q(reach=Reach.SIGNED_IN) & Q(Exists(active))


def _by_account(viewer: Viewer, codenames: tuple[str, ...]) -> Q:
    if viewer.user_id is None:
        return _nothing()
    grants = VisibilityGroupUserObjectPermission.objects.filter(
        user=viewer.user_id,
        user__is_active=True,
        permission__codename__in=codenames,
        permission__content_type__app_label="documents",
    )
    return Q(pk__in=grants.values("content_object"))


def _by_group(viewer: Viewer, codenames: tuple[str, ...]) -> Q:
    grants = VisibilityGroupGroupObjectPermission.objects.filter(
        permission__codename__in=codenames, permission__content_type__app_label="documents"
    )
    if viewer.group_names is not None:
        grants = grants.filter(group__name__in=sorted(viewer.group_names))
    elif viewer.user_id is not None:
        grants = grants.filter(group__user=viewer.user_id, group__user__is_active=True)
    else:
        return _nothing()
    return Q(pk__in=grants.values("content_object"))
