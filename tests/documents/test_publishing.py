"""When a revision is in force: every way in, every way out, and what each changes."""

from datetime import timedelta

import pytest

from documents import publishing, services
from documents.errors import Conflict, DocumentNotFound, InvalidInput, NotPermitted
from documents.intervals import EffectiveInterval, interval_of
from documents.models import AuditEntry, PublicationOrder, Revision, Work
from documents.publishing import Publication, plan_publication
from documents.signals import in_force_changed
from tests.builders import (
    OPERATOR,
    add_text,
    build_account,
    build_document,
    build_group,
    build_revision,
    make_text_ready,
)

pytestmark = pytest.mark.db

DAY = timedelta(days=1)


@pytest.fixture
def group():
    return build_group("lab")


@pytest.fixture
def document(group, frozen_clock):
    """A document whose first revision has been in force for ten days."""
    return build_document("Rules", "First text.", group, starts_at=frozen_clock.at - 10 * DAY)


def ready(document, text="Another text."):
    return build_revision(document, text, publish=False)


def publish(revision, **publication):
    return publishing.publish_revision(revision, Publication(**publication), acted_by=OPERATOR)


def interval(document, number):
    return interval_of(document.revisions.get(number=number).effective)


def announced_by(action):
    news = []

    def receive(sender, document_ids, at, **_):
        news.append(document_ids)

    in_force_changed.connect(receive)
    try:
        action()
    finally:
        in_force_changed.disconnect(receive)
    return news


def test_publishing_now_ends_what_was_in_force(document, frozen_clock):
    revision = publish(ready(document))

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at)
    assert interval(document, 1) == EffectiveInterval(frozen_clock.at - 10 * DAY, frozen_clock.at)
    assert revision.published_at == frozen_clock.at
    assert revision.entered_late is False


def test_late_entry_needs_a_reason_and_is_marked(document, frozen_clock):
    revision = ready(document)
    with pytest.raises(InvalidInput) as error:
        publish(revision, starts_at=frozen_clock.at - DAY)
    assert error.value.code == "reason_required"

    published = publish(revision, starts_at=frozen_clock.at - DAY, reason="was on paper")

    assert published.entered_late is True
    assert interval(document, 1) == EffectiveInterval(
        frozen_clock.at - 10 * DAY, frozen_clock.at - DAY
    )
    assert interval(document, 2) == EffectiveInterval(frozen_clock.at - DAY)


def test_reason_of_spaces_is_none(document, frozen_clock):
    with pytest.raises(InvalidInput):
        publish(ready(document), starts_at=frozen_clock.at - DAY, reason="  ")


def test_late_entry_before_all_ends_where_the_first_starts(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at - 20 * DAY, reason="found")

    assert interval(document, 2) == EffectiveInterval(
        frozen_clock.at - 20 * DAY, frozen_clock.at - 10 * DAY
    )
    assert interval(document, 1) == EffectiveInterval(frozen_clock.at - 10 * DAY)


def test_scheduling_ends_the_present_at_that_moment(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at + DAY)

    assert interval(document, 1) == EffectiveInterval(
        frozen_clock.at - 10 * DAY, frozen_clock.at + DAY
    )
    assert interval(document, 2) == EffectiveInterval(frozen_clock.at + DAY)


def test_publishing_before_a_scheduled_start_ends_there(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at + 5 * DAY)
    publish(ready(document, "Third."))

    assert interval(document, 3) == EffectiveInterval(frozen_clock.at, frozen_clock.at + 5 * DAY)
    assert interval(document, 2) == EffectiveInterval(frozen_clock.at + 5 * DAY)


def test_replacing_cancels_what_was_scheduled(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at + 5 * DAY)
    publish(ready(document, "Third."), replace_scheduled=True)

    assert interval(document, 3) == EffectiveInterval(frozen_clock.at)
    assert interval(document, 2) is None


def test_replacing_leaves_what_starts_after_a_known_end(document, frozen_clock):
    at = frozen_clock.at
    publish(ready(document), starts_at=at + 5 * DAY)
    publish(ready(document, "Third."), ends_at=at + 2 * DAY, replace_scheduled=True)

    assert interval(document, 3) == EffectiveInterval(at, at + 2 * DAY)
    assert interval(document, 2) == EffectiveInterval(at + 5 * DAY)


