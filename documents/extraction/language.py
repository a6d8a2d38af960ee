"""Which language a text is in: by its script where that decides, else by a trained model.

Refuses to guess: "und" where the text is too short or two languages are close.
"""

import re
from pathlib import Path

import py3langid.langid
from py3langid.langid import LanguageIdentifier

from documents.extraction.types import Layout

UNDETERMINED = "und"
SAMPLE_CHARS = 4_000
LEAST_PROSE_CHARS = 200  # below this, titles, tables and code are looked at too
LEAST_LETTERS = 12
LEAST_CONFIDENCE = 0.4  # 0 to 1, as the model gives it after normalisation
KANA_SHARE = 0.05  # of Han and kana; Japanese prose has 0.4 and more, Chinese quotes less
LETTERS_PER_SYLLABLE = 3  # a Han character or a Hangul syllable says as much as three letters

PROSE = frozenset({"paragraph", "list", "quote"})
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
KANA = re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
LETTER = re.compile(r"[^\W\d_]")
NOT_PROSE = re.compile(
    r"https?://\S+|\]\([^)\s]{0,500}\)|\{%.{0,500}?%\}|\{\{.{0,500}?\}\}|<[^>]{0,500}>|[\U0001f000-\U0001faff]"
)

# Without dialects and small neighbours, short texts are told apart more surely.
CANDIDATES = (
    "af ar az be bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ka "
    "kk km kn ky la lo lt lv mk ml mn mr ms mt my ne nl nn no pa pl ps pt ro ru si sk sl sq sr sv "
    "sw ta te th tl tr uk ur uz vi"
)


class LanguageModel:
    """The trained model, loaded once: that takes half a second."""

    def __init__(self) -> None:
        """Load the packaged model and restrict it to the candidates."""
        path = Path(py3langid.langid.__file__).parent / py3langid.langid.MODEL_FILE
        self._identifier = LanguageIdentifier.from_model_file(path, norm_probs=True)
        self._identifier.set_languages(CANDIDATES.split())

    def detect(self, text: str, layout: Layout) -> str:
        """Give the primary BCP 47 code of a text, or "und"."""
        sample = _take_sample(text, layout)
        by_script = detect_by_script(sample)
        if by_script is not None:
            return by_script
        language, confidence = self._identifier.classify(sample)
        return str(language) if confidence >= LEAST_CONFIDENCE else UNDETERMINED


def detect_by_script(sample: str) -> str | None:
    """Decide Chinese, Japanese and Korean, and what is too short; None leaves it to the model."""
    han, kana, hangul = (len(script.findall(sample)) for script in (HAN, KANA, HANGUL))
    others = len(LETTER.findall(sample)) - han - kana - hangul
    syllables = LETTERS_PER_SYLLABLE * (han + kana + hangul)
    if syllables <= others:
        return None if others >= LEAST_LETTERS else UNDETERMINED
    if hangul > han + kana:
        return "ko"
    return "ja" if kana > KANA_SHARE * (han + kana) else "zh"


def _take_sample(text: str, layout: Layout) -> str:
    pieces = []
    length = 0
    for block in layout.blocks:
        if length >= SAMPLE_CHARS:
            break
        if block.kind in PROSE:
            piece = text[block.start : min(block.end, block.start + SAMPLE_CHARS)]
            pieces.append(piece)
            length += len(piece)
    sample = "\n".join(pieces) if length >= LEAST_PROSE_CHARS else text[:SAMPLE_CHARS]
    return NOT_PROSE.sub(" ", sample)
