"""A question's language by its script, and what a model knows."""

import pytest

from retrieval.languages import is_known, language_of_question


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("外币汇率", "zh"),
        ("テスト手順書", "ja"),
        ("手順書のテスト", "ja"),
        ("시험 절차", "ko"),
        ("When does registration close?", "und"),
        ("Wann endet die Anmeldung?", "und"),
        ("", "und"),
        ("???", "und"),
        ("DS-7604NI 的密封件是什么", "zh"),
        ("iPhone 保修多久", "zh"),
        ("What does 退款 mean in the rules of the club?", "und"),
        ("汇", "zh"),
    ],
)
def test_a_script_tells_the_language_where_one_does(text, language):
    assert language_of_question(text) == language


@pytest.mark.parametrize(
    ("language", "known"),
    [
        ("en", True),
        ("en-GB", True),
        ("EN", True),
        ("zh", False),
        ("zh-Hant", False),
        ("eng", False),
        ("und", True),
        ("", True),
    ],
)
def test_a_model_knows_its_languages_and_what_nobody_told(language, known):
    assert is_known(language, frozenset({"en"})) is known


def test_without_any_language_nothing_is_known():
    assert not is_known("und", frozenset())
