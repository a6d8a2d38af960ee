import pytest

from answers.amounts import AmountKind, asked_amount, holds_amount

TIME, MONEY, SHARE, NUMBER = AmountKind.TIME, AmountKind.MONEY, AmountKind.SHARE, AmountKind.NUMBER


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many days do I have?", TIME),
        ("How many working days do I have?", TIME),
        ("When does registration close?", TIME),
        ("I have paid. When is it sent?", TIME),
        ("What must be sent, and when is it received?", TIME),
        ("Within how many seconds must it reply?", TIME),
        ("How much notice must I give?", TIME),
        ("Wie lange dauert es?", TIME),
        ("报名什么时候截止？", TIME),
        ("What percentage of the price will be taken?", SHARE),
        ("What does a year of membership cost?", MONEY),
        ("How much do I pay for parking?", MONEY),
        ("From what value up must I tell you?", MONEY),
        ("How many guests may I bring?", NUMBER),
        ("What is the cap on liability?", NUMBER),
    ],
)
def test_the_kind_of_amount_that_is_asked_for(question, kind):
    assert asked_amount(question) is kind


@pytest.mark.parametrize(
    "question",
    ["Who may enter?", "What is a badge?", "Somehow, why?", "Who pays when I lose my badge?"],
)
def test_other_questions_ask_for_none(question):
    assert asked_amount(question) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("on Friday", TIME),
        ("within fourteen (14) days", TIME),
        ("from 3 March on", TIME),
        ("by 18:00", TIME),
        ("三天", TIME),
        ("innerhalb von 14 Tagen", TIME),
        ("A fee of 3% is due.", SHARE),
        ("half of the price", SHARE),
        ("It costs $5.", MONEY),
        ("Parking is free.", MONEY),
        ("twice", NUMBER),
        ("up to 4 guests", NUMBER),
    ],
)
def test_texts_that_hold_an_amount_of_a_kind(text, kind):
    assert holds_amount(text, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("soon", TIME),
        ("You may bring 4 guests.", TIME),
        ("Refunds take 14 days.", MONEY),
        ("Refunds take 14 days.", SHARE),
        ("There may be fees.", MONEY),
        ("some guests", NUMBER),
    ],
)
def test_texts_that_hold_none_of_a_kind(text, kind):
    assert not holds_amount(text, kind)
