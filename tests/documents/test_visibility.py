"""Who may read what, and when: the questions that must agree, against a table written by hand."""

from uuid import UUID

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents import grants, services
from documents.errors import DocumentNotFound
from documents.models import Document
from documents.selectors import get_document
from documents.visibility import (
    MANAGE,
    READ,
    can_manage,
    can_read,
    citable_documents,
    citable_revisions,
    explain_access,
    manageable_documents,
    moved_to,
    readable_documents,
    readable_groups,
    readable_revisions,
    readers_of,
    scope_for,
    scope_for_both,
    scope_for_groups,
)
from tests.builders import OPERATOR
from tests.world import BEFORE_ALL, IN_THE_FUTURE, IN_THE_PAST

pytestmark = pytest.mark.db

PEOPLE = ["anonymous", "ada", "ben", "dana", "cy", "leo", "root", "mia", "edith", "board"]
DOCUMENTS = [
    "hours",
    "handbook",
    "lab",
    "finance",
    "board",
    "draft",
    "withdrawn",
    "retracted",
    "deleted",
    "scheduled",
]

# Who may read the documents of a group, by the rule that lets them.
READERS = {
    "notices": dict.fromkeys(PEOPLE, "reach_public"),
    "handbook": {
        "ada": "reach_signed_in",
        "ben": "reach_signed_in",
        "dana": "reach_signed_in",
        "cy": "reach_signed_in",
        "root": "reach_signed_in",
        "mia": "reach_signed_in",
        "edith": "reach_signed_in",
        "board": "reach_signed_in",
    },
    "lab": {
        "ada": "group_read_documents",
        "dana": "group_read_documents",
        "edith": "account_manage_documents",
    },
    "finance": {"ben": "group_read_documents", "dana": "group_read_documents"},
    "board": {"board": "account_read_documents"},
}
GROUP_OF = {
    "hours": "notices",
    "handbook": "handbook",
    "finance": "finance",
    "board": "board",
} | dict.fromkeys(["lab", "draft", "withdrawn", "retracted", "deleted", "scheduled"], "lab")

# Which documents have a revision in force at a moment, whoever reads.
IN_FORCE = {
    "before_all": set(),
    "past": {"hours", "handbook", "finance", "board", "withdrawn"},
    "now": {"hours", "handbook", "lab", "finance", "board"},
    "future": {"hours", "handbook", "lab", "finance", "board", "scheduled"},
}
EVER_IN_FORCE = {"hours", "handbook", "lab", "finance", "board", "withdrawn", "scheduled"}


def moment(name):
    fixed = {"before_all": BEFORE_ALL, "past": IN_THE_PAST, "future": IN_THE_FUTURE}
    return fixed.get(name) or timezone.now()


def readable_to(person, when):
    return {name for name in IN_FORCE[when] if person in READERS[GROUP_OF[name]]}


def names_of(world, documents):
    by_id = {document.pk: name for name, document in world.documents.items()}
    return {by_id[document.pk] for document in documents}


@pytest.mark.parametrize("when", IN_FORCE)
@pytest.mark.parametrize("person", PEOPLE)
def test_list_of_readable_documents_is_as_the_table_says(shared_world, person, when):
    scope = scope_for(shared_world.people[person], at=moment(when))

    assert names_of(shared_world, readable_documents(scope)) == readable_to(person, when)


@pytest.mark.parametrize("when", IN_FORCE)
@pytest.mark.parametrize("person", PEOPLE)
def test_single_answers_agree_with_the_table(shared_world, person, when):
    scope = scope_for(shared_world.people[person], at=moment(when))
    allowed = {name for name in DOCUMENTS if can_read(scope, shared_world.documents[name])}

    assert allowed == readable_to(person, when)


@pytest.mark.parametrize("when", IN_FORCE)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_readers_of_agrees_with_the_table(shared_world, name, when):
    readers = readers_of(shared_world.documents[name], at=moment(when))
    accounts = set(readers.accounts.values_list("username", flat=True))
    expected = {person for person in PEOPLE if name in readable_to(person, when)}

    assert readers.unsigned is ("anonymous" in expected)
    # A deactivated account reads what is open to people who are not signed in, as one of them.
    assert accounts == expected - {"anonymous", "leo"}


