"""Properties of publishing in the database: see tests/fuzz/README.md for why."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents import publishing
from documents.audit import Operator
from documents.errors import Conflict, InvalidInput
from documents.intervals import interval_of
from documents.models import Revision
from documents.publishing import Publication
from tests.builders import OPERATOR, build_document, build_group, build_revision

pytestmark = [pytest.mark.fuzz, pytest.mark.db]

DAY = timedelta(days=1)
BASE = datetime(2010, 1, 1, tzinfo=UTC)
FEW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def document(db):
    document = build_document("Rules", "Text 0.", build_group("lab"), publish=False)
    for number in range(1, 5):
        build_revision(document, f"Text {number}.", publish=False)
    return document


def in_force_on(document, days):
    def number(day):
        at = BASE + day * DAY
        return list(
            Revision.objects.in_force(at).filter(document=document).values_list("number", flat=True)
        )

    return [number(day) for day in days]


@FEW
@given(
    starts=st.lists(st.integers(0, 30), min_size=5, max_size=5, unique=True),
    order=st.permutations(range(5)),
)
def test_known_ends_give_the_same_intervals_in_any_order(document, starts, order):
    starts = sorted(starts)
    revisions = list(document.revisions.order_by("number"))
    ends = [*starts[1:], None]
    with transaction.atomic():
        for index in order:
            end = ends[index]
            publication = Publication(
                starts_at=BASE + starts[index] * DAY,
                ends_at=None if end is None else BASE + end * DAY,
                reason="imported",
            )
            publishing.publish_revision(revisions[index], publication, acted_by=OPERATOR)
        stored = [interval_of(r.effective) for r in document.revisions.order_by("number")]
        transaction.set_rollback(True)

    assert [(i.start, i.end) for i in stored if i] == [
        (BASE + start * DAY, None if end is None else BASE + end * DAY)
        for start, end in zip(starts, ends, strict=True)
    ]


actions = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from(["publish", "replace", "withdraw", "retract", "cancel"]),
        st.integers(0, 12),
        st.none() | st.integers(0, 12),
    ),
    max_size=12,
)


@FEW
@given(actions)
def test_no_script_of_actions_puts_two_in_force_or_moves_an_end_later(document, script):
    revisions = list(document.revisions.order_by("number"))
    with transaction.atomic():
        for index, action, start, end in script:
            before = ends_of(document)
            act(revisions[index], action, start, end)
            check_ends_moved_earlier(before, ends_of(document))
        counts = [len(numbers) for numbers in in_force_on(document, range(-1, 14))]
        transaction.set_rollback(True)

    assert len(counts) == 15
    assert max(counts) <= 1


def act(revision, action, start, end):
    operator = Operator("fuzz")
    publication = Publication(
        starts_at=BASE + start * DAY,
        ends_at=None if end is None else BASE + end * DAY,
        reason="fuzz",
        replace_scheduled=action == "replace",
    )
    try:
        with transaction.atomic():
            if action in {"publish", "replace"}:
                publishing.publish_revision(revision, publication, acted_by=operator)
            elif action == "withdraw":
                publishing.withdraw_revision(revision, acted_by=operator)
            elif action == "retract":
                publishing.retract_revision(revision, acted_by=operator, reason="fuzz")
            else:
                publishing.cancel_publication(revision, acted_by=operator)
    except (Conflict, InvalidInput):
        pass  # a refused action changes nothing, which the caller checks


def ends_of(document):
    return {r.number: interval_of(r.effective) for r in document.revisions.exclude(effective=None)}


def check_ends_moved_earlier(before, after):
    for number, old in before.items():
        new = after[number]
        if old is None:
            assert new is None
        elif new is not None:
            assert new.start == old.start
            assert old.end is None or (new.end is not None and new.end <= old.end)
