"""What a strict content policy and readable pages ask of templates, scripts and colours."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
TOKENS = (ROOT / "static" / "css" / "tokens.css").read_text(encoding="utf-8")

# Words and what they stand on; 4.5 is WCAG's AA for text, 3 for edges of controls.
PAIRS = [
    ("ink", "paper", 4.5),
    ("ink", "surface", 4.5),
    ("quiet", "paper", 4.5),
    ("quiet", "surface", 4.5),
    ("quiet", "sunken", 4.5),
    ("accent", "paper", 4.5),
    ("accent", "surface", 4.5),
    ("on-accent", "accent", 4.5),
    ("on-accent", "accent-strong", 4.5),
    ("mark-ink", "mark", 4.5),
    ("mark-edge-ink", "mark-edge", 4.5),
    ("past", "past-surface", 4.5),
    ("past", "paper", 4.5),
    ("future", "future-surface", 4.5),
    ("future", "paper", 4.5),
    ("gone", "gone-surface", 4.5),
    ("gone", "paper", 4.5),
    ("gone", "surface", 4.5),
    ("rule-strong", "surface", 3.0),
    ("rule-strong", "paper", 3.0),
]


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


LIGHT, DARK = (colours(block) for block in TOKENS.split("@media (prefers-color-scheme: dark)"))


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("words", "ground", "least"), PAIRS)
def test_colours_are_readable_in_both_schemes(scheme, words, ground, least):
    palette = LIGHT if scheme == "light" else {**LIGHT, **DARK}
    assert contrast(palette[words], palette[ground]) >= least


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_hold_no_inline_script_or_style_and_trust_no_text(path):
    markup = path.read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)", markup)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", markup)
    assert not re.search(r"\|\s*safe\b|autoescape", markup)
    if "admin" not in path.parts:  # Django's own scripts there expect to run in their place
        assert all("defer" in tag for tag in re.findall(r"<script[^>]*>", markup))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_short_and_build_no_markup_from_text(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 150
    assert re.match(r'(?://[^\n]*\n|\n)*"use strict";\n', source)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", source)
