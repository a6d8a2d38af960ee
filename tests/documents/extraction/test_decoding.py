import codecs

import pytest

from documents.extraction.decoding import decode, make_storable
from documents.extraction.errors import ExtractionFailed

TEXT = "Notice 📄📄 the limit is 5 units.\r\n"


def decode_text(content, encoding=None):
    return decode(content, encoding=encoding).text


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TEXT.encode(), None),
        (codecs.BOM_UTF8 + TEXT.encode(), None),
        (TEXT.encode(), "UTF-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf_8_sig"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), None),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), None),
        (TEXT.encode("utf-16-le"), None),
        (TEXT.encode("utf-16-be"), None),
        (TEXT.encode("utf-16-be"), "UTF-16BE"),
        (TEXT.encode("utf-16-le"), "utf-16"),
        (TEXT.encode("utf-16-be"), "utf16"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-16"),
    ],
)
def test_unicode_text_is_read_as_it_was_written(content, encoding):
    assert decode_text(content, encoding) == TEXT


UNMARKED = [
    "Hi",
    "Да",
    "Правила клуба читателей",
    "Κανόνες της λέσχης",
    "כללי המועדון",
    "قواعد النادي",
    "पुस्तकालय के नियम",
    "กฎของสโมสร ห้องสมุด",
    "이용 규칙은 매년 바뀝니다.",
    "図書館の利用規則は毎年変わります。",
    "图书馆规则：每位读者可借十本书，为期两周。",
    "读者在馆中可以借到的书不多",
    "第一条\n本馆每日九时开放。\n",
    "The library 图书馆 lends ten books 十本书 for two weeks.",
    "外币汇率 FX rates 按每月首个工作日中间价换算，see table 3。",
    "# Rules\n\nFür Gäste – 20 €.\n",
    "Notice 📄📄",
]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", UNMARKED)
def test_utf_16_without_a_mark_is_read(text, codec):
    assert decode_text(text.encode(codec)) == text
    assert decode_text(text.encode(codec), "utf-16") == text


ODD = ["a\x00b", "1\t2\t3\n", "a\t\t\t\t\n" * 9, "Bush hid the facts", "\x0ba\x01b"]


@pytest.mark.parametrize("text", [*UNMARKED, *ODD])
def test_utf_8_is_never_taken_for_utf_16(text):
    assert decode_text(text.encode(), "utf-8") == decode_text(text.encode())


def test_refusal_names_the_way_out():
    with pytest.raises(ExtractionFailed) as caught:
        decode("规则".encode("utf-16-le"), encoding=None)
    for way in ("field Encoding", "`encoding` of the API", "`--encoding` of import_corpus"):
        assert way in caught.value.message
    assert decode_text("规则".encode("utf-16-le"), "utf-16-le") == "规则"


def test_only_the_first_byte_order_mark_is_removed():
    assert decode_text(codecs.BOM_UTF8 * 2 + b"Rules") == "\ufeffRules"


def test_line_ends_stay_as_found():
    text = decode_text(b"a\r\nb\r\nc\rd\x0ce\xe2\x80\xa8f")
    assert text == "a\r\nb\r\nc\rd\x0ce\u2028f"
    assert text.index("c") == 6


def test_nul_is_shown_and_moves_no_offset():
    decoded = decode(b"Trials o\x00er credits until 31 May.", encoding=None)
    assert decoded.text == "Trials o\u2400er credits until 31 May."
    assert decoded.warnings == ("1 NUL character(s) are shown as \u2400.",)


def test_controls_are_shown_by_their_pictures():
    decoded = decode(b"a\x1b[1mb\x7fc\x01d\te\x0bf", encoding="utf-8")
    assert decoded.text == "a\u241b[1mb\u2421c\u2401d\te\x0bf"
    assert decoded.warnings == ("3 control character(s) are made visible.",)


def test_c1_controls_and_noncharacters_become_escapes_and_next_line_stays():
    assert decode_text("a\x80b\x85c\ufffed\uffff".encode()) == "a\\u0080b\x85c\\ufffed\\uffff"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le"])
def test_lone_surrogate_becomes_an_escape(codec):
    content = "limit \ud83d units".encode(codec, errors="surrogatepass")
    decoded = decode(content, encoding=codec)
    assert decoded.text == "limit \\ud83d units"
    assert decoded.warnings == ("1 unpaired surrogate(s) are shown as escapes.",)


def test_surrogate_pair_written_as_utf_8_becomes_its_character():
    assert decode_text("a\ud83d\udcc4b".encode(errors="surrogatepass")) == "a📄b"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Fälle".encode("latin-1"), None),
        ("外币汇率换算按每月首个工作日中间价。".encode("gb18030"), None),
        ("日本語のテスト手順書".encode("shift-jis"), None),
        (b"plain enough", "gb18030"),
        (b"plain enough", "no such encoding"),
        (b"caf\xc3", None),
        (codecs.BOM_UTF16_LE + b"a\x00b", None),
        (codecs.BOM_UTF32_LE + "Rules".encode("utf-32-le"), None),
        (codecs.BOM_UTF32_BE + "Rules".encode("utf-32-be"), None),
        ("日本語".encode("euc-jp"), None),
        ("이용 규칙".encode("euc-kr"), None),
        ("Правила".encode("cp1251"), None),
        ("规则".encode("utf-16-le"), None),
        ("λογος".encode("utf-16-le"), "utf-16"),
        (b"ab\x00c", None),
        ("一次使用机器".encode("utf-16-le"), None),
        ("公开的作品。".encode("utf-16-le"), None),
    ],
)
def test_anything_else_needs_an_encoding(content, encoding):
    with pytest.raises(ExtractionFailed) as caught:
        decode(content, encoding=encoding)
    assert caught.value.code == "needs_encoding"


def test_refusal_names_the_first_bad_byte():
    with pytest.raises(ExtractionFailed, match="byte 5 is not valid UTF-8"):
        decode(b"Caf\xc3\xa9".replace(b"\xc3\xa9", b" \xe9"), encoding=None)


def test_binary_content_is_not_text():
    with pytest.raises(ExtractionFailed) as caught:
        decode(bytes(range(16)) * 4 + bytes(64), encoding=None)
    assert caught.value.code == "unsupported"


def test_ordinary_text_is_not_copied():
    text = "Nothing odd here."
    assert make_storable(text).text is text
