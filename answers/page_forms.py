"""Shapes of what the ask page is sent. No rules of the domain."""

from __future__ import annotations

from django import forms

LONGEST_MOMENT_CHARS = 100


class QuestionForm(forms.Form):
    """A question, whose length the search limits, and the moment that it is asked about."""

    question = forms.CharField(error_messages={"required": "Write a question first."})
    as_of = forms.CharField(required=False, max_length=LONGEST_MOMENT_CHARS)
