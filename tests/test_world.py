"""The cast is as its tables say."""

import pytest

from documents.models import Document, Revision

pytestmark = pytest.mark.db


def test_cast_has_its_documents_all_ready(world):
    assert Document.objects.count() == len(world.documents) == 10
    assert Revision.objects.count() == 14
    assert not Revision.objects.exclude(status="ready").exists()
