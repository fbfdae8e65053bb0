"""The file format of `hoodie.properties`: what java.util.Properties reads and writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SPACE: Final = " \t\f"
_SEPARATORS: Final = "=:"
_LINE_END = re.compile(r"\r\n|\r|\n")  # str.splitlines knows more line ends than Java
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.?)", re.DOTALL)
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_PLAIN: Final = range(0x20, 0x7F)


def read_properties(path: Path) -> dict[str, str]:
    """Read a properties file; Java reads such files as ISO-8859-1.

    Raises:
        PayloadConfigError: the file has a broken escape.
        OSError: it can't be read.
    """
    return parse_properties(path.read_bytes().decode("iso-8859-1"))


def parse_properties(text: str) -> dict[str, str]:
    r"""Read properties as Java does: comments with # or !, escapes, continued lines, `=`, `:` or blanks between.

    A key that comes twice has its last value; a line without a separator is a key with an empty value.

    Raises:
        PayloadConfigError: a `\u` is not followed by four hexadecimal digits.
    """
    return dict(map(_entry, _logical_lines(text)))


def format_properties(properties: Mapping[str, str]) -> str:
    """Write properties so that Java, and `parse_properties`, read them back; sorted by key, ASCII only."""
    return "".join(
        f"{_escaped(key, spaces=True)}={_escaped(properties[key], spaces=False)}\n" for key in sorted(properties)
    )


def _logical_lines(text: str) -> Iterator[str]:
    """Join continued lines, and leave out blank lines and comments."""
    lines = iter(_LINE_END.split(text))
    for natural in lines:
        line = natural.lstrip(_SPACE)
        if not line or line[0] in "#!":
            continue
        while _continues(line):
            # A continued line is never a comment, and loses its leading blanks.
            line = line[:-1] + next(lines, "").lstrip(_SPACE)
        yield line


def _continues(line: str) -> bool:
    backslashes = len(line) - len(line.rstrip("\\"))
    return backslashes % 2 == 1


def _entry(line: str) -> tuple[str, str]:
    """Split at the first separator that no backslash protects."""
    end = next((i for i in _unescaped(line) if line[i] in _SPACE + _SEPARATORS), len(line))
    rest = line[end:].lstrip(_SPACE)
    if rest[:1] in tuple(_SEPARATORS):
        rest = rest[1:].lstrip(_SPACE)
    return _unescape(line[:end]), _unescape(rest)


def _unescaped(line: str) -> Iterator[int]:
    """Give the places of the characters that are not part of an escape."""
    escaped = False
    for index, character in enumerate(line):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            yield index


def _unescape(text: str) -> str:
    return _as_java_chars(_ESCAPE.sub(_unescaped_character, text))


def _unescaped_character(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    if code == "u":
        found = match.string[match.start() : match.start() + 6]
        msg = f"{found!r} in a properties file is not an escape; write \\u and four hex digits, or a double backslash"
        raise PayloadConfigError(msg)
    return _CONTROLS.get(code, code)


def _as_java_chars(text: str) -> str:
    r"""Join the two halves that Java writes for a character beyond \uFFFF; a lone half stays as it is."""
    return (
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if not text.isascii() else text
    )


def _escaped(text: str, *, spaces: bool) -> str:
    blanks = len(text) if spaces else len(text) - len(text.lstrip(" "))
    controls = {character: f"\\{name}" for name, character in _CONTROLS.items()}
    pieces = []
    for index, character in enumerate(text):
        if character == " ":
            pieces.append("\\ " if index < blanks else " ")
        elif character in controls:
            pieces.append(controls[character])
        elif character in "\\=:#!":
            pieces.append(f"\\{character}")
        elif ord(character) in _PLAIN:
            pieces.append(character)
        else:
            pieces.append(_unicode_escape(character))
    return "".join(pieces)


def _unicode_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02X}{low:02X}" for high, low in zip(units[::2], units[1::2], strict=True))
