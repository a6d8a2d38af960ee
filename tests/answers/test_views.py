"""The box, an answer's page and the history, as each reader gets them."""

import re
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from answers import conf
from answers.models import Answer
from documents import grants, services
from documents.visibility import READ
from tests.builders import OPERATOR, build_account, build_document, build_group, build_revision
from tests.world import CANARIES, CHANGED, EARLIER

pytestmark = pytest.mark.db
QUESTION = "When does registration close?"
FRIDAY = "Registration closes on Friday at 18:00."
WEDNESDAY = "Registration closes on Wednesday at 18:00."
NOTICE = f"# Registration\n\n{WEDNESDAY} This is for in-person events only."


@pytest.fixture
def world(searchable_world):
    return searchable_world


@pytest.fixture
def threshold(settings):
    """Set the confidence below which a question is refused."""

    def set_to(value: float) -> None:
        settings.ANSWERS = {**settings.ANSWERS, "confidence_threshold": value}
        conf.answer_config.cache_clear()

    set_to(0.0)
    yield set_to
    conf.answer_config.cache_clear()


@pytest.fixture
def registration(world, threshold):
    document = build_document(
        "Registration", f"# Registration\n\n{FRIDAY}", world.groups["notices"], starts_at=EARLIER
    )
    build_revision(document, NOTICE, starts_at=CHANGED)
    return document


def client_of(person) -> Client:
    client = Client()
    if isinstance(person, User):
        client.force_login(person)
    return client


def ask(client, question=QUESTION, **fields):
    return client.post(reverse("ask"), {"question": question, **fields})


def answer_to(client, question=QUESTION, **fields):
    response = ask(client, question, **fields)
    assert response.status_code == 302
    return client.get(response.headers["Location"])


def words(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def claims_of(response) -> str:
    found = re.findall(
        r'<p class="claim"[^>]*>(.*?)<span class="cite-spot">', response.content.decode(), re.DOTALL
    )
    return " | ".join(words(claim) for claim in found)


def source_addresses(response) -> list[str]:
    pattern = r'<h3 class="source-title"[^>]*><a href="([^"]*)"'
    return [unescape(url) for url in re.findall(pattern, response.content.decode())]


def marks_of(markup: str) -> str:
    return unescape("".join(re.findall(r"<mark[^>]*>(.*?)</mark>", markup, re.DOTALL)))


def test_box_says_how_much_stands_behind_it(world):
    assert "You may read 1 document, open to all." in words(
        Client().get(reverse("ask")).content.decode()
    )
    page = client_of(world.people["ada"]).get(reverse("ask")).content.decode()
    assert "You may read 3 documents." in words(page)


def test_answer_shows_its_claim_and_opens_the_exact_words(registration):
    client = Client()
    response = answer_to(client)
    assert WEDNESDAY in claims_of(response)
    source = client.get(source_addresses(response)[0])
    quote = re.findall(
        r'<blockquote class="quote"[^>]*>(.*?)</blockquote>', response.content.decode(), re.DOTALL
    )[0]
    assert marks_of(source.content.decode()) == marks_of(quote)
    assert WEDNESDAY in marks_of(quote)
    assert reverse("answer", args=[Answer.objects.get().query_id]) in source.content.decode()


def test_answer_about_an_earlier_day_is_that_of_the_day(registration):
    response = answer_to(Client(), as_of="2022-06-01")
    page = words(response.content.decode())
    assert FRIDAY in claims_of(response)
    assert "In force on 1 June 2022" in page
    assert "Superseded since 1 January 2024 at 01:00. See the one in force" in page
    assert 'value="2022-06-01"' in response.content.decode()
    assert "Ask for today" in page


def test_today_in_the_date_control_means_now(registration, frozen_clock):
    page = Client().get(reverse("ask")).content.decode()
    today = re.findall(r'data-as-of="([^"]*)"', page)[0]
    answer_to(Client(), as_of=today)
    answer = Answer.objects.get()
    assert answer.as_of == answer.asked_at == frozen_clock.at


def test_reload_shows_the_same_page(registration):
    client = client_of(build_account("reader"))
    response = ask(client)
    pages = [client.get(response.headers["Location"]).content.decode() for _ in range(2)]
    first, second = (re.sub(r'(csrfmiddlewaretoken" value=")[^"]*', r"\1", page) for page in pages)
    assert first == second


def test_script_gets_the_address_of_the_answer_as_json(registration):
    client = Client(headers={"accept": "application/json"})
    response = ask(client)
    assert response.status_code == 200
    assert response.json() == {"url": reverse("answer", args=[Answer.objects.get().query_id])}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"question": ""}, "Write a question first."),
        ({"question": "   "}, "Write a question first."),
        ({"question": "x" * 4001}, "The question has 4001 characters; at most 4000 are read."),
        ({"question": "?!"}, "nothing to search for"),
        ({"question": QUESTION, "as_of": "soon"}, "is no date or moment"),
        ({"question": QUESTION, "as_of": "2026-03-29T02:30"}, "does not exist in Europe/Berlin"),
        ({"question": QUESTION, "as_of": "2026-10-25T02:30"}, "happens twice in Europe/Berlin"),
    ],
)
def test_error_keeps_the_question_and_the_date(registration, fields, message):
    response = Client().post(reverse("ask"), fields)
    page = response.content.decode()
    assert response.status_code == 400
    assert message in words(page)
    assert fields["question"].strip() in unescape(page)
    if "as_of" in fields:
        assert f'value="{fields["as_of"]}"' in page
    told = Client(headers={"accept": "application/json"}).post(reverse("ask"), fields)
    assert told.status_code == 400
    assert message in told.json()["message"]


