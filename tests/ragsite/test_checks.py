import pytest
from django.db import connection

from documents.conf import documents_config
from ragsite.checks import (
    check_databases,
    check_product_settings,
    check_statements_stay_unprepared,
)


def ids(problems) -> list[str | None]:
    return [problem.id for problem in problems]


def test_the_shipped_settings_are_sane():
    assert check_product_settings() == []
    assert check_statements_stay_unprepared() == []


def test_an_unknown_product_knob_is_an_error(settings):
    settings.DOCUMENTS = {**settings.DOCUMENTS, "no_such_knob": 1}
    documents_config.cache_clear()
    try:
        assert ids(check_product_settings()) == ["ragsite.E001"]
    finally:
        documents_config.cache_clear()


@pytest.mark.parametrize("options", [{"server_side_binding": True}, {"prepare_threshold": 5}])
def test_an_option_that_prepares_statements_is_an_error(settings, monkeypatch, options):
    monkeypatch.setitem(settings.DATABASES["default"], "OPTIONS", options)
    assert ids(check_statements_stay_unprepared()) == ["ragsite.E002"]


@pytest.mark.db
def test_a_database_that_is_ready_has_no_problems():
    assert check_databases(databases=[connection.alias]) == []
