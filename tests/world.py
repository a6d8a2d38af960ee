"""The small cast of the tests, with fixed facts in one place.

People      Django groups   account                 reads
anonymous   -               nobody signed in        notices
ada         Lab             -                       notices, handbook, lab
ben         Finance         -                       notices, handbook, finance
dana        Lab, Finance    -                       notices, handbook, lab, finance
cy          -               -                       notices, handbook
leo         Lab, Finance    deactivated: he left    notices
root        -               superuser, no grants    notices, handbook
mia         Staff           staff with every model  notices, handbook
                            permission, no grants
edith       -               staff; manages notices, notices, handbook, lab
                            handbook and lab
board       -               read_documents on the   notices, handbook, board
                            board group by account
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth.models import AnonymousUser, Group, Permission, User

from documents import publishing, services
from documents.models import Document, VisibilityGroup
from tests.builders import OPERATOR, build_account, build_document, build_group, build_revision

EARLIER = datetime(2020, 1, 1, tzinfo=UTC)  # the first texts come into force
CHANGED = datetime(2024, 1, 1, tzinfo=UTC)  # the second texts supersede them
SCHEDULED = datetime(2100, 1, 1, tzinfo=UTC)  # what is scheduled starts here
BEFORE_ALL = datetime(2019, 6, 1, tzinfo=UTC)
IN_THE_PAST = datetime(2022, 6, 1, tzinfo=UTC)
IN_THE_FUTURE = datetime(2101, 6, 1, tzinfo=UTC)

# One word for each hidden text, title, file name and note: it may show nowhere it is not due.
CANARIES = {
    "lab": "quokkalab",
    "finance": "bluebirdfinance",
    "board": "walrusboard",
    "draft": "ibexdraft",
    "withdrawn": "heronwithdrawn",
    "retracted": "newtretracted",
    "deleted": "lynxdeleted",
    "scheduled": "orcascheduled",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everyone and everything, by name."""

    people: dict[str, User | AnonymousUser]
    groups: dict[str, VisibilityGroup]
    documents: dict[str, Document]

    def user(self, name: str) -> User:
        """Return an account of the cast."""
        user = self.people[name]
        assert isinstance(user, User)
        return user


def build_world() -> World:
    """Make the cast, its groups and its documents."""
    people = _build_people()
    groups = _build_groups(people)
    return World(people=people, groups=groups, documents=_build_documents(groups))


def _build_people() -> dict[str, User | AnonymousUser]:
    people: dict[str, User | AnonymousUser] = {
        "anonymous": AnonymousUser(),
        "ada": build_account("ada", groups=["Lab"]),
        "ben": build_account("ben", groups=["Finance"]),
        "dana": build_account("dana", groups=["Lab", "Finance"]),
        "cy": build_account("cy"),
        "leo": build_account("leo", groups=["Lab", "Finance"], active=False),
        "root": build_account("root", staff=True, superuser=True),
        "mia": build_account("mia", groups=["Staff"], staff=True),
        "edith": build_account("edith", staff=True),
        "board": build_account("board"),
    }
    staff = Group.objects.get(name="Staff")
    staff.permissions.set(Permission.objects.filter(content_type__app_label="documents"))
    return people


def _build_groups(people: dict[str, User | AnonymousUser]) -> dict[str, VisibilityGroup]:
    lab, finance = Group.objects.get(name="Lab"), Group.objects.get(name="Finance")
    edith, board = people["edith"], people["board"]
    assert isinstance(edith, User)
    assert isinstance(board, User)
    return {
        "notices": build_group("notices", reach="public", managers=[edith]),
        "handbook": build_group("handbook", reach="signed_in", managers=[edith]),
        "lab": build_group("lab", readers=[lab], managers=[edith]),
        "finance": build_group("finance", readers=[finance]),
        "board": build_group("board", readers=[board]),
    }


def _build_documents(groups: dict[str, VisibilityGroup]) -> dict[str, Document]:
    lab = groups["lab"]
    documents = {
        "hours": build_document(
            "Opening hours",
            "# Opening hours\n\nOpen until 17:00.",
            groups["notices"],
            starts_at=EARLIER,
        ),
        "handbook": build_document(
            "Staff handbook",
            "# Leave\n\nTwenty days of leave.",
            groups["handbook"],
            starts_at=EARLIER,
        ),
        "lab": _canary("lab", lab, starts_at=CHANGED),
        "finance": _canary("finance", groups["finance"], starts_at=EARLIER),
        "board": _canary("board", groups["board"], starts_at=EARLIER),
        "draft": _canary("draft", lab, publish=False),
        "withdrawn": _canary("withdrawn", lab, starts_at=EARLIER),
        "retracted": _canary("retracted", lab, starts_at=EARLIER),
        "deleted": _canary("deleted", lab, starts_at=EARLIER),
        "scheduled": _canary("scheduled", lab, starts_at=SCHEDULED),
    }
    build_revision(documents["hours"], "# Opening hours\n\nOpen until 18:30.", starts_at=CHANGED)
    build_revision(documents["handbook"], "# Leave\n\nThirty days of leave.", starts_at=CHANGED)
    build_revision(documents["handbook"], "# Leave\n\nForty days of leave.", starts_at=SCHEDULED)
    build_revision(
        documents["finance"],
        f"# Budget\n\nThe {CANARIES['finance']} severance budget is 9,000.",
        starts_at=CHANGED,
        original_name=f"{CANARIES['finance']}-second.md",
        change_note=f"Raises {CANARIES['finance']}.",
    )
    publishing.withdraw_revision(_only(documents["withdrawn"]), acted_by=OPERATOR)
    publishing.retract_revision(
        _only(documents["retracted"]), acted_by=OPERATOR, reason="never valid"
    )
    services.delete_document(documents["deleted"], acted_by=OPERATOR)
    return {name: Document.objects.get(pk=document.pk) for name, document in documents.items()}


def _canary(name: str, group: VisibilityGroup, **when) -> Document:
    word = CANARIES[name]
    text = f"# The {word} rule\n\nThe {word} threshold is 35 units."
    return build_document(f"Rules of {word}", text, group, **when)


def _only(document: Document):
    return document.revisions.get()
