"""Shapes of what the document pages are asked for. No rules of the domain."""

from __future__ import annotations

from django import forms

LONGEST_WORDS = 200
LARGEST_OFFSET = 2**31 - 1


class ShelfForm(forms.Form):
    """The filters of the document list; every one may be left out."""

    words = forms.CharField(required=False, max_length=LONGEST_WORDS)
    group = forms.CharField(required=False, max_length=LONGEST_WORDS)
    language = forms.CharField(required=False, max_length=LONGEST_WORDS)
    tag = forms.CharField(required=False, max_length=LONGEST_WORDS)
    standing = forms.ChoiceField(
        required=False, choices=[("", "In force"), ("any", "In force or not")]
    )
    as_of = forms.CharField(required=False, max_length=LONGEST_WORDS)


class SpanForm(forms.Form):
    """The span of a text that an address names, or the window that it wants to see."""

    start = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_OFFSET)
    end = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_OFFSET)
    window = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_OFFSET)
    answer = forms.UUIDField(required=False)
