"""Asking, citing and opening the words, as people do it."""

import re

import pytest

from documents import services
from tests.browser.conftest import (
    FRIDAY,
    QUALIFICATION,
    WEDNESDAY,
    refusing_everything,
)
from tests.builders import OPERATOR, build_document
from tests.world import EARLIER

pytestmark = [pytest.mark.browser, pytest.mark.db(transaction=True)]
QUESTION = "When does registration close?"
REVISION_URL = re.compile(r"/documents/[0-9a-f-]{36}/revisions/\d+/\?start=")


def cited_words(visitor) -> str:
    return "".join(visitor.page.locator(".source").first.locator(".quote mark").all_text_contents())


def test_a_question_is_answered_and_its_citation_opens_the_exact_words(visitor):
    visitor.sign_in("ada")
    visitor.keep_picture("ask")
    visitor.ask(QUESTION)
    answer = visitor.page.locator(".answer-text").inner_text()
    assert "Wednesday at 18:00" in answer
    assert QUALIFICATION in answer
    visitor.keep_picture("answer")
    quote = cited_words(visitor)
    visitor.page.locator(".source-title a").first.click()
    visitor.page.wait_for_url(REVISION_URL)
    assert visitor.marked() == quote
    assert WEDNESDAY in quote
    mark = visitor.page.locator("#mark")
    assert mark.evaluate("node => document.activeElement === node")
    box = mark.bounding_box()
    assert 0 <= box["y"] <= 860
    visitor.keep_picture("source")
    visitor.page.get_by_role("link", name="Back to the answer").click()
    assert "Wednesday at 18:00" in visitor.page.locator(".answer-text").inner_text()


def test_words_after_emoji_are_marked_to_the_character(visitor):
    visitor.ask("What is the limit of the notice?")
    quote = cited_words(visitor)
    assert "the limit is 5 units" in quote
    visitor.page.locator(".source-title a").first.click()
    visitor.page.wait_for_url(REVISION_URL)
    assert visitor.marked() == quote
    start = visitor.site.notice.revisions.get().text.index("the limit")
    end = start + len("the limit is 5 units")
    path = f"/documents/{visitor.site.notice.public_id}/revisions/1/"
    visitor.open(f"{path}?start={start}&end={end}#mark")
    assert visitor.marked() == "the limit is 5 units"
    visitor.keep_picture("source-after-emoji")


def test_another_day_has_another_answer_and_stays_in_sight(visitor):
    visitor.ask(QUESTION, as_of="2022-06-01")
    page = visitor.page
    assert "Friday at 18:00" in page.locator(".answer-text").inner_text()
    assert "1 June 2022" in page.locator(".dateline").inner_text()
    assert page.get_by_label("In force on").input_value() == "2022-06-01"
    assert "Superseded since" in page.locator(".source").first.inner_text()
    visitor.keep_picture("answer-of-another-day")
    page.reload()
    assert page.get_by_label("In force on").input_value() == "2022-06-01"
    page.locator(".source-title a").first.click()
    page.wait_for_url(REVISION_URL)
    assert FRIDAY in visitor.marked()
    page.get_by_role("link", name="Read the one in force").click()
    assert WEDNESDAY in page.locator("article.text").inner_text()


def test_back_to_today_takes_the_other_day_away(visitor):
    visitor.open("/?as_of=2022-06-01")
    page = visitor.page
    page.get_by_role("button", name="Back to today").click()
    today = page.locator("[data-as-of]").get_attribute("data-as-of")
    assert page.get_by_label("In force on").input_value() == today
    assert not page.get_by_role("button", name="Back to today").is_visible()


def test_a_refusal_helps_and_carries_no_sources(visitor):
    with refusing_everything():
        visitor.ask("What colour are the chairs?")
    page = visitor.page
    assert page.get_by_role("heading", name="Nothing that you may read answers this").is_visible()
    assert page.get_by_text("What was searched").is_visible()
    assert page.locator(".source").count() == 0
    visitor.keep_picture("refusal")
    page.get_by_role("link", name="See which documents you may read").click()
    page.wait_for_url("**/documents/")


