"""Choose the evidence for an answer: drop repeats, let qualifications come along, pack to a budget.

Pure: passages in, a subset of the same passages out. Only a sentence that stands beside a passage
in the same revision, and limits it, may widen it; no passage is ever added.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.languages import is_known
from retrieval.protocols import TokenCounter
from retrieval.qualifications import qualifies
from retrieval.results import RankedPassage
from retrieval.splitting.sentences import sentence_spans
from retrieval.types import Span

NEIGHBOUR_WINDOW_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSentence:
    """A span that can be cited; `similarity` is a cosine, None where no vectors were compared."""

    start: int
    end: int
    similarity: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage chosen to support an answer, and the span that may be cited from it.

    Units: offsets are code points of the revision's text; `start` and `end` hold the passage and
    a neighbouring sentence that limits it; `tokens` counts `text` by the writer's tokenizer.
    Invariant: `sentences` are in order, disjoint and within the span.
    """

    passage: RankedPassage
    start: int
    end: int
    text: str
    sentences: tuple[EvidenceSentence, ...]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedEvidence:
    """What is offered to the writer, and the support that was retained but did not fit."""

    packed: tuple[Evidence, ...]
    skipped: tuple[Evidence, ...]
    repeated: tuple[RankedPassage, ...]
    budget_tokens: int

    @property
    def used_tokens(self) -> int:
        """Sum the tokens of what is packed."""
        return sum(evidence.tokens for evidence in self.packed)


def choose_evidence(
    passages: Sequence[RankedPassage],
    texts: Mapping[int, str],
    *,
    count_tokens: TokenCounter,
    budget_tokens: int,
    most_overlap: float,
    known_languages: frozenset[str],
) -> PackedEvidence:
    """Choose from ranked passages what the writer is offered.

    Shapes: passages best first; `texts` by revision id, read through the gate: a passage whose
    revision is missing there is dropped. In a language that is not among `known_languages` the
    embedder's similarities mean nothing and are left out; where none is known, all are.
    """
    readable = [passage for passage in passages if passage.revision_id in texts]
    kept, repeated = drop_repeats(readable, most_overlap=most_overlap)
    widened = [
        _widen(
            passage if is_known(passage.language, known_languages) else _unscored(passage),
            texts[passage.revision_id],
            count_tokens,
        )
        for passage in kept
    ]
    places = pack([evidence.tokens for evidence in widened], budget=budget_tokens)
    packed = frozenset(places)
    return PackedEvidence(
        packed=tuple(widened[place] for place in places),
        skipped=tuple(item for place, item in enumerate(widened) if place not in packed),
        repeated=tuple(repeated),
        budget_tokens=budget_tokens,
    )


def pack(lengths: Sequence[int], *, budget: int) -> list[int]:
    """Give the places of the lengths that are accepted: take what fits, skip what does not, go on.

    A budget of 0 takes nothing, not even a length of 0.
    Raises: ValueError for a negative budget or length.
    """
    if budget < 0 or any(length < 0 for length in lengths):
        raise ValueError("a budget and the lengths to pack must be at least 0")
    left = budget
    accepted = []
    for place, length in enumerate(lengths):
        if budget > 0 and length <= left:
            accepted.append(place)
            left -= length
    return accepted


def drop_repeats(
    passages: Sequence[RankedPassage], *, most_overlap: float
) -> tuple[list[RankedPassage], list[RankedPassage]]:
    """Part the passages into those kept and those whose text the better ones already hold.

    Units: a passage is a repeat where more than `most_overlap` (0 to 1) of its characters lie in
    kept passages of its revision, or where a kept passage has exactly its text.
    """
    kept: list[RankedPassage] = []
    repeated: list[RankedPassage] = []
    for passage in passages:
        covered = _covered_chars(
            passage.span, [other.span for other in kept if other.revision_id == passage.revision_id]
        )
        length = passage.end - passage.start
        same_text = any(other.text == passage.text for other in kept)
        if same_text or covered > most_overlap * length:
            repeated.append(passage)
        else:
            kept.append(passage)
    return kept, repeated


def _covered_chars(span: Span, others: Sequence[Span]) -> int:
    covered = 0
    reached = span[0]
    for start, end in sorted(others):
        first, last = max(start, reached), min(end, span[1])
        if first < last:
            covered += last - first
            reached = last
    return covered


def _unscored(passage: RankedPassage) -> RankedPassage:
    return replace(passage, sentences=())


def _widen(passage: RankedPassage, text: str, count_tokens: TokenCounter) -> Evidence:
    """Take in the sentence right after the passage, or right before, that limits it."""
    sentences = _sentences_of(passage, text)
    following = _sentence_after(passage, text)
    if following is not None and qualifies(text[following[0] : following[1]]):
        sentences = (*sentences, _beside(following))
    # A passage that opens with "This", "However" or "Unless" limits what stands before it.
    preceding = _sentence_before(passage, text)
    first = text[sentences[0].start : sentences[0].end] if sentences else ""
    if preceding is not None and qualifies(first):
        sentences = (_beside(preceding), *sentences)
    start = min(passage.start, sentences[0].start) if sentences else passage.start
    end = max(passage.end, sentences[-1].end) if sentences else passage.end
    return Evidence(
        passage=passage,
        start=start,
        end=end,
        text=text[start:end],
        sentences=sentences,
        tokens=count_tokens(text[start:end]),
    )


def _sentences_of(passage: RankedPassage, text: str) -> tuple[EvidenceSentence, ...]:
    if passage.sentences:
        return tuple(
            EvidenceSentence(start=found.start, end=found.end, similarity=found.similarity)
            for found in passage.sentences
        )
    spans = sentence_spans(text, passage.start, passage.end, kind=passage.kind)
    return tuple(_beside(span) for span in spans)


def _beside(span: Span) -> EvidenceSentence:
    return EvidenceSentence(start=span[0], end=span[1], similarity=None)


def _sentence_after(passage: RankedPassage, text: str) -> Span | None:
    limit = min(len(text), passage.section_end, passage.end + NEIGHBOUR_WINDOW_CHARS)
    if limit <= passage.end:
        return None
    spans = sentence_spans(text, passage.end, limit, kind="paragraph")
    # The last span of a window may be cut short, unless the window ends with the section.
    whole = spans if limit == passage.section_end or limit == len(text) else spans[:-1]
    return whole[0] if whole else None


def _sentence_before(passage: RankedPassage, text: str) -> Span | None:
    limit = max(0, passage.section_start, passage.start - NEIGHBOUR_WINDOW_CHARS)
    if limit >= passage.start:
        return None
    spans = sentence_spans(text, limit, passage.start, kind="paragraph")
    whole = spans if limit == passage.section_start else spans[1:]
    return whole[-1] if whole else None
