import pytest

from tests.contracts.embedder import EmbedderContract
from tests.fakes import FakeEmbedder


class TestFakeEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return FakeEmbedder()
