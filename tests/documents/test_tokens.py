"""Access tokens of programs."""

from datetime import timedelta

import pytest
from django.core import serializers
from django.utils import timezone

from documents import tokens
from documents.errors import InvalidInput, NotPermitted
from documents.models import AccessToken, AuditEntry
from tests.builders import build_account

pytestmark = pytest.mark.db


@pytest.fixture
def ada():
    return build_account("ada")


def create(user, acted_by=None, **given):
    values = {"name": "script", "scopes": ["read"], "expires_at": None} | given
    return tokens.create_token(user=user, acted_by=acted_by or user, **values)


def test_token_is_found_by_its_secret(ada):
    token, secret = create(ada)

    found = tokens.find_token(secret, at=timezone.now())
    assert (found, found and found.user) == (token, ada)


def test_nothing_stored_is_the_secret(ada):
    _, secret = create(ada)
    stored = serializers.serialize("json", [*AccessToken.objects.all(), *AuditEntry.objects.all()])

    assert secret not in stored
    assert secret.removeprefix("rgs_") not in stored


def test_two_tokens_never_share_a_secret(ada):
    assert len({create(ada)[1] for _ in range(5)}) == 5


@pytest.mark.parametrize(
    "secret", ["", "rgs_", "rgs_guess", "x" * 100_000, "\0", "\ud800", "rgs_É"]
)
def test_unknown_secret_finds_nothing(ada, secret):
    create(ada)

    assert tokens.find_token(secret, at=timezone.now()) is None


def test_digest_is_no_secret(ada):
    token, _ = create(ada)

    assert tokens.find_token(token.digest, at=timezone.now()) is None


def test_token_ends_at_its_expiry(ada, frozen_clock):
    _, secret = create(ada, expires_at=frozen_clock.at + timedelta(hours=1))

    assert tokens.find_token(secret, at=frozen_clock.at + timedelta(minutes=59)) is not None
    assert tokens.find_token(secret, at=frozen_clock.at + timedelta(hours=1)) is None


def test_revoked_token_is_useless_at_once_and_said_once(ada):
    token, secret = create(ada)
    tokens.revoke_token(token, acted_by=ada)
    tokens.revoke_token(token, acted_by=ada)

    assert tokens.find_token(secret, at=timezone.now()) is None
    assert AuditEntry.objects.filter(action="token_revoked").count() == 1


def test_token_of_a_deactivated_account_is_useless(ada):
    _, secret = create(ada)
    ada.is_active = False
    ada.save()

    assert tokens.find_token(secret, at=timezone.now()) is None


@pytest.mark.parametrize("scopes", [[], ["admin"], ["read", "everything"]])
def test_scopes_are_known_ones_and_at_least_one(ada, scopes):
    with pytest.raises(InvalidInput) as error:
        create(ada, scopes=scopes)
    assert error.value.code == "unknown_scope"


def test_scopes_are_kept_once_each(ada):
    token, _ = create(ada, scopes=["write", "read", "write"])

    assert token.scopes == ["read", "write"]


def test_expiry_in_the_past_is_refused(ada):
    with pytest.raises(InvalidInput) as error:
        create(ada, expires_at=timezone.now())
    assert error.value.code == "expiry_passed"


def test_last_use_is_kept_to_the_minute(ada, frozen_clock):
    token, secret = create(ada)
    seen = []
    for seconds in (0, 30, 70):
        tokens.find_token(secret, at=frozen_clock.at + timedelta(seconds=seconds))
        seen.append(AccessToken.objects.get(pk=token.pk).last_used_at)

    assert seen == [frozen_clock.at, frozen_clock.at, frozen_clock.at + timedelta(seconds=70)]


def test_tokens_of_others_are_for_whoever_may_change_accounts(ada):
    staff = build_account("staff", staff=True)
    with pytest.raises(NotPermitted):
        create(ada, acted_by=staff)
    token, _ = create(ada)
    with pytest.raises(NotPermitted):
        tokens.revoke_token(token, acted_by=staff)

    root = build_account("root", staff=True, superuser=True)
    made, _ = create(ada, acted_by=root)
    entry = AuditEntry.objects.latest("id")
    assert (entry.actor, entry.details) == (root, {"token": made.pk, "for": ada.pk})


def test_tokens_go_with_their_account(ada):
    create(ada)
    ada.delete()

    assert not AccessToken.objects.exists()
