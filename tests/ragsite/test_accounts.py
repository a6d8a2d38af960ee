"""Signing in and out, and changing a password, as a person meets them."""

import pytest
from django.test import Client
from django.urls import reverse

from documents.conf import documents_config
from tests.builders import PASSWORD, build_account

pytestmark = pytest.mark.db


def test_signing_in_leads_to_the_box():
    build_account("ada")
    response = Client().post(reverse("sign_in"), {"username": "ada", "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (302, reverse("ask"))


def test_signing_in_goes_on_where_the_reader_wanted_to_go():
    build_account("ada")
    url = reverse("sign_in")
    wanted = reverse("password_change")
    page = Client().get(url, {"next": wanted}).content.decode()
    assert f'name="next" value="{wanted}"' in page
    form = {"username": "ada", "password": PASSWORD, "next": wanted}
    assert Client().post(url, form).headers["Location"] == wanted


def test_signing_in_never_leads_to_another_site():
    build_account("ada")
    form = {"username": "ada", "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert Client().post(reverse("sign_in"), form).headers["Location"] == reverse("ask")


def test_wrong_password_unknown_name_and_left_account_are_told_alike():
    build_account("ada")
    build_account("leo", active=False)
    pages = set()
    for name, password in [("ada", "wrong"), ("nobody", PASSWORD), ("leo", PASSWORD)]:
        response = Client().post(reverse("sign_in"), {"username": name, "password": password})
        assert response.status_code == 200
        pages.add("Please enter a correct username and password" in response.content.decode())
    assert pages == {True}


def test_admin_has_the_same_door():
    response = Client().get("/admin/login/", {"next": "/admin/"})
    assert response.headers["Location"] == "/sign-in/?next=%2Fadmin%2F"
    assert Client().post("/admin/login/", {"username": "a", "password": "b"}).status_code == 405


def test_admin_tells_whoever_is_no_staff_instead_of_sending_them_round():
    client = Client()
    client.force_login(build_account("ada"))
    response = client.get("/admin/", follow=True)
    assert [url for url, _ in response.redirect_chain] == ["/admin/login/?next=/admin/"]
    assert response.status_code == 403
    page = response.content.decode()
    assert "You are signed in as ada" in page
    assert "Sign out" in page


def test_admin_opens_after_signing_in_at_its_door():
    client = Client()
    client.force_login(build_account("mia", staff=True))
    response = client.get("/admin/login/", {"next": "/admin/"}, follow=True)
    assert [url for url, _ in response.redirect_chain] == ["/sign-in/?next=%2Fadmin%2F", "/admin/"]


def test_signing_out_takes_a_form_and_says_so():
    client = Client()
    client.force_login(build_account("ada"))
    assert client.get(reverse("sign_out")).status_code == 405
    assert "You are signed out" in client.post(reverse("sign_out")).content.decode()
    assert "Sign in" in client.get(reverse("ask")).content.decode()


def test_changed_password_counts_and_other_sessions_end():
    user = build_account("ada")
    here, there = Client(), Client()
    here.force_login(user)
    there.force_login(user)
    new = "another horse battery"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    response = here.post(reverse("password_change"), form, follow=True)
    assert "Password changed" in response.content.decode()
    assert here.get(reverse("password_change")).status_code == 200
    assert there.get(reverse("password_change")).status_code == 302
    assert Client().login(username="ada", password=new)


def test_frame_names_the_reader_and_offers_the_admin_to_staff_alone():
    for name, staff in (("ada", False), ("mia", True)):
        client = Client()
        client.force_login(build_account(name, staff=staff))
        page = client.get(reverse("ask")).content.decode()
        assert f'<span class="account-name">{name}</span>' in page
        assert ("Administration" in page) is staff


def test_attempts_are_limited_by_name_and_by_network(settings):
    build_account("ada")
    settings.DOCUMENTS = {**settings.DOCUMENTS, "sign_ins_per_minute": 2}
    documents_config.cache_clear()
    try:
        url = reverse("sign_in")
        right = {"username": "ada", "password": PASSWORD}
        wrong = {"username": "ADA", "password": "wrong"}
        for address in ("192.0.2.1", "192.0.2.2"):
            assert Client(REMOTE_ADDR=address).post(url, wrong).status_code == 200
        limited = Client(REMOTE_ADDR="192.0.2.3").post(url, right)
        assert limited.status_code == 429
        assert int(limited.headers["Retry-After"]) <= 60
        assert "Too many requests" in limited.content.decode()
        names = [{"username": name, "password": "wrong"} for name in ("b", "c", "d")]
        statuses = [Client(REMOTE_ADDR="192.0.2.9").post(url, name).status_code for name in names]
        assert statuses == [200, 200, 429]
    finally:
        documents_config.cache_clear()


def test_an_office_signs_in_from_one_address(settings):
    settings.DOCUMENTS = {**settings.DOCUMENTS, "sign_ins_per_minute": 1}
    documents_config.cache_clear()
    try:
        for name in ("ada", "ben", "cy"):
            build_account(name)
            form = {"username": name, "password": PASSWORD}
            response = Client(REMOTE_ADDR="192.0.2.9").post(reverse("sign_in"), form)
            assert response.status_code == 302
    finally:
        documents_config.cache_clear()
