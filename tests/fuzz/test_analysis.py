import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.analysis import (
    LONGEST_LEXEME_CHARS,
    SPARSE_DIMENSIONS,
    analyse,
    analyse_question,
    dimension_of,
)

pytestmark = pytest.mark.fuzz

LANGUAGES = st.sampled_from(["en", "de", "fr", "zh", "und", "xx", ""])


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=300), LANGUAGES)
def test_every_lexeme_can_be_stored(text, language):
    for lexeme in analyse(text, language=language):
        assert 1 <= len(lexeme) <= LONGEST_LEXEME_CHARS
        assert "\x00" not in lexeme
        lexeme.encode()
        assert 1 <= dimension_of(lexeme) <= SPARSE_DIMENSIONS


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=300), LANGUAGES)
def test_a_text_is_found_by_its_own_words(text, language):
    question = analyse_question(text, language=language)
    if analyse(text, language=language):
        assert set(question.lexemes) <= set(analyse(text, language=language))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=100), LANGUAGES)
def test_letter_case_changes_no_ordinary_word(text, language):
    lowered = analyse(text.lower(), language=language)
    assert lowered == analyse(text.lower(), language=language)
    assert analyse("", language=language) == []
