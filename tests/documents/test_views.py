"""Pages of documents as each reader gets them."""

import re
from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from documents import grants
from documents.browsing import SHELF_ROWS
from documents.visibility import READ
from tests.builders import OPERATOR, build_account, build_document, build_group, build_revision
from tests.world import CANARIES, CHANGED, EARLIER

pytestmark = pytest.mark.db


def client_of(person) -> Client:
    client = Client()
    if isinstance(person, User):
        client.force_login(person)
    return client


def bytes_of(response) -> str:
    """The page without the token that Django masks anew for every response."""
    markup = response.content.decode()
    return re.sub(r'(name="csrfmiddlewaretoken" value=")[^"]*', r"\1", markup)


def titles_on(response) -> list[str]:
    markup = response.content.decode()
    found = re.findall(r'<div class="shelf-title">\s*<a [^>]*>(.*?)</a>', markup)
    return [unescape(title) for title in found]


def lead_of(response) -> str:
    found = re.findall(r'<p class="lede">(.*?)</p>', response.content.decode())
    return str(found[0])


def texts_of(markup: str, name: str) -> list[str]:
    return [
        unescape(text) for text in re.findall(rf"<{name}[^>]*>(.*?)</{name}>", markup, re.DOTALL)
    ]


def revision_address(document, number, **query) -> str:
    url = reverse("revision", args=[document.public_id, number])
    return f"{url}?{'&'.join(f'{name}={value}' for name, value in query.items())}" if query else url


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anonymous", ["Opening hours"]),
        ("cy", ["Opening hours", "Staff handbook"]),
        ("root", ["Opening hours", "Staff handbook"]),
        ("ada", ["Opening hours", f"Rules of {CANARIES['lab']}", "Staff handbook"]),
        ("ben", ["Opening hours", f"Rules of {CANARIES['finance']}", "Staff handbook"]),
    ],
)
def test_list_holds_what_is_in_force_for_its_reader(world, name, expected):
    response = client_of(world.people[name]).get(reverse("document_list"))
    assert response.status_code == 200
    assert titles_on(response) == expected
    documents = "1 document" if len(expected) == 1 else f"{len(expected)} documents"
    assert lead_of(response) == f"{documents} that you may read"


def test_list_counts_only_what_its_reader_may_read(world):
    markup = client_of(world.people["cy"]).get(reverse("document_list")).content.decode()
    options = texts_of(markup, "option")
    assert options[:3] == ["All groups", "Handbook (1)", "Notices (1)"]
    assert not [word for word in CANARIES.values() if word in markup]


def test_list_as_of_a_day_holds_what_was_in_force_then(world):
    response = client_of(world.people["ada"]).get(reverse("document_list"), {"as_of": "2022-06-01"})
    assert titles_on(response) == [
        "Opening hours",
        f"Rules of {CANARIES['withdrawn']}",
        "Staff handbook",
    ]
    assert lead_of(response) == "3 documents that you may read and in force on 1 June 2022"
    assert 'value="2022-06-01"' in response.content.decode()


def test_list_in_force_or_not_adds_what_ended_and_what_is_to_come(world):
    response = client_of(world.people["ada"]).get(reverse("document_list"), {"standing": "any"})
    rules = sorted(f"Rules of {CANARIES[name]}" for name in ("withdrawn", "scheduled", "lab"))
    assert titles_on(response) == ["Opening hours", *rules, "Staff handbook"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"words": "hours"}, ["Late hours", "Shop hours"]),
        ({"words": "MONEY"}, ["Late hours"]),
        ({"words": "hours shop"}, ["Shop hours"]),
        ({"words": "100%"}, []),
        ({"tag": "money"}, ["Late hours"]),
        ({"group": "second"}, ["Shop hours"]),
        ({"group": "absent"}, []),
        ({"language": "en"}, ["Late hours", "Shop hours"]),
        ({"language": "zh"}, []),
    ],
)
def test_list_is_narrowed_by_words_tags_groups_and_languages(query, expected):
    first, second = build_group("first", reach="public"), build_group("second", reach="public")
    build_document("Late hours", "Late.", first, tags=["money"])
    build_document("Shop hours", "Shop.", second, tags=["house"])
    assert titles_on(Client().get(reverse("document_list"), query)) == expected


def test_hidden_group_and_absent_group_look_the_same_as_a_filter(world):
    client = client_of(world.people["cy"])
    hidden = bytes_of(client.get(reverse("document_list"), {"group": "finance"}))
    absent = bytes_of(client.get(reverse("document_list"), {"group": "absent"}))
    assert hidden.replace("finance", "absent") == absent


