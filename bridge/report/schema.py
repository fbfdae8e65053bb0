"""The JSON Schema of the envelope, generated from its types: what programs may rely on in `--output json`."""

from __future__ import annotations

import enum
import inspect
import re
import types
import typing
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin, get_type_hints, is_typeddict

from bridge.report.envelope import VERBS, Envelope

if TYPE_CHECKING:
    from bridge.report.json_values import JsonObject

_PLAIN: Final = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def envelope_schema() -> JsonObject:
    """Return the JSON Schema (draft 2020-12) of what every verb prints with `--output json`."""
    definitions: JsonObject = {}
    envelope = _object(Envelope, definitions)
    answers = [_of_verb(verb, forms, definitions) for verb, forms in VERBS.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The output of payload-bridge with --output json",
        **envelope,
        "allOf": answers,
        "$defs": dict(sorted(definitions.items())),
    }


def _of_verb(verb: str, forms: tuple[tuple[Any, Any], ...], definitions: JsonObject) -> JsonObject:
    """Return what a verb answers, if it has run: neither a failure nor `--dry-run` has results."""
    has_run = {
        "properties": {"verb": {"const": verb}, "plan": {"not": {"required": ["dry_run"]}}},
        "required": ["verb"],
        "not": {"required": ["error"]},
    }
    found = [
        {"properties": {"statistics": _schema(one, definitions), "results": _array(_schema(each, definitions))}}
        for one, each in forms
    ]
    return {"if": has_run, "then": found[0] if len(found) == 1 else {"anyOf": found}}


def _schema(kind: Any, definitions: JsonObject) -> JsonObject:
    """Return the schema of the JSON of a type."""
    if is_typeddict(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # a type may have itself
            definitions[kind.__name__] = _object(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [one.value for one in kind]}
    if kind is Any:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    return _composed(kind, definitions)


def _composed(kind: object, definitions: JsonObject) -> JsonObject:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is typing.Annotated:
        base, *keywords = arguments
        return _schema(base, definitions) | {name: value for one in keywords for name, value in one._asdict().items()}
    if origin is _not_required():
        return _schema(arguments[0], definitions)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in {types.UnionType, typing.Union}:
        return {"anyOf": [_schema(one, definitions) for one in arguments]}
    if origin is list:
        return _array(_schema(arguments[0], definitions))
    if origin is dict:
        names, values = (_schema(one, definitions) for one in arguments)
        named = {} if names == {"type": "string"} else {"propertyNames": names}
        return {"type": "object", "additionalProperties": values, **named} if values else {"type": "object", **named}
    msg = f"{kind!r} has no JSON here; write a type that _composed knows"
    raise TypeError(msg)


def _array(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items} if items else {"type": "array"}


def _object(kind: Any, definitions: JsonObject) -> JsonObject:
    """Return the schema of a typed dict; its docstring describes it and its keys."""
    hints = get_type_hints(kind, localns={"NotRequired": _not_required()}, include_extras=True)
    told, of_keys = documented(kind.__doc__ or "")
    properties = {
        name: _schema(hint, definitions) | ({"description": of_keys[name]} if name in of_keys else {})
        for name, hint in hints.items()
    }
    described = {"description": told} if told else {}
    required = [name for name, hint in hints.items() if name in kind.__required_keys__ and not _may_miss(hint)]
    return {
        **described,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _not_required() -> Any:
    from typing_extensions import NotRequired  # noqa: PLC0415 (executors lack it)

    return NotRequired


def _may_miss(hint: object) -> bool:
    return get_origin(hint) is _not_required()  # a text while the class was made, so not yet among its optional keys


def documented(docstring: str, section: str = "Attributes") -> tuple[str, dict[str, str]]:
    """Return what a docstring says above a section, and in it of each name."""
    text, _, rest = inspect.cleandoc(docstring).partition(f"\n\n{section}:\n")
    found = re.findall(r"^    (\w+): (.+(?:\n        .+)*)", rest.partition("\n\n")[0], re.MULTILINE)
    return " ".join(text.split()), {name: " ".join(words.split()) for name, words in found}
