import subprocess
import sys

import pytest
from django.utils import timezone

from retrieval import registry
from retrieval.models import SearchIndex


def test_importing_the_registry_loads_no_model_library():
    code = "import sys, retrieval.registry; sys.exit('torch' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", code], check=False)  # noqa: S603 - our own code
    assert finished.returncode == 0


@pytest.mark.model
@pytest.mark.db
def test_index_made_elsewhere_overrules_what_this_process_measured(monkeypatch):
    monkeypatch.setattr(registry, "_chosen", {})  # as in a process that finds no index
    measured = registry.get_embedder().precision
    other = "float32" if measured == "bfloat16" else "bfloat16"
    SearchIndex.objects.create(
        name="made elsewhere",
        splitter={},
        analysis={},
        embedder="all-MiniLM-L6-v2",
        embedder_fingerprint="0" * 64,
        precision=other,
        dimensions=384,
        status=SearchIndex.Status.ACTIVE,
        created_at=timezone.now(),
    )
    assert registry.get_embedder().precision == other
