"""The truth: what exists, who may read it, from when to when. Rows only; rules are in services."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField, DateTimeRangeField, RangeOperators
from django.contrib.postgres.indexes import GinIndex, GistIndex
from django.db import models
from django.db.models import F, Func, Q, Value
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from documents.querysets import DocumentQuerySet, RevisionQuerySet


class VisibilityGroup(models.Model):  # type: ignore[django-manager-missing]  # guardian has no types
    """A named audience. Documents belong to one; readers are granted permissions on it."""

    class Reach(models.TextChoices):
        """Who may read beyond those listed."""

        LISTED = "listed", "Only those listed"
        SIGNED_IN = "signed_in", "Everyone signed in"
        PUBLIC = "public", "Everyone, signed in or not"

    slug = models.SlugField(max_length=200, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    reach = models.CharField(max_length=16, choices=Reach.choices, default=Reach.LISTED)

    class Meta:
        ordering = ["name", "id"]
        default_permissions = ("add", "change", "view")
        permissions = [
            ("read_documents", "Can read the documents of this group"),
            ("manage_documents", "Can read and manage the documents of this group"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(reach__in=["listed", "signed_in", "public"]),
                name="visibility_group_reach_known",
            )
        ]

    def __str__(self) -> str:
        return f"visibility group {self.pk}"


class VisibilityGroupUserObjectPermission(UserObjectPermissionBase):  # type: ignore[misc]  # untyped base
    """A permission on a visibility group given to one account."""

    content_object = models.ForeignKey(VisibilityGroup, on_delete=models.CASCADE)

    def __str__(self) -> str:
        return f"grant {self.pk}"


class VisibilityGroupGroupObjectPermission(GroupObjectPermissionBase):  # type: ignore[misc]  # untyped base
    """A permission on a visibility group given to a Django group."""

    content_object = models.ForeignKey(VisibilityGroup, on_delete=models.CASCADE)

    def __str__(self) -> str:
        return f"group grant {self.pk}"


class Document(models.Model):
    """A thing with an identity that outlives its texts."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=200, allow_unicode=True)
    title = models.CharField(max_length=500)
    visibility_group = models.ForeignKey(
        VisibilityGroup, on_delete=models.PROTECT, related_name="documents"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    tags = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    language = models.CharField(max_length=16, blank=True)
    source_url = models.URLField(max_length=2000, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["title", "id"]
        default_permissions = ("add", "change", "view")
        constraints = [
            models.UniqueConstraint(
                fields=["visibility_group", "slug"],
                condition=Q(deleted_at=None),
                name="document_slug_unique_in_group",
            )
        ]
        indexes = [GinIndex(fields=["tags"], name="document_tags")]

    def __str__(self) -> str:
        return f"document {self.public_id}"


class SourceFile(models.Model):
    """The bytes of an upload, kept once by their hash."""

    sha256 = models.CharField(max_length=64, unique=True)
    size_bytes = models.BigIntegerField()
    storage_key = models.CharField(max_length=200)
    stored_at = models.DateTimeField()
    drop_owed = models.BooleanField(default=False)

    class Meta:
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["id"], name="source_file_drop_owed", condition=Q(drop_owed=True))
        ]

    def __str__(self) -> str:
        return f"source file {self.pk}"