def test_replacing_never_touches_what_has_started(document, frozen_clock):
    at = frozen_clock.at
    publish(ready(document), starts_at=at + 5 * DAY)
    late = ready(document, "Third.")
    publish(late, starts_at=at - 20 * DAY, reason="found", replace_scheduled=True)

    assert interval(document, 3) == EffectiveInterval(at - 20 * DAY, at - 10 * DAY)
    assert interval(document, 2) == EffectiveInterval(at + 5 * DAY)


def test_second_at_the_same_start_leaves_the_first_never_in_force(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at + DAY)
    third, start = ready(document, "Third."), frozen_clock.at + DAY
    plan = plan_publication(third, Publication(starts_at=start))
    assert (plan.ended, plan.replaced, plan.cancelled) == ((), (2,), ())
    publish(third, starts_at=start)

    assert interval(document, 2) is None
    assert interval(document, 3) == EffectiveInterval(frozen_clock.at + DAY)
    assert document.revisions.get(number=2).effective.isempty


def test_end_before_the_start_is_refused(document, frozen_clock):
    with pytest.raises(InvalidInput) as error:
        publish(ready(document), starts_at=frozen_clock.at + DAY, ends_at=frozen_clock.at)
    assert error.value.code == "interval_reversed"


def test_plan_says_what_publishing_then_does(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at + 5 * DAY)
    revision = ready(document, "Third.")

    plan = plan_publication(revision, Publication(replace_scheduled=True))
    assert plan.interval == EffectiveInterval(frozen_clock.at)
    assert (plan.ended, plan.cancelled, plan.entered_late) == ((1,), (2,), False)

    kept = plan_publication(revision, Publication())
    assert kept.interval.end == frozen_clock.at + 5 * DAY
    assert (kept.ended, kept.cancelled) == ((1,), ())
    assert interval(document, 2) == EffectiveInterval(frozen_clock.at + 5 * DAY)


def test_order_waits_until_the_revision_is_ready(document, frozen_clock):
    revision = add_text(document, "Second text.")
    publish(revision)

    assert interval(document, 2) is None
    assert interval(document, 1) == EffectiveInterval(frozen_clock.at - 10 * DAY)
    frozen_clock.advance(minutes=3)
    make_text_ready(revision)

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at)
    assert not PublicationOrder.objects.exists()


def test_order_for_a_moment_that_passed_meanwhile_starts_when_ready(document, frozen_clock):
    revision = add_text(document, "Second text.")
    publish(revision, starts_at=frozen_clock.at + timedelta(minutes=1))
    frozen_clock.advance(minutes=5)
    make_text_ready(revision)

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at)
    assert document.revisions.get(number=2).entered_late is False


def test_order_for_a_later_moment_keeps_it(document, frozen_clock):
    revision = add_text(document, "Second text.")
    start = frozen_clock.at + DAY
    publish(revision, starts_at=start)
    make_text_ready(revision)

    assert interval(document, 2) == EffectiveInterval(start)


def test_late_order_keeps_its_past_start(document, frozen_clock):
    revision = add_text(document, "Second text.")
    start = frozen_clock.at - DAY
    publish(revision, starts_at=start, reason="was on paper")
    frozen_clock.advance(minutes=5)
    make_text_ready(revision)

    assert interval(document, 2) == EffectiveInterval(start)
    assert document.revisions.get(number=2).entered_late is True


def order_of(document, text, **publication):
    return publish(add_text(document, text), **publication)


def test_text_that_took_longer_does_not_push_out_its_successor(document, frozen_clock):
    slow = order_of(document, "Slow text.")
    frozen_clock.advance(seconds=1)
    quick = order_of(document, "Quick text.")
    frozen_clock.advance(seconds=1)
    began = frozen_clock.at
    make_text_ready(quick)
    frozen_clock.advance(seconds=1)
    make_text_ready(slow)

    assert interval(document, 3) == EffectiveInterval(began)
    assert interval(document, 2) is None
    assert interval(document, 1).end == began
    assert document.revisions.get(number=2).published_at == frozen_clock.at
    assert not PublicationOrder.objects.exists()


