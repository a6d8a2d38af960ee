"""Predicates over documents and revisions, one a method. No clock, no access decisions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models

if TYPE_CHECKING:
    from documents.models import (  # noqa: F401 - named in the bases, as text
        Document,
        Revision,
        VisibilityGroup,
    )


class DocumentQuerySet(models.QuerySet["Document"]):
    """Predicates over documents."""

    def existing(self) -> Self:
        """Keep documents that are not deleted."""
        return self.filter(deleted_at=None)

    def in_groups(self, groups: models.QuerySet[VisibilityGroup]) -> Self:
        """Keep documents of the groups, given as a subquery."""
        return self.filter(visibility_group__in=groups)


class RevisionQuerySet(models.QuerySet["Revision"]):
    """Predicates over revisions."""

    def searchable(self) -> Self:
        """Keep revisions whose text is wholly there and that count at all."""
        return self.filter(status="ready", retracted_at=None, document__deleted_at=None)

    def in_force(self, at: datetime) -> Self:
        """Keep revisions in force at the moment."""
        return self.searchable().filter(effective__contains=at)

    def ever_in_force(self) -> Self:
        """Keep revisions that are, were or will be in force at some moment."""
        return self.searchable().filter(effective__isnull=False, effective__isempty=False)

    def in_groups(self, groups: models.QuerySet[VisibilityGroup]) -> Self:
        """Keep revisions of documents of the groups, given as a subquery."""
        return self.filter(document__visibility_group__in=groups)

    def without_text(self) -> Self:
        """Leave the long columns in the database."""
        return self.defer("text", "layout")