@pytest.mark.parametrize("question", ["a\x00b registration", "\ud800 registration", "📄" * 4000])
def test_odd_questions_never_break_the_page(registration, question):
    encoded = question.encode("utf-8", "surrogatepass")
    response = Client().post(reverse("ask"), {"question": encoded})
    assert response.status_code in {302, 400}


def test_address_fills_the_box_and_asks_nothing(world):
    page = Client().get(reverse("ask"), {"question": "<b>When?", "as_of": "2022-06-01"})
    assert "&lt;b&gt;When?" in page.content.decode()
    assert 'value="2022-06-01"' in page.content.decode()
    assert not Answer.objects.exists()


def test_refusal_says_what_was_searched_and_carries_no_sources(registration, threshold):
    threshold(1.0)
    response = answer_to(Client(), "What colour are the chairs?")
    page = words(response.content.decode())
    assert "Nothing that you may read answers this well enough." in page
    assert "What was searched" in page
    assert "See which documents you may read" in page
    assert "Reason low_retrieval_confidence" in page
    assert source_addresses(response) == []
    assert 'class="found' not in response.content.decode()


def test_what_was_found_but_not_cited_shows_without_the_marks_of_its_format(registration, world):
    text = "# Waiting list\n\n| Event | Places |\n|---|---|\n| **Fair** | 40 |\n"
    build_document("Places", text, world.groups["notices"], starts_at=EARLIER)
    page = answer_to(Client()).content.decode()
    excerpts = re.findall(r'<p class="found-excerpt"[^>]*>(.*?)</p>', page, re.DOTALL)
    assert "Waiting list Event | Places Fair | 40" in [unescape(excerpt) for excerpt in excerpts]


def test_hidden_and_absent_evidence_are_refused_with_the_same_page(world, threshold):
    threshold(1.0)
    client = client_of(world.people["cy"])
    pages = set()
    for word in (CANARIES["finance"], "zebrafinance"):
        page = answer_to(client, f"What is the {word} severance?").content.decode()
        page = re.sub(r'(csrfmiddlewaretoken" value=")[^"]*', r"\1", page)
        page = page.replace(str(Answer.objects.latest("id").query_id), "query")
        pages.add(re.sub(r"<time .*?</time>", "", page.replace(word, "word")))
    assert len(pages) == 1


def test_lost_source_is_withheld_and_said_so(world, threshold):
    reader = build_account("reader")
    group = build_group("few", readers=[reader])
    build_document("Registration", NOTICE, group, starts_at=EARLIER)
    client = client_of(reader)
    url = ask(client).headers["Location"]
    assert WEDNESDAY in claims_of(client.get(url))
    grants.revoke(group, READ, to=reader, acted_by=OPERATOR)
    page = client.get(url).content.decode()
    assert "Wednesday" not in page
    assert "What this answer stood on can no longer be read." in page
    assert "Withheld: you may no longer read this source, or it is gone." in page


