import pytest

from answers.writers.extractive import ExtractiveParams, ExtractiveWriter
from tests.answers.evidence_builders import brief_of, count_words, ranked

DEADLINE = "Registration closes Wednesday. This applies to in-person events only. Bring a badge."


def write(brief, **changes):
    params = {"sentences": 3, "max_chars": 900, "target_chars": 550, "least_share": 0.5, **changes}
    writer = ExtractiveWriter(params=ExtractiveParams(**params), count_tokens=count_words)
    return [claim.spans[0] for claim in writer.write(brief).claims]


def test_the_sentence_that_answers_is_quoted_with_the_one_that_limits_it():
    passage = ranked(DEADLINE, similarities=[0.9, 0.2, 0.1])
    spans = write(brief_of("When does registration close?", {1: DEADLINE}, passage), sentences=1)
    assert [(span.start, span.end, span.quote) for span in spans] == [
        (0, 69, "Registration closes Wednesday. This applies to in-person events only.")
    ]


def test_a_limit_comes_along_even_beyond_the_length_aimed_at():
    passage = ranked(DEADLINE, similarities=[0.9, 0.2, 0.1])
    brief = brief_of("When does registration close?", {1: DEADLINE}, passage)
    assert write(brief, sentences=1, target_chars=35)[0].end == 69
    assert write(brief, sentences=1, target_chars=35, max_chars=60)[0].end == 30


LIMIT, RULE = "This applies to in-person events only.", "Registration closes on Wednesday."


@pytest.mark.parametrize(
    ("before", "quoted"),
    [
        ("", f"{LIMIT} {RULE}"),
        ("Dues are paid early.\n\n", f"{LIMIT} {RULE}"),
        ("Dues are paid early. ", RULE),
    ],
    ids=["first of all", "first of its paragraph", "a limit on what stands before it"],
)
def test_a_limit_that_opens_the_paragraph_comes_along(before, quoted):
    text = f"{before}{LIMIT} {RULE}"
    passage = ranked(text, similarities=[0.1] * (2 if before else 1) + [0.9])
    spans = write(brief_of("When does registration close?", {1: text}, passage), sentences=1)
    assert [span.quote for span in spans] == [quoted]


def test_an_answer_draws_on_two_documents():
    texts = {1: "Members pay 20 EUR a month.", 2: "Guests pay 5 EUR a day."}
    passages = [ranked(text, revision_id=number) for number, text in texts.items()]
    spans = write(brief_of("What do members and guests pay?", texts, *passages))
    assert [span.revision_id for span in spans] == [1, 2]


def test_an_answer_quotes_chinese():
    text = "报名截止到星期三。仅适用于现场活动。请携带证件。"
    passage = ranked(text, language="zh")
    [span] = write(brief_of("报名什么时候截止？", {1: text}, passage), sentences=1)
    assert span.quote == "报名截止到星期三。仅适用于现场活动。"


def test_items_that_a_sentence_announces_come_along():
    text = "Bring to the hall:\n\n- a badge\n- a lamp\n"
    passage = ranked(text, similarities=[0.9, 0.1, 0.1])
    [span] = write(brief_of("What to bring to the hall?", {1: text}, passage), sentences=1)
    assert span.quote == "Bring to the hall:\n\n- a badge\n- a lamp"


def test_the_same_words_in_two_documents_are_said_once():
    texts = {1: "Refunds take 14 days. Ask us.", 2: "Refunds take 14 days. Write to us."}
    passages = [
        ranked(text, revision_id=number, similarities=[0.9, 0.1]) for number, text in texts.items()
    ]
    spans = write(brief_of("How long do refunds take?", texts, *passages), least_share=0.9)
    assert [span.quote for span in spans] == ["Refunds take 14 days."]


def test_sentences_far_worse_than_the_best_are_left_out():
    text = "Refunds take 14 days. Dogs wait outside."
    passage = ranked(text, similarities=[0.9, 0.1])
    [span] = write(brief_of("How long do refunds take?", {1: text}, passage))
    assert span.quote == "Refunds take 14 days."


def test_at_most_three_sentences_are_chosen():
    text = "Fees are due. Fees are low. Fees are fair. Fees are paid. Fees are kept."
    spans = write(brief_of("fees", {1: text}, ranked(text)))
    assert sum(span.quote.count(".") for span in spans) == 3


@pytest.mark.parametrize("limit", [100, 900])
def test_the_whole_answer_stays_within_its_limit(limit):
    text = " ".join(f"Fee number {number} is due in the month {'m' * 60}." for number in range(9))
    spans = write(brief_of("fee", {1: text}, ranked(text)), max_chars=limit, target_chars=limit)
    assert spans
    assert len("\n\n".join(span.quote for span in spans)) <= limit


def test_nothing_to_write_from_gives_nothing():
    assert write(brief_of("fee", {})) == []


def test_the_same_brief_gives_the_same_answer():
    brief = brief_of("When does registration close?", {1: DEADLINE}, ranked(DEADLINE))
    assert write(brief) == write(brief)
