import pytest
from django.core.exceptions import ImproperlyConfigured

from retrieval.conf import RetrievalConfig, read_config, retrieval_config


def test_absent_keys_keep_their_defaults():
    assert read_config({}) == RetrievalConfig()


def test_settings_reach_the_configuration(settings):
    settings.RETRIEVAL = {"k1": 2, "embedder_languages": ["en", "zh"]}
    config = retrieval_config()
    assert (config.k1, config.embedder_languages) == (2.0, ("en", "zh"))
    assert config.bm25.k1 == 2.0


@pytest.mark.parametrize(
    "values",
    [
        {"colour": 1},
        {"k1": "high"},
        {"k1": True},
        {"b": 1.5},
        {"max_tokens": 2.5},
        {"max_tokens": 32, "prefix_tokens": 40},
        {"embedder_languages": "en"},
        {"embedder_precision": "float16"},
        {"fusion": "votes"},
    ],
)
def test_impossible_settings_stop_the_start(values):
    with pytest.raises(ImproperlyConfigured, match="RETRIEVAL"):
        read_config(values)
