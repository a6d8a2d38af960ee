"""Question sets, runs over them, and what people said about the results. Never document text.

Gold is offsets and a hash; what an answer said is read again from its revisions. Frozen sets, runs
and results are append-only: a correction is a new row.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.related import ForeignKey

from answers.models import Answer
from documents.models import Revision


def _account() -> ForeignKey:  # type: ignore[type-arg]  # of whichever model declares it
    """Give a field that names an account and outlives it: rows here are not changed for it."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )


class QuestionSet(models.Model):
    """A version of a set of labelled questions; frozen once a run has used it."""

    slug = models.SlugField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    created_by = _account()
    created_at = models.DateTimeField()
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["slug", "-version"]
        default_permissions = ("add", "change", "view")
        permissions = [("ask_as_account", "Can label questions that an account asks")]
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="question_set_version_unique")
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.version}"


class Question(models.Model):
    """One labelled question: who asks what about which moment, and whether it can be answered."""

    class Reason(models.TextChoices):
        """Why a question cannot be answered."""

        NO_SUCH_CONTENT = "no_such_content", "Nothing is written about it"
        NOT_PERMITTED = "not_permitted", "The reader may not read it"
        NOT_YET_EFFECTIVE = "not_yet_effective", "It is not yet in force"
        NOT_YET_PUBLISHED = "document_not_yet_published", "The document was not yet published"

    class Origin(models.TextChoices):
        """Where the question came from."""

        WRITTEN = "written", "Written here"
        IMPORTED = "imported", "Imported"
        HISTORY = "history", "Asked by somebody"
        FEEDBACK = "feedback", "From feedback"

    question_set = models.ForeignKey(
        QuestionSet, on_delete=models.CASCADE, related_name="questions"
    )
    key = models.CharField(max_length=100)
    position = models.PositiveIntegerField()
    family = models.CharField(max_length=100)
    text = models.TextField()
    as_of = models.DateTimeField(null=True, blank=True)
    # Either an account, or a signed-in reader who belongs to exactly these Django groups.
    asker = _account()
    asker_groups = ArrayField(models.CharField(max_length=150), default=list, blank=True)
    filters = models.JSONField(default=dict, blank=True)
    answerable = models.BooleanField()
    reason_unanswerable = models.CharField(max_length=40, choices=Reason.choices, blank=True)
    reference_answer = models.TextField(blank=True)
    note = models.TextField(blank=True)
    origin = models.CharField(max_length=16, choices=Origin.choices, default=Origin.WRITTEN)
    created_by = _account()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["question_set_id", "position", "id"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["question_set", "key"], name="question_key_unique"),
            models.CheckConstraint(
                condition=Q(answerable=True, reason_unanswerable="")
                | (Q(answerable=False) & ~Q(reason_unanswerable="")),
                name="question_unanswerable_with_reason",
            ),
            models.CheckConstraint(
                condition=Q(asker=None) | Q(asker_groups=[]), name="question_one_kind_of_asker"
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.pk}"


class GoldSpan(models.Model):
    """Where the words stand that answer a question; spans of one need are alternatives.

    Of a question that its reader may not have answered, it is what must not be seen.
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="gold")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    need = models.PositiveIntegerField()
    quote_sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["question_id", "need", "id"]
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="gold_span_ordered")
        ]

    def __str__(self) -> str:
        return f"gold span {self.pk}"


class Run(models.Model):
    """A set asked under one or more configurations, and what the product was made of then."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    question_set = models.ForeignKey(QuestionSet, on_delete=models.PROTECT, related_name="runs")
    # The moment that questions without one of their own are asked about.
    at = models.DateTimeField()
    fingerprints = models.JSONField(default=dict)
    created_by = _account()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        default_permissions = ("add", "change", "view")

    def __str__(self) -> str:
        return f"run {self.pk}"


