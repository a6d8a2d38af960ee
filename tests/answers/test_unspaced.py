import pytest

from answers.unspaced import content_runs, count_held, is_unspaced


@pytest.mark.parametrize(
    ("question", "runs"),
    [
        ("参观需要提前预约吗？", ["参观", "提前预约"]),
        ("会议室什么时候开放？", ["会议室", "开放"]),
        ("IX-2350-B的灯管", ["灯管"]),
        ("会議室は何時に開きますか", ["会議室", "何時", "開"]),
        ("회의실 예약", ["회의실", "예약"]),
        ("When does it close?", []),
    ],
)
def test_what_is_asked_is_told_from_the_words_that_ask(question, runs):
    assert content_runs(question) == runs


def test_a_pair_that_is_held_covers_both_its_characters():
    assert count_held(["提前预约"], {"提前", "预约"}) == 4
    assert count_held(["提前预约"], {"前预"}) == 2
    assert count_held(["提前预约"], {"提", "前"}) == 0


def test_a_character_by_itself_is_held_by_itself():
    assert count_held(["灯"], {"灯"}) == 1


@pytest.mark.parametrize(("lexeme", "answer"), [("会议", True), ("ix", False), ("2350", False)])
def test_lexemes_of_scripts_without_spaces_are_told(lexeme, answer):
    assert is_unspaced(lexeme) is answer
