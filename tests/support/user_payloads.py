"""Payload classes as users write them."""

from __future__ import annotations

from typing import Any

from payloads import SENTINEL


class Newest:
    """The later version wins, whatever it holds: for tests to override one method of."""

    def __init__(self, record: Any, ordering: Any = None) -> None:
        self.record = record
        self.ordering = ordering

    def pre_combine(self, older: Any) -> Any:
        return self

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        return self.record

    def get_insert_value(self, schema: Any) -> Any:
        return self.record


class KeepsLongestName:
    """Java style, no base class: the longer name wins; it changes the rows that it is given and returns them."""

    def __init__(self, record: dict[str, Any] | None, ordering: Any) -> None:
        self.record = record
        self.ordering = ordering

    def preCombine(self, older: KeepsLongestName) -> KeepsLongestName:  # noqa: N802 (Java's name)
        return older if _length(older.record) > _length(self.record) else self

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        if self.record is None:
            return None
        if _length(self.record) > _length(current):
            current["name"] = self.record["name"]
        return current

    def getInsertValue(self, schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return self.record


class Counts(KeepsLongestName):
    """Keeps state: how many versions it stands for, which becomes part of the name."""

    def __init__(self, record: dict[str, Any] | None, ordering: Any) -> None:
        super().__init__(record, ordering)
        self.versions = 1

    def preCombine(self, older: Counts) -> Counts:  # noqa: N802
        self.versions += older.versions
        return self

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return self.getInsertValue(schema)

    def getInsertValue(self, schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return None if self.record is None else {**self.record, "name": f"{self.record['name']}*{self.versions}"}


class RaisesForNameBoom(KeepsLongestName):
    """Fails for one record."""

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        if self.record is not None and self.record["name"] == "boom":
            msg = "boom is not a name"
            raise ValueError(msg)
        return super().combineAndGetUpdateValue(current, schema)


class IgnoresShortNames(KeepsLongestName):
    """Leaves alone what a row of one letter meets, also where it is alone."""

    def canProduceSentinel(self) -> bool:  # noqa: N802 (Java's name)
        return True

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> Any:  # noqa: N802
        return SENTINEL if _length(self.record) == 1 else super().combineAndGetUpdateValue(current, schema)

    def getInsertValue(self, schema: Any) -> Any:  # noqa: N802
        return SENTINEL if _length(self.record) == 1 else self.record


class MakesARow(KeepsLongestName):
    """Answers with a new row of the data columns, without the meta columns of `current`."""

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return None if self.record is None else {name: self.record[name] for name in ("id", "part", "ts")}


class Archives(KeepsLongestName):
    """Moves each row that it merges to a partition of which the batch knows nothing."""

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        moved = {**current, "part": "archive"}
        return moved | {"_hoodie_partition_path": "archive"} if "_hoodie_partition_path" in current else moved


class ArchivesByPathAlone(KeepsLongestName):
    """As `Archives`, but its rows keep their partition column."""

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return {**current, "_hoodie_partition_path": "archive"}


class ByTime:
    """The greater ordering value wins, a tie goes to the later version."""

    def __init__(self, record: dict[str, Any] | None, ordering: Any) -> None:
        self.record = record
        self.ordering = ordering

    def preCombine(self, older: ByTime) -> ByTime:  # noqa: N802
        return older if older.ordering > self.ordering else self

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return current if self.record is not None and current["ts"] > self.record["ts"] else self.record

    def getInsertValue(self, schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return self.record


class DoesAsTold:
    """Does with its own record and the stored one what the column `op` of its own says."""

    def __init__(self, record: dict[str, Any] | None, ordering: Any) -> None:
        self.record = record or {}
        if self.record["op"] == "fail to build":
            raise ValueError(self.record["id"])

    def preCombine(self, older: DoesAsTold) -> DoesAsTold:  # noqa: N802
        return self

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> Any:  # noqa: N802
        return self.answered(current)

    def getInsertValue(self, schema: Any) -> Any:  # noqa: N802
        return self.answered(self.record)

    def canProduceSentinel(self) -> bool:  # noqa: N802
        return True

    def answered(self, row: dict[str, Any]) -> Any:
        """Give `row` or its own record, changed or not, or something other than a record."""
        own, answers = self.record, {"delete": None, "skip": SENTINEL, "wrong": 5, "copy": dict(row)}
        match own["op"]:
            case "own":
                return own
            case "fail":
                raise ValueError(own["id"])
            case "negate":
                row["price"] = -(row["price"] or 0.0)
            case "negate own":
                own["price"] = -(own["price"] or 0.0)
                return own
            case "retype":
                row["n"] = float(row["n"])
            case "add tag":
                row["tags"].append("new")
            case "lose":
                del own["price"]
                return own
        return answers.get(own["op"], row)


def _length(record: dict[str, Any] | None) -> int:
    return len((record or {}).get("name") or "")
