"""Loads table histories, and compares each snapshot that this project answers with real Hudi's."""

from __future__ import annotations

import collections
import datetime
import decimal
import functools
import gzip
import json
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.errors import PlanError
from bridge.programs import WriteOperation
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease
from tests.conformance.selection import Unreadable, check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Row = Mapping[str, Any]


_PAYLOAD = "hoodie.datasource.write.payload.class"
_PRECOMBINE = "hoodie.datasource.write.precombine.field"
_OTHER_PATCHES = {
    ("0.14.0", "marker-default-cow"): "0.14.0 drops rows that _hoodie_is_deleted marks although a custom marker is set",
}
"""What is known to differ in a patch that is not the one ported: hudi_version and folder, and why."""
_TABLE_VERSION = "hoodie.write.table.version"
READ = 0
"""Stands in the place of a commit's number for the snapshot that the last release read before any write.

The release before it has -1, the one before that -2.
"""


@dataclass(frozen=True)
class Commit:
    """One write.

    Attributes:
        incoming: the rows handed to the writer, in arrival order; those of an SQL update have what it assigns alone.
        snapshot: what a snapshot query returned right after it.
        compacted_inline: whether a compaction ran between the two.
        operation: how it was written.
        is_plain: whether the writer passed no payload class, unlike that of the first commit.
        statement: of a MERGE INTO, whose source the rows are.
        source_ddl: their columns, if they are not those of the table.
    """

    incoming: tuple[Row, ...]
    snapshot: tuple[Row, ...]
    compacted_inline: bool
    operation: WriteOperation = WriteOperation.UPSERT
    is_plain: bool = False
    statement: str | None = None
    source_ddl: str | None = None


@dataclass(frozen=True)
class Upgrade:
    """How a table of one release went on under another.

    Attributes:
        release: the other release.
        after: the number of the last commit of the one before.
        keeps_version: whether the table kept its version.
        read: what a snapshot query of the other release returned before any write; None where it failed.
        version: the table version that its writer named; None where it named none.
        reorders: whether the upgrade changed the ordering fields, and the writer passed the new ones from then on.
    """

    release: HudiRelease
    after: int
    keeps_version: bool
    read: tuple[Row, ...] | None
    version: int | None = None
    reorders: bool = False


@dataclass(frozen=True)
class History:
    """A table that real Hudi wrote.

    Rows are dicts of Python values: date, naive datetime in UTC, Decimal; each fits `schema_ddl`.

    Attributes:
        folder: the folder that holds it, `CASE-cow` or `CASE-mor`.
        case: the folder without the table type; one case has one input in every release.
        payload_class: full Java name; None where the writer set a merge mode alone.
        ordering: the ordering fields.
        options: the merge-related options of the writer; None where it lacks one that every other writer has.
        error: what real Hudi said when it refused to go on after the last of `commits`.
        upgrade: how another release went on, where one did; the last one where several did.
        earlier: those before it.
        refused: the MERGE INTO statements that real Hudi refused, which left no trace in the table.
        known_difference: why another patch of the release answered otherwise than the one that is ported.
    """

    folder: str
    release: HudiRelease
    payload_class: str | None
    table_type: str
    ordering: tuple[str, ...]
    options: dict[str, str | None]
    schema_ddl: str
    commits: tuple[Commit, ...]
    error: str | None = None
    upgrade: Upgrade | None = None
    earlier: tuple[Upgrade, ...] = ()
    refused: tuple[RefusedStatement, ...] = ()
    known_difference: str | None = None

    @property
    def snapshots(self) -> dict[int, tuple[Row, ...]]:
        """The recorded snapshots by the number of the commit; `READ` is that of the later release before any write."""
        numbered = {number: commit.snapshot for number, commit in enumerate(self.commits, start=1)}
        reads = {READ - place: one.read for place, one in enumerate(reversed(self.upgrades)) if one.read is not None}
        return numbered | reads

    @property
    def upgrades(self) -> tuple[Upgrade, ...]:
        """How other releases went on, in order."""
        return () if self.upgrade is None else (*self.earlier, self.upgrade)

    @property
    def runs(self) -> Iterator[Run]:
        """Give the simulations that together have all snapshots."""
        commits = len(self.commits)
        own = {number: number for number in range(1, commits + 1)}
        yield Run(commits, own, tuple(one for one in self.upgrades if one.after < commits))
        for number, one in enumerate(self.upgrades, start=1):
            if one.read is not None:
                yield Run(one.after, {one.after: READ - len(self.upgrades) + number}, self.upgrades[:number])

    @property
    def compact_after(self) -> tuple[int, ...]:
        """The commits after which a compaction ran."""
        return tuple(number for number, commit in enumerate(self.commits, start=1) if commit.compacted_inline)

    @property
    def operations(self) -> dict[int, WriteOperation]:
        """The operations of the commits that are not upserts."""
        found = {number: commit.operation for number, commit in enumerate(self.commits, start=1)}
        return {number: operation for number, operation in found.items() if operation is not WriteOperation.UPSERT}

    @property
    def plain_after(self) -> int | None:
        """The last commit before the writer passes no payload class; None where it always does."""
        return next((number for number, commit in enumerate(self.commits) if commit.is_plain), None)

    @property
    def case(self) -> str:
        """The name without the table type."""
        return self.folder.rpartition("-")[0]

    @property
    def rule(self) -> str:
        """The short name of the payload class, or the merge mode."""
        if self.payload_class is not None:
            return self.payload_class.rpartition(".")[2]
        return str(self.options["hoodie.record.merge.mode"])

    def __str__(self) -> str:
        if self.upgrade is None:
            return f"{self.release} {self.folder}"
        kind = "kept version" if self.upgrade.keeps_version else "upgraded"
        kind = "downgraded" if self.upgrade.release < self.release else kind
        return (
            " to ".join(map(str, (self.release, *(one.release for one in self.upgrades)))) + f" ({kind}) {self.folder}"
        )


