from dataclasses import asdict

import pytest
from django.core.exceptions import ImproperlyConfigured

from answers.conf import BOUNDS, AnswerConfig, answer_config
from answers.setup import read_calibration


def test_the_shipped_settings_are_within_their_bounds():
    assert answer_config().writer == "extractive"


@pytest.mark.parametrize("key", sorted(BOUNDS))
def test_values_out_of_bounds_are_refused_by_name(key):
    low, high = BOUNDS[key]
    for value in (low - 1, high + 1, True):
        with pytest.raises(ImproperlyConfigured, match=key):
            AnswerConfig(**{**asdict(answer_config()), key: value})


def test_an_unknown_key_stops_the_start(settings):
    settings.ANSWERS = {**settings.ANSWERS, "passage": 10}
    answer_config.cache_clear()
    with pytest.raises(ImproperlyConfigured, match="passage"):
        answer_config()


def test_a_missing_key_stops_the_start(settings):
    settings.ANSWERS = {"writer": "extractive"}
    answer_config.cache_clear()
    with pytest.raises(ImproperlyConfigured, match="passages"):
        answer_config()


@pytest.fixture(autouse=True)
def fresh_settings():
    yield
    answer_config.cache_clear()


def test_the_length_aimed_at_stays_within_the_limit():
    with pytest.raises(ImproperlyConfigured, match="answer_target_chars"):
        AnswerConfig(
            **{**asdict(answer_config()), "answer_max_chars": 400, "answer_target_chars": 500}
        )


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(ImproperlyConfigured, match="confidence_threshold"):
        AnswerConfig(**{**asdict(answer_config()), "confidence_threshold": threshold})


def test_the_packaged_calibration_can_be_read():
    calibration = read_calibration(answer_config().calibration_path)
    assert 0 < calibration.threshold < 1


@pytest.mark.parametrize("content", ["", "[]", '{"features": {}}'])
def test_a_file_that_is_no_calibration_is_refused_by_name(tmp_path, content):
    path = tmp_path / "curve.json"
    path.write_text(content)
    with pytest.raises(ImproperlyConfigured, match=r"curve\.json"):
        read_calibration(path)
