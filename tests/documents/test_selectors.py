"""Named reads: each within a scope."""

import pytest
from django.utils import timezone

from documents import selectors
from documents.errors import DocumentNotFound
from documents.intervals import EffectiveInterval
from documents.visibility import scope_for
from tests.world import CHANGED, EARLIER, IN_THE_FUTURE, IN_THE_PAST, SCHEDULED

pytestmark = pytest.mark.db


def scope(world, person, at=None):
    return scope_for(world.people[person], at=at or timezone.now())


def test_timeline_has_every_published_revision_in_order(shared_world):
    entries = selectors.list_timeline(scope(shared_world, "cy"), shared_world.documents["handbook"])

    assert [(entry.number, entry.interval) for entry in entries] == [
        (1, EffectiveInterval(EARLIER, CHANGED)),
        (2, EffectiveInterval(CHANGED, SCHEDULED)),
        (3, EffectiveInterval(SCHEDULED)),
    ]


@pytest.mark.parametrize("name", ["draft", "retracted", "deleted"])
def test_timeline_leaves_out_what_may_not_be_cited(shared_world, name):
    entries = selectors.list_timeline(scope(shared_world, "ada"), shared_world.documents[name])

    assert entries == []


def test_timeline_of_a_hidden_document_is_empty(shared_world):
    finance = shared_world.documents["finance"]

    assert selectors.list_timeline(scope(shared_world, "ada"), finance) == []
    assert len(selectors.list_timeline(scope(shared_world, "ben"), finance)) == 2


@pytest.mark.parametrize(("at", "number"), [(IN_THE_PAST, 1), (None, 2), (IN_THE_FUTURE, 3)])
def test_revision_in_force_follows_the_moment(shared_world, at, number):
    found = selectors.find_revision_in_force(
        scope(shared_world, "cy", at), shared_world.documents["handbook"]
    )

    assert found is not None
    assert found.number == number
    assert {"text", "layout"} <= found.get_deferred_fields()


def test_nothing_is_in_force_after_a_withdrawal(shared_world):
    withdrawn = shared_world.documents["withdrawn"]

    assert selectors.find_revision_in_force(scope(shared_world, "ada"), withdrawn) is None
    ended = selectors.get_revision(scope(shared_world, "ada"), withdrawn.public_id, 1)
    assert "threshold" in ended.text


@pytest.mark.parametrize("name", ["finance", "draft", "retracted", "deleted"])
def test_what_may_not_be_opened_is_not_found(shared_world, name):
    public_id = shared_world.documents[name].public_id
    with pytest.raises(DocumentNotFound):
        selectors.get_document(scope(shared_world, "ada"), public_id)
    with pytest.raises(DocumentNotFound):
        selectors.get_revision(scope(shared_world, "ada"), public_id, 1)


def test_texts_are_read_only_where_the_scope_may_open_them(shared_world):
    ids = {
        name: document.revisions.order_by("number")[0].pk
        for name, document in shared_world.documents.items()
    }
    texts = selectors.read_texts(scope(shared_world, "ada"), [*ids.values(), 123456789])

    names = {name for name, pk in ids.items() if pk in texts}
    assert names == {"hours", "handbook", "lab", "withdrawn", "scheduled"}


def test_texts_take_one_statement(shared_world, django_assert_num_queries):
    ids = [document.revisions.all()[0].pk for document in shared_world.documents.values()]
    # Text, document and group come together, however many revisions are asked for.
    with django_assert_num_queries(1):
        revisions = selectors.read_texts(scope(shared_world, "dana"), ids)
        assert len({r.document.visibility_group.slug for r in revisions.values()}) == 4
