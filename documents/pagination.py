"""Pages by key: signed cursors that name a place in a total order, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.core.signing import BadSignature, Signer

from documents.errors import InvalidInput

Key = tuple[str, ...]
Item = TypeVar("Item")
Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """Up to `limit` items after the place that `after` names; None is the beginning."""

    limit: int
    after: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """Some items of a list, and the cursor from which the next ones follow; None at the end."""

    results: tuple[Item, ...]
    next_cursor: str | None


def make_page(
    found: Sequence[Item], *, limit: int, listing: str, key_of: Callable[[Item], Key]
) -> Page[Item]:
    """Return the first `limit` of what was found, and a cursor where there is more.

    Shapes: `found` holds up to limit + 1 items, in the list's own total order.
    """
    shown = tuple(found[:limit])
    more = len(found) > limit
    cursor = encode_cursor(listing, key_of(shown[-1])) if more else None
    return Page(results=shown, next_cursor=cursor)


def encode_cursor(listing: str, key: Key) -> str:
    """Return the signed name of a place in a list.

    Invariant: the key holds only what the reader was just shown, so reading it tells nothing, and
    the same place has the same cursor for everyone.
    """
    return _signer(listing).sign_object(list(key))


def decode_cursor(listing: str, cursor: str) -> Key:
    """Return the place that a cursor of this list names.

    Raises: InvalidInput (`invalid_cursor`).
    """
    try:
        return tuple(_signer(listing).unsign_object(cursor))
    except BadSignature as error:
        raise InvalidInput(
            "This cursor is not one of this list; start again without it.",
            code="invalid_cursor",
            details={"field": "cursor"},
        ) from error


def _signer(listing: str) -> Signer:
    return Signer(salt=f"cursor of {listing}")
