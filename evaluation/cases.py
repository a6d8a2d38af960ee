"""Loads a suite of labelled questions from JSON Lines and refuses what cannot be measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from documents.errors import InvalidInput
from documents.intervals import parse_moment
from evaluation.errors import SuiteInvalid
from evaluation.types import NOT_PERMITTED, Case, FileSpan, GoldSpan

REASONS = frozenset(
    {"no_such_content", NOT_PERMITTED, "not_yet_effective", "document_not_yet_published"}
)


def load_suite(path: Path, *, zone: ZoneInfo) -> list[Case]:
    """Return the cases of a suite, in its order.

    Units: dates without a time are the start of that day in `zone`.
    Raises: SuiteInvalid naming the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteInvalid(f"{path.name} cannot be read: {error}.") from error
    cases = [
        _read_case(line, place=f"{path.name}, line {number}", zone=zone)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not cases:
        raise SuiteInvalid(f"{path.name} holds no question.")
    _check_ids(cases, path)
    return cases


def _check_ids(cases: Sequence[Case], path: Path) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise SuiteInvalid(f"{path.name} has the question {case.id!r} twice.")
        seen.add(case.id)


def _read_case(line: str, *, place: str, zone: ZoneInfo) -> Case:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise SuiteInvalid(f"{place}: no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise SuiteInvalid(f"{place}: no object.")
    case = Case(
        id=_text(value, "id", place),
        family=_text(value, "family", place),
        question=_text(value, "question", place),
        as_of=_as_of(value, place, zone),
        asker_groups=_groups(value, place),
        answerable=_flag(value, "answerable", place),
        reason_unanswerable=_reason(value, place),
        gold=tuple(_gold(entry, place) for entry in _list(value, "gold", place)),
    )
    if case.answerable and not case.gold_spans:
        raise SuiteInvalid(f"{place}: an answerable question needs gold.")
    if case.answerable == (case.reason_unanswerable is not None):
        raise SuiteInvalid(f"{place}: reason_unanswerable belongs to unanswerable questions only.")
    if case.reason_unanswerable == NOT_PERMITTED and not case.forbidden_texts:
        raise SuiteInvalid(f"{place}: a not_permitted question needs the hidden text as gold.")
    return case


def _text(value: Mapping[str, object], key: str, place: str) -> str:
    text = value.get(key)
    if not isinstance(text, str) or not text:
        raise SuiteInvalid(f"{place}: {key} must be a text.")
    return text


def _flag(value: Mapping[str, object], key: str, place: str) -> bool:
    flag = value.get(key)
    if not isinstance(flag, bool):
        raise SuiteInvalid(f"{place}: {key} must be true or false.")
    return flag


def _list(value: Mapping[str, object], key: str, place: str) -> list[object]:
    entries = value.get(key, [])
    if not isinstance(entries, list):
        raise SuiteInvalid(f"{place}: {key} must be a list.")
    return entries


def _as_of(value: Mapping[str, object], place: str, zone: ZoneInfo) -> datetime | None:
    if value.get("as_of") is None:
        return None
    try:
        return parse_moment(_text(value, "as_of", place), zone=zone)
    except InvalidInput as error:
        raise SuiteInvalid(f"{place}: {error.message}") from error


def _groups(value: Mapping[str, object], place: str) -> frozenset[str]:
    names = _list(value, "asker_groups", place)
    if not all(isinstance(name, str) for name in names):
        raise SuiteInvalid(f"{place}: asker_groups must be names.")
    return frozenset(str(name) for name in names)


def _reason(value: Mapping[str, object], place: str) -> str | None:
    if value.get("reason_unanswerable") is None:
        return None
    reason = _text(value, "reason_unanswerable", place)
    if reason not in REASONS:
        raise SuiteInvalid(f"{place}: reason_unanswerable is none of {sorted(REASONS)}.")
    return reason


def _gold(entry: object, place: str) -> GoldSpan:
    if not isinstance(entry, dict):
        raise SuiteInvalid(f"{place}: gold must hold objects.")
    start, end = entry.get("start"), entry.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise SuiteInvalid(f"{place}: gold needs start and end, in order.")
    text = entry.get("text", "")
    if not isinstance(text, str) or (text and len(text) != end - start):
        raise SuiteInvalid(f"{place}: the text of gold is not as long as its span.")
    return GoldSpan(span=FileSpan(_text(entry, "file", place), start, end), text=text)
