"""Failures of the fault tests say what differs."""

import pytest

pytest.register_assert_rewrite("tests.ragsite.faults.oracle", "tests.ragsite.faults.site")
