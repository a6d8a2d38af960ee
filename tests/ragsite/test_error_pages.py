"""Faults as people see them: a page, a request to name, and nothing of what broke."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from documents.errors import TooManyRequests
from ragsite.errors import product_error_page, server_error
from retrieval.errors import ModelUnavailable


@pytest.fixture
def request_of_nobody(rf: RequestFactory):
    request = rf.get("/documents/")
    request.user = AnonymousUser()
    setattr(request, "id", "0123456789abcdef")  # noqa: B010 - the middleware's own attribute
    return request


def test_a_model_that_is_not_there_is_no_fault_of_the_reader(request_of_nobody):
    error = ModelUnavailable("The embedding model at /srv/secret/model did not load.")
    response = product_error_page(request_of_nobody, error)
    page = response.content.decode()
    assert response.status_code == 503
    assert "/srv/secret" not in page
    assert "0123456789abcdef" in page


def test_a_fault_names_its_request(request_of_nobody):
    response = server_error(request_of_nobody)
    assert response.status_code == 500
    assert "0123456789abcdef" in response.content.decode()


def test_too_many_requests_say_how_long_to_wait(request_of_nobody):
    response = product_error_page(request_of_nobody, TooManyRequests(wait_seconds=7))
    assert (response.status_code, response.headers["Retry-After"]) == (429, "7")
    assert "Go on in 7 seconds." in response.content.decode()
