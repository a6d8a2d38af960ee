"""Every page in both schemes and at three widths: labelled, within its window, in order."""

import pytest

from tests.browser.conftest import refusing_everything

pytestmark = [pytest.mark.browser, pytest.mark.db(transaction=True)]

# Controls without a name, pictures without one, ids that stand twice, levels that are skipped.
FAULTS = """
() => {
  const faults = [];
  const named = (node) =>
    node.getAttribute("aria-label") ||
    (node.getAttribute("aria-labelledby") &&
      document.getElementById(node.getAttribute("aria-labelledby"))) ||
    (node.labels && node.labels.length) ||
    node.textContent.trim();
  for (const node of document.querySelectorAll("a, button, input, select, textarea, summary")) {
    if (node.type !== "hidden" && !named(node)) faults.push("unnamed " + node.outerHTML);
  }
  for (const node of document.querySelectorAll("img, svg[role=img]")) {
    if (!node.getAttribute("aria-label") && !node.alt) faults.push("unnamed " + node.outerHTML);
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => faults.push("twice " + id));
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  let last = 1;
  for (const node of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const level = Number(node.tagName[1]);
    if (level > last + 1) faults.push("skips to " + node.tagName);
    last = level;
  }
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title) faults.push("no title");
  return faults;
}
"""


def paths_of(site) -> dict[str, str]:
    document = f"/documents/{site.registration.public_id}/"
    return {
        "ask": "/",
        "list": "/documents/?standing=any",
        "document": document,
        "source-in-force": f"{document}revisions/2/?start=70&end=90",
        "source-ended": f"{document}revisions/1/?start=70&end=90",
        "history": "/history/",
        "password": "/password/",
        "not-found": "/documents/00000000-0000-4000-8000-000000000000/",
        "error": f"{document}?as_of=soon",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_pages_are_whole_and_labelled(open_window, site, scheme, width):
    visitor = open_window(width=width, color_scheme=scheme, reduced_motion="reduce")
    visitor.open("/sign-in/")
    found = {"sign-in": visitor.page.evaluate(FAULTS)}
    visitor.keep_picture(f"sign-in-{scheme}-{width}")
    visitor.sign_in("edith")
    visitor.ask("When does registration close?", as_of="2022-06-01")
    found["answer"] = visitor.page.evaluate(FAULTS)
    visitor.keep_picture(f"answer-{scheme}-{width}")
    with refusing_everything():
        visitor.ask("What colour are the chairs?")
    found["refusal"] = visitor.page.evaluate(FAULTS)
    visitor.keep_picture(f"refusal-{scheme}-{width}")
    for name, path in paths_of(site).items():
        visitor.open(path)
        found[name] = visitor.page.evaluate(FAULTS)
        visitor.keep_picture(f"{name}-{scheme}-{width}")
    visitor.page.locator(".account summary").click()
    visitor.page.get_by_role("button", name="Sign out").click()
    visitor.page.wait_for_url("**/sign-out/")
    found["signed-out"] = visitor.page.evaluate(FAULTS)
    visitor.keep_picture(f"signed-out-{scheme}-{width}")
    assert len(found) == 13
    assert found == {name: [] for name in found}


def test_tab_reaches_everything_in_reading_order(visitor):
    visitor.open("/")
    reached = []
    for _ in range(8):
        visitor.page.keyboard.press("Tab")
        reached.append(
            visitor.page.evaluate(
                "document.activeElement.getAttribute('aria-label') ||"
                " document.activeElement.id || document.activeElement.textContent.trim()"
            )
        )
    assert reached[0] == "Skip to the content"
    order = ["Ask", "Documents", "Sign in", "question", "as-of"]
    assert [name for name in reached if name in order][:5] == order


def test_movement_is_left_out_where_it_is_not_wanted(open_window):
    visitor = open_window(reduced_motion="reduce")
    visitor.open("/")
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    assert visitor.page.evaluate(behaviour) == "auto"
