"""A small searchable organisation, indexed with the fake embedder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from answers.services import answer_question
from answers.setup import AnswerSetup, default_setup
from answers.types import AnswerResponse
from documents import services
from documents.models import Document, Revision, VisibilityGroup
from documents.services import DocumentFields
from documents.visibility import scope_for
from tests.builders import (
    OPERATOR,
    add_text,
    build_account,
    build_group,
    publish_at,
)
from tests.searching import make_searchable
from tests.world import CHANGED, EARLIER

DEADLINE = (
    "# Registration\n\nRegistration for the summer meeting closes Wednesday. "
    "This applies to in-person events only."
)


@dataclass(frozen=True, kw_only=True)
class Club:
    """The people, groups and documents of the tests of answers, and how to ask there."""

    setup: AnswerSetup
    ada: User  # reads rules and lab
    cy: User  # reads rules
    rules: VisibilityGroup
    lab: VisibilityGroup
    documents: dict[str, Document]

    def ask(
        self, question: str, user: User, *, at: datetime | None = None, **changes: Any
    ) -> AnswerResponse:
        """Ask as an account, answering from whatever confidence unless told otherwise."""
        now = timezone.now()
        return answer_question(
            question,
            scope=scope_for(user, at=at or now),
            asker=user,
            asked_at=now,
            setup=replace(self.setup, **changes),
        )


@pytest.fixture
def add_searchable(fake_index) -> Callable[..., Document]:
    """Make a document, or a further revision of one, searchable and in force from a moment."""

    def add(
        title: str,
        text: str,
        group: VisibilityGroup,
        *,
        starts_at: datetime | None = EARLIER,
        document: Document | None = None,
    ) -> Document:
        if document is None:
            fields = DocumentFields(title=title)
            document = services.create_document(fields, group=group, acted_by=OPERATOR)
        revision = add_text(document, text)
        make_searchable(revision)
        publish_at(Revision.objects.get(pk=revision.pk), starts_at)
        return document

    return add


@pytest.fixture
def club(db, fake_index, add_searchable) -> Club:
    """The organisation, as anyone would have built it."""
    ada, cy = build_account("ada", groups=["Lab"]), build_account("cy")
    rules = build_group("rules", reach="signed_in")
    lab = build_group("lab", readers=[Group.objects.get(name="Lab")])
    registration = add_searchable(
        "Registration",
        "# Registration\n\nRegistration for the summer meeting closes Friday.",
        rules,
    )
    add_searchable("", DEADLINE, rules, starts_at=CHANGED, document=registration)
    documents = {
        "registration": registration,
        "fees": add_searchable(
            "Fees", "# Fees\n\nMembers of the club pay a fee of 20 EUR a month.", rules
        ),
        "valves": add_searchable(
            "Valves", "# Valves\n\nValve DS-7605 needs the seal kit SK-1234.", lab
        ),
        "rooms": add_searchable(
            "房间规则", "# 规则\n\n会议室报名截止到星期三。仅适用于现场活动。", rules
        ),
    }
    setup = default_setup(fake_index)
    return Club(
        setup=replace(setup, config=replace(setup.config, confidence_threshold=0.0)),
        ada=ada,
        cy=cy,
        rules=rules,
        lab=lab,
        documents=documents,
    )
