"""Fixtures of the tests that import whole folders."""

from tests.indexing import fake_index

__all__ = ["fake_index"]
