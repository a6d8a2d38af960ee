"""Plans and runs the search statement. Access is whatever documents/visibility.py says, no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import OperationalError, connection, transaction
from django.db.models import F, Q
from psycopg.errors import QueryCanceled

from documents.querysets import RevisionQuerySet
from documents.visibility import ReadScope, readable_groups, readable_revisions
from retrieval import bm25, search_sql
from retrieval.composing import Parameters, subquery
from retrieval.conf import RetrievalConfig
from retrieval.errors import SearchTimedOut
from retrieval.fields import any_of
from retrieval.indexing import sparse
from retrieval.languages import is_known
from retrieval.models import SearchIndex
from retrieval.results import RankedSentence
from retrieval.types import (
    DensePlan,
    Question,
    QuestionTerms,
    SearchFilters,
    SearchMode,
    Vector,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """What the scope may search: passages by language, within the filters."""

    passages_by_language: dict[str, int]

    @property
    def passages(self) -> int:
        """Count the permitted passages."""
        return sum(self.passages_by_language.values())

    def passages_in(self, languages: Sequence[str]) -> int:
        """Count the permitted passages in these languages."""
        return sum(self.passages_by_language[language] for language in languages)

    def languages_known_to(self, known: frozenset[str]) -> list[str]:
        """List those of the permitted passages' languages in which meanings can be compared."""
        return sorted(name for name in self.passages_by_language if is_known(name, known))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A row of the search statement: a permitted passage and how it was found; no text."""

    passage_id: int
    revision_id: int
    document_id: int
    revision_number: int
    language: str
    start: int
    end: int
    section_start: int
    section_end: int
    heading_path: tuple[str, ...]
    kind: str
    page: int | None
    lexical_rank: int | None
    dense_rank: int | None
    lexical_score: float
    similarity: float | None
    score: float
    sentences: tuple[RankedSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The candidates of one question, best fused first, and how they were found."""

    passages: tuple[FoundPassage, ...]
    plan: DensePlan
    known_terms: tuple[str, ...]
    term_weights: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Everything the statement needs besides the permitted set."""

    question: Question
    terms: QuestionTerms
    vector: Vector | None
    lexical_weight: float
    dense_weight: float
    foreign_weight: float
    known_languages: frozenset[str]


class PermittedSearch:
    """One question's view of the index: what the scope may read, within the question's filters.

    Invariant: every statement resolves the scope's rights anew; nothing is kept between them.
    """

    def __init__(
        self,
        index: SearchIndex,
        scope: ReadScope,
        *,
        filters: SearchFilters,
        config: RetrievalConfig,
    ) -> None:
        """Keep what is asked; ask nothing yet."""
        self.index = index
        self.scope = scope
        self.config = config
        self.permitted = _filtered(readable_revisions(scope), filters)

    def take_census(self) -> Census:
        """Count the permitted passages by language."""
        rows = self._run(search_sql.CENSUS, {})
        return Census(passages_by_language={language: int(count) for language, count in rows})

    def find(self, request: SearchRequest, *, census: Census) -> Found:
        """Run the search; where the graph gives fewer than there are, search exactly."""
        weights = self._question_weights(request.terms)
        known = tuple(lexeme for lexeme in request.terms.lexemes if weights[lexeme].is_known)
        scans = self._scans(request, census)
        plan = _plan(request, scans=scans)
        parameters = self._parameters(request, weights, census)
        rows = self._search(parameters, scans=scans)
        wanted = min(parameters["pool"], census.passages)
        if plan is DensePlan.GRAPH and _compared(rows) < wanted:
            plan = DensePlan.EXACT_FALLBACK
            rows = self._search(parameters, scans=True)
        return Found(
            passages=tuple(_found(row) for row in rows),
            plan=plan,
            known_terms=known,
            term_weights={lexeme: term.weight for lexeme, term in weights.items()},
        )

    def _scans(self, request: SearchRequest, census: Census) -> bool:
        """Whether to read every permitted passage: few enough, or no graph to ask, or asked to."""
        if census.passages <= self.config.exact_limit or request.question.exact_only:
            return True
        return request.vector is not None and self.index.graph_built_at is None

    def _question_weights(self, terms: QuestionTerms) -> dict[str, TermWeight]:
        if terms.is_empty:
            return {}
        groups, values = subquery(readable_groups(self.scope).values("pk"), name="group")
        parameters = {"index_id": self.index.pk, "lexemes": list(terms.lexemes), **values}
        with connection.cursor() as cursor:
            statement = search_sql.TERM_STATISTICS.replace("{readable_groups}", groups)
            cursor.execute(statement, parameters)
            counts = {lexeme: int(count) for lexeme, count in cursor.fetchall()}
            statement = search_sql.COUNTED_PASSAGES.replace("{readable_groups}", groups)
            cursor.execute(statement, parameters)
            passages = int(cursor.fetchone()[0])
        return weigh_terms(terms, counts=counts, passages=passages)

    def _search(self, parameters: Parameters, *, scans: bool) -> list[tuple[Any, ...]]:
        statement = search_sql.SEARCH_BY_SCAN if scans else search_sql.SEARCH_BY_INDEX
        limits = {
            "statement_timeout_ms": self.config.statement_timeout_ms,
            "ef_search": self.config.graph_candidates,
            "max_scan_tuples": self.config.graph_max_scan_tuples,
        }
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute(search_sql.TIME_LIMIT, limits)
                    if not scans:
                        cursor.execute(search_sql.GRAPH_SETTINGS, limits)
                rows = self._run(statement, parameters)
                with connection.cursor() as cursor:
                    # A caller's transaction goes on after this one, without the limit.
                    cursor.execute(search_sql.TIME_LIMIT, {"statement_timeout_ms": 0})
                return rows
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled):
                raise SearchTimedOut(
                    f"The search took longer than {self.config.statement_timeout_ms} ms; ask "
                    "again, with fewer words or narrower filters."
                ) from error
            raise

    def _parameters(
        self, request: SearchRequest, weights: dict[str, TermWeight], census: Census
    ) -> Parameters:
        config, mode = self.config, request.question.mode
        pool = max(config.pool_size, request.question.limit)
        known = census.languages_known_to(request.known_languages)
        weights = rarest(weights, limit=config.question_lexemes)
        uses_words = bool(weights) and mode is not SearchMode.DENSE
        uses_meaning = request.vector is not None and mode is not SearchMode.LEXICAL
        candidates = rarest_within(weights, budget=config.lexical_budget)
        return {
            "uses_words": uses_words,
            "uses_meaning": uses_meaning,
            "question_lexemes": any_of(candidates),
            "question_weights": _sparse_text(weights),
            "question_vector": None if request.vector is None else _vector_text(request.vector),
            "width": self.index.dimensions,
            "pool": pool,
            "kept": max(config.rerank_size, request.question.limit),
            "known_languages": known,
            "leaves_out_foreign": census.passages_in(known) >= pool,
            "foreign_weight": request.foreign_weight,
            "fuses_ranks": config.fusion == "ranks",
            "shares_words": config.fusion == "shares",
            "question_total": total_weight(weights),
            "lexical_weight": request.lexical_weight,
            "dense_weight": request.dense_weight,
            "rank_constant": config.rank_constant,
        }

    def _run(self, statement: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        columns = self.permitted.values("document_id", "number", "language", revision_id=F("pk"))
        try:
            permitted, values = subquery(columns, name="permitted")
        except EmptyResultSet:
            return []
        with connection.cursor() as cursor:
            cursor.execute(
                statement.replace("{permitted_revisions}", permitted),
                {"index_id": self.index.pk, **values, **parameters},
            )
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


@dataclass(frozen=True, slots=True)
class TermWeight:
    """How rare a lexeme is among what the scope may read."""

    weight: float
    passages: int
    is_known: bool


def weigh_terms(
    terms: QuestionTerms, *, counts: dict[str, int], passages: int
) -> dict[str, TermWeight]:
    """Weigh the question's lexemes by rarity, in the question's order.

    A lexeme that the statistics do not know (they count what is in force now, and may lag a
    scheduled start) is read as held by one passage: a past moment may still have it.
    """
    total = max(passages, 1, *counts.values()) if counts else max(passages, 1)
    held = {lexeme: max(counts.get(lexeme, 0), 1) for lexeme in terms.lexemes}
    weights = bm25.question_weights(terms.lexemes, passages_with=held, passages=total)
    return {
        lexeme: TermWeight(weights[lexeme], held[lexeme], counts.get(lexeme, 0) > 0)
        for lexeme in terms.lexemes
    }


def total_weight(weights: dict[str, TermWeight]) -> float:
    """Sum what a passage could score by words: the weights of the lexemes that are held at all.

    Units: above 0, so that scores can be divided by it.
    """
    known = math.fsum(term.weight for term in weights.values() if term.is_known)
    return known or math.fsum(term.weight for term in weights.values()) or 1.0


def rarest(weights: dict[str, TermWeight], *, limit: int) -> dict[str, TermWeight]:
    """Keep the rarest lexemes, so that a long question costs no more than a short one.

    Those that nothing in force holds come last: they may be held at a past moment.
    """
    ranked = sorted(
        weights, key=lambda name: (not weights[name].is_known, weights[name].passages, name)
    )
    return {lexeme: weights[lexeme] for lexeme in ranked[:limit]}


def rarest_within(weights: dict[str, TermWeight], *, budget: int) -> list[str]:
    """Return the rarest lexemes that together occur in at most `budget` passages, one at least."""
    chosen: list[str] = []
    spent = 0
    for lexeme in sorted(weights, key=lambda name: (weights[name].passages, name)):
        spent += weights[lexeme].passages
        if chosen and spent > budget:
            break
        chosen.append(lexeme)
    return chosen


def _plan(request: SearchRequest, *, scans: bool) -> DensePlan:
    if request.vector is None:
        return DensePlan.NONE
    return DensePlan.EXACT if scans else DensePlan.GRAPH


def _filtered(revisions: RevisionQuerySet, filters: SearchFilters) -> RevisionQuerySet:
    conditions = Q()
    if filters.documents is not None:
        conditions &= _named_documents(filters.documents)
    if filters.tags is not None:
        conditions &= Q(document__tags__overlap=list(filters.tags))
    if filters.visibility_groups is not None:
        conditions &= Q(document__visibility_group__slug__in=filters.visibility_groups)
    if filters.languages is not None:
        conditions &= Q(language__in=filters.languages)
    if filters.effective_from is not None:
        conditions &= Q(effective__startswith__gte=filters.effective_from)
    if filters.effective_until is not None:
        conditions &= Q(effective__startswith__lt=filters.effective_until)
    return revisions.filter(conditions)


def _named_documents(names: Sequence[str]) -> Q:
    """Match documents by public id or by slug."""
    public_ids = []
    for name in names:
        try:
            public_ids.append(UUID(name))
        except ValueError:
            continue
    return Q(document__public_id__in=public_ids) | Q(document__slug__in=names)


def _sparse_text(weights: dict[str, TermWeight]) -> str:
    vector = sparse({lexeme: term.weight for lexeme, term in weights.items()})
    return str(vector.to_text())


def _vector_text(vector: Vector) -> str:
    return "[" + ",".join(f"{value:.7g}" for value in vector) + "]"


def _compared(rows: Sequence[tuple[Any, ...]]) -> int:
    """Count the candidates by meaning, kept or not; every row carries the count."""
    return int(rows[0][20]) if rows else 0


def _found(row: tuple[Any, ...]) -> FoundPassage:
    starts, ends, similarities = row[17] or (), row[18] or (), row[19] or ()
    return FoundPassage(
        passage_id=row[0],
        revision_id=row[1],
        document_id=row[2],
        revision_number=row[3],
        language=row[4],
        start=row[5],
        end=row[6],
        section_start=row[7],
        section_end=row[8],
        heading_path=tuple(row[9]),
        kind=row[10],
        page=row[11],
        lexical_rank=row[12],
        dense_rank=row[13],
        lexical_score=float(row[14] or 0.0),
        similarity=None if row[15] is None else float(row[15]),
        score=float(row[16]),
        sentences=tuple(
            RankedSentence(start=start, end=end, similarity=float(similarity or 0.0))
            for start, end, similarity in zip(starts, ends, similarities, strict=True)
        ),
    )
