"""Every address, asked as everyone. A new address fails here until it has its row.

The rows are about what is behind the lab's document of the cast, which ada reads and edith manages;
nobody else may learn that it exists. leo is deactivated: his session is nobody's.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from answers.models import Answer
from tests.world import CANARIES, World

pytestmark = pytest.mark.db

PERSONAS = ("anonymous", "cy", "ada", "edith", "root", "mia", "leo")
NOT_READERS = ("anonymous", "cy", "root", "mia", "leo")
STAFF = ("edith", "root", "mia")

EVERYONE = "200 200 200 200 200 200 200"
ACCOUNTS_ONLY = "401 200 200 200 200 200 401"
LAB_READERS = "401 404 200 200 404 404 401"
LAB_PAGE = "404 404 200 200 404 404 404"
SIGNED_IN_PAGE = "302 200 200 200 200 200 302"
TO_THE_ANSWER = "302 302 302 302 302 302 302"

LAB = "/api/v1/documents/{lab}"
QUESTION = {"question": f"{CANARIES['lab']} threshold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request to a route, and the status that each persona gets, in the order of PERSONAS."""

    method: str
    route: str
    path: str
    statuses: str
    body: dict[str, Any] = field(default_factory=dict)

    def status_for(self, persona: str) -> int:
        """Return the status that the persona gets."""
        return int(self.statuses.split()[PERSONAS.index(persona)])


def visit(method: str, route: str, statuses: str, path: str = "", **body: Any) -> Visit:
    """Return a row of the table; the path is the route's own where it takes no values."""
    return Visit(method=method, route=route, path=path or f"/{route}", statuses=statuses, body=body)


DOCUMENT = "api/v1/documents/<uuid:public_id>"
REVISION = f"{DOCUMENT}/revisions/<int:number>"
NEW_DOCUMENT = {"title": "Guests", "visibility_group": "lab"}

VISITS = [
    # Pages
    visit("get", "", EVERYONE),
    visit("post", "", TO_THE_ANSWER, question="threshold"),
    visit("get", "history/", SIGNED_IN_PAGE),
    visit(
        "get",
        "answers/<uuid:query_id>/",
        "404 404 200 404 404 404 404",
        "/answers/{adas_answer}/",
    ),
    visit("get", "documents/", EVERYONE),
    visit("get", "documents/<uuid:public_id>/", LAB_PAGE, "/documents/{lab}/"),
    visit(
        "get",
        "documents/<uuid:public_id>/revisions/<int:number>/",
        LAB_PAGE,
        "/documents/{lab}/revisions/1/",
    ),
    visit("get", "sign-in/", "200 302 302 302 302 302 200"),
    visit("post", "sign-out/", EVERYONE),
    visit("get", "password/", SIGNED_IN_PAGE),
    visit("get", "password/changed/", SIGNED_IN_PAGE),
    visit("get", "healthz", EVERYONE),
    # The API
    visit("get", "api/v1/me", ACCOUNTS_ONLY),
    visit("get", "api/v1/visibility-groups", ACCOUNTS_ONLY),
    visit("get", "api/v1/documents", ACCOUNTS_ONLY),
    visit("post", "api/v1/documents", "401 400 403 201 400 400 401", **NEW_DOCUMENT),
    visit("get", DOCUMENT, LAB_READERS, LAB),
    visit("delete", DOCUMENT, "401 404 403 204 404 404 401", LAB),
    visit("get", f"{DOCUMENT}/revisions", LAB_READERS, f"{LAB}/revisions"),
    visit(
        "post", f"{DOCUMENT}/revisions", "401 404 403 201 404 404 401", f"{LAB}/revisions", text="x"
    ),
    visit("get", REVISION, LAB_READERS, f"{LAB}/revisions/1"),
    visit(
        "post",
        f"{REVISION}/publish",
        "401 404 403 409 404 404 401",  # it is in force already
        f"{LAB}/revisions/1/publish",
    ),
    visit(
        "post",
        f"{REVISION}/withdraw",
        "401 404 403 200 404 404 401",
        f"{LAB}/revisions/1/withdraw",
    ),
    visit("get", "api/v1/search", ACCOUNTS_ONLY, "/api/v1/search?question=threshold"),
    visit("post", "api/v1/search", ACCOUNTS_ONLY, question="threshold"),
    visit("post", "api/v1/answers", ACCOUNTS_ONLY, question="threshold"),
    visit(
        "get",
        "api/v1/answers/<uuid:query_id>",
        "401 404 200 404 404 404 401",
        "/api/v1/answers/{adas_answer}",
    ),
    visit("get", "api/schema/", EVERYONE),
    visit("get", "api/docs/", EVERYONE),
]
# Their status depends on the process and not on who asks: tests/ragsite/test_health.py.
LISTED_ELSEWHERE = {("get", "readyz")}