def test_list_turns_its_pages_there_and_back():
    group = build_group("open", reach="public")
    expected = [f"Rule {number:02}" for number in range(SHELF_ROWS + 3)]
    for title in reversed(expected):
        build_document(title, "Text.", group)
    client = Client()
    first = client.get(reverse("document_list"))
    assert titles_on(first) == expected[:SHELF_ROWS]
    second = client.get(address_of(first, "next"))
    assert titles_on(second) == expected[SHELF_ROWS:]
    assert titles_on(client.get(address_of(second, "prev"))) == expected[:SHELF_ROWS]
    assert address_of(second, "next") == ""
    assert address_of(first, "prev") == ""


def address_of(response, rel) -> str:
    found = re.findall(rf'<a rel="{rel}" href="([^"]*)"', response.content.decode())
    return unescape(found[0]) if found else ""


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"as_of": "yesterday"}, "is no date or moment"),
        ({"as_of": "2026-03-29T02:30"}, "does not exist in Europe/Berlin"),
        ({"as_of": "2026-10-25T02:30"}, "happens twice in Europe/Berlin"),
        ({"after": "forged"}, "not one of this list"),
        ({"words": "a\x00b"}, "Null characters are not allowed"),
        ({"words": "x" * 201}, "at most 200 characters"),
        ({"standing": "all"}, "not one of the available choices"),
    ],
)
def test_list_says_what_it_cannot_use(world, query, message):
    response = Client().get(reverse("document_list"), query)
    assert response.status_code == 400
    assert message in unescape(response.content.decode())
    assert titles_on(response) == ["Opening hours"]


def test_list_asks_the_same_number_of_questions_however_long(django_assert_num_queries):
    group = build_group("open", reach="public")
    for number in range(SHELF_ROWS + 1):
        build_document(f"Rule {number}", "Text.", group)
    # The page, its count, three filters with counts, and the intervals of all its rows.
    with django_assert_num_queries(6):
        Client().get(reverse("document_list"))


def test_hidden_and_absent_documents_answer_with_the_same_bytes(world):
    client = client_of(world.people["cy"])
    hidden = [world.documents[name].public_id for name in CANARIES]
    shown = world.documents["hours"].public_id
    urls = [reverse("document", args=[name]) for name in [*hidden, uuid4()]]
    urls += [reverse("revision", args=[name, 1]) for name in [*hidden, uuid4()]]
    urls += [reverse("revision", args=[shown, number]) for number in (99, 10**18)]
    assert len({bytes_of(client.get(url)) for url in urls}) == 1
    assert client.get(reverse("document", args=[uuid4()])).status_code == 404


def test_hidden_and_absent_documents_ask_the_same_questions(world, django_assert_num_queries):
    client = client_of(world.people["cy"])
    # Session, account, and one look for the document, there or not.
    for name in (world.documents["lab"].public_id, uuid4()):
        with django_assert_num_queries(3):
            client.get(reverse("document", args=[name]))


def test_document_shows_its_standing_and_its_timeline(world):
    url = reverse("document", args=[world.documents["handbook"].public_id])
    markup = client_of(world.people["cy"]).get(url).content.decode()
    assert "Revision 3 comes into force on 1 January 2100" in markup
    labels = re.findall(r"Revision (\d)</a> <span class=\"state state--(\w+)\"", markup)
    assert labels == [("3", "scheduled"), ("2", "in_force"), ("1", "ended")]


def test_document_as_of_a_day_offers_what_was_in_force_then(world):
    url = reverse("document", args=[world.documents["handbook"].public_id])
    markup = client_of(world.people["cy"]).get(url, {"as_of": "2022-06-01"}).content.decode()
    assert "Read what is in force on 1 June 2022" in markup
    assert f'href="{revision_address(world.documents["handbook"], 1)}"' in markup


def test_document_with_a_moment_that_cannot_be_read_is_an_error_page(world):
    url = reverse("document", args=[world.documents["hours"].public_id])
    response = Client().get(url, {"as_of": "soon"})
    assert response.status_code == 400
    assert "invalid_moment" in response.content.decode()


def test_revision_marks_exactly_the_quoted_words_after_emoji():
    text = "# Notice\n\nNotice 📄📄 the limit is 5 units."
    quote = "the limit is 5 units"
    document = build_document("Notice", text, build_group("open", reach="public"))
    start = text.index(quote)
    address = revision_address(document, 1, start=start, end=start + len(quote))
    markup = Client().get(address).content.decode()
    assert texts_of(markup, "mark") == [quote]
    assert f"characters {start + 1} to {start + len(quote)}" in markup
    assert 'id="mark"' in markup


