from answers.sentence_scores import word_shares
from tests.answers.evidence_builders import brief_of, ranked


def test_rare_words_of_a_question_count_more():
    texts = ["the rule on backups", "the rule on badges", "the rule"]
    shares = word_shares("rule for backups", texts, languages=["en"] * 3)
    assert shares[0] == 1
    assert 0 < shares[1] < 0.5
    assert shares[1] == shares[2]


def test_words_that_nothing_holds_give_nothing():
    assert word_shares("zebra", ["a rule"], languages=["en"]) == [0.0]


def test_a_sentence_of_two_overlapping_passages_is_scored_once():
    text = "Entry is free. Guests pay. Dogs wait outside the hall at all times."
    brief = brief_of("dogs", {1: text}, ranked(text, end=26), ranked(text, start=15, rank=2))
    assert sorted(sentence.text for sentence in brief.sentences) == [
        "Dogs wait outside the hall at all times.",
        "Entry is free.",
        "Guests pay.",
    ]


def test_front_matter_is_not_cited():
    text = "title: Rules for dogs"
    assert brief_of("dogs", {1: text}, ranked(text, kind="front_matter")).sentences == ()


def test_a_sentence_with_the_number_asked_for_wins():
    text = "Backups are kept in safes. Backups are kept for 30 days."
    best = brief_of("How long are backups kept?", {1: text}, ranked(text)).sentences[0]
    assert best.text == "Backups are kept for 30 days."


def test_equal_sentences_keep_the_order_of_the_evidence():
    texts = {1: "Entry is free.", 2: "Entry is open."}
    passages = [ranked(text, revision_id=number) for number, text in texts.items()]
    brief = brief_of("entry", texts, *passages)
    assert [sentence.evidence for sentence in brief.sentences] == [0, 1]
