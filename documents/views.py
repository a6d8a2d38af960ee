"""Pages of documents: the list, one document, one revision. Each calls one selector."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from documents import browsing, presenting, reading_pages
from documents.errors import InvalidInput
from documents.moments import read_asked_moment
from documents.page_forms import ShelfForm, SpanForm
from documents.page_requests import form_errors, moment_of, scope_of
from documents.selectors import get_document, get_revision, list_timeline


@require_safe
def document_list(request: HttpRequest) -> HttpResponse:
    """Show the documents that the reader may read, narrowed by filters."""
    form = ShelfForm(request.GET)
    try:
        query = presenting.read_shelf_query(form, request.GET, now=moment_of(request))
        errors = form_errors(form)
    except InvalidInput as error:
        query = presenting.read_shelf_query(ShelfForm({}), {}, now=moment_of(request))
        errors = (error.message,)
    scope = scope_of(request, at=query.asked.at)
    shelf = browsing.list_shelf(scope, query.filters, query.place)
    page = presenting.present_shelf(shelf, query, errors=errors)
    return render(request, "documents/list.html", {"page": page}, status=400 if errors else 200)


@require_safe
def document_page(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Show one document with its timeline, as of the moment asked about."""
    asked = read_asked_moment(request.GET.get("as_of", ""), now=moment_of(request))
    scope = scope_of(request, at=asked.at)
    document = get_document(scope, public_id)
    page = presenting.present_document(document, list_timeline(scope, document), asked=asked)
    return render(request, "documents/document.html", {"page": page})


@require_safe
def revision_page(request: HttpRequest, public_id: UUID, number: int) -> HttpResponse:
    """Show the text of one revision, with the span that the address names marked."""
    scope = scope_of(request)
    revision = get_revision(scope, public_id, number)
    timeline = list_timeline(scope, revision.document)
    page = reading_pages.present_revision(revision, timeline, SpanForm(request.GET), at=scope.at)
    return render(request, "documents/revision.html", {"page": page})
