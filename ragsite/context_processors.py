"""The frame that every page shares: name, navigation, account menu.

A context processor; refuses to read documents. Pages that must render when everything else fails
(500) do without it.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse

from documents.pages import PageLink


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountMenu:
    """The signed-in person's own links."""

    name: str
    sign_out_url: str
    links: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """Context `frame` of base.html."""

    organisation: str
    home_url: str
    links: tuple[PageLink, ...]
    account: AccountMenu | None
    sign_in_url: str


def page_frame(request: HttpRequest) -> dict[str, PageFrame]:
    """Prepare the frame for the person who asks."""
    person = request.user if isinstance(request.user, User) else None
    places = [("Ask", reverse("ask")), ("Documents", reverse("document_list"))]
    if person is not None:
        places.append(("History", reverse("history")))
    return {
        "frame": PageFrame(
            organisation=settings.ORGANISATION_NAME,
            home_url=reverse("ask"),
            links=tuple(
                PageLink(label=label, url=url, current=is_current(request.path, url))
                for label, url in places
            ),
            account=account_menu(person) if person is not None else None,
            sign_in_url=reverse("sign_in"),
        )
    }


def is_current(path: str, url: str) -> bool:
    """Whether a page lies at or under a place of the navigation."""
    return path == url or (url != "/" and path.startswith(url))


def account_menu(person: User) -> AccountMenu:
    """Prepare the menu of a signed-in person; staff get the way to the admin."""
    links = [PageLink(label="Change password", url=reverse("password_change"))]
    if person.is_staff:
        links.insert(0, PageLink(label="Administration", url=reverse("admin:index")))
    return AccountMenu(
        name=person.get_full_name() or person.get_username(),
        sign_out_url=reverse("sign_out"),
        links=tuple(links),
    )