def test_deleted_source_is_withheld_from_its_citation_too(registration):
    client = Client()
    response = answer_to(client)
    address = source_addresses(response)[0]
    services.delete_document(registration, acted_by=OPERATOR)
    assert client.get(address).status_code == 404


def test_answers_open_for_their_asker_alone(registration, world):
    ada, cy = client_of(world.people["ada"]), client_of(world.people["cy"])
    url = ask(ada).headers["Location"]
    assert ada.get(url).status_code == 200
    strangers = [cy.get(url), cy.get(reverse("answer", args=[uuid4()]))]
    assert [response.status_code for response in strangers] == [404, 404]
    first, second = (
        re.sub(r'(csrfmiddlewaretoken" value=")[^"]*', r"\1", response.content.decode())
        for response in strangers
    )
    assert first == second
    assert Client().get(url).status_code == 404


def test_unsigned_answer_opens_in_its_own_session_alone(registration, world):
    client = Client()
    url = ask(client).headers["Location"]
    assert client.get(url).status_code == 200
    assert Client().get(url).status_code == 404
    assert client_of(world.people["ada"]).get(url).status_code == 404


def test_signed_in_answer_never_opens_unsigned_whatever_the_session_holds(registration, world):
    ada, unsigned = client_of(world.people["ada"]), Client()
    url = ask(ada).headers["Location"]
    ask(unsigned)
    session = unsigned.session
    session["query_ids"] = [str(Answer.objects.get(asker=world.people["ada"]).query_id)]
    session.save()
    assert unsigned.get(url).status_code == 404


def test_history_holds_ones_own_questions_newest_first(registration, world):
    ada, cy = client_of(world.people["ada"]), client_of(world.people["cy"])
    ask(ada)
    ask(ada, "Which hours apply?", as_of="2022-06-01")
    ask(cy, "Mine alone?")
    page = ada.get(reverse("history")).content.decode()
    questions = re.findall(r'<a class="entry-question"[^>]*>(.*?)</a>', page)
    assert [unescape(question) for question in questions] == ["Which hours apply?", QUESTION]
    assert "as of 1 June 2022" in page


def test_history_needs_an_account(world):
    response = Client().get(reverse("history"))
    assert response.headers["Location"] == f"{reverse('sign_in')}?next={reverse('history')}"


def test_history_turns_its_pages(registration, world, monkeypatch):
    monkeypatch.setattr("answers.views.HISTORY_ENTRIES", 2)
    client = client_of(world.people["ada"])
    for number in range(3):
        ask(client, f"Registration number {number}?")
    page = client.get(reverse("history")).content.decode()
    older = unescape(re.findall(r'rel="next" href="([^"]*)"', page)[0])
    second = client.get(older).content.decode()
    questions = re.findall(r'<a class="entry-question"[^>]*>(.*?)</a>', second)
    assert questions == ["Registration number 0?"]
    assert client.get(reverse("history"), {"cursor": "forged"}).status_code == 400


def test_history_asks_three_questions_however_long(registration, world, django_assert_num_queries):
    client = client_of(world.people["ada"])
    for number in range(4):
        ask(client, f"Registration number {number}?")
    # Session, account, and the entries; no citation is read before its answer is opened.
    with django_assert_num_queries(3):
        client.get(reverse("history"))


def test_questions_are_limited_by_network_and_by_account(registration, world, settings):
    from documents import conf as documents_conf

    settings.DOCUMENTS = {**settings.DOCUMENTS, "questions_per_minute": 1}
    documents_conf.documents_config.cache_clear()
    try:
        unsigned, ada = Client(), client_of(world.people["ada"])
        assert [ask(unsigned).status_code, ask(unsigned).status_code] == [302, 429]
        assert ask(ada).status_code == 302
        refused = ask(ada)
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert "Too many requests" in words(refused.content.decode())
        assert QUESTION in refused.content.decode()
    finally:
        documents_conf.documents_config.cache_clear()


def test_markup_in_questions_and_quotes_is_shown_as_text(world, threshold):
    text = "The <script>alert(1)</script> registration closes on <b>Friday</b>."
    build_document("<i>Rule</i>", text, world.groups["notices"], starts_at=EARLIER)
    page = answer_to(Client(), "<img src=x> registration closes?").content.decode()
    assert "<script>alert" not in page
    assert "<img src=x>" not in page
    assert "<i>Rule" not in page
