"""Answers in the admin: that they happened and how long they took, never what was asked or said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from answers.models import Answer, StageRecord

if TYPE_CHECKING:
    AnswerAdminBase = admin.ModelAdmin[Answer]
    StageInlineBase = admin.TabularInline[StageRecord, Answer]
else:
    AnswerAdminBase = admin.ModelAdmin
    StageInlineBase = admin.TabularInline


class StageRecordInline(StageInlineBase):
    """The stages of an answer, to see where its time went."""

    model = StageRecord
    fields = ("number", "name", "count_in", "count_out", "ms")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_add_permission(self, _request: HttpRequest, _answer: Answer | None = None) -> bool:
        """Answers are append-only."""
        return False


@admin.register(Answer)
class AnswerAdmin(AnswerAdminBase):
    """Read-only. Questions are personal: neither they nor their askers are shown."""

    list_display = ("query_id", "asked_at", "outcome", "refusal_reason", "writer", "total_ms")
    list_filter = ("outcome", "refusal_reason", "writer")
    search_fields = ("query_id",)
    fields = (
        "query_id",
        "asked_at",
        "outcome",
        "refusal_reason",
        "confidence",
        "citation_count",
        "permitted_passages",
        "dense_plan",
        "writer",
        "timings_ms",
        "tokens",
    )
    readonly_fields = fields
    inlines = (StageRecordInline,)
    list_select_related = ()
    show_full_result_count = False

    @admin.display(description="ms in all")
    def total_ms(self, answer: Answer) -> object:
        """Give the milliseconds of all stages."""
        return answer.timings_ms.get("total")

    def has_add_permission(self, _request: HttpRequest) -> bool:
        """Answers come from asking."""
        return False

    def has_change_permission(self, _request: HttpRequest, _answer: Answer | None = None) -> bool:
        """Answers are append-only."""
        return False

    def has_delete_permission(self, _request: HttpRequest, _answer: Answer | None = None) -> bool:
        """Answers are append-only; purging a document removes what cites it."""
        return False