def test_text_that_waits_is_outdated_by_what_is_published_meanwhile(document, frozen_clock):
    other = ready(document)
    slow = order_of(document, "Slow text.")
    frozen_clock.advance(seconds=1)
    publish(other)
    make_text_ready(slow)

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at)
    assert interval(document, 3) is None


def test_later_order_outdates_no_text_that_starts_after_it(document, frozen_clock):
    slow = order_of(document, "Slow text.", starts_at=frozen_clock.at + 2 * DAY)
    frozen_clock.advance(seconds=1)
    quick = order_of(document, "Quick text.")
    make_text_ready(quick)
    make_text_ready(slow)

    starts = frozen_clock.at + 2 * DAY - timedelta(seconds=1)
    assert interval(document, 3) == EffectiveInterval(frozen_clock.at, starts)
    assert interval(document, 2) == EffectiveInterval(starts)


def test_plan_ends_where_a_waiting_order_starts(document, frozen_clock):
    at = frozen_clock.at
    waiting = order_of(document, "Ordered.", starts_at=at + 5 * DAY)
    revision = ready(document, "Third.")

    plan = plan_publication(revision, Publication())
    assert plan.interval == EffectiveInterval(at, at + 5 * DAY)
    assert (plan.ended, plan.cancelled, plan.awaited) == ((1,), (), (2,))
    publish(revision)
    # Until the order's text is ready nothing follows: a file that cannot be read leaves no gap.
    assert interval(document, 3) == EffectiveInterval(at)
    make_text_ready(waiting)
    assert interval(document, 3) == EffectiveInterval(at, at + 5 * DAY)
    assert interval(document, 2) == EffectiveInterval(at + 5 * DAY)


def test_replacing_cancels_a_waiting_order(document, frozen_clock):
    waiting = order_of(document, "Ordered.", starts_at=frozen_clock.at + 5 * DAY)
    revision = ready(document, "Third.")

    plan = plan_publication(revision, Publication(replace_scheduled=True))
    assert plan.interval == EffectiveInterval(frozen_clock.at)
    assert (plan.ended, plan.cancelled, plan.awaited) == ((1,), (2,), ())
    publish(revision, replace_scheduled=True)
    make_text_ready(waiting)

    assert interval(document, 3) == EffectiveInterval(frozen_clock.at)
    assert document.revisions.get(number=2).effective is None
    entry = AuditEntry.objects.get(action="published", revision_number=3)
    assert entry.details["cancelled"] == [2]


def test_replacing_leaves_a_waiting_order_after_a_known_end(document, frozen_clock):
    at = frozen_clock.at
    waiting = order_of(document, "Ordered.", starts_at=at + 5 * DAY)
    publish(ready(document, "Third."), ends_at=at + 2 * DAY, replace_scheduled=True)
    make_text_ready(waiting)

    assert interval(document, 3) == EffectiveInterval(at, at + 2 * DAY)
    assert interval(document, 2) == EffectiveInterval(at + 5 * DAY)


def test_replacing_leaves_what_was_ordered_after_it(document, frozen_clock):
    first = order_of(document, "First order.", replace_scheduled=True)
    frozen_clock.advance(seconds=1)
    starts = frozen_clock.at + 5 * DAY
    second = order_of(document, "Second order.", starts_at=starts)
    make_text_ready(first)
    make_text_ready(second)

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at, starts)
    assert interval(document, 3) == EffectiveInterval(starts)


def test_plan_says_what_becomes_of_orders_that_begin_before_it(document, frozen_clock):
    order_of(document, "At once.")
    order_of(document, "At the same start.", starts_at=frozen_clock.at + 5 * DAY)
    frozen_clock.advance(seconds=1)
    later = Publication(starts_at=frozen_clock.at + 5 * DAY - timedelta(seconds=1))
    plan = plan_publication(ready(document, "Fourth."), later)

    assert (plan.ended, plan.replaced, plan.awaited) == ((1, 2), (3,), ())


