"""What the embedder and the analysis see of a passage: title and headings before its own text."""

from collections.abc import Sequence

from retrieval.protocols import TokenCounter
from retrieval.types import SplitterParams

SEPARATOR = " > "


def passage_prefix(
    title: str,
    heading_path: Sequence[str],
    *,
    params: SplitterParams,
    count_tokens: TokenCounter,
) -> str:
    """Give the line that stands before a passage's own text, or nothing.

    Shapes: the title, then the headings from the outermost in; where that exceeds
    `prefix_tokens`, the outermost headings go first, then the title.
    """
    path = [" ".join(part.split()) for part in heading_path]
    path = [part for part in path if part]
    name = " ".join(title.split())
    wordings = [SEPARATOR.join(filter(None, [name, *path[skip:]])) for skip in range(len(path) + 1)]
    wordings.extend(path[-1:])
    for wording in wordings:
        line = wording + "\n"
        if wording and count_tokens(line) <= params.prefix_tokens:
            return line
    return ""


def embedded_text(
    own_text: str,
    *,
    title: str,
    heading_path: Sequence[str],
    params: SplitterParams,
    count_tokens: TokenCounter,
) -> str:
    """Give the text of a passage as it is embedded and analysed."""
    prefix = passage_prefix(title, heading_path, params=params, count_tokens=count_tokens)
    return prefix + own_text.strip()
