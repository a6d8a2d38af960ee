import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.errors import ModelUnavailable
from retrieval.registry import get_embedder
from tests.contracts.embedder import EmbedderContract

pytestmark = pytest.mark.model

PROJECT_FOLDER = Path(__file__).resolve().parents[2]
GROW = """
import random
from pathlib import Path
from retrieval.models_local import LocalEmbedder, packaged_model_path

def private_megabytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("RssAnon"))

embedder = LocalEmbedder(
    packaged_model_path(),
    name="growing",
    languages=frozenset(),
    precision="bfloat16",
    batch_size=16,
    threads=2,
)
lengths = random.Random(1)
before = private_megabytes()
for _ in range(40):
    texts = lengths.randint(2, 40)
    embedder.embed_passages(["word " * lengths.randint(1, 120) for _ in range(texts)])
print(private_megabytes() - before)
"""


class TestPackagedModel(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return get_embedder(precision="float32")

    def test_is_the_small_english_model(self, embedder):
        assert (embedder.width, embedder.max_tokens) == (384, 254)
        assert embedder.languages == {"en"}

    def test_loads_once_in_a_process(self, embedder):
        assert get_embedder(precision="float32") is embedder

    def test_precision_is_part_of_the_fingerprint(self, embedder):
        from retrieval.models_local import fingerprint_of, packaged_model_path

        path = packaged_model_path()
        assert fingerprint_of(path, precision="float32") == embedder.fingerprint
        assert fingerprint_of(path, precision="bfloat16") != embedder.fingerprint

    def test_both_precisions_agree_to_a_hundredth(self, embedder):
        text = "Refunds are made within 14 days."
        other = get_embedder(precision="bfloat16")
        pairs = zip(embedder.embed_question(text), other.embed_question(text), strict=True)
        assert sum(a * b for a, b in pairs) > 0.99

    def test_counts_as_the_tokenizer_does(self, embedder):
        assert embedder.count_tokens("unaffable cat") == 4
        assert embedder.count_tokens("汇率") == 2


def test_tokens_are_counted_the_same_before_and_after_embedding():
    from retrieval.models_local import LocalEmbedder, packaged_model_path

    fresh = LocalEmbedder(
        packaged_model_path(),
        name="fresh",
        languages=frozenset({"en"}),
        precision="float32",
        batch_size=8,
        threads=1,
    )
    text = "unaffable cat " * 600
    assert (fresh.count_tokens("unaffable cat"), fresh.count_tokens(text)) == (4, 2400)
    fresh.embed_passages(["a", "a longer text"])
    assert (fresh.count_tokens("unaffable cat"), fresh.count_tokens(text)) == (4, 2400)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_vector_depends_on_its_own_text_alone(precision):
    from retrieval.models_local import LocalEmbedder, packaged_model_path

    embedder = LocalEmbedder(
        packaged_model_path(),
        name="threads",
        languages=frozenset({"en"}),
        precision=precision,
        batch_size=4,
        threads=4,
    )
    texts = [f"Rule {number} " + "on leave " * (number * 7 % 90) for number in range(40)]
    alone = [embedder.embed_passages([text]) for text in texts]
    assert [[vector] for vector in embedder.embed_passages(texts)] == alone
    assert [[embedder.embed_question(text)] for text in texts] == alone


def test_a_folder_without_a_model_is_named():
    from retrieval.models_local import LocalEmbedder

    with pytest.raises(ModelUnavailable, match="/nowhere"):
        LocalEmbedder(
            Path("/nowhere"),
            name="x",
            languages=frozenset(),
            precision="float32",
            batch_size=1,
            threads=1,
        )


@pytest.mark.db
def test_the_registry_measures_precision_once(settings):
    settings.RETRIEVAL = {"embedder_precision": "auto"}
    first = get_embedder()
    assert get_embedder() is first
    assert "torch" in sys.modules


def test_batches_of_changing_shapes_leave_little_memory_behind():
    grown = subprocess.run(  # noqa: S603 - this project's own code
        [sys.executable, "-c", GROW], cwd=PROJECT_FOLDER, capture_output=True, text=True, check=True
    )
    # 80 with batches of few shapes, 390 where each length has its own.
    assert int(grown.stdout) < 130
