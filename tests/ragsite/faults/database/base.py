"""The product's database backend, which dies at the commits where a fault is armed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from ragsite.database import base
from tests.ragsite.faults.edges import Crossing, crossing_of, strike


class DatabaseWrapper(base.DatabaseWrapper):
    """Notes which edge a transaction passes, and strikes right before or after its commit."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._crossing: Crossing | None = None
        self.execute_wrappers.append(self._note_crossing)

    def _note_crossing(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        outcome = execute(sql, params, many, context)
        self._crossing = crossing_of(sql, params) or self._crossing
        return outcome

    def _commit(self) -> None:
        crossing, self._crossing = self._crossing, None
        if crossing:
            strike(Path(settings.STATE_DIR), crossing, "before")
        super()._commit()  # type: ignore[misc]  # the stubs leave it out
        if crossing:
            strike(Path(settings.STATE_DIR), crossing, "after")

    def _rollback(self) -> None:
        self._crossing = None
        super()._rollback()  # type: ignore[misc]  # the stubs leave it out