def test_reload_shows_the_same_citations_and_withholds_what_was_lost(visitor):
    site = visitor.site
    rule = build_document("Kiln rule", "The kiln is fired on Sundays.", site.lab, starts_at=EARLIER)
    visitor.sign_in("ada")
    visitor.ask("When is the kiln fired?")
    before = visitor.page.locator(".spread").inner_text()
    assert "fired on Sundays" in before
    visitor.page.reload()
    assert visitor.page.locator(".spread").inner_text() == before
    services.delete_document(rule, acted_by=OPERATOR)
    visitor.page.reload()
    after = visitor.page.locator(".spread").inner_text()
    assert "fired on Sundays" not in after
    assert "Withheld" in after
    visitor.keep_picture("withheld")


def test_history_leads_back_to_ones_own_answers(visitor):
    visitor.sign_in("ben")
    visitor.ask(QUESTION)
    address = visitor.page.url
    visitor.page.get_by_role("link", name="History").click()
    visitor.keep_picture("history")
    visitor.page.locator(".entry-question").first.click()
    visitor.page.wait_for_url(address)


def test_an_error_and_a_stop_leave_the_question_where_it_was(visitor):
    page = visitor.page
    visitor.open("/")
    box = page.get_by_label("Your question")
    box.fill("?!")
    box.press("Enter")
    page.get_by_text("There is nothing to search for").wait_for()
    assert box.input_value() == "?!"
    page.route("**/", lambda route: None if route.request.method == "POST" else route.continue_())
    box.fill(QUESTION)
    box.press("Enter")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped. Your question is still here.").wait_for()
    assert box.input_value() == QUESTION


def test_enter_sends_shift_enter_breaks_and_an_input_method_keeps_its_own(visitor):
    page = visitor.page
    visitor.open("/")
    box = page.get_by_label("Your question")
    box.fill("When does")
    box.press("Shift+Enter")
    box.type("registration close?")
    assert box.input_value() == "When does\nregistration close?"
    taken = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true})"
    box.evaluate(f"node => node.dispatchEvent({taken})")
    assert page.url == visitor.site.url + "/"
    box.press("Enter")
    page.wait_for_url("**/answers/**")


def test_keys_reach_the_box_walk_the_citations_and_close_what_is_open(visitor):
    page = visitor.page
    visitor.ask(QUESTION)
    page.locator("body").press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    cite = page.locator(".cite").first
    cite.focus()
    tooltip = page.locator(".cite-quote").first
    tooltip.wait_for(state="visible")
    assert WEDNESDAY in tooltip.inner_text()
    page.keyboard.press("Escape")
    tooltip.wait_for(state="hidden")
    page.keyboard.press("Enter")
    page.wait_for_url(REVISION_URL)


def test_everything_works_without_script(open_window):
    visitor = open_window(java_script_enabled=False)
    visitor.sign_in("ada")
    visitor.ask(QUESTION, as_of="2022-06-01")
    assert "Friday at 18:00" in visitor.page.locator(".answer-text").inner_text()
    visitor.page.locator(".source-title a").first.click()
    visitor.page.wait_for_url(REVISION_URL)
    assert FRIDAY in visitor.marked()
    assert visitor.page.url.endswith("#mark")
    visitor.open("/")
    visitor.page.get_by_label("Your question").fill("?!")
    visitor.page.get_by_role("button", name="Ask", exact=True).click()
    assert visitor.page.get_by_text("There is nothing to search for").is_visible()
    assert visitor.page.get_by_label("Your question").input_value() == "?!"
    visitor.open("/documents/")
    visitor.page.get_by_label("Words in titles and tags").fill("handbook")
    visitor.page.get_by_role("button", name="Show").click()
    assert visitor.page.locator(".shelf-title a").all_text_contents() == ["Staff handbook"]
    visitor.keep_picture("list-without-script")
