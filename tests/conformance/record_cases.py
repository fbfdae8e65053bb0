"""The cases that are recorded: from a JSON file of cases, or from histories that another release wrote."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

WRITE_PAYLOAD = "hoodie.datasource.write.payload.class"
WRITE_VERSION = "hoodie.write.table.version"
TABLE_TYPES = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}


@dataclass(frozen=True)
class Batch:
    """What one commit writes.

    Attributes:
        rows: as JSON has them, in the order of the columns of the case, or by column name.
        operation: the operation of the writer; `sql_update`, `sql_delete` and `sql_merge` are SQL statements.
        options: further options of this write; null removes one.
        statement: a MERGE INTO of the table `target` with `source`, the rows.
        source_ddl: the columns of the rows, if they are not those of the table.
    """

    rows: tuple[Any, ...]
    operation: str = "upsert"
    options: Mapping[str, str | None] = field(default_factory=dict)
    statement: str | None = None
    source_ddl: str | None = None


@dataclass(frozen=True)
class Case:
    """What is written to one table.

    Attributes:
        name: the case without the table type.
        table_type: cow or mor.
        payload_class: None where `options` set a merge mode alone.
        options: the merge-related options of the writer; null removes one that every writer has.
        batches: what each commit writes.
        compact_after: numbers of batches, from 1, after which a merge-on-read table is compacted.
        reads_with: the options of snapshot queries.
    """

    name: str
    table_type: str
    payload_class: str | None
    ordering: str
    options: dict[str, str | None]
    schema_ddl: str
    batches: tuple[Batch, ...]
    compact_after: tuple[int, ...]
    reads_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """The name of the folder that holds its history."""
        return f"{self.name}-{self.table_type}"


def load_cases(source: Path, release: str, like: str | None) -> list[Case]:
    """Return the cases of a JSON file that are meant for `release`, or those below a folder of histories.

    Args:
        source: the file or the folder.
        release: the release that is to write them first.
        like: of a folder, the release whose writer's options are taken; by default `release`.
    """
    if source.is_dir():
        return list(_of_histories(source, like or release))
    return list(_of_file(json.loads(source.read_text()), release))


def _of_file(given: dict[str, Any], release: str) -> Iterator[Case]:
    for case in given["cases"]:
        if release not in case.get("releases", [release]):
            continue
        names = ("datasource.write.precombine", "payload.ordering", "payload.event.time")
        options = {f"hoodie.{name}.field": case["ordering"] for name in names if case["ordering"]}
        if case["payload_class"] is not None:
            options[WRITE_PAYLOAD] = case["payload_class"]
        for table_type in case["table_types"]:
            yield Case(
                name=case["case"],
                table_type=table_type,
                payload_class=case["payload_class"],
                ordering=case["ordering"],
                options=options | case["options"],
                schema_ddl=given["schema_ddl"],
                batches=tuple(_batches(given["batches"][case["batches"]], case)),
                compact_after=tuple(case["compact_after"]) if table_type == "mor" else (),
            )


def _batches(given: Iterable[Any], case: Mapping[str, Any]) -> Iterator[Batch]:
    """Read batches: rows, or `operation` and `rows`.

    After batch `plain_after` of a case the writer passes no payload class, after `upgrade_after` no table version.
    """
    left_out = {WRITE_PAYLOAD: case.get("plain_after"), WRITE_VERSION: case.get("upgrade_after")}
    for number, batch in enumerate(given, start=1):
        named = batch if isinstance(batch, dict) else {"rows": batch}
        options = dict(named.get("options", {}))
        options |= {key: None for key, after in left_out.items() if after is not None and number > after}
        told = {name: named[name] for name in ("statement", "source_ddl") if name in named}
        yield Batch(tuple(named["rows"]), named.get("operation", "upsert"), options, **told)


def _of_histories(directory: Path, like: str) -> Iterator[Case]:
    """Take the settings of one release; the batches of whichever release was not refused, since all have the same."""
    histories: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(directory.glob("*/*/history.json.gz")):
        histories.setdefault(path.parent.name, []).append(json.loads(gzip.decompress(path.read_bytes())))
    for folder, found in histories.items():
        settings = next((history for history in found if history["hudi_version"] == like), None)
        if settings is None:
            continue
        name, _, table_type = folder.rpartition("-")
        commits = max((history["commits"] for history in found), key=len)
        yield Case(
            name=name,
            table_type=table_type,
            payload_class=settings["payload_class"],
            ordering=settings["ordering"],
            options=settings["options"],
            schema_ddl=settings["schema_ddl"],
            batches=tuple(Batch(tuple(commit["incoming"])) for commit in commits),
            compact_after=tuple(n for n, commit in enumerate(commits, start=1) if commit.get("compacted_inline")),
        )
