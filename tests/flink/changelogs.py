"""One PyFlink job that merges changelogs of many keys by the guide's process function: changelogs.py BLOCK KEYS SEED.

Each key belongs to a payload and a release. What the emitted changelog comes to is compared with the record that the
same changes come to without Flink; a row of the wrong RowKind fails, too. Run by `python -m tests.flink`.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

from mergers import FlinkPayloadMerger, HoodieFlinkRecord
from tests.support import flink_changelogs, flink_rows
from tests.support.flink_changelogs import PAYLOADS, RELEASES, Spends, changes, folded

CASES = [*itertools.product((*PAYLOADS, Spends), RELEASES)]
# In this script, so that its classes are sent to the workers with it.
exec(compile(Path(sys.argv[1]).read_text("utf-8").partition("\ndef merged(")[0], "block", "exec"))  # noqa: S102
SCHEMA = flink_changelogs.SCHEMA.source


def row_type() -> Any:
    """Return Flink's type of the rows."""
    kinds = [Types.STRING(), Types.LONG(), Types.STRING(), Types.SQL_DATE(), Types.BIG_DEC(), Types.BOOLEAN()]
    return Types.ROW_NAMED([*flink_changelogs.SCHEMA.by_name], kinds)


class Cases(Merged):  # type: ignore[name-defined]  # noqa: F821 (of the block)
    """Merges each key by the payload and the release that its name tells."""

    def __init__(self) -> None:
        self.mergers = {str(number): FlinkPayloadMerger(*case) for number, case in enumerate(CASES)}
        self.props = flink_changelogs.PROPS

    def process_element(self, change: Any, context: Any) -> Any:
        """Emit what a change changes."""
        self.merger = self.mergers[context.get_current_key().partition("-")[0]]
        yield from super().process_element(change, context)


def applied(changelog: list[Any]) -> dict[str, Any]:
    """Return the row of each key after a changelog, which inserts, updates and deletes in this order only."""
    rows: dict[str, Any] = {}
    for change in changelog:
        kind, key = change.get_row_kind().name, change[0]
        assert kind == "INSERT" if key not in rows else kind in {"UPDATE_AFTER", "DELETE"}, (change, rows.get(key))
        if kind == "DELETE":
            del rows[key]
        else:
            rows[key] = change
    return rows


def main(keys: int, seed: int) -> None:
    """Run the job and compare."""
    assert flink_rows.Row is Row
    logs = {
        f"{number}-{key}": [(kind, (f"{number}-{key}", *values[1:])) for kind, values in changes(6, seed + key)]
        for number in range(len(CASES))
        for key in range(keys)
    }
    together = [(key, change) for key, log in logs.items() for change in log]
    order = sorted(range(len(together)), key=lambda index: (index % 6, together[index][0]))
    rows = flink_changelogs.rows_of(together[index][1] for index in order)
    environment = StreamExecutionEnvironment.get_execution_environment()
    environment.set_python_executable(sys.executable)
    stream = environment.from_collection(rows, type_info=row_type())
    stream = stream.key_by(lambda row: row[0], key_type=Types.STRING())
    found = applied(list(stream.process(Cases(), output_type=row_type()).execute_and_collect()))
    for number, (payload, release) in enumerate(CASES):
        left = 0
        for key in (f"{number}-{key}" for key in range(keys)):
            version = HoodieFlinkRecord(None, found.get(key)).to_indexed_record(flink_changelogs.SCHEMA, {})
            record = None if version is None else version.record
            expected = folded(payload, release, logs[key])
            assert record == expected, (payload, release, logs[key], record, expected)
            left += record is not None
        assert 0 < left < keys, (payload, release, left)
        name = payload if isinstance(payload, str) else payload.__name__
        print(f"{name:44} {release}: {keys} keys of 6 changes, {left} with a row")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[2]), int(sys.argv[3]))
