"""Two hundred thousand passages in groups of very different sizes, made of real vectors.

Every distinct real vector is there once; the rest are mixtures of two neighbours plus noise, with
the words of one of them. All of it follows from one seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from documents import grants
from documents.audit import Operator
from documents.models import Document, Revision, SourceFile, VisibilityGroup
from documents.visibility import READ
from retrieval.models import IndexedRevision, SearchIndex
from retrieval.statistics import refresh_statistics

SEED = 20260401
PASSAGES = 200_000
PER_REVISION = 20
SPAN_CHARS = 10
NEIGHBOURS = 10
NOISE = 0.02
OPERATOR = Operator("bench")
STARTS_AT = datetime(2020, 1, 1, tzinfo=UTC)
# Reader -> share of all passages that this reader may read, each holding the one before.
SHARES = {"reads-0.1": 0.001, "reads-1": 0.01, "reads-3": 0.03, "reads-10": 0.1}
SHARES |= {"reads-19": 0.19, "reads-30": 0.3, "reads-100": 1.0}

STAGE = """
CREATE TEMP TABLE real AS
SELECT DISTINCT ON (embedded_hash) embedding, lexemes, weights, heading_path, kind, tokens,
       row_number() OVER () AS place
FROM retrieval_passage;
CREATE TEMP TABLE made (ordinal bigint, place bigint, embedding halfvec);
"""
EMPTY = "TRUNCATE retrieval_sentence, retrieval_passage, retrieval_indexedrevision, \
retrieval_termstatistic"
FILL = """
INSERT INTO retrieval_passage (
    index_id, revision_id, ordinal, start, "end", section_start, section_end, heading_path, kind,
    tokens, embedded_hash, embedding, lexemes, weights)
SELECT %(index)s, (%(revisions)s::bigint[])[made.ordinal / %(per_revision)s + 1],
       made.ordinal %% %(per_revision)s, made.ordinal %% %(per_revision)s * %(chars)s,
       (made.ordinal %% %(per_revision)s + 1) * %(chars)s, 0, %(per_revision)s * %(chars)s,
       real.heading_path, real.kind, real.tokens, gen_random_uuid(), made.embedding, real.lexemes,
       real.weights
FROM made JOIN real USING (place)
ORDER BY made.ordinal
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """What was made: half-precision vectors in the order of `ids`, and whose group each is in."""

    index: SearchIndex
    ids: np.ndarray
    vectors: np.ndarray
    group_of: np.ndarray
    readable: dict[str, frozenset[int]]  # reader -> ids of visibility groups
    real: int

    def permitted(self, reader: str) -> np.ndarray:
        """Return the places of the passages that the reader may read."""
        return np.flatnonzero(np.isin(self.group_of, list(self.readable[reader])))


