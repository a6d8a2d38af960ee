"""The page that describes the API, under the site's strict content policy."""

import re

import pytest

pytestmark = pytest.mark.browser


def test_the_page_lists_every_address(visitor):
    visitor.open("/api/docs/")
    visitor.page.locator(".opblock").first.wait_for()
    shown = visitor.page.locator(".opblock-summary-path").all_text_contents()
    paths = {text.replace("\u200b", "") for text in shown}
    assert {"/api/v1/search", "/api/v1/answers", "/api/v1/documents"} <= paths
    visitor.keep_picture("api-reference")


def test_a_signed_in_browser_tries_a_search_with_its_session(visitor):
    visitor.sign_in("ben")
    visitor.open("/api/docs/")
    search = visitor.page.locator(
        ".opblock-post", has=visitor.page.locator("[data-path='/api/v1/search']")
    )
    search.locator(".opblock-summary").click()
    search.get_by_role("button", name="Try it out").click()
    search.locator("textarea").fill('{"question": "When does registration close?"}')
    search.get_by_role("button", name="Execute").click()
    status = search.locator(".live-responses-table .response-col_status").last
    status.wait_for()
    assert re.match("200", status.inner_text())
    assert "Wednesday" in search.locator(".live-responses-table").inner_text()