class RunConfiguration(models.Model):
    """One configuration of a run, as it was written; numbers count from 1."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="configurations")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    variation = models.JSONField(default=dict)

    class Meta:
        ordering = ["run_id", "number"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="run_configuration_unique"),
            models.UniqueConstraint(fields=["run", "name"], name="run_configuration_name_unique"),
        ]

    def __str__(self) -> str:
        return f"configuration {self.number} of run {self.run_id}"


class RunWork(models.Model):
    """How far a run has come. The only row of a run that changes."""

    class State(models.TextChoices):
        """Whether there is still something to ask, and how it ended."""

        OWED = "owed", "Waiting"
        LEASED = "leased", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="work")
    state = models.CharField(max_length=16, choices=State.choices, default=State.OWED)
    stage = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    deaths = models.PositiveIntegerField(default=0)
    failure = models.CharField(max_length=1000, blank=True)
    asking_seconds = models.FloatField(default=0.0)
    index_seconds = models.FloatField(default=0.0)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(
                fields=["state", "lease_until"],
                name="run_work_unfinished",
                condition=Q(state__in=["owed", "leased"]),
            )
        ]

    def __str__(self) -> str:
        return f"work on run {self.run_id}"


class CaseResult(models.Model):
    """What came of one question under one configuration: numbers, and the answer's id."""

    configuration = models.ForeignKey(
        RunConfiguration, on_delete=models.CASCADE, related_name="results"
    )
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="results")
    # None where there was nothing to look for, so that nothing was asked.
    answer = models.ForeignKey(Answer, null=True, on_delete=models.PROTECT, related_name="+")
    refusal_reason = models.CharField(max_length=40, blank=True)
    values = models.JSONField(default=dict)
    lost_at = models.CharField(max_length=20, blank=True)
    asked_at = models.DateTimeField()

    class Meta:
        ordering = ["configuration_id", "question_id"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["configuration", "question"], name="case_result_unique")
        ]

    def __str__(self) -> str:
        return f"result {self.pk}"


class Annotation(models.Model):
    """Something said about a run or a result; the newest of its kind stands."""

    class Kind(models.TextChoices):
        """What is said."""

        NAME = "name", "Name"
        NOTE = "note", "Note"
        BASELINE = "baseline", "Baseline"
        LABEL = "label", "Corrected label"
        EXCLUSION = "exclusion", "Left out"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="annotations")
    # Labels and exclusions are about a question, under every configuration of the run.
    question = models.ForeignKey(Question, null=True, blank=True, on_delete=models.PROTECT)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    value = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    created_by = _account()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        default_permissions = ("add", "view")

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id}"


class ReviewItem(models.Model):
    """An answer that reviewers are asked to look at, and why it was chosen."""

    class Why(models.TextChoices):
        """How it came into the queue."""

        SAMPLED = "sampled", "Sampled"
        LOW_CONFIDENCE = "low_confidence", "Low confidence"
        DISAGREEING = "disagreeing", "Configurations disagree"
        FEEDBACK = "feedback", "From feedback"

    result = models.OneToOneField(CaseResult, on_delete=models.CASCADE, related_name="review_item")
    why = models.CharField(max_length=16, choices=Why.choices)
    # How many reviewers should look, none seeing what another said before having judged.
    reviews_wanted = models.PositiveIntegerField(default=1)
    created_by = _account()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"review item {self.pk}"


class Judgement(models.Model):
    """What a reviewer, or a named automatic judge, says of an answer or of one of its claims."""

    class Verdict(models.TextChoices):
        """Of a claim: the first four. Of an answer: the others."""

        SUPPORTED = "supported", "Supported"
        PARTLY = "partly", "Partly supported"
        NOT_SUPPORTED = "not_supported", "Not supported"
        CANNOT_TELL = "cannot_tell", "Can't tell"
        CORRECT = "correct", "Correct"
        INCOMPLETE = "incomplete", "Incomplete"
        WRONG = "wrong", "Wrong"
        SHOULD_REFUSE = "should_refuse", "Should have refused"

    result = models.ForeignKey(CaseResult, on_delete=models.CASCADE, related_name="judgements")
    # The number of the claim; None where the whole answer is judged.
    claim_number = models.PositiveIntegerField(null=True, blank=True)
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    reviewer = _account()
    judge = models.CharField(max_length=100, blank=True)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        default_permissions = ("add", "view")
        constraints = [
            models.CheckConstraint(
                condition=(Q(reviewer=None) & ~Q(judge="")) | (~Q(reviewer=None) & Q(judge="")),
                name="judgement_of_one_judge",
            )
        ]
        indexes = [models.Index(fields=["result", "id"], name="judgement_by_result")]

    def __str__(self) -> str:
        return f"judgement {self.pk}"


class RunProbe(models.Model):
    """What the leak probes found when the run was made: counts by surface, and pointers."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="probe")
    probes = models.PositiveIntegerField()
    leaks = models.PositiveIntegerField()
    surfaces = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"probe of run {self.run_id}"
