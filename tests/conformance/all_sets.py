"""Every set of recorded answers in one run, in this process: those of the tests, or the folders and archives named."""

from __future__ import annotations

import tarfile
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.conformance import pins
from tests.conformance.checks import check_histories, check_replays, check_vectors
from tests.conformance.histories import has_histories
from tests.conformance.table_report import check_tables
from tests.support import (
    GOLDEN,
    HISTORIES,
    MERGES,
    OLDER_TABLES,
    OPERATIONS,
    ORC_TABLES,
    SETTINGS,
    SQL_TABLES,
    STAGES,
    TABLES,
    TYPED_TABLES,
    UPGRADED,
)
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import ExitStack

    from pyspark.sql import SparkSession

    from tests.conformance.history_report import HistoryReport
    from tests.conformance.replay_report import ReplayReport
    from tests.conformance.table_report import TableReport
    from tests.conformance.vector_report import VectorReport

    Report = VectorReport | HistoryReport | ReplayReport | TableReport

SETS = (
    *(GOLDEN, HISTORIES, SETTINGS, OPERATIONS, MERGES, UPGRADED, STAGES),
    *(TABLES, SQL_TABLES, ORC_TABLES, TYPED_TABLES, OLDER_TABLES),
)
"""The sets of the tests."""


class Check(NamedTuple):
    """A set, and how it is compared.

    Attributes:
        name: what is compared, and where it lies.
        run: compares it, which takes seconds.
    """

    name: str
    run: Callable[[], Report]


def checks(stack: ExitStack, sets: Sequence[Path]) -> Iterator[Check]:
    """Give the checks of some sets by all that is in them; archives are unpacked into folders that end with `stack`.

    Replays are asked of the folders whose pins count them. A set without anything is checked for histories, which
    then says so.
    """
    for given in sets:
        folder, name = given, given.name
        if given.is_file():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recorded-")))
            with tarfile.open(given) as archive:
                unpack(archive, folder)
        has_vectors = any(folder.rglob("*.jsonl*"))
        has_tables = any(path.is_dir() for path in folder.rglob("table"))
        if has_vectors:
            yield Check(f"vectors of {name}", partial(check_vectors, folder))
        if has_tables:
            yield Check(f"tables of {name}", partial(check_tables, folder))
        if has_histories(folder) or not (has_vectors or has_tables):
            yield Check(f"histories of {name}", partial(check_histories, folder, _no_spark))
            for section in pins.read(folder).counts:
                if section.startswith(pins.REPLAY):
                    left = folder / section.removeprefix(pins.REPLAY)
                    yield Check(f"replays from {left.resolve().name} to {name}", partial(check_replays, left, folder))


def _no_spark() -> SparkSession:
    msg = "histories run in this process"
    raise AssertionError(msg)