@pytest.mark.parametrize("when", IN_FORCE)
@pytest.mark.parametrize("person", PEOPLE)
def test_explanations_agree_with_the_table(shared_world, person, when):
    at = moment(when)
    for name in DOCUMENTS:
        explanation = explain_access(
            shared_world.people[person], shared_world.documents[name], at=at
        )
        rule = READERS[GROUP_OF[name]].get(person)
        assert explanation.allowed is (name in readable_to(person, when)), name
        if name == "deleted":
            assert explanation.rule == "deleted"
        elif rule is None:
            assert explanation.rule == ("inactive_account" if person == "leo" else "no_rule")
        elif explanation.allowed:
            assert explanation.rule == rule
        else:
            assert explanation.rule == "not_in_force"


@pytest.mark.parametrize("when", IN_FORCE)
@pytest.mark.parametrize("person", PEOPLE)
def test_readable_revisions_belong_to_readable_documents_one_each(shared_world, person, when):
    scope = scope_for(shared_world.people[person], at=moment(when))
    revisions = list(readable_revisions(scope).select_related("document"))

    assert len(revisions) == len(readable_to(person, when))
    assert names_of(shared_world, [r.document for r in revisions]) == readable_to(person, when)


@pytest.mark.parametrize("person", PEOPLE)
def test_citations_open_for_readers_of_the_group_at_every_moment(shared_world, person):
    scope = scope_for(shared_world.people[person], at=timezone.now())
    expected = {name for name in EVER_IN_FORCE if person in READERS[GROUP_OF[name]]}

    assert names_of(shared_world, citable_documents(scope)) == expected
    cited = {revision.document for revision in citable_revisions(scope)}
    assert names_of(shared_world, cited) == expected


def test_each_moment_has_its_own_revision(shared_world):
    scope = scope_for(shared_world.people["cy"], at=IN_THE_PAST)
    handbook = shared_world.documents["handbook"]

    def number(at):
        return readable_revisions(moved_to(scope, at=at)).get(document=handbook).number

    assert [number(at) for at in (IN_THE_PAST, timezone.now(), IN_THE_FUTURE)] == [1, 2, 3]


@pytest.mark.parametrize("person", ["root", "mia"])
def test_superuser_and_model_permissions_read_nothing(shared_world, person):
    user = shared_world.user(person)

    assert user.has_perm("documents.read_documents")  # a right on the model, not on a group
    scope = scope_for(user, at=timezone.now())
    assert names_of(shared_world, readable_documents(scope)) == {"hours", "handbook"}
    assert not manageable_documents(user).exists()
    assert not can_manage(user, shared_world.groups["lab"])


def test_deactivated_account_reads_only_what_needs_no_account(shared_world):
    leo = shared_world.user("leo")

    scope = scope_for(leo, at=timezone.now())
    assert names_of(shared_world, readable_documents(scope)) == {"hours"}
    leo.is_active = True
    leo.save()
    names = names_of(shared_world, readable_documents(scope))
    assert names == {"hours", "handbook", "lab", "finance"}


def test_same_scope_sees_the_rights_of_each_moment(shared_world):
    ada = shared_world.user("ada")
    scope = scope_for(ada, at=timezone.now())
    lab = shared_world.documents["lab"]

    assert can_read(scope, lab)
    ada.groups.clear()
    assert not can_read(scope, lab)
    grants.grant(shared_world.groups["lab"], READ, to=ada, acted_by=OPERATOR)
    assert can_read(scope, lab)
    grants.revoke(shared_world.groups["lab"], READ, to=ada, acted_by=OPERATOR)
    assert not can_read(scope, lab)


def test_deactivation_ends_an_existing_scope(shared_world):
    scope = scope_for(shared_world.people["ada"], at=timezone.now())
    User.objects.filter(username="ada").update(is_active=False)

    assert names_of(shared_world, readable_documents(scope)) == {"hours"}


def test_group_made_anew_under_the_same_name_gives_nothing(shared_world):
    Group.objects.get(name="Lab").delete()
    shared_world.user("ada").groups.add(Group.objects.create(name="Lab"))
    scope = scope_for(shared_world.people["ada"], at=timezone.now())

    assert not can_read(scope, shared_world.documents["lab"])