def test_earlier_order_outdates_no_later_one(document, frozen_clock):
    first = order_of(document, "First order.")
    frozen_clock.advance(seconds=1)
    second = order_of(document, "Second order.")
    make_text_ready(first)
    frozen_clock.advance(seconds=1)
    make_text_ready(second)

    assert interval(document, 3) == EffectiveInterval(frozen_clock.at)
    assert interval(document, 2).end == frozen_clock.at


def test_second_order_replaces_the_first(document, frozen_clock):
    revision = add_text(document, "Second text.")
    publish(revision)
    publish(revision, starts_at=frozen_clock.at + DAY)
    make_text_ready(revision)

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at + DAY)


def test_waiting_order_can_be_taken_back(document):
    revision = add_text(document, "Second text.")
    publish(revision)
    publishing.cancel_publication(revision, acted_by=OPERATOR)
    make_text_ready(revision)

    assert document.revisions.get(number=2).effective is None


def test_cancelled_work_forgets_its_order(document):
    revision = add_text(document, "Second text.")
    publish(revision)
    services.cancel_revision(revision, acted_by=OPERATOR)
    services.retry_revision(revision, acted_by=OPERATOR)
    make_text_ready(revision)

    assert document.revisions.get(number=2).effective is None


def test_scheduled_publication_can_be_taken_back(document, frozen_clock):
    revision = publish(ready(document), starts_at=frozen_clock.at + DAY)
    publishing.cancel_publication(revision, acted_by=OPERATOR)

    assert interval(document, 2) is None
    # An end only ever moves earlier: what had been ended for it stays ended.
    assert interval(document, 1) == EffectiveInterval(
        frozen_clock.at - 10 * DAY, frozen_clock.at + DAY
    )


def test_what_is_in_force_is_withdrawn_and_not_cancelled(document):
    with pytest.raises(Conflict) as error:
        publishing.cancel_publication(document.revisions.get(), acted_by=OPERATOR)
    assert error.value.code == "not_scheduled"


def test_withdrawing_ends_now_and_keeps_the_past(document, frozen_clock):
    publishing.withdraw_revision(document.revisions.get(), acted_by=OPERATOR)

    assert interval(document, 1) == EffectiveInterval(frozen_clock.at - 10 * DAY, frozen_clock.at)


def test_what_is_not_in_force_cannot_be_withdrawn(document, frozen_clock):
    scheduled = publish(ready(document), starts_at=frozen_clock.at + DAY)
    for revision in (scheduled, ready(document, "Draft.")):
        with pytest.raises(Conflict) as error:
            publishing.withdraw_revision(revision, acted_by=OPERATOR)
        assert error.value.code == "not_in_force"


def test_retracting_hides_at_every_moment_and_needs_a_reason(document):
    revision = document.revisions.get()
    with pytest.raises(InvalidInput):
        publishing.retract_revision(revision, acted_by=OPERATOR, reason=" ")
    publishing.retract_revision(revision, acted_by=OPERATOR, reason="wrong file")

    assert not Revision.objects.ever_in_force().filter(pk=revision.pk).exists()
    with pytest.raises(Conflict) as error:
        publishing.retract_revision(revision, acted_by=OPERATOR, reason="again")
    assert error.value.code == "already_retracted"


@pytest.mark.parametrize("waits", [False, True])
def test_retracted_draft_ends_nothing(document, waits):
    draft = add_text(document, "Another text.")
    if waits:
        publish(draft)
    publishing.retract_revision(draft, acted_by=OPERATOR, reason="wrong file")
    make_text_ready(draft)

    with pytest.raises(Conflict) as error:
        publish(draft)
    assert error.value.code == "not_publishable"
    assert interval(document, 1).end is None
    assert interval(document, 2) is None


def test_interval_of_a_retracted_revision_is_free_again(document, frozen_clock):
    publishing.retract_revision(document.revisions.get(), acted_by=OPERATOR, reason="wrong")
    publish(ready(document), starts_at=frozen_clock.at - 10 * DAY, reason="the right file")

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at - 10 * DAY)


