"""What was asked, answered and cited. Append-only; offsets and hashes, never document text."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from documents.models import Revision


class Answer(models.Model):
    """One question with its outcome, and everything needed to see how it came about."""

    class Outcome(models.TextChoices):
        """Whether there was an answer. A refusal is a result, not a failure."""

        ANSWERED = "answered", "Answered"
        REFUSED = "refused", "Refused"

    query_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    # No database constraint: an answer cannot be changed when its asker's account goes.
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    question = models.TextField()
    asked_at = models.DateTimeField()
    as_of = models.DateTimeField()
    filters = models.JSONField(default=dict)
    scope_fingerprint = models.CharField(max_length=64)
    outcome = models.CharField(max_length=16, choices=Outcome.choices)
    refusal_reason = models.CharField(max_length=40, blank=True)
    confidence = models.FloatField()
    # A number only: an index can be dropped and rebuilt, an answer cannot.
    index_number = models.BigIntegerField()
    config = models.JSONField(default=dict)
    writer = models.CharField(max_length=100)
    permitted_passages = models.PositiveIntegerField()
    dense_plan = models.CharField(max_length=20)
    citation_count = models.PositiveIntegerField(default=0)
    timings_ms = models.JSONField(default=dict)
    tokens = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="answered", refusal_reason="")
                | (Q(outcome="refused") & ~Q(refusal_reason="")),
                name="answer_refused_with_reason",
            )
        ]
        indexes = [models.Index(fields=["asker", "-id"], name="answer_by_asker")]

    def __str__(self) -> str:
        return f"answer {self.query_id}"


class Claim(models.Model):
    """One claim of an answer. `text` is empty where the claim is its quotes."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="claims")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)

    class Meta:
        ordering = ["answer_id", "number"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["answer", "number"], name="claim_number_unique")
        ]

    def __str__(self) -> str:
        return f"claim {self.number} of answer {self.answer_id}"


class Citation(models.Model):
    """A pointer from a claim to exact offsets of a revision, and the hash of what stands there."""

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="citations")
    number = models.PositiveIntegerField()
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote_sha256 = models.CharField(max_length=64)
    verdict = models.CharField(max_length=16)

    class Meta:
        ordering = ["claim_id", "number"]
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="citation_span_ordered"),
            models.UniqueConstraint(fields=["claim", "number"], name="citation_number_unique"),
        ]

    def __str__(self) -> str:
        return f"citation {self.pk}"


class OfferedPassage(models.Model):
    """A passage that was found for a question; `packed` where its writer was given it."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="passages")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    rank = models.PositiveIntegerField()
    lexical_rank = models.PositiveIntegerField(null=True)
    dense_rank = models.PositiveIntegerField(null=True)
    packed = models.BooleanField()
    cited = models.BooleanField()

    class Meta:
        ordering = ["answer_id", "rank"]
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(start__lt=F("end")), name="offered_passage_span_ordered"
            ),
            models.UniqueConstraint(fields=["answer", "rank"], name="offered_passage_rank_unique"),
        ]

    def __str__(self) -> str:
        return f"passage {self.rank} of answer {self.answer_id}"


class StageRecord(models.Model):
    """What one stage did for an answer: counts of readable passages and milliseconds."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=40)
    count_in = models.PositiveIntegerField()
    count_out = models.PositiveIntegerField()
    ms = models.FloatField()

    class Meta:
        ordering = ["answer_id", "number"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["answer", "number"], name="stage_record_number_unique")
        ]

    def __str__(self) -> str:
        return f"stage {self.number} of answer {self.answer_id}"