def test_account_made_anew_under_the_same_name_gets_nothing(shared_world):
    shared_world.user("board").delete()
    again = User.objects.create_user("board")

    assert not can_read(scope_for(again, at=timezone.now()), shared_world.documents["board"])


def test_whoever_manages_also_reads(shared_world):
    grants.grant(
        shared_world.groups["board"], MANAGE, to=shared_world.user("cy"), acted_by=OPERATOR
    )
    scope = scope_for(shared_world.people["cy"], at=timezone.now())

    assert can_read(scope, shared_world.documents["board"])
    assert can_manage(shared_world.people["cy"], shared_world.groups["board"])


def test_reading_is_not_managing(shared_world):
    assert not can_manage(shared_world.people["ada"], shared_world.groups["lab"])


def test_deleted_documents_stay_manageable(shared_world):
    managed = names_of(shared_world, manageable_documents(shared_world.people["edith"]))

    assert managed == set(DOCUMENTS) - {"finance", "board"}


@pytest.mark.parametrize(
    ("reader", "onlooker", "expected"),
    [
        ("ada", "root", {"hours", "handbook"}),
        ("ada", "ben", {"hours", "handbook"}),
        ("ada", "dana", {"hours", "handbook", "lab"}),
        ("anonymous", "dana", {"hours"}),
        ("leo", "dana", {"hours"}),
        ("dana", "leo", {"hours"}),
    ],
)
def test_onlooker_sees_what_both_may_read(shared_world, reader, onlooker, expected):
    scope = scope_for_both(
        shared_world.people[reader], onlooker=shared_world.user(onlooker), at=timezone.now()
    )

    assert names_of(shared_world, readable_documents(scope)) == expected
    assert names_of(shared_world, readable_documents(moved_to(scope, at=scope.at))) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (set(), {"hours", "handbook"}),
        ({"Lab"}, {"hours", "handbook", "lab"}),
        ({"Lab", "Finance"}, {"hours", "handbook", "lab", "finance"}),
        ({"nobody knows this"}, {"hours", "handbook"}),
        ({""}, {"hours", "handbook"}),
        ({"lab"}, {"hours", "handbook"}),
    ],
)
def test_named_groups_read_as_a_signed_in_member_of_exactly_them(shared_world, names, expected):
    scope = scope_for_groups(frozenset(names), at=timezone.now())

    assert names_of(shared_world, readable_documents(scope)) == expected


def test_naive_moment_is_refused(shared_world):
    with pytest.raises(ValueError, match="time zone"):
        scope_for(AnonymousUser(), at=timezone.now().replace(tzinfo=None))


def test_moving_a_document_moves_its_readers_at_once(shared_world):
    lab = shared_world.documents["lab"]
    services.move_document(lab, to_group=shared_world.groups["finance"], acted_by=OPERATOR)
    at = timezone.now()
    moved = Document.objects.get(pk=lab.pk)

    assert not can_read(scope_for(shared_world.people["ada"], at=at), lab)
    assert can_read(scope_for(shared_world.people["ben"], at=at), lab)
    accounts = readers_of(moved, at=at).accounts.values_list("username", flat=True)
    assert set(accounts) == {"ben", "dana"}


def test_hidden_and_absent_documents_cost_the_same_and_say_the_same(shared_world):
    scope = scope_for(shared_world.people["cy"], at=timezone.now())
    absent = UUID("00000000-0000-4000-8000-000000000000")
    statements, messages = [], []
    for public_id in (shared_world.documents["finance"].public_id, absent):
        with CaptureQueriesContext(connection) as queries, pytest.raises(DocumentNotFound) as error:
            get_document(scope, public_id)
        statements.append(len(queries))
        messages.append((error.value.code, error.value.message, error.value.details))

    assert statements == [1, 1]
    assert messages[0] == messages[1]


def test_lists_take_one_statement(shared_world, django_assert_num_queries):
    scope = scope_for(shared_world.people["dana"], at=timezone.now())
    # Rights are subqueries of the statement itself, so that no list of ids is ever stale.
    with django_assert_num_queries(1):
        assert len(readable_documents(scope)) == 4
    with django_assert_num_queries(1):
        assert len(readable_groups(scope)) == 4
    with django_assert_num_queries(1):
        assert can_read(scope, shared_world.documents["lab"])
