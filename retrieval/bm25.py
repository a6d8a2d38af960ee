"""BM25 as two sparse vectors whose inner product is the score. No database, no analysis.

Source: Robertson, Zaragoza 2009 (the probabilistic relevance framework), with the average length
replaced by a configured pivot, so that no weight depends on texts that a reader may not see.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Params:
    """How much repetition (`k1`) and length (`b`, against `pivot` lexemes) matter."""

    k1: float
    b: float
    pivot: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 >= 0):
            raise ValueError(f"k1 must be a finite number of at least 0, not {self.k1!r}")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b must lie between 0 and 1, not {self.b!r}")
        if not (math.isfinite(self.pivot) and self.pivot > 0):
            raise ValueError(f"pivot must be a finite number above 0, not {self.pivot!r}")


def passage_weights(lexemes: Sequence[str], params: Bm25Params) -> dict[str, float]:
    """Weigh each distinct lexeme of a passage, in the order of first use.

    Units: no unit, 0 < weight < k1 + 1, or 1 for each where k1 is 0.
    """
    relative_length = len(lexemes) / params.pivot
    damping = params.k1 * (1 - params.b + params.b * relative_length)
    return {
        lexeme: times * (params.k1 + 1) / (times + damping)
        for lexeme, times in Counter(lexemes).items()
    }


def question_weights(
    lexemes: Sequence[str],
    *,
    passages_with: Mapping[str, int],
    passages: int,
    limit: int | None = None,
) -> dict[str, float]:
    """Weigh each distinct lexeme of a question by its rarity, the rarest first.

    Shapes: lexemes that no passage holds are left out; `limit` keeps the rarest.
    Units: ln(1 + (passages - n + 0.5) / (n + 0.5)), always above 0; statistics that lag behind
    are read as if every passage held the lexeme.
    """
    found = {
        lexeme: min(passages_with[lexeme], passages)
        for lexeme in lexemes
        if passages_with.get(lexeme, 0) > 0 and passages > 0
    }
    rarest = sorted(found.items(), key=lambda item: (item[1], item[0]))[:limit]
    return {
        lexeme: math.log(1 + (passages - count + 0.5) / (count + 0.5)) for lexeme, count in rarest
    }
