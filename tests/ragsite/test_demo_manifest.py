"""The demo's manifest and its corpus agree, and hold what the README walks through."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

DEMO = Path(__file__).resolve().parents[2] / "ragsite" / "demo"


@pytest.fixture(scope="module")
def manifest() -> Any:
    return yaml.safe_load((DEMO / "manifest.yaml").read_text(encoding="utf-8"))


def text_of(file: str) -> str:
    return (DEMO / "corpus" / file).read_text(encoding="utf-8")


def test_every_corpus_file_is_one_revision(manifest):
    named = [revision["file"] for item in manifest["documents"] for revision in item["revisions"]]
    present = [
        path.relative_to(DEMO / "corpus").as_posix()
        for path in (DEMO / "corpus").rglob("*")
        if path.is_file()
    ]
    assert sorted(named) == sorted(present)
    assert len(named) == 28


def test_groups_and_accounts_are_known(manifest):
    groups = {group["slug"] for group in manifest["groups"]}
    accounts = {account["username"] for account in manifest["accounts"]}
    assert len(groups) == 4
    assert len(accounts) == 5
    assert {item["group"] for item in manifest["documents"]} == groups
    assert {item["owner"] for item in manifest["documents"]} <= accounts


def test_revisions_begin_in_order_and_only_the_last_is_scheduled(manifest):
    scheduled = 0
    for item in manifest["documents"]:
        starts = [revision["from"] for revision in item["revisions"]]
        fixed = [start for start in starts if isinstance(start, date)]
        assert fixed == sorted(set(fixed)), item["slug"]
        assert len(starts) - len(fixed) <= 1, item["slug"]
        assert all(isinstance(start, date) for start in starts[:-1]), item["slug"]
        scheduled += len(starts) - len(fixed)
    assert scheduled == 3


def test_the_deadline_moves_and_its_qualification_is_the_next_sentence():
    before = text_of("event-registration/2024-09-02.md")
    after = " ".join(text_of("event-registration/2025-03-03.md").split())
    assert "Registration closes on Friday" in before
    assert "Wednesday" not in before
    assert (
        "Registration closes on Wednesday at 18:00 in the week before the event. "
        "This deadline is for in-person events only."
    ) in after
    assert "Friday" not in after


def test_only_the_board_reads_of_the_budget(manifest):
    elsewhere = [
        revision["file"]
        for item in manifest["documents"]
        if item["group"] != "board"
        for revision in item["revisions"]
        if "budget" in text_of(revision["file"]).lower()
    ]
    assert elsewhere == []
