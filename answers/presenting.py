"""Turns questions, answers and refusals into what their pages print. No database, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.urls import reverse

from answers.page_forms import LONGEST_QUESTION_CHARS
from answers.pages import AskForm, AskPage
from documents.moments import AskedMoment, today_text, word_day_or_time
from documents.pages import PageLink

GREETING = "What do the rules say?"


def present_form(
    asked: AskedMoment, *, now: datetime, question: str = "", errors: Sequence[str] = ()
) -> AskForm:
    """Return the box with a question and a moment in it."""
    return AskForm(
        action=reverse("ask"),
        question=question,
        as_of=asked.text,
        as_of_type="date" if asked.is_day else "text",
        as_of_changed=asked.is_changed,
        as_of_label=word_day_or_time(asked.at) if asked.is_changed else "today",
        today=today_text(now),
        longest_chars=LONGEST_QUESTION_CHARS,
        errors=tuple(errors),
    )


def present_ask_page(form: AskForm, *, readable: int, is_signed_in: bool) -> AskPage:
    """Return the page with the empty box and how much stands behind it."""
    documents = "1 document" if readable == 1 else f"{readable:,} documents"
    reach = "" if is_signed_in else ", open to all"
    return AskPage(
        form=form,
        greeting=GREETING,
        readable_label=f"You may read {documents}{reach}.",
        documents=PageLink(label="See them", url=reverse("document_list")),
    )
