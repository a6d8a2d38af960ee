import pytest

from retrieval.analysis import SPARSE_DIMENSIONS, analyse, analyse_question, dimension_of

VALVE = "Valve DS-7604NI-E1/4P needs seal kit SK-1234."


def lexemes(question, **options):
    return analyse_question(question, language="en", **options).lexemes


def test_words_are_folded_and_stemmed_and_common_words_dropped():
    assert analyse("The Refunds were REQUESTED", language="en") == ["refund", "request"]


def test_an_identifier_is_kept_whole_and_in_parts():
    assert analyse(VALVE, language="en") == [
        "valv", "ds-7604ni-e1/4p", "ds", "7604ni", "7604", "ni", "e1", "4p",
        "need", "seal", "kit", "sk-1234", "sk", "1234",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "question", ["DS-7604NI-E1/4P", "DS-7604", "ds 7604ni", "SK-1234", "-1234", "ds–7604ni"]
)
def test_a_question_for_an_identifier_meets_it_more_often_than_its_neighbour(question):
    found = set(lexemes(question))
    valve = set(analyse(VALVE, language="en"))
    decoy = set(analyse("Valve DS-7605 needs seal kit SK-1235.", language="en"))
    assert len(found & valve) > len(found & decoy)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1099-MISC", ["1099-misc", "1099", "misc"]),
        ("17 U.S.C. 512", ["17", "usc", "512"]),
        ("17 USC § 512(c)(3)", ["17", "usc", "512(c)(3)", "512(c)", "512"]),
        ("v2.0.1", ["v2.0.1", "2.0.1"]),
        ("§ 4.2(b)", ["4.2(b)", "4.2"]),
        ("KB5034441", ["kb5034441", "kb", "5034441"]),
        ("IX-2350-B", ["ix-2350-b", "ix", "2350", "b"]),
        ("-1234", ["1234"]),
        ("1,000.50", ["1000.50"]),
        ("C++ and C#", ["c++", "c", "c#", "c"]),
        ("TCP/IP", ["tcp/ip", "tcp", "ip"]),
        ("help@example.org", ["help@example.org", "help", "exampl", "org"]),
        ("the user’s e-mail", ["user", "email", "mail"]),
        ("don't", []),
        ("L'avion", ["avion"]),
        ("form(s)", ["form"]),
        ("so\u00adft hy\u200bphen", ["soft", "hyphen"]),
        ("Ｒｅｆｕｎｄ", ["refund"]),
    ],
)
def test_what_is_written_with_marks(text, expected):
    assert analyse(text, language="en") == expected


def test_scripts_without_spaces_become_pairs_and_single_characters():
    assert analyse("汇率换", language="zh") == ["汇", "汇率", "率", "率换", "换"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("外币汇率换算按每月首个工作日中间价。", "汇率换算"),
        ("外币汇率换算按每月首个工作日中间价。", "汇率"),
        ("外币汇率换算按每月首个工作日中间价。", "汇"),
        ("日本語のテスト手順書", "テスト"),
    ],
)
def test_a_question_without_spaces_meets_its_text(text, question):
    found = lexemes(question)
    assert found
    assert set(found) <= set(analyse(text, language="ja"))


def test_latin_words_beside_characters_are_words():
    assert analyse("GitHub的政策", language="zh") == ["github", "的", "的政", "政", "政策", "策"]


@pytest.mark.parametrize("question", ["the and of", "???", "🙂", "   ", "", "it", "\x00", "\ud800"])
def test_questions_with_nothing_to_search_for(question):
    assert analyse_question(question, language="en").is_empty


@pytest.mark.parametrize("question", ["IT", "what is IT", "WHO"])
def test_stop_words_written_as_identifiers_are_used_where_nothing_else_is_left(question):
    assert lexemes(question) == (question.split()[-1].lower(),)


def test_a_passage_keeps_a_stop_word_that_stands_out_in_capitals():
    assert analyse("IT handles laptop requests.", language="en")[0] == "it"
    assert "it" not in analyse("It handles laptop requests.", language="en")
    assert "the" not in analyse("THE SOFTWARE IS PROVIDED AS IS", language="en")


def test_each_language_has_its_stemmer():
    assert analyse("die Häuser", language="de") == ["haus"]
    assert analyse("les maisons", language="fr-CA") == ["maison"]


def test_a_text_of_unknown_language_meets_its_question():
    assert analyse("laptop requests", language="und") == ["laptop", "request"]
    assert analyse_question("Requests", language="xx").lexemes == ("request",)


def test_a_question_may_be_read_in_several_languages():
    assert lexemes("the Häuser", also_in=["de"]) == ("häuser", "haus")


def test_a_question_names_each_lexeme_once():
    assert lexemes("refund or refunds") == ("refund",)


def test_the_last_of_very_many_words_is_kept():
    text = " ".join(f"token{number}" for number in range(50_000))
    assert analyse(text, language="en")[-3:] == ["token49999", "token", "49999"]


def test_dimensions_are_stable():
    assert dimension_of("refund") == 581999578
    assert 1 <= dimension_of("汇率") <= SPARSE_DIMENSIONS
