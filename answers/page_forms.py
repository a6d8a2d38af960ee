"""Shapes of what the ask page is sent. No rules of the domain."""

from __future__ import annotations

from django import forms

LONGEST_QUESTION_CHARS = 2_000
LONGEST_MOMENT_CHARS = 100


class QuestionForm(forms.Form):
    """A question and the moment that it is asked about."""

    question = forms.CharField(
        max_length=LONGEST_QUESTION_CHARS,
        error_messages={
            "required": "Write a question first.",
            "max_length": "A question may have %(limit_value)d characters; this one has "
            "%(show_value)d.",
        },
    )
    as_of = forms.CharField(required=False, max_length=LONGEST_MOMENT_CHARS)