def test_restoring_publishes_the_old_text_as_a_new_revision(document, frozen_clock):
    publish(ready(document))
    first = document.revisions.get(number=1)
    restored = publishing.restore_revision(first, Publication(), acted_by=OPERATOR)

    assert (restored.number, restored.text, restored.layout) == (3, first.text, first.layout)
    assert list(Work.objects.filter(revision=restored).values_list("step", flat=True)) == ["index"]
    publishing.mark_ready(restored.pk)
    assert interval(document, 3) == EffectiveInterval(frozen_clock.at)
    assert document.revisions.get(number=3).text_sha256 == first.text_sha256


def test_revision_without_text_cannot_be_restored(document):
    with pytest.raises(Conflict) as error:
        publishing.restore_revision(add_text(document, "Unread."), Publication(), acted_by=OPERATOR)
    assert error.value.code == "not_restorable"


def test_published_revision_cannot_be_published_again(document):
    with pytest.raises(Conflict) as error:
        publish(document.revisions.get())
    assert error.value.code == "already_published"


@pytest.mark.parametrize("status", ["failed", "quarantined", "cancelled"])
def test_revision_that_ended_badly_cannot_be_published(document, status):
    revision = add_text(document, "Second.")
    Revision.objects.filter(pk=revision.pk).update(status=status)
    with pytest.raises(Conflict) as error:
        publish(revision)
    assert error.value.code == "not_publishable"


def test_deleted_document_takes_no_publication(document):
    revision = ready(document)
    services.delete_document(document, acted_by=OPERATOR)
    with pytest.raises(DocumentNotFound):
        publish(revision)


def test_work_on_a_deleted_document_still_ends_ready(document, frozen_clock):
    revision = add_text(document, "Second text.")
    publish(revision)
    services.delete_document(document, acted_by=OPERATOR)
    make_text_ready(revision)
    services.undelete_document(document, acted_by=OPERATOR)

    assert interval(document, 2) == EffectiveInterval(frozen_clock.at)


@pytest.mark.parametrize(
    "act",
    [
        lambda revision, who: publishing.publish_revision(revision, Publication(), acted_by=who),
        lambda revision, who: publishing.withdraw_revision(revision, acted_by=who),
        lambda revision, who: publishing.retract_revision(revision, acted_by=who, reason="x"),
        lambda revision, who: publishing.cancel_publication(revision, acted_by=who),
        lambda revision, who: publishing.restore_revision(revision, Publication(), acted_by=who),
    ],
    ids=["publish", "withdraw", "retract", "cancel", "restore"],
)
def test_nobody_without_the_grant_may_do_it(document, act):
    revision = document.revisions.get()
    entries = AuditEntry.objects.count()
    with pytest.raises(NotPermitted):
        act(revision, build_account("root", staff=True, superuser=True))

    assert AuditEntry.objects.count() == entries
    assert Revision.objects.get(pk=revision.pk).effective == revision.effective


def test_every_change_is_announced_once(document, frozen_clock):
    first, second = document.revisions.get(), ready(document)
    steps = [
        lambda: publish(second, starts_at=frozen_clock.at + DAY),
        lambda: publishing.cancel_publication(second, acted_by=OPERATOR),
        lambda: publishing.withdraw_revision(first, acted_by=OPERATOR),
        lambda: publishing.retract_revision(first, acted_by=OPERATOR, reason="wrong"),
    ]

    assert [announced_by(step) for step in steps] == [[[document.pk]]] * 4


def test_starts_and_ends_that_passed_are_announced(document, frozen_clock):
    publish(ready(document), starts_at=frozen_clock.at + DAY)

    assert announced_by(lambda: publishing.announce_elapsed(at=frozen_clock.at)) == []
    frozen_clock.advance(days=1, minutes=5)
    news = announced_by(lambda: publishing.announce_elapsed(at=frozen_clock.at))
    assert news == [[document.pk]]
    frozen_clock.advance(days=1)
    assert announced_by(lambda: publishing.announce_elapsed(at=frozen_clock.at)) == []
