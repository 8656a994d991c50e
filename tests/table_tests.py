"""Tests over tables: one case for all rows, which tells every row that fails."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each_row(names: str, table: Iterable[Any]) -> Callable[[Callable], Callable]:
    """Return a decorator that runs a test for each row of a table, as one case.

    It is written like pytest.mark.parametrize; fixtures are shared by the rows.
    """
    keys, rows = [name.strip() for name in names.split(",")], list(table)

    def decorate(test: Callable) -> Callable:
        def run(**fixtures: Any) -> None:
            failures, skipped = [], []
            for row in rows:
                values = row if len(keys) > 1 else (row,)
                try:
                    test(**dict(zip(keys, values, strict=True)), **fixtures)
                except pytest.skip.Exception as reason:
                    skipped.append(str(reason))
                except Exception as error:
                    failures.append((row, error))
            if failures:
                shown = "\n\n".join(f"{row!r:.300}\n{error!r:.2000}" for row, error in failures)
                reason = f"{len(failures)} of {len(rows)} rows fail:\n{shown}"
                raise AssertionError(reason) from failures[0][1]
            if len(skipped) == len(rows):
                pytest.skip(", ".join(dict.fromkeys(skipped)))

        signature = inspect.signature(test)
        others = [value for name, value in signature.parameters.items() if name not in keys]
        run.__signature__ = signature.replace(parameters=others)
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.pytestmark = getattr(test, "pytestmark", [])
        return run

    return decorate
