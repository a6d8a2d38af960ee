import pytest

from answers.identifiers import holds, identifiers_in, runs_of


@pytest.mark.parametrize(
    ("question", "identifiers"),
    [
        ("Which seal kit does DS-7606 need?", [("ds", "7606")]),
        ("Is IX-2350-B the one?", [("ix", "2350", "b")]),
        ("When is 1099-MISC due after KB5034441?", [("1099", "misc"), ("kb", "5034441")]),
        ("How long does __Host-user_session last?", [("host", "user", "session")]),
        ("Who reads help@example.org?", [("help", "example", "org")]),
        ("阀门DS-7606需要哪个密封件？", [("ds", "7606")]),
    ],
)
def test_identifiers_are_found_as_their_runs(question, identifiers):
    assert identifiers_in(question) == identifiers


@pytest.mark.parametrize(
    "question",
    [
        "Is the 24-hour window still open?",
        "Is 5GB the limit on the 2nd day, or $60?",
        "Write to 7801 Folsom Boulevard Suite 202, CA 95826?",
        "What does 17 U.S.C. 512(g) require?",
        "What changed in mid-2024?",
        "Was it 2026-03-29T10:00?",
        "May self-hosted runners update?",
        "它在2024年改变了什么？",
    ],
)
def test_amounts_dates_and_words_are_no_identifiers(question):
    assert identifiers_in(question) == []


@pytest.mark.parametrize(
    ("identifier", "is_held"),
    [
        ("DS-7604NI-E1/4P", True),
        ("DS-7604", True),
        ("ds 7604ni", True),
        ("SK-1234", True),
        ("DS-7606", False),
        ("DS-760", False),
        ("S-7604", False),
    ],
)
def test_near_identifiers_are_not_held(identifier, is_held):
    text = runs_of("Valve DS-7604NI-E1/4P needs seal kit SK-1234.")
    assert holds(text, runs_of(identifier)) is is_held