class Revision(models.Model):
    """One immutable text of a document, with the interval in which it is in force."""

    class Status(models.TextChoices):
        """How far the way from bytes to searchable passages has come."""

        RECEIVED = "received", "Received"
        EXTRACTING = "extracting", "Reading the file"
        SPLITTING = "splitting", "Splitting into passages"
        EMBEDDING = "embedding", "Computing vectors"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"
        QUARANTINED = "quarantined", "Quarantined"
        CANCELLED = "cancelled", "Cancelled"

    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    source_file = models.ForeignKey(SourceFile, on_delete=models.PROTECT, related_name="revisions")
    original_name = models.CharField(max_length=1000)
    declared_encoding = models.CharField(max_length=40, blank=True)
    text = models.TextField(blank=True)
    text_sha256 = models.CharField(max_length=64, blank=True)
    language = models.CharField(max_length=16, blank=True)
    layout = models.JSONField(default=dict, blank=True)
    warnings = ArrayField(models.CharField(max_length=500), default=list, blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.RECEIVED)
    failure_code = models.CharField(max_length=40, blank=True)
    failure_message = models.CharField(max_length=1000, blank=True)
    change_note = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    published_at = models.DateTimeField(null=True, blank=True)
    effective = DateTimeRangeField(null=True, blank=True)
    entered_late = models.BooleanField(default=False)
    retracted_at = models.DateTimeField(null=True, blank=True)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["document_id", "number"]
        default_permissions = ("add", "change", "view")
        constraints = [
            models.UniqueConstraint(
                fields=["document", "number"], name="revision_number_unique_in_document"
            ),
            models.CheckConstraint(
                condition=Q(effective=None) | Q(status="ready"), name="revision_published_is_ready"
            ),
            ExclusionConstraint(
                name="revision_effective_no_overlap",
                expressions=[
                    (
                        Func(
                            F("document_id"),
                            F("document_id"),
                            Value("[]"),
                            function="int8range",
                        ),
                        RangeOperators.OVERLAPS,
                    ),
                    ("effective", RangeOperators.OVERLAPS),
                ],
                condition=Q(retracted_at=None),
            ),
        ]
        indexes = [GistIndex(fields=["effective"], name="revision_effective")]

    def __str__(self) -> str:
        return f"revision {self.number} of document {self.document_id}"


class PublicationOrder(models.Model):
    """A publication asked for before its revision was ready; carried out when it is."""

    revision = models.OneToOneField(
        Revision, on_delete=models.CASCADE, related_name="publication_order"
    )
    starts_at = models.DateTimeField(null=True, blank=True)  # None: when the revision is ready
    ends_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    replace_scheduled = models.BooleanField(default=False)
    ordered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    ordered_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"publication order {self.pk}"


class Work(models.Model):
    """A step owed to a revision. The broker only carries hints about these rows."""

    class State(models.TextChoices):
        """Whether the step is still to be done, and how it ended."""

        OWED = "owed", "Owed"
        LEASED = "leased", "Being worked on"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        QUARANTINED = "quarantined", "Quarantined"
        CANCELLED = "cancelled", "Cancelled"

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="work")
    step = models.CharField(max_length=16)
    state = models.CharField(max_length=16, choices=State.choices, default=State.OWED)
    attempts = models.PositiveIntegerField(default=0)
    deaths = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    failure = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = verbose_name_plural = "work on files"
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["revision", "step"], name="work_step_unique")
        ]
        indexes = [
            models.Index(
                fields=["state", "lease_until"],
                name="work_unfinished",
                condition=Q(state__in=["owed", "leased"]),
            )
        ]

    def __str__(self) -> str:
        return f"work {self.pk}"


class AuditEntry(models.Model):
    """Who did what to which document, revision or grant. Append-only; ids, never text."""

    at = models.DateTimeField()
    # No database constraint: the trail outlives accounts, documents and groups.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    command = models.CharField(max_length=100, blank=True)
    action = models.CharField(max_length=40)
    document_public_id = models.UUIDField(null=True)
    revision_number = models.PositiveIntegerField(null=True)
    visibility_group_slug = models.CharField(max_length=200, blank=True)
    details = models.JSONField(default=dict)
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-id"]
        default_permissions = ("view",)
        indexes = [models.Index(fields=["document_public_id", "id"], name="audit_by_document")]

    def __str__(self) -> str:
        return f"audit entry {self.pk}"


class RateLimitCount(models.Model):
    """How many requests of a kind a subject has made in the window now running."""

    subject = models.CharField(max_length=40)
    kind = models.CharField(max_length=16)
    window_start = models.DateTimeField()
    requests = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["subject", "kind"], name="rate_limit_count_unique")
        ]

    def __str__(self) -> str:
        return f"rate limit count {self.pk}"


class AccessToken(models.Model):
    """A program's key: only its hash is kept."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens"
    )
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=16))
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ("add", "view")

    def __str__(self) -> str:
        return f"access token {self.pk}"
