"""Pages of questions and answers. Each calls one service or selector."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from answers import presenting
from answers.answer_pages import cited_documents, present_answer
from answers.page_forms import QuestionForm
from answers.selectors import list_history, reopen_answer
from answers.services import answer_question
from answers.setup import default_setup
from answers.unsigned_answers import remember_answer, remembered_answers
from documents.browsing import count_readable, read_timelines
from documents.errors import InvalidInput, ProductError, TooManyRequests
from documents.moments import read_asked_moment
from documents.page_requests import account_of, check_page_rate, first_error, moment_of, scope_of
from retrieval import registry
from retrieval.errors import NothingToSearchFor, QuestionTooLong

HISTORY_ENTRIES = 30
ASKED_WRONGLY = (InvalidInput, NothingToSearchFor, QuestionTooLong, TooManyRequests)


@require_http_methods(["GET", "HEAD", "POST"])
def ask_page(request: HttpRequest) -> HttpResponse:
    """Show the box; answer what is sent from it, and keep the question where that fails."""
    if request.method != "POST":
        return _show_box(request, request.GET.get("question", ""), request.GET.get("as_of", ""))
    form = QuestionForm(request.POST)
    wants_json = request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    try:
        url = reverse("answer", args=[_ask(request, form)])
    except ASKED_WRONGLY as error:
        if wants_json:
            refused: HttpResponse = JsonResponse({"message": error.message, "code": error.code})
        else:
            question, as_of = request.POST.get("question", ""), request.POST.get("as_of", "")
            refused = _show_box(request, question, as_of, error=error.message)
        return _with_status(refused, error)
    return JsonResponse({"url": url}) if wants_json else HttpResponseRedirect(url)


@require_safe
def answer_page(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """Show a stored answer to its asker, every citation looked at anew."""
    scope = scope_of(request)
    reopened = reopen_answer(scope, query_id, unsigned=remembered_answers(request))
    timelines = read_timelines(scope, cited_documents(reopened.response))
    page = present_answer(reopened, timelines, now=scope.at)
    return render(request, "answers/answer.html", {"page": page})


@login_required
@require_safe
def history_page(request: HttpRequest) -> HttpResponse:
    """Show the reader's own questions, newest first."""
    cursor = request.GET.get("cursor")
    history = list_history(scope_of(request), limit=HISTORY_ENTRIES, cursor=cursor)
    page = presenting.present_history(
        history.entries,
        next_cursor=history.next_cursor,
        is_first=cursor is None,
        now=moment_of(request),
    )
    return render(request, "answers/history.html", {"page": page})


def _ask(request: HttpRequest, form: QuestionForm) -> UUID:
    """Answer the question of a form and return the id of its answer."""
    check_page_rate(request, "ask")
    if not form.is_valid():
        raise InvalidInput(first_error(form), code="invalid_question")
    now = moment_of(request)
    asked = read_asked_moment(form.cleaned_data["as_of"], now=now)
    response = answer_question(
        form.cleaned_data["question"],
        scope=scope_of(request, at=asked.at),
        asker=account_of(request),
        asked_at=now,
        setup=default_setup(registry.get_embedder()),
    )
    remember_answer(request, response.query_id)
    return response.query_id


def _with_status(refused: HttpResponse, error: ProductError) -> HttpResponse:
    """Say in the status, too, why a question was not answered, and when to come back."""
    refused.status_code = 400
    if isinstance(error, TooManyRequests):
        refused.status_code = 429
        refused["Retry-After"] = str(error.details["wait_seconds"])
    return refused


def _show_box(request: HttpRequest, question: str, as_of: str, *, error: str = "") -> HttpResponse:
    """Show the box with a question in it; a moment that cannot be read stays in its control."""
    now = moment_of(request)
    try:
        asked = read_asked_moment(as_of, now=now)
    except InvalidInput as wrong:
        asked, error = presenting.wrong_moment(as_of, now=now), error or wrong.message
    errors = (error,) if error else ()
    form = presenting.present_form(asked, now=now, question=question, errors=errors)
    readable = count_readable(scope_of(request, at=asked.at))
    is_signed_in = request.user.is_authenticated
    page = presenting.present_ask_page(form, readable=readable, is_signed_in=is_signed_in)
    return render(request, "answers/ask.html", {"page": page}, status=400 if errors else 200)
