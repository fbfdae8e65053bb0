"""Rules as JSON, both ways: plain values, so that a rule can be stored, sent to a task, or read by Java."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from payloads.errors import PayloadConfigError
from payloads.rules import nodes, version_tests, words
from payloads.rules.columns import Columns
from payloads.rules.node import RuleNode
from payloads.rules.nodes import MergeRule
from payloads.rules.words import Word

_NODE, _WORD, _BYTES, _FLOAT, _COLUMNS = "node", "word", "bytes", "float", "columns"
_KINDS: Final = {
    name: kind for name, kind in (vars(nodes) | vars(version_tests) | vars(words)).items() if isinstance(kind, type)
}


def rule_to_json(rule: MergeRule) -> dict[str, Any]:
    """Return a rule as objects, lists, texts, numbers, booleans and null; what is the default is left out."""
    written: dict[str, Any] = _written(rule)
    return written


def _written(part: object) -> Any:  # noqa: PLR0911 (one a kind)
    match part:
        case Word():
            return {_WORD: f"{type(part).__name__}.{part.name}"}
        case Columns():
            return {_COLUMNS: {name: _written(value) for name, value in part.items()}}
        case RuleNode():
            given = {field.name: (getattr(part, field.name), field.default) for field in dataclasses.fields(part)}  # type: ignore[arg-type]
            changed = {name: _written(value) for name, (value, default) in given.items() if not _same(value, default)}
            return {_NODE: type(part).__name__, **changed}
        case tuple():
            return [_written(one) for one in part]
        case bytes():
            return {_BYTES: part.hex()}
        case float():
            return {_FLOAT: part.hex()}
        case _:
            return part


def _same(value: object, default: object) -> bool:
    return type(value) is type(default) and bool(value == default)


def rule_from_json(written: object) -> MergeRule:
    """Return the rule that `rule_to_json` wrote.

    Raises:
        PayloadConfigError: it is none, or has a node that is not known here.
    """
    try:
        rule = _read(written)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        msg = f"this JSON is not a merge rule ({error}); write it with rule_to_json"
        raise PayloadConfigError(msg) from error
    if isinstance(rule, MergeRule):
        return rule
    msg = (
        f"this JSON is {'null' if rule is None else type(rule).__name__}, not a merge rule; write it with rule_to_json"
    )
    raise PayloadConfigError(msg)


def _read(written: object) -> Any:  # noqa: PLR0911 (one a kind)
    match written:
        case {"node": str(name), **fields}:
            return _kind(name, RuleNode)(**{str(field): _read(value) for field, value in fields.items()})
        case {"word": str(name)}:
            kind, _, member = name.partition(".")
            return _kind(kind, Word)[member]
        case {"columns": dict(columns)}:
            return Columns({name: _read(value) for name, value in columns.items()})
        case {"bytes": str(text)}:
            return bytes.fromhex(text)
        case {"float": str(text)}:
            return float.fromhex(text)
        case list():
            return tuple(map(_read, written))
        case None | bool() | int() | str():
            return written
    msg = f"{written!r} is not part of a rule"
    raise TypeError(msg)


def _kind(name: str, of: type) -> Any:
    kind = _KINDS.get(name)
    if kind is None or not issubclass(kind, of) or kind is of:
        msg = f"there is no {of.__name__.lower()} {name!r}"
        raise LookupError(msg)
    return kind