def scale_up(index: SearchIndex) -> Scaled:
    """Replace what the index holds by the scaled passages."""
    generator = np.random.default_rng(SEED)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STAGE)
        cursor.execute("SELECT place, embedding::real[] FROM real ORDER BY place")
        rows = cursor.fetchall()
        places = np.array([row[0] for row in rows])
        real = np.array([row[1] for row in rows], dtype=np.float32)
        vectors, sources = _mixtures(real, generator)
        groups = _make_groups()
        revisions, group_of_revision = _make_revisions(groups, generator)
        cursor.execute(EMPTY)
        with cursor.copy("COPY made FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(_binary(places[sources], vectors))
        cursor.execute(
            FILL,
            {
                "index": index.pk,
                "revisions": [revision.pk for revision in revisions],
                "per_revision": PER_REVISION,
                "chars": SPAN_CHARS,
            },
        )
        IndexedRevision.objects.bulk_create(
            [
                IndexedRevision(index=index, revision=revision, passages=PER_REVISION)
                for revision in revisions
            ],
            batch_size=2000,
        )
        cursor.execute("DROP TABLE real, made")
        refresh_statistics([item.document_id for item in revisions], at=timezone.now())
        cursor.execute("SELECT id FROM retrieval_passage ORDER BY revision_id, ordinal")
        ids = np.array([row[0] for row in cursor.fetchall()])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE retrieval_passage, retrieval_indexedrevision")
        cursor.execute("ANALYZE documents_revision, documents_document, retrieval_termstatistic")
    return Scaled(
        index=index,
        ids=ids,
        vectors=vectors,
        group_of=np.repeat(group_of_revision, PER_REVISION),
        readable=_readable(groups),
        real=len(real),
    )


def _mixtures(real: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors in half precision, shuffled, and the real one behind each."""
    first = generator.integers(0, len(real), PASSAGES - len(real))
    second = _neighbour_of(real, generator)[first, generator.integers(0, NEIGHBOURS, len(first))]
    share = generator.uniform(0.3, 0.7, (len(first), 1)).astype(np.float32)
    mixed = share * real[first] + (1 - share) * real[second]
    mixed += generator.normal(0, NOISE, mixed.shape).astype(np.float32)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    vectors = np.concatenate([real, mixed]).astype(np.float16)
    sources = np.concatenate([np.arange(len(real)), first])
    order = generator.permutation(PASSAGES)
    return vectors[order], sources[order]


def _neighbour_of(real: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return for each real vector the places of its nearest others."""
    nearest = np.empty((len(real), NEIGHBOURS), dtype=np.int64)
    for start in range(0, len(real), 1000):
        likeness = real[start : start + 1000] @ real.T
        np.put_along_axis(
            likeness, np.arange(start, start + len(likeness))[:, None], -np.inf, axis=1
        )
        nearest[start : start + 1000] = np.argpartition(-likeness, NEIGHBOURS, axis=1)[
            :, :NEIGHBOURS
        ]
    return generator.permuted(nearest, axis=1)


def _make_groups() -> list[VisibilityGroup]:
    """Make one group for what each reader has beyond the reader before; grant it to the rest."""
    names = list(SHARES)
    groups = []
    for place, name in enumerate(names):
        group = grants.create_group(
            slug=name.replace(".", "-"), name=name, reach="listed", acted_by=OPERATOR
        )
        for reader in names[place:]:
            account_group, _ = Group.objects.get_or_create(name=reader)
            grants.grant(group, READ, to=account_group, acted_by=OPERATOR)
        groups.append(group)
    return groups


def _readable(groups: list[VisibilityGroup]) -> dict[str, frozenset[int]]:
    return {
        reader: frozenset(group.pk for group in groups[: place + 1])
        for place, reader in enumerate(SHARES)
    }


def _make_revisions(
    groups: list[VisibilityGroup], generator: np.random.Generator
) -> tuple[list[Revision], np.ndarray]:
    """Make documents of one revision each, in force, spread over the groups by their shares."""
    count = PASSAGES // PER_REVISION
    ends = [round(share * count) for share in SHARES.values()]
    sizes = np.diff([0, *ends])
    group_of = generator.permutation(np.repeat([group.pk for group in groups], sizes))
    now = timezone.now()
    source = SourceFile.objects.create(
        sha256="0" * 64, size_bytes=0, storage_key="none", stored_at=now
    )
    documents = Document.objects.bulk_create(
        [
            Document(
                slug=f"made-{place}",
                title=f"Made {place}",
                visibility_group_id=int(group),
                created_at=now,
            )
            for place, group in enumerate(group_of)
        ],
        batch_size=2000,
    )
    text = "x" * (PER_REVISION * SPAN_CHARS)
    revisions = Revision.objects.bulk_create(
        [
            Revision(
                document=document,
                number=1,
                source_file=source,
                original_name=document.slug,
                text=text,
                language="en",
                status=Revision.Status.READY,
                created_at=now,
                effective=DateTimeTZRange(STARTS_AT, None, "[)"),
            )
            for document in documents
        ],
        batch_size=2000,
    )
    return revisions, group_of


def _binary(places: np.ndarray, vectors: np.ndarray) -> bytes:
    """Return rows of (ordinal, place, embedding) as PostgreSQL's binary COPY reads them."""
    width = vectors.shape[1]
    rows = np.zeros(
        len(vectors),
        dtype=[
            ("fields", ">i2"),
            ("ordinal_bytes", ">i4"),
            ("ordinal", ">i8"),
            ("place_bytes", ">i4"),
            ("place", ">i8"),
            ("vector_bytes", ">i4"),
            ("width", ">i2"),
            ("unused", ">i2"),
            ("vector", ">f2", (width,)),
        ],
    )
    rows["fields"], rows["ordinal_bytes"], rows["place_bytes"] = 3, 8, 8
    rows["ordinal"], rows["place"] = np.arange(len(vectors)), places
    rows["vector_bytes"], rows["width"], rows["vector"] = 4 + 2 * width, width, vectors
    head = b"PGCOPY\n\xff\r\n\0" + bytes(8)
    return head + rows.tobytes() + b"\xff\xff"
