"""Two documents, one of them hidden from most, and questions about both."""

import json

import pytest
from django.contrib.auth.models import Group

from answers.setup import default_setup
from documents import services
from documents.services import DocumentFields
from tests.builders import OPERATOR, build_group
from tests.searching import index_text
from tests.world import CHANGED, EARLIER

OLD_RULE = "# Refunds\n\nRefund requests must be made within 30 days of the event."
NEW_RULE = "# Refunds\n\nRefund requests must be made within 14 days of the event."
HIDDEN_RULE = "# Severance\n\nThe severance budget for refund clerks is 9,000 a year."


@pytest.fixture
def rules(db, fake_index):
    """Refunds for everyone signed in, in two revisions; severance for the Finance group alone."""
    finance, _ = Group.objects.get_or_create(name="Finance")
    open_group = build_group("handbook", reach="signed_in")
    hidden_group = build_group("finance", readers=[finance])
    refunds = services.create_document(
        DocumentFields(title="Refunds"), group=open_group, acted_by=OPERATOR
    )
    severance = services.create_document(
        DocumentFields(title="Severance"), group=hidden_group, acted_by=OPERATOR
    )
    index_text(refunds, OLD_RULE, EARLIER, original_name="refunds/1.md")
    index_text(refunds, NEW_RULE, CHANGED, original_name="refunds/2.md")
    index_text(severance, HIDDEN_RULE, EARLIER, original_name="severance/1.md")
    return {"refunds": refunds, "severance": severance}


@pytest.fixture
def setup(fake_index):
    """What answers are made with, and the fake model."""
    return default_setup(fake_index)


def gold_of(text, words, file):
    start = text.index(words)
    return {"file": file, "start": start, "end": start + len(words), "text": words}


LINES = [
    {
        "id": "now",
        "family": "facts",
        "question": "Within how many days must refund requests be made?",
        "as_of": None,
        "asker_groups": ["everyone"],
        "answerable": True,
        "reason_unanswerable": None,
        "gold": [gold_of(NEW_RULE, "within 14 days", "refunds/2.md")],
    },
    {
        "id": "then",
        "family": "past",
        "question": "Within how many days must refund requests be made?",
        "as_of": "2022-06-01",
        "asker_groups": ["everyone"],
        "answerable": True,
        "reason_unanswerable": None,
        "gold": [gold_of(OLD_RULE, "within 30 days", "refunds/1.md")],
    },
    {
        "id": "hidden",
        "family": "hidden",
        "question": "What is the severance budget for refund clerks?",
        "as_of": None,
        "asker_groups": ["everyone"],
        "answerable": False,
        "reason_unanswerable": "not_permitted",
        "gold": [gold_of(HIDDEN_RULE, "severance budget for refund clerks", "severance/1.md")],
    },
    {
        "id": "permitted",
        "family": "facts",
        "question": "What is the severance budget for refund clerks?",
        "as_of": None,
        "asker_groups": ["everyone", "Finance"],
        "answerable": True,
        "reason_unanswerable": None,
        "gold": [gold_of(HIDDEN_RULE, "severance budget for refund clerks", "severance/1.md")],
    },
]


@pytest.fixture
def suite(tmp_path):
    """The questions as a file."""
    path = tmp_path / "suite.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES), encoding="utf-8")
    return path
