"""Safety: each thing that must not be in a response is counted, whatever the gate says."""

from dataclasses import replace
from datetime import datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from answers import grounding
from answers.services import answer_question
from documents import services
from documents.visibility import scope_for_groups
from evaluation.cases import load_suite
from evaluation.safety import judge, referenced_revisions
from tests.builders import OPERATOR
from tests.evaluation.conftest import NEW_RULE
from tests.world import IN_THE_PAST
from tests.writers import MisquotingWriter

pytestmark = pytest.mark.db(transaction=True)


@pytest.fixture
def cases(suite):
    return {case.id: case for case in load_suite(suite, zone=ZoneInfo("UTC"))}


@pytest.fixture
def ask(rules, setup, cases):
    """Ask a case's question, as its asker or as others; return the response."""

    def ask_as(case_id, *groups, at: datetime | None = None, setup=setup):
        names = frozenset(groups) or cases[case_id].asker_groups
        return answer_question(
            cases[case_id].question,
            scope=scope_for_groups(names, at=at or timezone.now()),
            asker=None,
            asked_at=timezone.now(),
            setup=setup,
        )

    return ask_as


def findings(case, response, *, at=None):
    return judge(case, response, revisions=referenced_revisions(response), at=at or timezone.now())


def test_a_response_as_it_should_be_has_no_findings(ask, cases):
    response = ask("now")
    found = findings(cases["now"], response)
    assert (found.leaks, found.wrong_revision) == (0, 0)
    assert found.citations_valid == found.citations_total == len(response.citations) > 0


def test_what_a_wider_reader_got_leaks_to_a_narrower_one(ask, cases):
    response = ask("hidden", "everyone", "Finance")
    shown = [item for item in response.passages if item.document.slug == "severance"]
    assert len(shown) == 1
    assert findings(cases["hidden"], response).leaks >= len(shown) + 1
    assert findings(cases["permitted"], response).leaks == 0


def test_the_hidden_text_anywhere_is_a_leak_whatever_its_spacing(ask, cases):
    response = replace(ask("hidden"), writer="the Severance  budget for\nrefund clerks")
    assert findings(cases["hidden"], response).leaks == 1


def test_the_id_of_a_hidden_document_anywhere_is_a_leak(ask, cases, rules):
    response = replace(ask("now"), writer=f"see {rules['severance'].public_id}")
    assert findings(cases["now"], response).leaks == 1
    assert findings(cases["permitted"], response).leaks == 0


def test_what_the_asker_wrote_is_no_leak(ask, cases):
    response = replace(ask("hidden"), question="The severance budget for refund clerks?")
    assert findings(cases["hidden"], response).leaks == 0


def test_an_id_that_belongs_to_no_document_is_no_leak(ask, cases):
    assert findings(cases["now"], replace(ask("now"), writer=str(uuid4()))).leaks == 0


def test_a_passage_whose_text_stands_elsewhere_is_a_leak(ask, cases):
    response = ask("now")
    passages = (replace(response.passages[0], text="something else"), *response.passages[1:])
    assert findings(cases["now"], replace(response, passages=passages)).leaks == 1


def test_a_title_that_is_not_the_documents_own_is_a_leak(ask, cases):
    response = ask("now")
    document = replace(response.passages[0].document, title="Severance")
    passages = (replace(response.passages[0], document=document), *response.passages[1:])
    assert findings(cases["now"], replace(response, passages=passages)).leaks == 1


def test_a_claim_taken_from_a_hidden_text_is_a_leak(ask, cases):
    response = ask("now")
    claims = (replace(response.claims[0], text="The severance budget for refund clerks is 9,000"),)
    assert findings(cases["now"], replace(response, claims=claims)).leaks == 1


def test_a_deleted_document_leaks(ask, cases, rules):
    response = ask("now")
    pointers = len(response.passages) + len(response.citations)
    services.delete_document(rules["refunds"], acted_by=OPERATOR)
    found = findings(cases["now"], response)
    assert (found.leaks, found.wrong_revision) == (pointers, pointers)


def test_a_revision_of_another_moment_is_wrong(ask, cases):
    response = ask("now")
    pointers = len(response.passages) + len(response.citations)
    assert findings(cases["now"], response, at=IN_THE_PAST).wrong_revision == pointers


def test_a_quote_that_does_not_stand_there_is_not_valid(ask, cases):
    response = ask("now")
    citations = (replace(response.citations[0], quote="within 90 days"), *response.citations[1:])
    found = findings(cases["now"], replace(response, citations=citations))
    assert found.citations_valid == found.citations_total - 1


def test_a_quote_that_its_writer_gave_otherwise_is_dropped_where_quotes_are_compared(
    ask, cases, setup
):
    response = ask("now", setup=replace(setup, writer=MisquotingWriter(setup.writer)))
    found = findings(cases["now"], response)
    assert found.citations_valid == found.citations_total == len(response.citations) == 1


def test_a_quote_that_its_writer_gave_otherwise_is_not_valid_where_none_are_compared(
    ask, cases, setup, monkeypatch
):
    monkeypatch.setattr(grounding, "citation_fault", lambda *_args: None)
    response = ask("now", setup=replace(setup, writer=MisquotingWriter(setup.writer)))
    found = findings(cases["now"], response)
    assert [item.quote in NEW_RULE for item in response.citations] == [True, True]
    assert (found.citations_valid, found.citations_total) == (1, 2)
