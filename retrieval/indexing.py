"""Services that write an index: a revision's passages, sentences and words, all or nothing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from pgvector import SparseVector

from documents import publishing, work
from documents.extraction.types import Layout, Page
from documents.models import Document, Revision
from documents.work import Lease, StepWaits
from retrieval import analysis, bm25
from retrieval.conf import RetrievalConfig, retrieval_config
from retrieval.embedding_cache import find_known_vectors
from retrieval.errors import EmbedderChanged, IndexSettingsChanged, ModelUnavailable
from retrieval.index_settings import check_settings
from retrieval.models import IndexedRevision, Passage, SearchIndex, Sentence
from retrieval.protocols import Embedder
from retrieval.splitting.sentences import sentence_spans
from retrieval.splitting.split import split_passages
from retrieval.splitting.wording import embedded_text
from retrieval.statistics import forget_revisions, refresh_statistics
from retrieval.types import PassageDraft, Span, Vector

TEXTS_AT_ONCE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDraft:
    """Everything an index holds of one revision, computed but not written."""

    passages: tuple[PassageDraft, ...]
    passage_texts: tuple[str, ...]  # as embedded: title, heading path, text
    sentences: tuple[tuple[Span, ...], ...]  # of each passage
    sentence_texts: tuple[tuple[str, ...], ...]


def ensure_active_index(embedder: Embedder, config: RetrievalConfig) -> SearchIndex:
    """Return the active index, made on first use with the configured splitter and embedder.

    Raises: EmbedderChanged where the loaded model is not the one that the index was made with;
    IndexSettingsChanged where its passages were split or weighed otherwise than the settings say.
    """
    index = SearchIndex.objects.filter(status=SearchIndex.Status.ACTIVE).first()
    if index is None:
        try:
            with transaction.atomic():
                index = SearchIndex.objects.create(
                    name="first",
                    splitter=asdict(config.splitter),
                    analysis=asdict(config.bm25),
                    embedder=embedder.name,
                    embedder_fingerprint=embedder.fingerprint,
                    precision=embedder.precision,
                    dimensions=embedder.width,
                    status=SearchIndex.Status.ACTIVE,
                    created_at=timezone.now(),
                )
        except IntegrityError:
            index = SearchIndex.objects.get(status=SearchIndex.Status.ACTIVE)
    if index.embedder_fingerprint != embedder.fingerprint:
        raise EmbedderChanged(
            f"The active index was made with {index.embedder} "
            f"({index.embedder_fingerprint[:12]}), but {embedder.name} "
            f"({embedder.fingerprint[:12]}) is loaded. Load the former, or build a new index.",
        )
    check_settings(index, config)
    return index


def index_when_possible(lease: Lease, *, find_embedder: Callable[[], Embedder]) -> None:
    """Do the second owed step, which waits while the site has no model that fits its index.

    Raises: StepWaits with the code and the words of what is missing; as `index_revision`.
    """
    try:
        index_revision(lease, embedder=find_embedder())
    except (ModelUnavailable, EmbedderChanged, IndexSettingsChanged) as error:
        raise StepWaits(error.message, code=error.code) from error


def index_revision(lease: Lease, *, embedder: Embedder) -> None:
    """Do the second owed step: split, embed, write everything at once, and make it ready.

    Raises: LeaseLost; EmbedderChanged; IndexSettingsChanged.
    """
    config = retrieval_config()
    index = ensure_active_index(embedder, config)
    revision = Revision.objects.select_related("document").get(pk=lease.revision_id)
    work.set_status(lease, Revision.Status.SPLITTING)
    draft = draft_index(revision, embedder=embedder, config=config)
    work.set_status(lease, Revision.Status.EMBEDDING)
    started = time.perf_counter()
    vectors = _embed(draft, revision, index=index, embedder=embedder)
    seconds = time.perf_counter() - started
    passages = _passage_rows(draft, revision, index=index, vectors=vectors, config=config)
    with transaction.atomic():
        work.complete(lease)
        if revision.status == Revision.Status.READY:
            _lock_document(revision)
        drop_revisions([revision.pk])
        Passage.objects.bulk_create(passages, batch_size=200)
        Sentence.objects.bulk_create(_sentence_rows(draft, passages, vectors), batch_size=500)
        IndexedRevision.objects.create(
            index=index,
            revision=revision,
            passages=len(passages),
            embedding_seconds=seconds,
        )
        publishing.mark_ready(revision.pk)
        if revision.status == Revision.Status.READY:
            # What is in force already is not announced again, yet its words are counted anew.
            refresh_statistics([revision.document_id], at=timezone.now())
        if Document.objects.get(pk=revision.document_id).title != revision.document.title:
            # Renamed meanwhile: searchable now, and under the new title with the next turn.
            work.owe(revision.pk, work.INDEX)


def _lock_document(revision: Revision) -> None:
    """Lock the document's row before rows of an index, as publications do, against deadlocks.

    Without its key, so that answers, which hold the documents that they cite, need not wait.
    """
    Document.objects.select_for_update(no_key=True).get(pk=revision.document_id)


def draft_index(revision: Revision, *, embedder: Embedder, config: RetrievalConfig) -> IndexDraft:
    """Split a revision and find its sentences; writes nothing.

    Raises: ValueError where passages and declared skips leave a character out.
    """
    text, title = revision.text, revision.document.title
    layout = Layout.from_json(revision.layout)
    passages = split_passages(
        text,
        layout,
        title=title,
        params=config.splitter,
        count_tokens=embedder.count_tokens,
    )
    check_coverage(text, layout, passages)
    sentences = [
        tuple(sentence_spans(text, passage.start, passage.end, kind=passage.kind))
        for passage in passages
    ]
    return IndexDraft(
        passages=tuple(passages),
        passage_texts=tuple(
            embedded_text(
                text[passage.start : passage.end],
                title=title,
                heading_path=passage.heading_path,
                params=config.splitter,
                count_tokens=embedder.count_tokens,
            )
            for passage in passages
        ),
        sentences=tuple(sentences),
        sentence_texts=tuple(tuple(text[start:end] for start, end in spans) for spans in sentences),
    )


def check_coverage(text: str, layout: Layout, passages: Sequence[PassageDraft]) -> None:
    """Make sure that passages and declared skips leave no character out.

    Raises: ValueError naming the first offset that nobody covers.
    """
    spans = sorted(
        [(passage.start, passage.end) for passage in passages]
        + [(skip.start, skip.end) for skip in layout.skips]
    )
    covered = 0
    for start, end in spans:
        if start > covered and text[covered:start].strip():
            raise ValueError(f"no passage and no skip covers offset {covered}")
        covered = max(covered, end)
    if text[covered:].strip():
        raise ValueError(f"no passage and no skip covers offset {covered}")


def drop_revisions(revision_ids: Sequence[int]) -> None:
    """Remove what every index holds of the revisions, and take their words out of the counts."""
    forget_revisions(revision_ids)
    # By their ids: on tables that were never analysed, a join here took minutes for nothing.
    passages = Passage.objects.filter(revision__in=revision_ids)
    passage_ids = list(passages.values_list("pk", flat=True))
    Sentence.objects.filter(passage__in=passage_ids).delete()
    Passage.objects.filter(pk__in=passage_ids).delete()
    IndexedRevision.objects.filter(revision__in=revision_ids).delete()


def embedded_hash(text: str) -> UUID:
    """Return 128 bits of the SHA-256 of a text."""
    return UUID(bytes=hashlib.sha256(text.encode()).digest()[:16])


def _embed(
    draft: IndexDraft, revision: Revision, *, index: SearchIndex, embedder: Embedder
) -> dict[UUID, Vector]:
    """Return a vector for every passage and sentence, by hash; embed only what the group lacks."""
    group_id = revision.document.visibility_group_id
    texts = dict[UUID, str]()
    for text in [*draft.passage_texts, *(t for ts in draft.sentence_texts for t in ts)]:
        texts.setdefault(embedded_hash(text), text)
    vectors = find_known_vectors(index, group_id=group_id, hashes=list(texts))
    missing = sorted((key for key in texts if key not in vectors), key=lambda key: len(texts[key]))
    for first in range(0, len(missing), TEXTS_AT_ONCE):
        keys = missing[first : first + TEXTS_AT_ONCE]
        embedded = embedder.embed_passages([texts[key] for key in keys])
        vectors.update(zip(keys, embedded, strict=True))
    return vectors


def _passage_rows(
    draft: IndexDraft,
    revision: Revision,
    *,
    index: SearchIndex,
    vectors: dict[UUID, Vector],
    config: RetrievalConfig,
) -> list[Passage]:
    pages = Layout.from_json(revision.layout).pages
    rows = []
    for ordinal, (passage, text) in enumerate(
        zip(draft.passages, draft.passage_texts, strict=True)
    ):
        lexemes = analysis.analyse(text, language=revision.language)
        weights = bm25.passage_weights(lexemes, config.bm25)
        key = embedded_hash(text)
        page_from, page_to = _pages_of(passage, pages)
        rows.append(
            Passage(
                index=index,
                revision=revision,
                ordinal=ordinal,
                start=passage.start,
                end=passage.end,
                section_start=passage.section_start,
                section_end=passage.section_end,
                heading_path=list(passage.heading_path),
                kind=passage.kind,
                page_from=page_from,
                page_to=page_to,
                tokens=passage.tokens,
                embedded_hash=key,
                embedding=vectors[key],
                lexemes=list(weights),
                weights=sparse(weights),
            )
        )
    return rows


def _sentence_rows(
    draft: IndexDraft, passages: Sequence[Passage], vectors: dict[UUID, Vector]
) -> list[Sentence]:
    rows = []
    for passage, spans, texts in zip(passages, draft.sentences, draft.sentence_texts, strict=True):
        for (start, end), text in zip(spans, texts, strict=True):
            key = embedded_hash(text)
            rows.append(
                Sentence(
                    passage=passage,
                    start=start,
                    end=end,
                    embedded_hash=key,
                    embedding=vectors[key],
                )
            )
    return rows


def sparse(weights: dict[str, float]) -> SparseVector:
    """Return weights by lexeme as a sparse vector; lexemes that share a dimension add up."""
    by_dimension: dict[int, float] = {}
    for lexeme, weight in weights.items():
        dimension = analysis.dimension_of(lexeme) - 1  # pgvector-python counts from 0
        by_dimension[dimension] = by_dimension.get(dimension, 0.0) + weight
    return SparseVector(by_dimension, analysis.SPARSE_DIMENSIONS)


def _pages_of(passage: PassageDraft, pages: Sequence[Page]) -> tuple[int | None, int | None]:
    touched = [
        number
        for number, page in enumerate(pages, start=1)
        if page.start < passage.end and page.end > passage.start
    ]
    return (touched[0], touched[-1]) if touched else (None, None)