@pytest.mark.parametrize(
    "query",
    [
        {"start": 3},
        {"start": 5, "end": 5},
        {"start": 9, "end": 4},
        {"start": 0, "end": 10_000},
        {"start": -1, "end": 4},
        {"start": "x", "end": 4},
        {"start": 10**30, "end": 10**31},
    ],
)
def test_revision_marks_nothing_where_the_text_has_no_such_span(world, query):
    response = Client().get(revision_address(world.documents["hours"], 2, **query))
    assert response.status_code == 200
    assert texts_of(response.content.decode(), "mark") == []
    assert "nothing is marked" in response.content.decode()


def test_markup_in_a_revision_is_shown_as_text():
    text = "<img src=x onerror=alert(1)>\n\n<script>alert(2)</script> & more."
    document = build_document("Markup", text, build_group("open", reach="public"))
    markup = Client().get(revision_address(document, 1, start=30, end=38)).content.decode()
    assert "<img src=x" not in markup
    assert "<script>alert" not in markup
    assert texts_of(markup, "mark") == ["<script>"]


def test_superseded_revision_says_so_and_links_the_one_in_force(world):
    document = world.documents["hours"]
    markup = Client().get(revision_address(document, 1)).content.decode()
    assert "no longer in force since 1 January 2024" in markup
    assert f'<a href="{revision_address(document, 2)}">Read the one in force</a>' in markup


def test_scheduled_revision_says_from_when_it_counts(world):
    address = revision_address(world.documents["handbook"], 3)
    markup = client_of(world.people["cy"]).get(address).content.decode()
    assert "not yet in force. It comes into force on 1 January 2100" in markup


def test_withdrawn_revision_says_that_none_is_in_force(world):
    address = revision_address(world.documents["withdrawn"], 1)
    markup = client_of(world.people["ada"]).get(address).content.decode()
    assert "no other is in force now" in markup


def test_revision_in_force_carries_no_banner(world):
    markup = Client().get(revision_address(world.documents["hours"], 2)).content.decode()
    assert 'role="note"' not in markup


def test_revision_asks_two_questions_of_the_documents(world, django_assert_num_queries):
    # The revision with its document and group, and the timeline.
    with django_assert_num_queries(2):
        Client().get(revision_address(world.documents["hours"], 1))


def test_revision_is_gone_from_the_next_request_on_after_a_revocation():
    reader = build_account("reader")
    group = build_group("few", readers=[reader])
    document = build_document("Rule", "Text.", group)
    client = client_of(reader)
    assert client.get(revision_address(document, 1)).status_code == 200
    grants.revoke(group, READ, to=reader, acted_by=OPERATOR)
    assert client.get(revision_address(document, 1)).status_code == 404


def test_long_revision_comes_in_windows_and_opens_at_its_span():
    text = "\n\n".join(f"Rule {number} is {'long ' * 60}." for number in range(500))
    document = build_document("Long", text, build_group("open", reach="public"))
    quote = "Rule 400 is"
    start = text.index(quote)
    markup = (
        Client()
        .get(revision_address(document, 1, start=start, end=start + len(quote)))
        .content.decode()
    )
    assert texts_of(markup, "mark") == [quote]
    assert "Part 4 of 4" in markup
    assert len(markup) < 80_000
    first = Client().get(revision_address(document, 1, window=1)).content.decode()
    assert "Rule 0 is" in first
    assert "Rule 400 is" not in first


def test_entered_late_and_change_notes_are_in_the_timeline():
    document = build_document(
        "Rule", "One.", build_group("open", reach="public"), starts_at=EARLIER
    )
    build_revision(document, "Two.", starts_at=CHANGED, change_note="Raises <the> limit.")
    markup = Client().get(revision_address(document, 2)).content.decode()
    assert "Raises &lt;the&gt; limit." in markup
    assert markup.count("Entered late") == 2


def test_a_scheduled_revision_appears_at_its_moment(frozen_clock):
    document = build_document("Rule", "One.", build_group("open", reach="public"))
    build_revision(document, "Two.", starts_at=timezone.now() + timedelta(days=1))
    assert "not yet in force" in Client().get(revision_address(document, 2)).content.decode()
    frozen_clock.advance(days=1)
    assert "not yet in force" not in Client().get(revision_address(document, 2)).content.decode()
    assert "no longer in force" in Client().get(revision_address(document, 1)).content.decode()
