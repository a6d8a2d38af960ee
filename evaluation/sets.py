"""Services for question sets: make, version, label, freeze. A frozen set never changes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from answers.json_form import filters_as_json
from answers.storing import quote_fingerprint
from documents import audit
from documents.audit import Actor, Operator, account_of
from documents.errors import Conflict, InvalidInput, NotPermitted
from documents.models import Revision
from documents.selectors import hold_against_purge
from documents.services import check_storable
from documents.visibility import citable_revisions, scope_for
from evaluation.models import GoldSpan, Question, QuestionSet
from retrieval.types import SearchFilters

LABEL = "evaluation.change_questionset"
ASK_AS_ACCOUNT = "evaluation.ask_as_account"
LONGEST_SLUG = 100
LONGEST_KEY = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPlace:
    """Where words stand, as a labeller marks them; spans of one need are alternatives.

    Units: `revision` is the revision's number; offsets are code points, half-open.
    """

    document: UUID
    revision: int
    start: int
    end: int
    need: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFields:
    """A question as its labeller writes it; `asker=None` asks as a member of the groups."""

    key: str
    family: str
    text: str
    as_of: datetime | None = None
    asker: User | None = None
    asker_groups: tuple[str, ...] = ()
    filters: SearchFilters = field(default_factory=SearchFilters)
    answerable: bool = True
    reason_unanswerable: str = ""
    reference_answer: str = ""
    note: str = ""
    origin: str = Question.Origin.WRITTEN


@transaction.atomic
def create_set(*, slug: str, name: str, description: str, acted_by: Actor) -> QuestionSet:
    """Make the first version of a set.

    Raises: NotPermitted; InvalidInput; Conflict (`set_exists`).
    """
    check_may(acted_by, LABEL)
    _check_texts(slug=slug, name=name, description=description)
    if not slug or not name:
        raise InvalidInput("A set needs a name.", details={"field": "name"})
    try:
        with transaction.atomic():
            made = QuestionSet.objects.create(
                slug=slug[:LONGEST_SLUG],
                name=name,
                description=description,
                created_by=account_of(acted_by),
                created_at=timezone.now(),
            )
    except IntegrityError as error:
        raise Conflict(
            f"There is a set {slug!r} already; add a version to it, or choose another name.",
            code="set_exists",
            details={"field": "name"},
        ) from error
    _record("question_set_created", made, acted_by)
    return made


@transaction.atomic
def add_version(question_set: QuestionSet, *, acted_by: Actor) -> QuestionSet:
    """Make a new version, open to changes, with the questions of this one.

    Raises: NotPermitted; Conflict (`version_open`) where a later version is open already.
    """
    check_may(acted_by, LABEL)
    versions = QuestionSet.objects.select_for_update().filter(slug=question_set.slug)
    newest = max(versions, key=lambda row: row.version)
    if newest.frozen_at is None and newest.pk != question_set.pk:
        raise Conflict(
            f"Version {newest.version} of this set is open; change that one.",
            code="version_open",
            details={"version": newest.version},
        )
    made = QuestionSet.objects.create(
        slug=newest.slug,
        version=newest.version + 1,
        name=question_set.name,
        description=question_set.description,
        created_by=account_of(acted_by),
        created_at=timezone.now(),
    )
    for question in question_set.questions.prefetch_related("gold"):
        gold = list(question.gold.all())
        question.pk, question._state.adding = None, True
        question.question_set = made
        question.save()
        for span in gold:
            span.pk, span._state.adding = None, True
            span.question = question
        GoldSpan.objects.bulk_create(gold)
    _record("question_set_versioned", made, acted_by)
    return made


@transaction.atomic
def change_set(
    question_set: QuestionSet, *, name: str, description: str, acted_by: Actor
) -> QuestionSet:
    """Change the name and the description of an open version.

    Raises: NotPermitted; InvalidInput; Conflict (`set_frozen`).
    """
    check_may(acted_by, LABEL)
    _check_texts(name=name, description=description)
    if not name:
        raise InvalidInput("A set needs a name.", details={"field": "name"})
    locked = lock_open(question_set)
    locked.name, locked.description = name, description
    locked.save(update_fields=["name", "description"])
    return locked


@transaction.atomic
def delete_set(question_set: QuestionSet, *, acted_by: Actor) -> None:
    """Delete an open version with its questions; what a run has used stays.

    Raises: NotPermitted; Conflict (`set_frozen`).
    """
    check_may(acted_by, LABEL)
    locked = lock_open(question_set)
    _record("question_set_deleted", locked, acted_by)
    locked.delete()


@transaction.atomic
def freeze_set(question_set: QuestionSet) -> QuestionSet:
    """Close a version for ever, as a run does with what it asks; idempotent.

    Raises: InvalidInput (`set_empty`).
    """
    locked = QuestionSet.objects.select_for_update().get(pk=question_set.pk)
    if locked.frozen_at is None:
        if not locked.questions.exists():
            raise InvalidInput("The set holds no question yet.", code="set_empty")
        locked.frozen_at = timezone.now()
        locked.save(update_fields=["frozen_at"])
    return locked


@transaction.atomic
def save_question(
    question_set: QuestionSet,
    fields: QuestionFields,
    gold: Sequence[GoldPlace],
    *,
    acted_by: User,
    question: Question | None = None,
) -> Question:
    """Add a question with its gold to an open version, or change one of it.

    Gold is what its labeller may open now: the words at its offsets are hashed, never kept.
    Raises: NotPermitted; InvalidInput naming the field; Conflict (`set_frozen`, `key_taken`).
    """
    check_may(acted_by, LABEL)
    locked = lock_open(question_set)
    check_fields(fields, has_gold=bool(gold))
    if fields.asker is not None:
        _check_asks_as_account(question, fields.asker, acted_by)
    spans = _find_spans(gold, acted_by=acted_by)
    row = store_question(locked, fields, acted_by=acted_by, question=question)
    row.gold.all().delete()
    for span in spans:
        span.question = row
    GoldSpan.objects.bulk_create(spans)
    if fields.asker is not None:
        details = {"set": str(locked), "question": row.key, "account": fields.asker.pk}
        audit.record("question_asks_as_account", acted_by=acted_by, details=details)
    return row


@transaction.atomic
def remove_question(question: Question, *, acted_by: Actor) -> None:
    """Take a question out of an open version.

    Raises: NotPermitted; Conflict (`set_frozen`).
    """
    check_may(acted_by, LABEL)
    locked = lock_open(question.question_set)
    audit.record(
        "question_removed",
        acted_by=acted_by,
        details={"set": str(locked), "question": question.key},
    )
    question.delete()


def store_question(
    question_set: QuestionSet,
    fields: QuestionFields,
    *,
    acted_by: Actor,
    question: Question | None = None,
) -> Question:
    """Write a question's row; the caller has checked it and holds the set.

    Raises: Conflict (`key_taken`).
    """
    last = question_set.questions.aggregate(last=Max("position"))["last"] or 0
    row = question or Question(
        question_set=question_set,
        position=last + 1,
        origin=fields.origin,
        created_by=account_of(acted_by),
        created_at=timezone.now(),
    )
    row.key, row.family, row.text = fields.key, fields.family, fields.text
    row.as_of, row.asker, row.asker_groups = fields.as_of, fields.asker, list(fields.asker_groups)
    row.filters = filters_as_json(fields.filters)
    row.answerable, row.reason_unanswerable = fields.answerable, fields.reason_unanswerable
    row.reference_answer, row.note = fields.reference_answer, fields.note
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise Conflict(
            f"The set has a question {fields.key!r} already.",
            code="key_taken",
            details={"field": "key"},
        ) from error
    return row


def check_fields(fields: QuestionFields, *, has_gold: bool) -> None:
    """Make sure that a question can be asked and measured.

    Raises: InvalidInput naming the field.
    """
    _check_texts(
        key=fields.key,
        family=fields.family,
        text=fields.text,
        reference_answer=fields.reference_answer,
        note=fields.note,
    )
    for name, value in (("key", fields.key), ("family", fields.family)):
        if not value or len(value) > LONGEST_KEY:
            raise InvalidInput(
                f"The {name} must have 1 to {LONGEST_KEY} characters.", details={"field": name}
            )
    if not fields.text.strip():
        raise InvalidInput("Write the question.", details={"field": "text"})
    if fields.answerable and fields.reason_unanswerable:
        raise InvalidInput(
            "A question that can be answered has no reason why not.",
            details={"field": "reason_unanswerable"},
        )
    if not fields.answerable and fields.reason_unanswerable not in Question.Reason.values:
        raise InvalidInput(
            "Say why the question cannot be answered.", details={"field": "reason_unanswerable"}
        )
    if fields.answerable and not has_gold:
        raise InvalidInput(
            "Mark the words that answer the question, or say that nothing does.",
            details={"field": "gold"},
        )


def check_may(acted_by: Actor, permission: str) -> None:
    """Make sure that an account has a permission; whoever has the site's shell needs none.

    Raises: NotPermitted.
    """
    if not isinstance(acted_by, Operator) and not acted_by.has_perm(permission):
        raise NotPermitted("You may not do this to evaluations.")


def lock_open(question_set: QuestionSet) -> QuestionSet:
    """Lock a version against being frozen until the transaction ends.

    Raises: Conflict (`set_frozen`).
    """
    locked = QuestionSet.objects.select_for_update().get(pk=question_set.pk)
    if locked.frozen_at is not None:
        raise Conflict(
            "A run has used this version, so it stays as it is; add a version to change it.",
            code="set_frozen",
            details={"version": locked.version},
        )
    return locked


def _find_spans(gold: Sequence[GoldPlace], *, acted_by: User) -> list[GoldSpan]:
    """Return unsaved spans for what the labeller may open; holds their documents."""
    readable = citable_revisions(scope_for(acted_by, at=timezone.now()))
    spans = []
    for place in gold:
        revision: Revision | None = readable.filter(
            document__public_id=place.document, number=place.revision
        ).first()
        if revision is None:
            raise InvalidInput(
                "A marked revision is not there, or you may not read it.", details={"field": "gold"}
            )
        if not 0 <= place.start < place.end <= len(revision.text):
            raise InvalidInput(
                f"A marked span lies outside its text, which has {len(revision.text)} characters.",
                details={"field": "gold"},
            )
        quote = revision.text[place.start : place.end]
        spans.append(
            GoldSpan(
                revision=revision,
                start=place.start,
                end=place.end,
                need=place.need,
                quote_sha256=quote_fingerprint(quote),
            )
        )
    hold_against_purge({span.revision_id for span in spans})
    return spans


def _check_asks_as_account(question: Question | None, asker: User, acted_by: User) -> None:
    is_new = question is None or question.asker_id != asker.pk
    if is_new and not acted_by.has_perm(ASK_AS_ACCOUNT):
        raise NotPermitted("You may not label questions that an account asks.")


def _check_texts(**texts: str) -> None:
    for name, text in texts.items():
        check_storable(text, field=name)


def _record(action: str, question_set: QuestionSet, acted_by: Actor) -> None:
    audit.record(action, acted_by=acted_by, details={"set": str(question_set)})
