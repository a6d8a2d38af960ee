"""What every Embedder must do; a test class for each implementation inherits this one."""

import math

import pytest

from retrieval.errors import PassageTooLong
from retrieval.protocols import Embedder

TEXTS = ["Refunds are made within 14 days.", "The budget is private.", "🙂", " "]


class EmbedderContract:
    """Inherit and provide an `embedder` fixture."""

    def test_describes_itself(self, embedder: Embedder):
        assert embedder.name
        assert len(embedder.fingerprint) == 64
        assert embedder.precision in {"float32", "bfloat16"}
        assert embedder.max_tokens > 0
        assert embedder.languages

    def test_vectors_are_plain_floats_of_the_stated_width(self, embedder: Embedder):
        vectors = embedder.embed_passages(TEXTS)
        assert [len(vector) for vector in vectors] == [embedder.width] * len(TEXTS)
        assert {type(number) for vector in vectors for number in vector} == {float}

    def test_vectors_have_unit_length(self, embedder: Embedder):
        for vector in [*embedder.embed_passages(TEXTS), embedder.embed_question("refunds")]:
            assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)

    def test_keeps_the_order_of_the_texts(self, embedder: Embedder):
        first, second = embedder.embed_passages(TEXTS[:2])
        swapped = embedder.embed_passages([TEXTS[1], TEXTS[0]])
        assert _cosine(first, swapped[1]) > 0.99
        assert _cosine(second, swapped[0]) > 0.99

    def test_a_question_is_nearest_to_its_own_answer(self, embedder: Embedder):
        question = embedder.embed_question("When are refunds made?")
        near, far = embedder.embed_passages(TEXTS[:2])
        assert _cosine(question, near) > _cosine(question, far)

    @pytest.mark.parametrize("question", ["refunds \ud800 made", "refunds \0 made", "\ud83d"])
    def test_a_question_may_hold_any_character(self, embedder: Embedder, question: str):
        assert len(embedder.embed_question(question)) == embedder.width

    def test_no_texts_give_no_vectors(self, embedder: Embedder):
        assert embedder.embed_passages([]) == []

    def test_counts_no_tokens_in_an_empty_text(self, embedder: Embedder):
        assert embedder.count_tokens("") == 0

    def test_a_text_at_the_limit_is_embedded(self, embedder: Embedder):
        text = "word " * embedder.max_tokens
        assert embedder.count_tokens(text) == embedder.max_tokens
        assert len(embedder.embed_passages([text])) == 1

    def test_a_text_beyond_the_limit_is_an_error(self, embedder: Embedder):
        with pytest.raises(PassageTooLong):
            embedder.embed_passages(["word " * (embedder.max_tokens + 1)])

    def test_the_last_word_of_a_long_question_counts(self, embedder: Embedder):
        question = "budget " * (embedder.max_tokens + 10)
        assert embedder.embed_question(question) != embedder.embed_question(question + "refund")


def _cosine(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
