"""Pages of questions and answers. Each calls one service or selector."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from answers import presenting
from documents.browsing import count_readable
from documents.moments import read_asked_moment
from documents.page_requests import moment_of, scope_of


@require_safe
def ask_page(request: HttpRequest) -> HttpResponse:
    """Show the box, with what the address puts into it."""
    now = moment_of(request)
    asked = read_asked_moment(request.GET.get("as_of", ""), now=now)
    form = presenting.present_form(asked, now=now, question=request.GET.get("question", ""))
    page = presenting.present_ask_page(
        form,
        readable=count_readable(scope_of(request, at=asked.at)),
        is_signed_in=request.user.is_authenticated,
    )
    return render(request, "answers/ask.html", {"page": page})
