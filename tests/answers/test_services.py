import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.utils import timezone

from answers.json_form import response_as_json
from answers.models import Answer, Citation, OfferedPassage, StageRecord
from answers.services import answer_question, clean_question
from answers.setup import make_writer
from answers.storing import quote_fingerprint
from answers.types import CitedSpan, Draft, DraftClaim, RefusalReason
from documents import grants, publishing, services
from documents.models import Revision
from documents.selectors import get_revision
from documents.visibility import READ, scope_for, scope_for_groups
from retrieval.errors import NothingToSearchFor, QuestionTooLong
from tests.builders import OPERATOR
from tests.world import CHANGED, IN_THE_PAST

pytestmark = pytest.mark.db
DEADLINE_QUESTION = "When does registration for the summer meeting close?"


def quotes_of(response):
    return [citation.quote for citation in response.citations]


class RevokingWriter:
    """The extractive writer, while whose pen moves somebody else acts."""

    def __init__(self, writer, act):
        self.writer, self.act, self.name = writer, act, writer.name

    def count_tokens(self, text):
        return self.writer.count_tokens(text)

    def write(self, brief):
        draft = self.writer.write(brief)
        assert draft.claims
        self.act()
        return draft


def test_an_answer_quotes_the_revision_in_force_with_what_limits_it(club):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    assert not response.refused
    assert quotes_of(response)[0] == (
        "Registration for the summer meeting closes Wednesday. "
        "This applies to in-person events only."
    )
    citation = response.citations[0]
    assert (citation.n, citation.revision, citation.document.slug) == (1, 2, "registration")
    assert citation.heading_path == ("Registration",)
    assert citation.superseded_since is None
    assert response.claims[0].citations == (1,)


def test_the_past_gives_its_own_answer_and_says_since_when_it_is_past(club):
    response = club.ask(DEADLINE_QUESTION, club.cy, at=IN_THE_PAST)
    assert quotes_of(response)[0] == "Registration for the summer meeting closes Friday."
    assert response.citations[0].superseded_since == CHANGED
    assert response.as_of == IN_THE_PAST


def test_every_quote_is_what_the_revision_holds_there(club):
    scope = scope_for(club.cy, at=timezone.now())
    response = club.ask(DEADLINE_QUESTION, club.cy)
    assert response.citations
    for citation in response.citations:
        revision = get_revision(scope, citation.document.id, citation.revision)
        assert revision.text[citation.start : citation.end] == citation.quote


def test_an_answer_in_chinese_quotes_chinese(club):
    response = club.ask("会议室报名什么时候截止？", club.cy)
    assert quotes_of(response)[0] == "会议室报名截止到星期三。仅适用于现场活动。"


def test_an_answer_draws_on_two_documents(club):
    config = replace(club.setup.config, least_sentence_share=0.0)
    response = club.ask(
        "What fee do members pay a month, and when does registration close?",
        club.cy,
        writer=make_writer("extractive", config, club.setup.embedder),
    )
    slugs = [citation.document.slug for citation in response.citations]
    assert set(slugs) >= {"fees", "registration"}
    assert len(response.answer) <= 900


def test_the_address_of_a_citation_opens_the_source_at_its_span(club, client):
    client.force_login(club.cy)
    citation = club.ask(DEADLINE_QUESTION, club.cy).citations[0]
    assert f"start={citation.start}&end={citation.end}" in citation.url
    assert client.get(citation.url).status_code == 200


def test_what_is_stored_holds_offsets_and_hashes_only(club):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    answer = Answer.objects.get(query_id=response.query_id)
    citation = Citation.objects.filter(claim__answer=answer).order_by("number")[0]
    quote = response.citations[0].quote
    assert (citation.start, citation.end) == (
        response.citations[0].start,
        response.citations[0].end,
    )
    assert citation.quote_sha256 == quote_fingerprint(quote)
    assert citation.verdict == "quoted"
    rows = [answer, *answer.claims.all(), citation, *answer.passages.all(), *answer.stages.all()]
    assert len(rows) > 4
    stored = " ".join(str(value) for row in rows for value in vars(row).values())
    assert "Wednesday" not in stored


def test_every_stage_and_every_found_passage_is_stored(club):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    answer = Answer.objects.get(query_id=response.query_id)
    names = list(StageRecord.objects.filter(answer=answer).values_list("name", flat=True))
    assert names[-5:] == ["pack", "weigh", "write", "ground", "recheck"]
    offered = list(OfferedPassage.objects.filter(answer=answer))
    assert [row.rank for row in offered] == [passage.rank for passage in response.passages]
    assert [row.cited for row in offered] == [passage.cited for passage in response.passages]
    assert any(row.packed for row in offered)