def walk(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Give every route with its view's function."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from walk(pattern.url_patterns, route)
        else:
            yield route, pattern.callback


def all_routes() -> list[tuple[str, Any]]:
    """Return every route of the site."""
    return list(walk(get_resolver().url_patterns))


def methods_of(view: Any) -> list[str]:
    """Return what an API view answers to; of a page one row at least is asked for."""
    view_class = getattr(view, "cls", None)
    if view_class is None:
        return []
    return [name for name in ("get", "post", "put", "patch", "delete") if hasattr(view_class, name)]


def test_every_route_and_method_has_its_row():
    listed = {(row.method, row.route) for row in VISITS} | LISTED_ELSEWHERE
    listed_routes = {route for _, route in listed}
    missing = []
    for route, view in all_routes():
        if route.startswith("admin/"):
            continue
        if route not in listed_routes:
            missing.append(route)
        missing += [
            f"{method} {route}" for method in methods_of(view) if (method, route) not in listed
        ]
    assert missing == []


def test_every_row_is_of_a_route_that_there_is():
    routes = {route for route, _ in all_routes()}
    assert [row.route for row in VISITS if row.route not in routes] == []


@pytest.fixture
def world(searchable_world: World) -> World:
    return searchable_world


@pytest.fixture
def places(world: World) -> dict[str, str]:
    """What the paths of the table name."""
    ada = as_persona(world, "ada")
    ada.post("/api/v1/answers", QUESTION, format="json")
    return {
        "lab": str(world.documents["lab"].public_id),
        "adas_answer": str(Answer.objects.get(asker=world.user("ada")).query_id),
    }


def as_persona(world: World, name: str) -> APIClient:
    """Return a browser in which the persona has signed in, if ever they could."""
    client = APIClient(raise_request_exception=False)
    person = world.people[name]
    if isinstance(person, User):
        client.force_login(person)
    return client


def send(client: APIClient, row: Visit, path: str) -> Any:
    """Make the request of a row: JSON to the API, a form to a page."""
    make: Callable[..., Any] = getattr(client, row.method)
    kind = "json" if row.route.startswith("api/") else "multipart"
    return make(path, row.body or None, format=kind)


@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("row", VISITS, ids=lambda row: f"{row.method} {row.route}")
def test_everyone_gets_what_is_due(world, places, row, persona):
    response = send(as_persona(world, persona), row, row.path.format(**places))
    assert response.status_code == row.status_for(persona)
    if persona in NOT_READERS:
        assert CANARIES["lab"] not in response.content.decode()


@pytest.mark.parametrize("persona", NOT_READERS[1:-1])
@pytest.mark.parametrize(
    "row",
    [row for row in VISITS if "{lab}" in row.path],
    ids=lambda row: f"{row.method} {row.route}",
)
def test_hidden_and_absent_differ_in_nothing(world, places, row, persona):
    contents = []
    for public_id in (places["lab"], str(uuid.uuid4())):
        path = row.path.format(**{**places, "lab": public_id})
        response = send(as_persona(world, persona), row, path)
        contents.append((response.status_code, mask(response.content.decode(), response, path)))
    assert contents[0] == contents[1]


def mask(content: str, response: Any, path: str) -> str:
    """Put words in the place of what differs between any two requests."""
    content = content.replace(response.headers["X-Request-ID"], "REQUEST")
    content = content.replace(path, "PATH")
    # Forms carry a CSRF token that is masked anew for every page.
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "CSRF", content)


def admin_paths() -> Iterator[str]:
    """Give a path for every route of the admin, about a row that exists where it takes one."""
    for route, _ in all_routes():
        if not route.startswith("admin/"):
            continue
        path = re.sub(r"\^?\(\?P<app_label>(\w+)[^)]*\)/\$", r"\1/", route)
        path = re.sub(r"\(\?P<url>\.\*\)\$", "nowhere/", path)
        yield "/" + path


@pytest.mark.parametrize("path", sorted(set(admin_paths())))
@pytest.mark.parametrize("persona", ["anonymous", "cy", "ada", "leo"])
def test_the_admin_sends_away_whoever_is_no_staff(world, persona, path):
    response = as_persona(world, persona).get(fill_in(path, world))
    # The door itself would send someone signed in round in circles, and says why not instead.
    barred = path == "/admin/login/" and persona in {"cy", "ada"}
    assert response.status_code == (403 if barred else 302)
    assert CANARIES["lab"] not in response.content.decode()


@pytest.mark.parametrize("path", sorted(set(admin_paths())))
@pytest.mark.parametrize("persona", ["root", "mia"])
def test_the_admin_shows_its_keepers_no_hidden_word(world, persona, path):
    response = as_persona(world, persona).get(fill_in(path, world))
    assert response.status_code in {200, 302, 403, 404, 405}
    if response.headers["Content-Type"].startswith("text/html"):
        page = response.content.decode()
        assert [word for word in CANARIES.values() if word in page] == []


def fill_in(path: str, world: World) -> str:
    """Put into a path what it takes: of documents the lab's, of everything else the first row."""
    found = re.match(r"/admin/(\w+)/(\w+)/", path)
    row = None
    if found and ("<path:object_id>" in path or "<int:pk>" in path):
        row = apps.get_model(found[1], found[2])._default_manager.first()
    lab = world.documents["lab"]
    if found and found[2] == "document":
        row = lab
    values = {
        "public_id": str(lab.public_id),
        "number": "1",
        "name": "withdraw" if "<int:number>" in path else "delete",
        "kind": "visibility-groups",
    }
    key = str(row.pk) if row else "1"
    return re.sub(r"<\w+:(\w+)>", lambda match: values.get(match[1], key), path)
