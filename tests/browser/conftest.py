"""A real browser before a real ASGI server on this machine, with a fake model behind it."""

from __future__ import annotations

import importlib.util
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.contrib.auth.models import Group
from django.core.asgi import get_asgi_application
from django.db import connections
from django.test import override_settings

from answers import conf
from documents.models import Document, VisibilityGroup
from ragsite.settings.product import ANSWERS
from tests.builders import (
    PASSWORD,
    build_account,
    build_document,
    build_group,
    build_revision,
)
from tests.conftest import ROOT, require_or_skip
from tests.searching import indexing_builders
from tests.world import CHANGED, EARLIER, SCHEDULED

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = ROOT / "var" / "screenshots"
ANSWER_URL = re.compile(r"/answers/[0-9a-f-]{36}/$")

FRIDAY = "Registration closes on Friday at 18:00."
WEDNESDAY = "Registration closes on Wednesday at 18:00."
QUALIFICATION = "This deadline is for in-person events only."
NOTICE = "Notice 📄📄 the limit is 5 units."


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where the site is served, and the documents and groups that these tests ask about."""

    url: str
    notices: VisibilityGroup
    lab: VisibilityGroup
    registration: Document
    notice: Document


@dataclass(kw_only=True)
class Visitor:
    """One person at one window; `faults` gathers what the browser complains about."""

    page: Any
    site: Site
    faults: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Go to an address of the site."""
        self.page.goto(self.site.url + path)

    def sign_in(self, name: str) -> None:
        """Sign in with the form."""
        self.open("/sign-in/")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.locator("main").get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(self.site.url + "/")

    def ask(self, question: str, *, as_of: str = "") -> None:
        """Ask in the box and wait for the answer's page."""
        self.open("/")
        self.page.get_by_label("Your question").fill(question)
        if as_of:
            self.page.get_by_label("In force on").fill(as_of)
        self.page.get_by_role("button", name="Ask", exact=True).click()
        self.page.wait_for_url(ANSWER_URL)

    def marked(self) -> str:
        """Return the marked words of the page, joined as they stand."""
        return "".join(self.page.locator("article.text mark").all_text_contents())

    def keep_picture(self, name: str) -> None:
        """Keep what is seen, and refuse a page that is wider than its window."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert self.page.evaluate(wide) <= 0


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The system's browser."""
    require_or_skip("browser", CHROMIUM.exists(), f"no browser at {CHROMIUM}")
    is_there = importlib.util.find_spec("playwright") is not None
    require_or_skip("browser", is_there, "the package playwright is not installed")
    from playwright.sync_api import sync_playwright

    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, in which Django would refuse its database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(chromium) -> Iterator[str]:
    """Where the site is served: an ASGI server in a thread of this process."""
    static = override_settings(WHITENOISE_USE_FINDERS=True, WHITENOISE_AUTOREFRESH=True)
    with static:
        config = uvicorn.Config(get_asgi_application(), port=0, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def site(address, transactional_db, monkeypatch) -> Iterator[Site]:
    """The site with its cast, committed for the server's threads and gone after the test."""
    # A connection that outlived its request would keep the database from being dropped.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    with indexing_builders(), answering_everything():
        yield _build_site(address)


def _build_site(address: str) -> Site:
    """Make a small cast: the whole one takes longer than what is done with it here."""
    for name, groups, staff in (("ada", ["Lab"], False), ("ben", [], False), ("edith", [], True)):
        build_account(name, groups=groups, staff=staff)
    notices = build_group("notices", reach="public")
    handbook = build_group("handbook", reach="signed_in")
    lab = build_group("lab", readers=[Group.objects.get(name="Lab")])
    beginning = "# Event registration\n\nAnyone may take part.\n\n## Closing\n\n"
    registration = build_document(
        "Event registration",
        f"{beginning}{FRIDAY} Late requests go to the front desk.",
        notices,
        starts_at=EARLIER,
        tags=["events"],
    )
    build_revision(
        registration,
        f"{beginning}{WEDNESDAY} {QUALIFICATION}",
        starts_at=CHANGED,
        change_note="Wednesday instead of Friday.",
    )
    leave = build_document("Staff handbook", "Thirty days of leave.", handbook, starts_at=EARLIER)
    build_revision(leave, "Forty days of leave.", starts_at=SCHEDULED)
    return Site(
        url=address,
        notices=notices,
        lab=lab,
        registration=registration,
        notice=build_document("Notice", NOTICE, notices, starts_at=EARLIER),
    )


class answering_everything:  # noqa: N801 - reads as the others do in a with statement
    """Let no question be refused for a low confidence, except within `refusing_everything`."""

    threshold = 0.0

    def __enter__(self) -> None:
        """Set the threshold."""
        self._settings = override_settings(
            ANSWERS={**ANSWERS, "confidence_threshold": self.threshold}
        )
        self._settings.enable()
        conf.answer_config.cache_clear()

    def __exit__(self, *_: object) -> None:
        """Put it back."""
        self._settings.disable()
        conf.answer_config.cache_clear()


class refusing_everything(answering_everything):  # noqa: N801 - as above
    """Let every question be refused for a low confidence."""

    threshold = 1.0


@pytest.fixture
def open_window(chromium, site):
    """Open windows, and refuse those whose scripts or content policy complained."""
    windows: list[Visitor] = []
    contexts = []

    def open_one(*, width: int = 1280, **options) -> Visitor:
        context = chromium.new_context(viewport={"width": width, "height": 860}, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        visitor = Visitor(page=context.new_page(), site=site)
        visitor.page.on("pageerror", lambda error: visitor.faults.append(str(error)))
        visitor.page.on("console", lambda message: _keep_complaint(visitor, message.text))
        windows.append(visitor)
        return visitor

    yield open_one
    faults = [fault for visitor in windows for fault in visitor.faults]
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def visitor(open_window):
    """Somebody who is not signed in, before one window."""
    return open_window()


def _keep_complaint(visitor: Visitor, text: str) -> None:
    if "Content Security Policy" in text or "Refused to" in text:
        visitor.faults.append(text)
