import pytest

from retrieval.conf import retrieval_config
from retrieval.indexing import ensure_active_index
from retrieval.registry import get_embedder, is_embedder_loaded
from tests.fakes import FakeEmbedder


def test_the_process_is_up_without_asking_the_database(client):
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "up"})


@pytest.mark.db
def test_a_process_without_a_model_is_not_ready(client):
    if is_embedder_loaded():
        pytest.skip("another test loaded the model in this process")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["model"] == "not loaded"
    assert response.json()["database"] == "reachable"


@pytest.mark.db
@pytest.mark.model
def test_a_process_with_database_vectors_and_model_is_ready(client):
    get_embedder()
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ready",
        "database": "reachable",
        "pgvector": response.json()["pgvector"],
        "model": "loaded",
        "index": "complete",
    }


@pytest.mark.db
def test_a_process_whose_settings_are_not_the_indexs_is_not_ready(client, settings):
    ensure_active_index(FakeEmbedder(), retrieval_config())
    settings.RETRIEVAL = {**settings.RETRIEVAL, "k1": 1.5}
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["index"] == "settings changed"
