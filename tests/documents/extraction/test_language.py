import pytest

from documents.extraction.language import LanguageModel, detect_by_script
from documents.extraction.plain import lay_out_plain


@pytest.fixture(scope="module")
def model():
    return LanguageModel()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The registration deadline is Wednesday for in-person events only.", "en"),
        ("Die Kündigungsfrist endet am Freitag um zwölf Uhr.", "de"),
        ("Reembolsos en un plazo de 14 días.", "es"),
        ("Правила возврата денег для членов клуба, действующие с первого мая.", "ru"),
        ("外币汇率换算按每月首个工作日中间价。", "zh"),
        ("日本語のテスト手順書", "ja"),
        ("한국어 문서입니다", "ko"),
        ("退款规则 refund 十四天内", "zh"),
        ("Notice 📄📄 the limit is 5 units.", "en"),
        ("ok", "und"),
        ("12 345 / 67", "und"),
        ("Valve DS-7604NI-E1/4P", "und"),
    ],
)
def test_language_is_told_or_left_open(model, text, language):
    assert model.detect(text, lay_out_plain(text)) == language


def test_a_quoted_name_does_not_change_the_language():
    assert detect_by_script("The club 退款 pays back within two weeks of the event.") is None
