"""From a question to ranked passages: the only place that knows the order of the stages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from documents.models import Revision
from documents.selectors import read_texts
from documents.visibility import ReadScope
from retrieval.analysis import analyse_question
from retrieval.conf import RetrievalConfig
from retrieval.errors import NothingToSearchFor, QuestionTooLong
from retrieval.indexing import ensure_active_index
from retrieval.languages import is_known, language_of_question
from retrieval.protocols import Embedder
from retrieval.reranking import RerankWeights, rerank_by_sentences, without_repeats
from retrieval.results import RankedPassage, Retrieval
from retrieval.search import Found, FoundPassage, PermittedSearch, SearchRequest
from retrieval.types import Question, QuestionTerms, SearchMode, StageTrace


@dataclass(slots=True)
class _Traces:
    stages: list[StageTrace] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, *, count_in: int) -> Iterator[list[int]]:
        """Time a stage; it puts into the list how many passages it leaves."""
        started = time.perf_counter()
        left: list[int] = []
        yield left
        spent_ms = (time.perf_counter() - started) * 1000
        self.stages.append(
            StageTrace(name=name, count_in=count_in, count_out=sum(left), ms=spent_ms)
        )


def retrieve_evidence(
    question: Question, scope: ReadScope, *, embedder: Embedder, config: RetrievalConfig
) -> Retrieval:
    """Find the passages that answer a question best among those that the scope may read.

    Returns: up to `question.limit` passages, best first; exactly min(limit, permitted) where the
    mode compares meanings.
    Raises: QuestionTooLong; NothingToSearchFor; EmbedderChanged; IndexSettingsChanged.
    """
    check_length(question.text, config=config)
    traces = _Traces()
    index = ensure_active_index(embedder, config)
    search = PermittedSearch(index, scope, filters=question.filters, config=config)
    with traces.stage("census", count_in=0) as left:
        census = search.take_census()
        left.append(census.passages)
    language = question.language
    if language == "und":
        language = language_of_question(question.text)
    terms = read_terms(question.text, language, also_in=sorted(census.passages_by_language))
    request = _request(question, terms, language, embedder=embedder, config=config, traces=traces)
    with traces.stage("search", count_in=census.passages) as left:
        found = search.find(request, census=census)
        left.append(len(found.passages))
    passages = _order(found, request, config=config, traces=traces)[: question.limit]
    with traces.stage("read", count_in=len(passages)) as left:
        ranked = _with_texts(passages, scope)
        left.append(len(ranked))
    return Retrieval(
        question=question,
        as_of=scope.at,
        index_id=index.pk,
        plan=found.plan,
        permitted_passages=census.passages,
        passages=tuple(ranked),
        traces=tuple(traces.stages),
        terms=terms.lexemes,
        matched_terms=found.known_terms,
        term_weights=found.term_weights,
    )


def check_length(text: str, *, config: RetrievalConfig) -> None:
    """Make sure that a question is no longer than the stated limit.

    Raises: QuestionTooLong naming the limit.
    """
    if len(text) > config.question_chars:
        raise QuestionTooLong(
            f"The question has {len(text)} characters; at most {config.question_chars} are read.",
            details={"limit_chars": config.question_chars},
        )


def read_terms(text: str, language: str, *, also_in: list[str]) -> QuestionTerms:
    """Return the lexemes that a question is searched by.

    Raises: NothingToSearchFor where none is left.
    """
    terms = analyse_question(text, language=language, also_in=also_in)
    if terms.is_empty:
        raise NothingToSearchFor(
            "There is nothing to search for in this question: name the thing you ask about."
        )
    return terms


def _request(
    question: Question,
    terms: QuestionTerms,
    language: str,
    *,
    embedder: Embedder,
    config: RetrievalConfig,
    traces: _Traces,
) -> SearchRequest:
    vector = None
    if question.mode is not SearchMode.LEXICAL:
        with traces.stage("embed", count_in=0):
            vector = embedder.embed_question(question.text)
    weights = _weights(question.mode, language, embedder=embedder, config=config)
    return SearchRequest(
        question=question,
        terms=terms,
        vector=vector,
        lexical_weight=weights.lexical,
        dense_weight=weights.dense,
        foreign_weight=weights.foreign,
        known_languages=embedder.languages,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    lexical: float
    dense: float
    foreign: float  # of passages in a language that the embedder does not know


def _weights(
    mode: SearchMode, language: str, *, embedder: Embedder, config: RetrievalConfig
) -> _Weights:
    if mode is SearchMode.DENSE:
        return _Weights(lexical=0.0, dense=1.0, foreign=1.0)
    is_trusted = is_known(language, embedder.languages)
    return _Weights(
        lexical=config.lexical_weight,
        dense=config.dense_weight if is_trusted else config.foreign_dense_weight,
        foreign=config.foreign_dense_weight,
    )


def _order(
    found: Found, request: SearchRequest, *, config: RetrievalConfig, traces: _Traces
) -> list[FoundPassage]:
    passages = list(found.passages)
    with traces.stage("order", count_in=len(passages)) as left:
        trusts_meaning = request.dense_weight > 0
        if request.question.mode is SearchMode.HYBRID and config.rerank_size and trusts_meaning:
            weights = RerankWeights(
                lexical=config.lexical_weight,
                dense=request.dense_weight,
                sentence=config.sentence_weight,
            )
            passages = rerank_by_sentences(passages, weights)
        distinct = without_repeats(passages, most_overlap=config.most_overlap)
        # Never too few: repeats come back after everything distinct.
        kept = {passage.passage_id for passage in distinct}
        passages = distinct + [p for p in passages if p.passage_id not in kept]
        left.append(len(passages))
    return passages


def _with_texts(passages: list[FoundPassage], scope: ReadScope) -> list[RankedPassage]:
    """Read the passages' texts through the gate again; what was lost meanwhile drops out."""
    revisions = read_texts(scope, {passage.revision_id for passage in passages})
    readable = [passage for passage in passages if passage.revision_id in revisions]
    return [
        _ranked(passage, revisions[passage.revision_id], rank=rank)
        for rank, passage in enumerate(readable, start=1)
    ]


def _ranked(passage: FoundPassage, revision: Revision, *, rank: int) -> RankedPassage:
    document = revision.document
    return RankedPassage(
        passage_id=passage.passage_id,
        revision_id=passage.revision_id,
        document_id=document.public_id,
        document_slug=document.slug,
        document_title=document.title,
        revision_number=revision.number,
        original_name=revision.original_name,
        language=passage.language,
        start=passage.start,
        end=passage.end,
        text=revision.text[passage.start : passage.end],
        kind=passage.kind,
        heading_path=passage.heading_path,
        section_start=passage.section_start,
        section_end=passage.section_end,
        page=passage.page,
        rank=rank,
        lexical_rank=passage.lexical_rank,
        dense_rank=passage.dense_rank,
        score=passage.score,
        similarity=passage.similarity,
        lexical_score=passage.lexical_score,
        sentences=passage.sentences,
    )