def test_the_response_has_exactly_the_promised_fields(club):
    value: Any = response_as_json(club.ask(DEADLINE_QUESTION, club.cy))
    assert list(value) == [
        "query_id",
        "question",
        "as_of",
        "filters",
        "answer",
        "claims",
        "citations",
        "passages",
        "refused",
        "refusal_reason",
        "confidence",
        "completeness",
        "timings_ms",
        "tokens",
        "writer",
        "cached",
    ]
    assert list(value["citations"][0]) == [
        "n",
        "document",
        "revision",
        "start",
        "end",
        "quote",
        "page",
        "heading_path",
        "url",
        "superseded_since",
    ]
    assert list(value["passages"][0]) == [
        "id",
        "document",
        "revision",
        "start",
        "end",
        "text",
        "rank",
        "lexical_rank",
        "dense_rank",
        "cited",
    ]


def masked(response):
    return {**response_as_json(response), "query_id": None, "timings_ms": None, "as_of": None}


def test_hidden_and_absent_are_refused_alike(club):
    question = "Which seal kit does the valve need?"
    setup = replace(club.setup, config=replace(club.setup.config, confidence_threshold=0.99))
    hidden = club.ask(question, club.cy, config=setup.config)
    services.delete_document(club.documents["valves"], acted_by=OPERATOR)
    absent = club.ask(question, club.cy, config=setup.config)
    assert hidden.refused
    assert hidden.refusal_reason is RefusalReason.LOW_RETRIEVAL_CONFIDENCE
    assert masked(hidden) == masked(absent)


def test_a_refusal_carries_no_citation_and_no_answer(club):
    config = replace(club.setup.config, confidence_threshold=1.0)
    response = club.ask(DEADLINE_QUESTION, club.cy, config=config)
    assert (response.answer, response.claims, response.citations) == (None, (), ())
    assert [passage.cited for passage in response.passages] == [False] * len(response.passages)
    assert Answer.objects.get(query_id=response.query_id).outcome == "refused"


def test_a_near_identifier_is_not_answered_from(club):
    known = club.ask("Which seal kit does valve DS-7605 need?", club.ada)
    unknown = club.ask("Which seal kit does valve DS-7606 need?", club.ada)
    assert known.confidence > 0.3
    assert unknown.confidence <= 0.1
    assert quotes_of(known)[0] == "Valve DS-7605 needs the seal kit SK-1234."


def test_a_budget_of_nothing_is_a_refusal(club):
    config = replace(club.setup.config, evidence_tokens=0)
    response = club.ask(DEADLINE_QUESTION, club.cy, config=config)
    assert response.refusal_reason is RefusalReason.OVER_BUDGET


def test_a_reader_of_nothing_and_an_empty_organisation_are_refused_alike(db, club):
    now = timezone.now()

    def ask():
        return answer_question(
            "how many days of leave do we have",
            scope=scope_for_groups(frozenset(), at=now),
            asker=None,
            asked_at=now,
            setup=club.setup,
        )

    grants.change_group(club.rules, name="Rules", description="", reach="listed", acted_by=OPERATOR)
    hidden = ask()
    for document in club.documents.values():
        services.delete_document(document, acted_by=OPERATOR)
    empty = ask()
    assert hidden.refusal_reason is RefusalReason.NO_EVIDENCE
    assert masked(hidden) == masked(empty)


def test_a_right_revoked_between_search_and_send_lets_nothing_out(club):
    group = Group.objects.get(name="Lab")
    writer = RevokingWriter(
        club.setup.writer, lambda: grants.revoke(club.lab, READ, to=group, acted_by=OPERATOR)
    )
    response = club.ask("Which seal kit does valve DS-7605 need?", club.ada, writer=writer)
    assert response.refusal_reason is RefusalReason.EVIDENCE_WITHDRAWN
    assert "SK-1234" not in str(response_as_json(response))
    assert "valves" not in str(response_as_json(response))


def test_an_account_deactivated_between_search_and_send_gets_nothing(club):
    def deactivate():
        club.ada.is_active = False
        club.ada.save()

    writer = RevokingWriter(club.setup.writer, deactivate)
    response = club.ask("Which seal kit does valve DS-7605 need?", club.ada, writer=writer)
    assert response.refusal_reason is RefusalReason.EVIDENCE_WITHDRAWN
    assert response.passages == ()