class Run(NamedTuple):
    """One simulation that a history needs.

    Attributes:
        commits: how many of its commits are written.
        numbers: the snapshots that are taken from it: number of the commit, and number in `History.snapshots`.
        upgrades: upgrades to other releases.
    """

    commits: int
    numbers: dict[int, int]
    upgrades: tuple[Upgrade, ...] = ()


class Outcome(NamedTuple):
    """How one history ended: the differences of the first commit that differs, or none; or why it was refused."""

    history: History
    differences: tuple[str, ...] = ()
    refusal: str | None = None


# -- loading


class Tables(NamedTuple):
    """What a directory holds.

    Attributes:
        histories: by the path of their folder, in its order.
        unreadable: the files that are no history.
    """

    histories: dict[str, History]
    unreadable: list[Unreadable]

    @property
    def counts(self) -> dict[str, int]:
        """The number of recorded snapshots by folder."""
        return {label: len(history.snapshots) for label, history in self.histories.items()}


def load(directory: Path, release: str | None = None, case: str | None = None) -> Iterator[History]:
    """Read every history below `directory`, by path, links followed; `case` may name the table type too."""
    wanted = None if release is None else HudiRelease.parse(release)
    for path in sorted(_files(directory)):
        folder = path.absolute().parent.name
        if case not in {None, folder, folder.rpartition("-")[0]}:
            continue
        history = read(path)
        if wanted in {None, history.release}:
            yield history


def select(directory: Path, release: str | None = None, case: str | None = None) -> Tables:
    """Read the histories as `load` does, and note each file that is none.

    Raises:
        EmptySelectionError: there are none.
    """
    wanted = None if release is None else HudiRelease.parse(release)
    histories, unreadable = {}, []
    for path in sorted(_files(directory)):
        label = path.parent.relative_to(directory).as_posix()
        try:
            histories[label] = read(path)
        except (OSError, EOFError, zlib.error, ValueError, TypeError, LookupError, PayloadConfigError) as error:
            unreadable.append(Unreadable(label, f"{path.name} is not a history: {error!r}"))
    chosen = {
        label: history
        for label, history in histories.items()
        if wanted in {None, history.release} and case in {None, history.case, history.folder}
    }
    known = {
        "release": {str(history.release) for history in histories.values()},
        "case": {name for history in histories.values() for name in (history.case, history.folder)},
    }
    asked = {"release": None if wanted is None else str(wanted), "case": case}
    is_whole = wanted is None and case is None
    check(directory, "histories", asked, known, found=bool(chosen) or (is_whole and bool(unreadable)))
    return Tables(chosen, unreadable)


def takes_label(label: str, release: str | None, case: str | None) -> bool:
    """Whether the history in the folder `label` belongs to a selection; a folder that does not say so does."""
    *above, folder = label.split("/")
    if case not in {None, folder, folder.rpartition("-")[0]}:
        return False
    try:
        return release is None or not above or HudiRelease.parse(above[-1]) == HudiRelease.parse(release)
    except PayloadConfigError:
        return True


