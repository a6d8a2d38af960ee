"""`manage.py explain_access`."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.db


def run(*arguments):
    out = io.StringIO()
    call_command("explain_access", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_answer_names_the_rule(shared_world):
    public_id = shared_world.documents["lab"].public_id

    assert run(public_id, "--user", "ada").startswith("Yes (group_read_documents): ")
    assert run(public_id, "--user", "ben").startswith("No (no_rule): ")
    assert run(public_id).startswith("No (no_rule): ")
    assert run(public_id, "--user", "ada", "--as-of", "2022-01-01").startswith("No (not_in_force)")


def test_json_is_one_document(shared_world):
    answer = json.loads(
        run(shared_world.documents["hours"].public_id, "--as-of", "2022-01-01", "--json")
    )

    assert answer["allowed"] is True
    assert answer["rule"] == "reach_public"
    assert answer["as_of"] == "2022-01-01T00:00:00+01:00"


@pytest.mark.parametrize(
    "arguments",
    [
        ["00000000-0000-4000-8000-000000000000"],
        ["{document}", "--user", "nobody"],
        ["{document}", "--as-of", "Friday"],
        ["no id"],
    ],
)
def test_unusable_arguments_are_errors(shared_world, arguments):
    public_id = str(shared_world.documents["lab"].public_id)
    with pytest.raises(CommandError):
        run(*(argument.replace("{document}", public_id) for argument in arguments))
