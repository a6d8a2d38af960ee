"""Migrations: complete, forward from nothing, and all the way back."""

import io

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

OUR_APPS = ("documents", "retrieval", "answers", "evaluation")


@pytest.mark.db
def test_models_and_migrations_agree():
    call_command("makemigrations", check=True, dry_run=True, stdout=io.StringIO())


@pytest.mark.db(transaction=True)
def test_migrations_go_back_to_nothing_and_forward_again():
    before = our_tables()
    assert len(before) >= 10
    try:
        for app in reversed(OUR_APPS):
            call_command("migrate", app, "zero", verbosity=0)
        assert our_tables() == set()
        assert our_functions() == set()
    finally:
        call_command("migrate", verbosity=0)

    assert our_tables() == before
    assert "ragsite_guard_revision" in our_functions()


def our_tables():
    expected = {
        model._meta.db_table for app in OUR_APPS for model in apps.get_app_config(app).get_models()
    }
    return expected & set(connection.introspection.table_names())


def our_functions():
    with connection.cursor() as cursor:
        cursor.execute("SELECT proname FROM pg_proc WHERE proname LIKE 'ragsite%%'", [])
        return {name for (name,) in cursor.fetchall()}
