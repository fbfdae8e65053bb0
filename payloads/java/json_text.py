"""JSON values as text: as Java prints the objects that hold them, and as JSON."""

from __future__ import annotations

import json
import re

from payloads.java.floats import double_text

_ESCAPED_CONTROL = re.compile(r"\\u00[01][a-f]")


def printed(value: object) -> str:
    """Return `toString` of a JSON value as Java holds it: `{a=1, b=[true, null]}`."""
    match value:
        case list():
            return f"[{', '.join(map(printed, value))}]"
        case dict():
            return f"{{{', '.join(f'{key}={printed(item)}' for key, item in value.items())}}}"
        case float():
            return double_text(value)
        case None | bool():
            return json.dumps(value)
        case _:
            return str(value)


def written(value: object) -> str:
    """Return a list or an object as JSON without spaces, as Jackson writes it; any other value as `printed`."""
    return _json(value) if isinstance(value, list | dict) else printed(value)


def _json(value: object) -> str:
    match value:
        case list():
            return f"[{','.join(map(_json, value))}]"
        case dict():
            return f"{{{','.join(f'{_quoted(key)}:{_json(item)}' for key, item in value.items())}}}"
        case str():
            return _quoted(value)
        case _:
            return printed(value)


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    if "\\u" not in quoted:
        return quoted
    # An escaped backslash before a u is not an escape of a control character.
    parts = quoted.split("\\\\")
    return "\\\\".join(_ESCAPED_CONTROL.sub(lambda found: f"\\u{found[0][2:].upper()}", part) for part in parts)