@pytest.mark.parametrize("way", ["delete", "retract"])
def test_a_document_lost_between_search_and_send_is_not_sent(club, way):
    document = club.documents["valves"]

    def lose():
        if way == "delete":
            services.delete_document(document, acted_by=OPERATOR)
        else:
            publishing.retract_revision(document.revisions.get(), acted_by=OPERATOR, reason="wrong")

    writer = RevokingWriter(club.setup.writer, lose)
    response = club.ask("Which seal kit does valve DS-7605 need?", club.ada, writer=writer)
    assert response.refusal_reason is RefusalReason.EVIDENCE_WITHDRAWN
    assert "SK-1234" not in str(response_as_json(response))


def test_losing_what_was_found_but_not_cited_leaves_the_answer(club):
    config = replace(club.setup.config, answer_sentences=1)
    writer = RevokingWriter(
        make_writer("extractive", config, club.setup.embedder),
        lambda: services.delete_document(club.documents["fees"], acted_by=OPERATOR),
    )
    before = club.ask(DEADLINE_QUESTION, club.cy)
    response = club.ask(DEADLINE_QUESTION, club.cy, writer=writer)
    assert "fees" in {passage.document.slug for passage in before.passages}
    assert "fees" not in {passage.document.slug for passage in response.passages}
    assert [citation.document.slug for citation in response.citations] == ["registration"]


class InventingWriter:
    """A writer that cites what nobody offered."""

    name = "inventing"

    def __init__(self, spans):
        self.spans = spans

    def count_tokens(self, text):
        return len(text.split())

    def write(self, _brief):
        return Draft(claims=tuple(DraftClaim(spans=(span,)) for span in self.spans))


def test_an_invented_citation_never_leaves(club):
    hidden = Revision.objects.get(document=club.documents["valves"])
    start = hidden.text.index("Valve DS")
    span = CitedSpan(revision_id=hidden.pk, start=start, end=start + 5, quote="Valve")
    response = club.ask(DEADLINE_QUESTION, club.cy, writer=InventingWriter([span]))
    assert response.refusal_reason is RefusalReason.UNVERIFIED_CLAIM


@pytest.mark.parametrize("question", ["the and of", "???", "🙂", "   ", ""])
def test_questions_without_a_word_are_told_so(club, question):
    with pytest.raises(NothingToSearchFor):
        club.ask(question, club.cy)
    assert not Answer.objects.exists()


def test_a_question_beyond_the_limit_is_told_the_limit(club):
    with pytest.raises(QuestionTooLong) as raised:
        club.ask("x " * 100_000, club.cy)
    assert raised.value.details["limit_chars"] == club.setup.retrieval.question_chars


@pytest.mark.parametrize(
    ("question", "cleaned"),
    [("a\x00b", "a�b"), ("x \ud800 y", "x � y"), ("  a\n ", "a"), ("🙂 a", "🙂 a")],
)
def test_what_cannot_be_stored_is_replaced(question, cleaned):
    assert clean_question(question) == cleaned


def test_odd_characters_are_answered_and_stored(club):
    response = club.ask("When does \x00 registration \udfff close?", club.cy)
    assert Answer.objects.get(query_id=response.query_id).question == response.question


def test_query_ids_are_random(club):
    ids = {club.ask(DEADLINE_QUESTION, club.cy).query_id for _ in range(2)}
    assert len(ids) == 2
    assert all(query_id.version == uuid.uuid4().version for query_id in ids)


def test_a_purged_document_takes_its_claims_along_and_leaves_the_count(club):
    response = club.ask("Which seal kit does valve DS-7605 need?", club.ada)
    document = club.documents["valves"]
    services.delete_document(document, acted_by=OPERATOR)
    services.purge_document(document, acted_by=OPERATOR, reason="asked for")
    answer = Answer.objects.get(query_id=response.query_id)
    kept = [citation for citation in response.citations if citation.document.slug != "valves"]
    assert len(kept) < len(response.citations)
    assert answer.citation_count == len(response.citations)
    assert Citation.objects.filter(claim__answer=answer).count() == len(kept)


@pytest.mark.parametrize("way", ["update", "delete"])
def test_the_database_keeps_answers_as_they_were(club, way):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    stored = Answer.objects.filter(query_id=response.query_id)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        if way == "update":
            stored.update(question="something else")
        else:
            Citation.objects.filter(claim__answer__in=stored).delete()
