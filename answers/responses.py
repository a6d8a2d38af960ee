"""From stored rows and the revisions that may be read now to the response that leaves.

The same function answers a question and reopens it, so that both show the same citations. It reads
nothing itself: what is not among the readable revisions is not in the response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from answers.json_form import filters_from_json
from answers.models import Answer, Citation, Claim, OfferedPassage
from answers.places import heading_path_at, page_at
from answers.storing import StoredAnswer
from answers.types import (
    AnswerCitation,
    AnswerClaim,
    AnswerPassage,
    AnswerResponse,
    Completeness,
    DocumentReference,
    RefusalReason,
)
from answers.writers.extractive import SEPARATOR
from documents.extraction.types import Layout
from documents.intervals import interval_of
from documents.models import Document, Revision
from documents.text_marking import ANCHOR


def build_response(
    stored: StoredAnswer, revisions: Mapping[int, Revision], *, now: datetime
) -> AnswerResponse:
    """Build the response from the rows and from the revisions that its reader may read now.

    Shapes: `revisions` by id, with text, layout and document. A claim that lost a citation is
    left out; where every claim of an answer was lost it is a refusal (`evidence_withdrawn`).
    """
    answer = stored.answer
    citations = {
        citation.number: _citation(citation, revisions[citation.revision_id], now=now)
        for citation in stored.citations
        if citation.revision_id in revisions
    }
    claims = tuple(_claims(stored, citations))
    shown = {number for claim in claims for number in claim.citations}
    reason = _reason(answer, claims)
    return AnswerResponse(
        query_id=answer.query_id,
        question=answer.question,
        as_of=answer.as_of,
        filters=filters_from_json(answer.filters),
        answer=SEPARATOR.join(claim.text for claim in claims) if claims else None,
        claims=claims,
        citations=tuple(citations[number] for number in sorted(shown)),
        passages=tuple(_passages(stored.passages, revisions, is_answered=bool(claims))),
        refused=reason is not None,
        refusal_reason=reason,
        confidence=answer.confidence,
        completeness=Completeness(
            permitted_passages=answer.permitted_passages, dense_plan=answer.dense_plan
        ),
        timings_ms=answer.timings_ms,
        tokens=answer.tokens,
        writer=answer.writer,
    )


def lost_citations(stored: StoredAnswer, response: AnswerResponse) -> tuple[int, ...]:
    """Give the numbers of the citations that the answer once had and the response does not."""
    shown = {citation.n for citation in response.citations}
    numbers = range(1, stored.answer.citation_count + 1)
    return tuple(number for number in numbers if number not in shown)


def _reason(answer: Answer, claims: Sequence[AnswerClaim]) -> RefusalReason | None:
    if answer.refusal_reason:
        return RefusalReason(answer.refusal_reason)
    return None if claims else RefusalReason.EVIDENCE_WITHDRAWN


def _claims(stored: StoredAnswer, citations: Mapping[int, AnswerCitation]) -> Iterable[AnswerClaim]:
    for claim in stored.claims:
        numbers = tuple(c.number for c in stored.citations if c.claim_id == claim.pk)
        if numbers and all(number in citations for number in numbers):
            yield AnswerClaim(text=_text_of(claim, numbers, citations), citations=numbers)


def _text_of(claim: Claim, numbers: Sequence[int], citations: Mapping[int, AnswerCitation]) -> str:
    return claim.text or SEPARATOR.join(citations[number].quote for number in numbers)


def _citation(citation: Citation, revision: Revision, *, now: datetime) -> AnswerCitation:
    layout = Layout.from_json(revision.layout)
    document = revision.document
    return AnswerCitation(
        n=citation.number,
        document=_reference(document),
        revision=revision.number,
        start=citation.start,
        end=citation.end,
        quote=revision.text[citation.start : citation.end],
        page=page_at(layout, citation.start),
        heading_path=heading_path_at(layout, citation.start),
        url=_source_page(revision, citation),
        superseded_since=_superseded_since(revision, now=now),
    )


def _source_page(revision: Revision, citation: Citation) -> str:
    path = reverse("revision", args=[revision.document.public_id, revision.number])
    return f"{path}?{urlencode({'start': citation.start, 'end': citation.end})}#{ANCHOR}"


def _superseded_since(revision: Revision, *, now: datetime) -> datetime | None:
    interval = interval_of(revision.effective)
    if interval is None or interval.end is None or interval.end > now:
        return None
    return interval.end


def _passages(
    passages: Iterable[OfferedPassage], revisions: Mapping[int, Revision], *, is_answered: bool
) -> Iterable[AnswerPassage]:
    for passage in passages:
        revision = revisions.get(passage.revision_id)
        if revision is None:
            continue
        span = f"{passage.start}-{passage.end}"
        yield AnswerPassage(
            id=f"{revision.document.public_id}/{revision.number}/{span}",
            document=_reference(revision.document),
            revision=revision.number,
            start=passage.start,
            end=passage.end,
            text=revision.text[passage.start : passage.end],
            rank=passage.rank,
            lexical_rank=passage.lexical_rank,
            dense_rank=passage.dense_rank,
            cited=passage.cited and is_answered,
        )


def _reference(document: Document) -> DocumentReference:
    return DocumentReference(id=document.public_id, slug=document.slug, title=document.title)
