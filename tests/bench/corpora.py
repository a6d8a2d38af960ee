"""The four corpora as folders that the import reads, and their questions with what is relevant."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.types import FileSpan
from tests.bench.recording import DATA_DIR

ABSTRACT = re.compile(
    r"<doc>.*?<docno>(\d+)</docno>.*?<title>(.*?)</title>.*?<text>(.*?)</text>.*?</doc>", re.DOTALL
)
TOPIC = re.compile(r"<top>.*?<title>(.*?)</title>.*?</top>", re.DOTALL)
PUBLISHED = "2020-01-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question and the slugs of the documents that answer it."""

    text: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanQuestion:
    """A question and the spans that answer it."""

    text: str
    gold: tuple[FileSpan, ...]


def write_cranfield(folder: Path) -> None:
    """Write 1,400 abstracts, each a document."""
    text = (DATA_DIR / "cranfield" / "cran.all.1400.xml").read_text(encoding="utf-8")
    documents = [
        (f"cran-{number}", " ".join(title.split()) or f"cran-{number}", body.strip())
        for number, title, body in ABSTRACT.findall(text)
    ]
    # Two abstracts of the collection are empty: they are no documents.
    _write_folder(folder, [entry for entry in documents if entry[2]], ending="txt")


def cranfield_questions() -> list[JudgedQuestion]:
    """Return 225 queries; grades 1 to 4 count as relevant, numbers are places in the file."""
    folder = DATA_DIR / "cranfield"
    topics = TOPIC.findall((folder / "cran.qry.xml").read_text(encoding="utf-8"))
    relevant: dict[int, set[str]] = {}
    for line in (folder / "cranqrel.trec.txt").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        if 1 <= int(grade) <= 4:
            relevant.setdefault(int(query), set()).add(f"cran-{document}")
    return [
        JudgedQuestion(text=" ".join(topic.split()), relevant=frozenset(relevant.get(place, ())))
        for place, topic in enumerate(topics, start=1)
    ]


def write_cmrc(folder: Path, *, part: str) -> None:
    """Write the paragraphs of `trial` or `dev`, each a document."""
    documents = [
        (paragraph["id"].lower().replace("_", "-"), article["title"], paragraph["context"])
        for article in _cmrc(part)
        for paragraph in article["paragraphs"]
    ]
    _write_folder(folder, documents, ending="txt")


def cmrc_questions(*, part: str) -> list[JudgedQuestion]:
    """Return the questions, each with its paragraph."""
    return [
        JudgedQuestion(
            text=question["question"],
            relevant=frozenset({paragraph["id"].lower().replace("_", "-")}),
        )
        for article in _cmrc(part)
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


def write_span_corpora(folder: Path) -> None:
    """Write the five corpora, each a document."""
    corpora = sorted((DATA_DIR / "span-eval" / "corpora").glob("*.md"))
    documents = []
    for path in corpora:
        with path.open(encoding="utf-8", newline="") as file:
            documents.append(
                (path.stem.replace("_", "-"), path.stem.replace("_", " "), file.read())
            )
    _write_folder(folder, documents, ending="md")


def span_questions() -> list[SpanQuestion]:
    """Return 472 questions with their reference spans."""
    path = DATA_DIR / "span-eval" / "questions_df.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [
            SpanQuestion(
                text=row["question"],
                gold=tuple(
                    FileSpan(
                        f"{row['corpus_id'].replace('_', '-')}.md",
                        reference["start_index"],
                        reference["end_index"],
                    )
                    for reference in json.loads(row["references"])
                ),
            )
            for row in csv.DictReader(file)
        ]


def _cmrc(part: str) -> list[dict[str, Any]]:
    text = (DATA_DIR / "cmrc2018" / f"cmrc2018_{part}.json").read_text(encoding="utf-8")
    articles: list[dict[str, Any]] = json.loads(text)["data"]
    return articles


def _write_folder(folder: Path, documents: Iterable[tuple[str, str, str]], *, ending: str) -> None:
    """Write (slug, title, text) as files with their index."""
    folder.mkdir(parents=True)
    index = []
    for slug, title, text in documents:
        name = f"{slug}.{ending}"
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        revision = {"file": name, "published": PUBLISHED, "stated_effective": None}
        index.append({"slug": slug, "title": title, "revisions": [revision]})
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
