"""Constants.java: the names and numbers that Java shares with Python, generated from Python's own tables."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from bridge.engines.control_columns import COMMIT, IS_DELETE, ORDERING, ORIGIN
from bridge.engines.jvm.rules import NODES_IN_JAVA, POINTS, WORDS_IN_JAVA
from bridge.engines.ordering_text import TYPES
from bridge.engines.row_counts import MADE, SIDES, RowStatus
from bridge.merge import DECIMAL_DIGITS, DECIMAL_SCALE, NO_PARTITION, Action, MergePoint
from bridge.programs import LOG_ALONE, MEASURED_EVERY, MOST_BYTES, PROGRAMS, TOO_LARGE, Origin
from bridge.spark import META_COLUMNS
from mergers import RecordMergeMode
from mergers.record import DELETE_OPERATIONS, OPERATION_COLUMN, OPERATIONS
from mergers.strategies import LARGEST_MILLIS
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Constant = int | str | tuple[str, ...]

FILE: Final = "Constants.java"
BUILT_FOR: Final = "built-for:"
"""Marks, in a list of jars, the bundle that the user's classes were compiled for."""
_INT_BITS: Final = 32


def groups() -> dict[str, dict[str, Constant]]:
    """Return the constants by name, in the groups that are classes in Java."""
    return {
        "Action": {action.name: int(action) for action in Action},
        "Origin": {origin.name: int(origin) for origin in Origin},
        "ControlColumn": {"ORIGIN": ORIGIN, "COMMIT": COMMIT, "IS_DELETE": IS_DELETE, "ORDERING": ORDERING},
        "MergePoint": {point.name: point.value for point in MergePoint},
        "ProgramName": _by_upper_name(name for name, spec in PROGRAMS.items() if spec.in_java),
        "MergeMode": {mode.name: mode.value for mode in RecordMergeMode},
        "OrderingType": _by_upper_name(TYPES),
        "RowMark": {
            "DELETE_OPERATIONS": tuple(sorted(DELETE_OPERATIONS)),
            "IS_DELETED": IS_DELETED,
            "OPERATIONS": tuple(sorted(OPERATIONS)),
            "OPERATION_COLUMN": OPERATION_COLUMN,
        },
        "Jar": {"BUILT_FOR": BUILT_FOR},
        "Limit": {
            "DECIMAL_DIGITS": DECIMAL_DIGITS,
            "DECIMAL_SCALE": DECIMAL_SCALE,
            "LARGEST_MILLIS": LARGEST_MILLIS,
            "META_COLUMNS": len(META_COLUMNS),
            "SMALL_FILES_BYTES": MOST_BYTES,
            "SMALL_FILES_EVERY": MEASURED_EVERY,
        },
        "Message": {"SMALL_FILES": TOO_LARGE, "LOG_ALONE": LOG_ALONE},
        "RowCountsEntry": {"MADE": MADE, "SIDES": SIDES, "BY_COMMIT": MergePoint.SNAPSHOT.value},
        "RowStatus": {status.name: status.value for status in RowStatus},
        "Partition": {"NONE": NO_PARTITION},
        "RuleNode": {_upper(node): node for node in NODES_IN_JAVA},
        "RuleKey": {"NODE": "node", "WORD": "word"},
        "RuleKnown": {
            "NODES": tuple(NODES_IN_JAVA),
            "FIELDS": tuple(f"{node}.{name}" for node, names in NODES_IN_JAVA.items() for name in names),
            "WORDS": WORDS_IN_JAVA,
        },
        "RuleWord": {_upper(word.partition(".")[2]): word for word in WORDS_IN_JAVA},
        "RulePoint": {point.name: point.value for point in POINTS},
    }


def constants_java() -> str:
    """Return the source: a nested class for each group."""
    nested = "\n".join(_class(name, constants) for name, constants in groups().items())
    return f"package bridge.jvm;\n\nfinal class Constants {{\n{nested}}}\n"


def _class(name: str, constants: Mapping[str, Constant]) -> str:
    fields = "".join(f"        static final {_declared(field, value)};\n" for field, value in constants.items())
    return f"    static final class {name} {{\n{fields}    }}\n"


def _declared(name: str, value: Constant) -> str:
    match value:
        case str():
            return f"String {name} = {json.dumps(value)}"
        case int():
            is_long = value.bit_length() >= _INT_BITS
            return f"{'long' if is_long else 'int'} {name} = {value}{'L' if is_long else ''}"
    return f"String[] {name} = {{{', '.join(map(json.dumps, value))}}}"


def _upper(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _by_upper_name(words: Iterable[str]) -> dict[str, Constant]:
    return {word.upper(): word for word in words}
