"""Word counts equal a recount after whatever happened to the documents."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from documents import publishing, services
from documents.errors import ProductError
from documents.models import Document, Revision
from documents.publishing import Publication
from documents.tasks import sweep
from retrieval.models import IndexedRevision, Passage, TermStatistic
from retrieval.tasks import repair_statistics
from tests.builders import LATE, OPERATOR, build_document, build_group, build_revision
from tests.world import EARLIER, SCHEDULED

pytestmark = pytest.mark.db

WORDS = ["refund", "budget", "valve", "seal", "member", "board", "notice", "appeal"]
STEPS = 40


@pytest.fixture
def lab(embedder):
    return build_group("lab")


def kept(group=None):
    """Return what is counted now, without what fell to nothing."""
    rows = TermStatistic.objects.exclude(passages=0)
    if group is not None:
        rows = rows.filter(visibility_group=group)
    return {
        (group_id, lexeme): passages
        for group_id, lexeme, passages in rows.values_list(
            "visibility_group_id", "lexeme", "passages"
        )
    }


def recounted(at=None):
    """Count anew the words of every passage of a revision in force."""
    counts: Counter[tuple[int, str]] = Counter()
    in_force = Revision.objects.in_force(at or timezone.now())
    for passage in Passage.objects.filter(revision__in=in_force).select_related(
        "revision__document"
    ):
        group_id = passage.revision.document.visibility_group_id
        counts.update((group_id, lexeme) for lexeme in lexemes_of(passage))
    return dict(counts)


def lexemes_of(passage):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tsvector_to_array(lexemes) FROM retrieval_passage WHERE id = %s", [passage.pk]
        )
        return cursor.fetchone()[0]


def counted(group):
    return {lexeme: passages for (_, lexeme), passages in kept(group).items()}


def test_a_published_text_is_counted_by_passages_and_not_by_words(lab):
    build_document("Rules", "Refund, refund, refund.", lab, starts_at=EARLIER)
    assert counted(lab) == {"rule": 1, "refund": 1}


def test_a_draft_and_a_scheduled_text_are_not_counted(lab):
    build_document("Draft", "Refund.", lab, publish=False)
    build_document("Later", "Refund.", lab, starts_at=SCHEDULED)
    assert counted(lab) == {}


def test_a_superseding_revision_takes_the_place_of_the_former(lab):
    document = build_document("Rules", "Refund.", lab, starts_at=EARLIER)
    build_revision(document, "Appeal.")
    assert counted(lab) == {"rule": 1, "appeal": 1}


def test_a_revision_entered_late_and_ended_is_not_counted(lab):
    document = build_document("Rules", "Refund.", lab)
    build_revision(document, "Appeal.", starts_at=EARLIER)
    assert counted(lab) == {"rule": 1, "refund": 1}


@pytest.mark.parametrize("ending", ["withdraw", "retract", "delete"])
def test_what_is_no_longer_in_force_is_not_counted(lab, ending):
    document = build_document("Rules", "Refund.", lab, starts_at=EARLIER)
    revision = document.revisions.get()
    match ending:
        case "withdraw":
            publishing.withdraw_revision(revision, acted_by=OPERATOR)
        case "retract":
            publishing.retract_revision(revision, acted_by=OPERATOR, reason="wrong")
        case _:
            services.delete_document(document, acted_by=OPERATOR)
    assert counted(lab) == {}
    assert not IndexedRevision.objects.exclude(counted_in=None).exists()


def test_an_undeleted_document_is_counted_again(lab):
    document = build_document("Rules", "Refund.", lab, starts_at=EARLIER)
    services.delete_document(document, acted_by=OPERATOR)
    services.undelete_document(document, acted_by=OPERATOR)
    assert counted(lab) == {"rule": 1, "refund": 1}


def test_a_document_takes_its_words_along_when_it_moves(lab):
    document = build_document("Rules", "Refund.", lab, starts_at=EARLIER)
    other = build_group("other")
    services.move_document(document, to_group=other, acted_by=OPERATOR)
    assert counted(lab) == {}
    assert counted(other) == {"rule": 1, "refund": 1}


def test_a_purged_document_leaves_no_words(lab):
    document = build_document("Rules", "Refund.", lab, starts_at=EARLIER)
    services.delete_document(document, acted_by=OPERATOR)
    services.purge_document(document, acted_by=OPERATOR, reason="by law")
    assert counted(lab) == {}
    assert not Passage.objects.exists()
    assert not IndexedRevision.objects.exists()


def test_a_scheduled_start_is_counted_by_the_sweep(lab, frozen_clock):
    document = build_document("Rules", "Refund.", lab, starts_at=EARLIER)
    build_revision(document, "Appeal.", starts_at=frozen_clock.at + timedelta(minutes=5))
    frozen_clock.advance(minutes=4)
    sweep()
    assert counted(lab) == {"rule": 1, "refund": 1}
    frozen_clock.advance(minutes=1)
    sweep()
    assert counted(lab) == {"rule": 1, "appeal": 1}
    sweep()
    assert counted(lab) == {"rule": 1, "appeal": 1}


def test_a_scheduled_end_is_counted_by_the_sweep(lab, frozen_clock):
    document = build_document("Rules", "Refund.", lab, publish=False)
    publishing.publish_revision(
        document.revisions.get(),
        Publication(ends_at=frozen_clock.at + timedelta(minutes=5)),
        acted_by=OPERATOR,
    )
    assert counted(lab) == {"rule": 1, "refund": 1}
    frozen_clock.advance(minutes=5)
    sweep()
    assert counted(lab) == {}


def test_a_start_that_passed_while_no_worker_ran_is_counted_by_the_repair(lab, frozen_clock):
    build_document("Rules", "Refund.", lab, starts_at=frozen_clock.at + timedelta(minutes=5))
    frozen_clock.advance(days=3)
    sweep()
    assert counted(lab) == {}
    repair_statistics()
    assert counted(lab) == {"rule": 1, "refund": 1}


class Story:
    """Documents to which something random happens, step by step."""

    def __init__(self, seed, clock):
        self.random = random.Random(seed)  # noqa: S311 - random texts, no secrets
        self.clock = clock
        self.groups = [build_group("first"), build_group("second")]
        self.documents = []

    def text(self):
        words = " ".join(self.random.choices(WORDS, k=self.random.randint(1, 30)))
        return f"# {self.random.choice(WORDS)}\n\n{words}."

    def moment(self):
        return self.clock.at + timedelta(days=self.random.randint(-20, 20))

    def take_step(self):
        self.clock.advance(hours=self.random.randint(1, 36))
        action = self.random.choice(
            [self.create, self.revise, self.revise, self.publish, self.end, self.remove, self.move]
        )
        with contextlib.suppress(ProductError), transaction.atomic():
            action()
        repair_statistics()

    def create(self):
        number = len(self.documents)
        group = self.random.choice(self.groups)
        self.documents.append(
            build_document(f"Rules {number}", self.text(), group, starts_at=self.moment())
        )

    def any_document(self):
        if not self.documents:
            self.create()
        return Document.objects.get(pk=self.random.choice(self.documents).pk)

    def any_revision(self):
        return self.random.choice(list(self.any_document().revisions.all()))

    def revise(self):
        publish = self.random.random() < 0.7
        build_revision(self.any_document(), self.text(), starts_at=self.moment(), publish=publish)

    def publish(self):
        publication = Publication(
            starts_at=self.moment(),
            reason=LATE,
            replace_scheduled=self.random.random() < 0.5,
        )
        publishing.publish_revision(self.any_revision(), publication, acted_by=OPERATOR)

    def end(self):
        revision = self.any_revision()
        if self.random.random() < 0.5:
            publishing.withdraw_revision(revision, acted_by=OPERATOR)
        else:
            publishing.retract_revision(revision, acted_by=OPERATOR, reason="wrong")

    def remove(self):
        document = self.any_document()
        if document.deleted_at is None:
            services.delete_document(document, acted_by=OPERATOR)
        elif self.random.random() < 0.7:
            services.undelete_document(document, acted_by=OPERATOR)
        else:
            services.purge_document(document, acted_by=OPERATOR, reason="by law")
            self.documents.remove(document)

    def move(self):
        group = self.random.choice(self.groups)
        services.move_document(self.any_document(), to_group=group, acted_by=OPERATOR)


@pytest.mark.parametrize("seed", range(4))
def test_counts_equal_a_recount_after_any_story(embedder, frozen_clock, seed):
    story = Story(seed, frozen_clock)
    for _ in range(STEPS):
        story.take_step()
        assert kept() == recounted(frozen_clock.at)
    assert not TermStatistic.objects.filter(passages__lt=0).exists()
    assert TermStatistic.objects.count() > 0


def at_once(actions):
    """Run the actions from several threads, each with its own connection."""

    def run(action):
        try:
            action()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(run, actions))


def publish_now(revision):
    publishing.publish_revision(revision, Publication(), acted_by=OPERATOR)


@pytest.mark.db(transaction=True)
def test_publications_at_once_in_one_group_are_all_counted(embedder):
    group = build_group("lab")
    drafts = [
        build_document(f"Rules {number}", f"Refund {word}.", group, publish=False).revisions.get()
        for number, word in enumerate(WORDS * 3)
    ]
    at_once([lambda draft=draft: publish_now(draft) for draft in drafts])
    assert counted(group)["refund"] == len(drafts)
    assert kept() == recounted()


@pytest.mark.db(transaction=True)
def test_sweeps_and_publications_at_once_count_a_start_once(embedder):
    group = build_group("lab")
    documents = [
        build_document(f"Rules {number}", f"Refund {word}.", group, starts_at=EARLIER)
        for number, word in enumerate(WORDS)
    ]
    later = [build_revision(d, "Appeal.", starts_at=SCHEDULED) for d in documents]
    drafts = [build_revision(d, "Notice.", publish=False) for d in documents[:4]]
    started = SCHEDULED + timedelta(seconds=1)
    sweeps = [lambda: publishing.announce_elapsed(at=started)] * 12
    publications = [lambda draft=draft: publish_now(draft) for draft in drafts]
    assert len(later) == len(documents)
    at_once([*sweeps, *publications, *sweeps])
    publishing.announce_elapsed(at=started)  # the threads end in any order
    assert kept() == recounted(started)