def has_histories(directory: Path) -> bool:
    """Whether there are histories below a directory that do not belong to a recorded table beside them."""
    return any(not (path.parent / "table").is_dir() for path in _files(directory))


def _files(directory: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(directory, followlinks=True):
        found = [name for name in ("history.json", "history.json.gz") if name in names]
        if found:
            yield Path(folder, found[0])


def read(path: Path) -> History:
    """Read one `history.json` or `history.json.gz`."""
    data = path.read_bytes()
    raw: dict[str, Any] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    columns = columns_of(raw["schema_ddl"])
    stages = _stages(raw, columns)
    return History(
        folder=path.absolute().parent.name,
        release=HudiRelease.parse(raw["hudi_version"]),
        payload_class=raw["payload_class"],
        table_type=raw["table_type"],
        ordering=tuple(raw["ordering"].split(",")) if raw["ordering"] else (),
        options=raw["options"],
        schema_ddl=raw["schema_ddl"],
        commits=tuple(
            Commit(
                tuple(_row(_columns_of(commit, columns), row) for row in commit["incoming"]),
                tuple(_row(columns, row) for row in commit["snapshot"]),
                commit.get("compacted_inline", False),
                WriteOperation(commit.get("operation", "upsert")),
                commit.get("options", {}).get(_PAYLOAD, "") is None,
                commit.get("statement"),
                commit.get("source_ddl"),
            )
            for commit in raw["commits"]
        ),
        error=raw.get("error"),
        upgrade=stages[-1] if stages else _upgrade(raw, columns),
        earlier=tuple(stages[:-1]),
        refused=_refused_statements(raw.get("refused", ()), columns),
        known_difference=_OTHER_PATCHES.get((raw["hudi_version"], path.absolute().parent.name)),
    )


class RefusedStatement(NamedTuple):
    """A MERGE INTO that real Hudi refused.

    Attributes:
        statement: its text.
        source_ddl: the columns of its source, where they were noted.
        incoming: the rows of the source; None where they were not noted, as only the statement counts.
        after: how many commits came before it.
    """

    statement: str
    source_ddl: str | None
    incoming: tuple[Row, ...] | None = None
    after: int = 0


def _refused_statements(refused: Any, columns: Mapping[str, str]) -> tuple[RefusedStatement, ...]:
    """Return the statements that were refused; histories of users' classes have one refused batch there."""

    def read_one(one: dict[str, Any]) -> RefusedStatement:
        rows = None
        if "incoming" in one:
            rows = tuple(_row(_columns_of(one, dict(columns)), row) for row in one["incoming"])
        return RefusedStatement(one["statement"], one.get("source_ddl"), rows, one.get("after", 0))

    return tuple(map(read_one, refused if isinstance(refused, list) else ()))


def _columns_of(commit: dict[str, Any], columns: dict[str, str]) -> dict[str, str]:
    return columns_of(commit["source_ddl"]) if "source_ddl" in commit else columns


def _stages(raw: dict[str, Any], columns: Mapping[str, str]) -> list[Upgrade]:
    return [
        Upgrade(
            release=HudiRelease.parse(stage["hudi_version"]),
            after=stage["after"],
            keeps_version=False,
            read=None if "read" not in stage else tuple(_row(columns, row) for row in stage["read"]),
            version=stage.get("table_version"),
        )
        for stage in raw.get("stages", ())
    ]


def _upgrade(raw: dict[str, Any], columns: Mapping[str, str]) -> Upgrade | None:
    if "then_hudi_version" not in raw:
        # The same release upgrades its table where its writer no longer names the older version.
        named = [commit.get("options", {}).get(_TABLE_VERSION, "") is not None for commit in raw["commits"]]
        release = HudiRelease.parse(raw["hudi_version"])
        return None if all(named) else Upgrade(release, sum(named), keeps_version=False, read=None)
    read = raw.get("read_by_new_release_before_any_write")
    return Upgrade(
        release=HudiRelease.parse(raw["then_hudi_version"]),
        after=sum(commit["hudi_version"] == raw["hudi_version"] for commit in raw["commits"]),
        keeps_version=raw["mode"] == "kept-version",
        read=None if read is None else tuple(_row(columns, row) for row in read),
        reorders=any(_PRECOMBINE in commit.get("options_then", {}) for commit in raw["commits"]),
    )


def columns_of(schema_ddl: str) -> dict[str, str]:
    """Return the columns of a Spark DDL with their types in lower case, without NOT NULL and comments."""
    parts = re.split(r",(?![^(<]*[)>])", schema_ddl)
    pairs = (part.strip().split(None, 1) for part in parts)
    return {name.strip("`"): re.split(r"\s+(?:not null|comment)\b", kind.lower())[0].strip() for name, kind in pairs}


def _row(columns: Mapping[str, str], row: list[Any] | dict[str, Any]) -> Row:
    values = row if isinstance(row, dict) else dict(zip(columns, row, strict=True))
    return {
        name: value if value is None or (parse := _parser(columns.get(name, ""))) is None else parse(value)
        for name, value in values.items()
    }


def parse_value(kind: str, value: Any) -> Any:
    """Return the Python value of a JSON value in a column of the Spark type `kind`."""
    parse = _parser(kind)
    return value if value is None or parse is None else parse(value)


@functools.cache
def _parser(kind: str) -> Callable[[Any], Any] | None:
    """Return what makes values of a Spark type from JSON; None where JSON has them."""
    match re.split(r"\W", kind)[0]:
        case "date":
            return datetime.date.fromisoformat
        case "timestamp" | "timestamp_ntz" | "timestamp_ltz":
            return _moment
        case "decimal":
            unit = decimal.Decimal(1).scaleb(-int((re.findall(r"\d+", kind) or ["10", "0"])[1]))
            return lambda value: decimal.Decimal(value).quantize(unit)
        case "double" | "float" | "real":
            return float
        case _:
            return None


def _moment(text: str) -> datetime.datetime:
    """Return the moment of a text, in UTC; Python 3.10 itself reads no Z, and only fractions of 3 or 6 digits."""
    six = re.sub(r"\.(\d+)", lambda found: f".{found[1][:6]:0<6}", text)
    return _utc(datetime.datetime.fromisoformat(re.sub("Z$", "+00:00", six)))


def _utc(moment: datetime.datetime) -> datetime.datetime:
    return moment if moment.tzinfo is None else moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)


