"""The real policies, as found: front matter, template tags, comments, malformed tables."""

import json

import pytest

from documents.conf import documents_config
from documents.extraction.run import extract


@pytest.fixture(scope="module")
def policies(data_dir):
    folder = data_dir / "site-policy"
    files = [
        revision["file"]
        for document in json.loads((folder / "index.json").read_text(encoding="utf-8"))
        for revision in document["revisions"]
    ]
    contents = [(folder / name).read_bytes() for name in files]
    limits = documents_config().extraction_limits
    results = [
        extract(content, original_name=name, encoding=None, limits=limits)
        for name, content in zip(files, contents, strict=True)
    ]
    return list(zip(contents, results, strict=True))


def test_every_revision_is_read_as_it_was_written(policies):
    assert len(policies) == 364
    assert all(result.text == content.decode("utf-8") for content, result in policies)


def test_every_revision_is_english(policies):
    assert {result.language for _, result in policies} == {"en"}


def test_everything_between_blocks_is_whitespace(policies):
    for _, result in policies:
        reached = 0
        for block in result.layout.blocks:
            assert not result.text[reached : block.start].strip()
            reached = block.end
        assert not result.text[reached:].strip()


def test_every_revision_has_headings_whose_words_stand_in_their_span(policies):
    headings = [
        (result.text, heading) for _, result in policies for heading in result.layout.headings
    ]
    assert len(headings) == 4590
    for text, heading in headings:
        line = text[heading.start : heading.end]
        assert all(word in line for word in heading.title.split())


def test_odd_parts_are_kept_with_warnings(policies):
    warnings = [warning for _, result in policies for warning in result.warnings]
    assert sum("front matter" in warning for warning in warnings) == 361
    assert sum("template tag" in warning for warning in warnings) == 71
    assert sum(len(result.layout.skips) for _, result in policies) == 40
