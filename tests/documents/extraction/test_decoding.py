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
    decoded = decode(b"a\x1b[1mb\x7fc\x01d\te\x0bf", encoding=None)
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
        ("Правила клуба читателей".encode("utf-16-be"), None),
        ("规则".encode("utf-16-le"), "utf-16"),
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
