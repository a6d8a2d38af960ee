import uuid

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.utils import timezone

from answers.errors import AnswerNotFound, InvalidCursor
from answers.selectors import list_history, packed_ranks, reopen_answer
from answers.types import RefusalReason
from documents import grants, services
from documents.visibility import READ, scope_for, scope_for_groups
from tests.builders import OPERATOR

pytestmark = pytest.mark.db
VALVE_QUESTION = "Which seal kit does valve DS-7605 need?"
DEADLINE_QUESTION = "When does registration for the summer meeting close?"


def scope_of(user):
    return scope_for(user, at=timezone.now())


def test_reopening_shows_the_same_answer(club):
    response = club.ask(VALVE_QUESTION, club.ada)
    reopened = reopen_answer(scope_of(club.ada), response.query_id)
    assert reopened.response == response
    assert reopened.withheld == ()


def test_reopening_a_refusal_shows_the_same_refusal(club):
    club_asks = club.ask("Which seal kit does valve DS-7606 need?", club.cy)
    assert reopen_answer(scope_of(club.cy), club_asks.query_id).response == club_asks


def test_somebody_elses_answer_looks_like_one_that_never_was(club):
    response = club.ask(DEADLINE_QUESTION, club.ada)
    messages = set()
    for query_id in (response.query_id, uuid.uuid4()):
        with pytest.raises(AnswerNotFound) as raised:
            reopen_answer(scope_of(club.cy), query_id)
        messages.add((raised.value.code, raised.value.message, str(raised.value.details)))
    assert len(messages) == 1


def test_nobody_signed_in_and_commands_have_no_history(club):
    response = club.ask(DEADLINE_QUESTION, club.ada)
    now = timezone.now()
    for scope in (scope_for(AnonymousUser(), at=now), scope_for_groups(frozenset(), at=now)):
        assert list_history(scope, limit=10).entries == ()
        with pytest.raises(AnswerNotFound):
            reopen_answer(scope, response.query_id)


def test_a_citation_that_may_no_longer_be_read_is_withheld_and_said_so(club):
    response = club.ask(VALVE_QUESTION, club.ada)
    lost = [item.n for item in response.citations if item.document.slug == "valves"]
    grants.revoke(club.lab, READ, to=Group.objects.get(name="Lab"), acted_by=OPERATOR)
    reopened = reopen_answer(scope_of(club.ada), response.query_id)
    assert reopened.withheld == tuple(lost)
    assert "SK-1234" not in str(reopened)
    assert "valves" not in {item.document.slug for item in reopened.response.passages}


def test_an_answer_that_lost_everything_is_reopened_as_withdrawn(club):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    for document in club.documents.values():
        services.delete_document(document, acted_by=OPERATOR)
    reopened = reopen_answer(scope_of(club.cy), response.query_id)
    assert reopened.response.refusal_reason is RefusalReason.EVIDENCE_WITHDRAWN
    assert reopened.withheld == tuple(item.n for item in response.citations)
    assert reopened.response.passages == ()


def test_a_right_given_back_shows_the_answer_again(club):
    response = club.ask(VALVE_QUESTION, club.ada)
    group = Group.objects.get(name="Lab")
    grants.revoke(club.lab, READ, to=group, acted_by=OPERATOR)
    grants.grant(club.lab, READ, to=group, acted_by=OPERATOR)
    assert reopen_answer(scope_of(club.ada), response.query_id).response == response


def test_a_purged_source_is_withheld_by_its_number(club):
    response = club.ask(VALVE_QUESTION, club.ada)
    lost = tuple(item.n for item in response.citations if item.document.slug == "valves")
    services.delete_document(club.documents["valves"], acted_by=OPERATOR)
    services.purge_document(club.documents["valves"], acted_by=OPERATOR, reason="asked for")
    assert reopen_answer(scope_of(club.ada), response.query_id).withheld == lost


def test_a_citation_of_a_revision_that_ended_meanwhile_opens_and_says_since_when(
    club, add_searchable
):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    add_searchable(
        "",
        "# Registration\n\nRegistration for the summer meeting closes Monday.",
        club.rules,
        starts_at=None,
        document=club.documents["registration"],
    )
    [citation, *_] = reopen_answer(scope_of(club.cy), response.query_id).response.citations
    assert citation.quote == response.citations[0].quote
    assert citation.superseded_since is not None


def test_history_lists_ones_own_questions_newest_first(club):
    for number in range(3):
        club.ask(f"When does registration close, asked {number}?", club.cy)
    club.ask(DEADLINE_QUESTION, club.ada)
    entries = list_history(scope_of(club.cy), limit=10).entries
    assert [entry.question for entry in entries] == [
        f"When does registration close, asked {number}?" for number in (2, 1, 0)
    ]
    assert entries[0].citation_count > 0
    assert not entries[0].refused


def test_pages_of_the_history_show_each_question_once(club):
    asked = [club.ask(DEADLINE_QUESTION, club.cy).query_id for _ in range(5)]
    seen, cursor = [], None
    for _ in range(3):
        page = list_history(scope_of(club.cy), limit=2, cursor=cursor)
        seen += [entry.query_id for entry in page.entries]
        cursor = page.next_cursor
    assert seen == asked[::-1]
    assert cursor is None


@pytest.mark.parametrize("cursor", ["", "nonsense", str(uuid.uuid4())])
def test_a_cursor_that_is_none_of_ones_own_is_refused(club, cursor):
    with pytest.raises(InvalidCursor):
        list_history(scope_of(club.cy), limit=2, cursor=cursor)


def test_a_cursor_of_somebody_else_is_refused(club):
    response = club.ask(DEADLINE_QUESTION, club.ada)
    with pytest.raises(InvalidCursor):
        list_history(scope_of(club.cy), limit=2, cursor=str(response.query_id))


def test_packed_passages_are_known_by_their_ranks(club):
    response = club.ask(DEADLINE_QUESTION, club.cy)
    ranks = packed_ranks(response.query_id)
    assert ranks
    assert ranks <= {passage.rank for passage in response.passages}
