import pytest

from retrieval.qualifications import qualifies


@pytest.mark.parametrize(
    "sentence",
    [
        "This applies to in-person events only.",
        "However, guests pay a fee.",
        "- Unless the court forbids it.",
        "Except for members of the board.",
        "In (rare) exigent circumstances, we may delay notification.",
        "This Section D.8 does not apply to Access solely for the purpose of academic research.",
        "8.2 Section 8.1 does not prohibit Partner from disclosing Match Data.",
        "For in-person events only.",
        "但周末除外。",
        "仅适用于现场活动。",
        "除非另有约定，费用不退。",
        "Dies gilt nicht für Gäste.",
    ],
)
def test_exceptions_conditions_and_scopes_limit_their_neighbour(sentence):
    assert qualifies(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Registration closes Wednesday.",
        "Bring a badge.",
        "Nothing but water is allowed in the hall.",
        "The only entrance is on the north side.",
        "报名截止到星期三。",
        "However, " + "this goes on and on " * 30,
    ],
)
def test_rules_of_their_own_do_not(sentence):
    assert not qualifies(sentence)
