"""The file format of `hoodie.properties`: what java.util.Properties reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_properties(path: Path) -> dict[str, str]:
    """Read a properties file; Java reads such files as ISO-8859-1.

    Raises:
        PayloadConfigError: the file has a broken escape, or can't be read.
    """
    try:
        text = path.read_bytes().decode("iso-8859-1")
    except OSError as error:
        msg = f"{path} can't be read ({error.strerror}); name a table, or a properties file"
        raise PayloadConfigError(msg) from error
    return parse_properties(text)


def parse_properties(text: str) -> dict[str, str]:
    r"""Read properties as Java does: comments with # or !, escapes, continued lines, `=`, `:` or blanks between.

    A key that comes twice has its last value; a line without a separator is a key with an empty value.

    Raises:
        PayloadConfigError: a `\u` is not followed by four hexadecimal digits.
    """
    import javaproperties  # noqa: PLC0415 (executors lack it)

    try:
        return javaproperties.loads(text)
    except javaproperties.InvalidUEscapeError as error:
        msg = (
            f"{error.escape!r} in a properties file is not an escape; write \\u and four hex digits, or a double "
            "backslash"
        )
        raise PayloadConfigError(msg) from error


def format_properties(properties: Mapping[str, str]) -> str:
    """Write properties so that Java, and `parse_properties`, read them back; sorted by key, ASCII only."""
    import javaproperties  # noqa: PLC0415 (as above)

    return javaproperties.dumps(properties, sort_keys=True, timestamp=False)
