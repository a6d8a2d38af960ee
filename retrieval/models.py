"""What can be rebuilt from the truth: indexes, passages, sentences, word statistics.

Nothing here decides who may read: every read starts from documents/visibility.py.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q
from pgvector.django import HalfVectorField, SparseVectorField

from documents.models import Revision, VisibilityGroup
from retrieval.analysis import SPARSE_DIMENSIONS
from retrieval.fields import LexemesField


class SearchIndex(models.Model):
    """One splitting scheme and one embedding model, applied to all revisions; one is active."""

    class Status(models.TextChoices):
        """Where the index stands in its life."""

        BUILDING = "building", "Building"
        ACTIVE = "active", "Active"
        RETIRED = "retired", "Retired"

    name = models.CharField(max_length=100, unique=True)
    splitter = models.JSONField()
    analysis = models.JSONField()
    embedder = models.CharField(max_length=200)
    embedder_fingerprint = models.CharField(max_length=64)
    precision = models.CharField(max_length=16)
    dimensions = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.BUILDING)
    graph_built_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["status"], condition=Q(status="active"), name="search_index_one_active"
            )
        ]

    def __str__(self) -> str:
        return f"search index {self.pk}"


class IndexedRevision(models.Model):
    """A revision whose passages are wholly in an index, and where its words are counted."""

    index = models.ForeignKey(SearchIndex, on_delete=models.CASCADE)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    passages = models.PositiveIntegerField()
    embedding_seconds = models.FloatField(default=0.0)
    # The group in whose statistics its words are counted now; None while it is not in force.
    counted_in = models.ForeignKey(
        VisibilityGroup, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "index"], name="indexed_revision_unique_in_index"
            )
        ]

    def __str__(self) -> str:
        return f"indexed revision {self.pk}"


class Passage(models.Model):
    """A contiguous span of one revision, with what searching it needs; never its text."""

    index = models.ForeignKey(SearchIndex, on_delete=models.CASCADE)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    ordinal = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    section_start = models.PositiveIntegerField()
    section_end = models.PositiveIntegerField()
    heading_path = ArrayField(models.TextField(), default=list)
    kind = models.CharField(max_length=16)
    page_from = models.PositiveIntegerField(null=True)
    page_to = models.PositiveIntegerField(null=True)
    tokens = models.PositiveIntegerField()
    # 128 bits of the hash of what was embedded: title, heading path and text.
    embedded_hash = models.UUIDField()
    embedding = HalfVectorField()
    lexemes = LexemesField()
    weights = SparseVectorField(dimensions=SPARSE_DIMENSIONS)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "index", "ordinal"], name="passage_ordinal_unique_in_revision"
            ),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="passage_offsets_ordered"),
        ]
        indexes = [
            GinIndex(fields=["lexemes"], name="passage_lexemes", fastupdate=False),
            models.Index(fields=["embedded_hash"], name="passage_embedded_hash"),
        ]

    def __str__(self) -> str:
        return f"passage {self.pk}"


class Sentence(models.Model):
    """The smallest span that can be cited, within a passage."""

    passage = models.ForeignKey(Passage, on_delete=models.CASCADE)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    embedded_hash = models.UUIDField()
    embedding = HalfVectorField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="sentence_offsets_ordered")
        ]
        indexes = [models.Index(fields=["embedded_hash"], name="sentence_embedded_hash")]

    def __str__(self) -> str:
        return f"sentence {self.pk}"


class TermStatistic(models.Model):
    """In how many passages in force of one visibility group a lexeme occurs."""

    index = models.ForeignKey(SearchIndex, on_delete=models.CASCADE)
    visibility_group = models.ForeignKey(VisibilityGroup, on_delete=models.CASCADE)
    lexeme = models.TextField()
    passages = models.IntegerField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["index", "lexeme", "visibility_group"], name="term_statistic_unique"
            )
        ]

    def __str__(self) -> str:
        return f"term statistic {self.pk}"
