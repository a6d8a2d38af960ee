"""Judges a site after its kills: everything once, nothing lost, as if nobody had been killed."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.ragsite.faults.site import Site

REVISIONS = """
SELECT r.id, d.public_id::text AS document, d.title, r.number, r.status, r.failure_code, r.text,
       r.text_sha256, f.sha256, f.size_bytes, f.storage_key, lower(r.effective) AS starts,
       upper(r.effective) AS ends, isempty(r.effective) AS never_in_force, i.passages AS indexed
FROM documents_revision r
JOIN documents_document d ON d.id = r.document_id
JOIN documents_sourcefile f ON f.id = r.source_file_id
LEFT JOIN retrieval_indexedrevision i ON i.revision_id = r.id
ORDER BY d.id, r.number
"""
WORK = "SELECT revision_id, step, state, failure FROM documents_work"
AUDIT = """
SELECT document_public_id::text AS document, revision_number AS number, action
FROM documents_auditentry WHERE action IN ('revision_added', 'publication_ordered', 'published')
"""
PASSAGES = """
SELECT p.id, p.revision_id, p.ordinal, p.start, p."end", p.section_start, p.section_end,
       p.heading_path, p.kind, p.tokens, p.embedded_hash, p.embedding::text, p.lexemes::text,
       p.weights::text
FROM retrieval_passage p ORDER BY p.revision_id, p.ordinal, p.id
"""
SENTENCES = """
SELECT s.passage_id, s.start, s."end", s.embedded_hash, s.embedding::text
FROM retrieval_sentence s ORDER BY s.passage_id, s.start, s.id
"""
STATISTICS = """
SELECT visibility_group_id AS "group", lexeme, passages FROM retrieval_termstatistic
WHERE passages <> 0
"""
RECOUNT = """
SELECT d.visibility_group_id AS "group", lexeme, count(*) AS passages
FROM retrieval_passage p
JOIN documents_revision r ON r.id = p.revision_id
JOIN documents_document d ON d.id = r.document_id,
unnest(tsvector_to_array(p.lexemes)) AS lexeme
WHERE r.effective @> now() AND r.retracted_at IS NULL AND d.deleted_at IS NULL
GROUP BY 1, 2
"""
STEPS = ("extract", "index")
Indexed = tuple[Any, ...]


def judge(site: Site, undisturbed: Mapping[tuple[str, str], Indexed] | None) -> None:
    """Check everything that the site ever accepted.

    Without an undisturbed index to compare with, each text has some passages.
    """
    revisions = site.query(REVISIONS)
    _check_nothing_lost_or_doubled(site, revisions)
    _check_work(site, revisions)
    _check_publication(site, revisions)
    _check_bytes(site, revisions)
    found = indexed_texts(site)
    for revision in revisions:
        passages = found[revision["id"]]
        if undisturbed is not None:
            assert passages == undisturbed[revision["title"], revision["text"]]
        assert revision["indexed"] == len(passages) > 0
    assert _counts(site.query(STATISTICS)) == _counts(site.query(RECOUNT))


def indexed_texts(site: Site) -> dict[int, Indexed]:
    """By revision, everything that its passages and sentences hold, without their ids."""
    sentences: dict[int, list[Indexed]] = {}
    for row in site.query(SENTENCES):
        sentences.setdefault(row.pop("passage_id"), []).append(tuple(row.values()))
    passages: dict[int, list[Indexed]] = {}
    for row in site.query(PASSAGES):
        own = tuple(sentences[row.pop("id")])
        revision = row.pop("revision_id")
        row["heading_path"] = tuple(row["heading_path"])
        passages.setdefault(revision, []).append((*row.values(), own))
    return {revision: tuple(rows) for revision, rows in passages.items()}


def undisturbed_texts(site: Site) -> dict[tuple[str, str], Indexed]:
    """What the index holds of each title and text, of a site where nothing was killed yet."""
    found = indexed_texts(site)
    return {(row["title"], row["text"]): found[row["id"]] for row in site.query(REVISIONS)}


def _check_nothing_lost_or_doubled(site: Site, revisions: list[dict[str, Any]]) -> None:
    stored = Counter((row["document"], row["title"], row["text"]) for row in revisions)
    assert stored == Counter((one.document, one.title, one.text) for one in site.accepted)
    assert {(row["status"], row["failure_code"]) for row in revisions} == {("ready", "")}


def _check_work(site: Site, revisions: list[dict[str, Any]]) -> None:
    work = site.query(WORK)
    assert Counter((row["revision_id"], row["step"]) for row in work) == Counter(
        (revision["id"], step) for revision in revisions for step in STEPS
    )
    assert {(row["state"], row["failure"]) for row in work} == {("done", "")}


def _check_publication(site: Site, revisions: list[dict[str, Any]]) -> None:
    """Each order was carried out once; a text is in force until the next one, the newest now.

    One that was finished after its successor is never in force.
    """
    assert site.query("SELECT id FROM documents_publicationorder") == []
    trail = Counter((row["document"], row["number"], row["action"]) for row in site.query(AUDIT))
    assert trail == Counter(
        (row["document"], row["number"], action)
        for row in revisions
        for action in ("revision_added", "publication_ordered", "published")
    )
    in_force = [row for row in revisions if not row["never_in_force"]]
    following = [*in_force[1:], {"document": None}]
    for revision, after in zip(in_force, following, strict=True):
        assert revision["starts"] is not None
        is_last = after["document"] != revision["document"]
        assert revision["ends"] == (None if is_last else after["starts"])
    newest = {row["document"]: row["number"] for row in revisions}
    assert newest == {row["document"]: row["number"] for row in in_force}


def _check_bytes(site: Site, revisions: list[dict[str, Any]]) -> None:
    for row in revisions:
        content = (site.state / "files" / row["storage_key"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]
        assert hashlib.sha256(row["text"].encode()).hexdigest() == row["text_sha256"]
        assert (content.decode(), len(content)) == (row["text"], row["size_bytes"])


def _counts(rows: Iterable[dict[str, Any]]) -> dict[tuple[int, str], int]:
    return {(row["group"], row["lexeme"]): row["passages"] for row in rows}