# -- comparing


def differences(expected: Iterable[Row], actual: Iterable[Row]) -> list[str]:
    """Say how two multisets of rows differ; rows are compared by column name, value and type, in any order."""
    wanted, got = collections.Counter(map(_key, expected)), collections.Counter(map(_key, actual))
    lines = [f"missing: {_text(row)}" for row in sorted((wanted - got).elements())]
    return lines + [f"too much: {_text(row)}" for row in sorted((got - wanted).elements())]


def _key(row: Row) -> tuple[tuple[str, str, str], ...]:
    """Return a form of a row that is equal where values and types are: 1 is not 1.0, NaN is NaN, -0.0 is not 0.0."""
    return tuple((name, *cell) for name, cell in sorted(cells(row).items()))


def cells(row: Row) -> dict[str, tuple[str, str]]:
    """Return type and text of each value."""
    return {name: (type(value).__name__, _value_key(value)) for name, value in row.items()}


def _value_key(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        return _utc(value).isoformat(timespec="microseconds")
    return repr(value)


def _text(row: tuple[tuple[str, str, str], ...]) -> str:
    return ", ".join(f"{name}={value}" for name, _, value in row)


def outcomes(
    answers: Iterable[tuple[History, int, Iterable[Row] | Exception]], histories: Iterable[History]
) -> Iterator[Outcome]:
    """Compare what an engine answered after each commit of `histories` with what real Hudi answered.

    Args:
        answers: history, number of the commit (see `History.snapshots`), rows, or what failed instead; a commit without
            an answer differs. A `PlanError` refuses the history, as it refuses a user's plan.
        histories: all that were asked for.
    """
    answered = {(id(history), number): answer for history, number, answer in answers}
    for history in histories:
        for number, snapshot in history.snapshots.items():
            answer = answered.get((id(history), number))
            if isinstance(answer, PlanError):
                yield Outcome(history, refusal=str(answer))
                break
            if answer is None:
                found = ["there is no answer"]
            elif isinstance(answer, Exception):
                found = [f"failed: {type(answer).__name__}: {str(answer).strip().partition(chr(10))[0]}"]
            else:
                found = differences(snapshot, answer)
            if found:
                where = "read before any write" if number <= READ else f"after commit {number}"
                yield Outcome(history, (f"{where}:", *found))
                break
        else:
            yield Outcome(history)
