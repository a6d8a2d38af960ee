import json

import pytest
from django.core.management import CommandError, call_command

from answers.models import Answer

pytestmark = pytest.mark.db
QUESTION = "When does registration for the summer meeting close?"


@pytest.fixture
def loaded(club, monkeypatch):
    """Let the process hold the fake model instead of the real one."""
    monkeypatch.setattr("answers.management.commands.ask.get_embedder", lambda: club.setup.embedder)
    return club


def ask(capsys, *arguments):
    call_command("ask", *arguments)
    return capsys.readouterr().out


def test_json_is_the_response_and_nothing_else(loaded, capsys):
    value = json.loads(ask(capsys, QUESTION, "--user", "cy", "--json"))
    assert value["question"] == QUESTION
    assert value["refused"] in {True, False}
    assert Answer.objects.get(query_id=value["query_id"]).asker == loaded.cy


def test_a_past_moment_is_asked_about(loaded, capsys):
    value = json.loads(ask(capsys, QUESTION, "--groups", "", "--as-of", "2022-06-01", "--json"))
    assert value["as_of"].startswith("2022-06-01T00:00:00")
    assert Answer.objects.get(query_id=value["query_id"]).asker is None


def test_people_see_the_answer_with_its_numbered_sources(loaded, capsys):
    printed = ask(capsys, QUESTION, "--user", "cy")
    assert "Registration" in printed or "No answer" in printed


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["???", "--user", "cy"], 1),
        ([QUESTION, "--user", "nobody"], 2),
        ([QUESTION, "--user", "cy", "--as-of", "soon"], 2),
        ([QUESTION, "--user", "cy", "--writer", "poet"], 2),
    ],
)
def test_failures_and_wrong_usage_have_their_exit_statuses(loaded, arguments, status):
    with pytest.raises(CommandError) as raised:
        call_command("ask", *arguments)
    assert raised.value.returncode == status
