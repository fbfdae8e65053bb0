"""Templates, styles and scripts: where they lie, and the library that fills them in and escapes every value."""

from __future__ import annotations

import functools
import importlib.resources
import re
from typing import TYPE_CHECKING, Any, Final

from bridge.display.printable import PART, printable
from bridge.redaction import without_credentials

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

_OPTION: Final = re.compile(r"(?<!\S)(--[a-z][a-z-]{0,30})")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_UNDERSCORE: Final = re.compile(r"(?<=[^\W_]_)(?=[^\W_])")
"""Where the name of a column may be broken; `Hudi 1.2` stays whole."""

_BREAKS: Final = 20
"""After how many letters a long text is taken to break."""
_BROADEST: Final = 96
"""How many letters a page of paper has room for."""

# The template library is loaded late: plans and tables are shown in notebooks by few of the programs that make them.


@functools.cache
def template_of(name: str) -> jinja2.Template:
    """Return a template, which escapes all values but those of `trusted`."""
    import jinja2  # noqa: PLC0415 (see above)
    from markupsafe import Markup  # noqa: PLC0415 (see above)

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(file_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=lambda value: _shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters["parted"] = _parted
    environment.filters["name"] = functools.partial(_name, between="<wbr>")
    environment.filters["label"] = functools.partial(_name, between="&#8203;")
    environment.filters["sentence"] = _sentence
    environment.tests["broad"] = _is_broad
    return environment.get_template(name)


def _shown(text: str) -> str:
    # Value by value: over finished HTML a match would run across tags.
    return printable(without_credentials(text))


def _parted(text: str) -> Markup:
    """Return text in which a browser may break words at the same places as a terminal, but no option."""
    return _with_options(_shown(text), "<wbr>")


def _name(text: str, between: str) -> Markup:
    """Return the name of a column with what lets it break; an attribute has no tags."""
    return _joined(_UNDERSCORE.split(_shown(text)), between)


def _sentence(text: str) -> Markup:
    """Return text with its `code` as code, in which no line ends within an option: browsers break after hyphens."""
    from markupsafe import Markup  # noqa: PLC0415 (see above)

    code = Markup("<code>{}</code>")
    parts = enumerate(_CODE.split(_shown(text)))
    return Markup("").join(code.format(part) if number % 2 else _with_options(part, "") for number, part in parts)


def _is_broad(table: Any) -> bool:
    """Whether a table is broader than a page of paper: by its longest texts, which break, and a gap between columns."""
    longest = (
        max(*map(len, _UNDERSCORE.split(name)), *(min(_BREAKS, len(row[at])) for row in table.rows), 4)
        for at, name in enumerate(table.columns)
    )
    return sum(longest) + 2 * len(table.columns) > _BROADEST


def _with_options(text: str, between: str) -> Markup:
    from markupsafe import Markup  # noqa: PLC0415 (see above)

    option = Markup('<span class="option">{}</span>')
    parts = enumerate(_OPTION.split(text))
    return Markup("").join(
        option.format(part) if number % 2 else _joined(PART.split(part) if between else [part], between)
        for number, part in parts
    )


def _joined(parts: list[str], between: str) -> Markup:
    from markupsafe import Markup, escape  # noqa: PLC0415 (see above)

    return Markup(between).join(map(escape, parts))  # noqa: S704 (our own tag)


@functools.cache
def file_text(name: str) -> str:
    """Return the text of a template, a style or a script."""
    folder = importlib.resources.files("bridge.display") / "files"
    return (folder / name).read_text(encoding="utf-8")


def trusted(*names: str) -> Markup:
    """Return files of ours, one after another, as text that a template does not escape."""
    from markupsafe import Markup  # noqa: PLC0415 (see above)

    return Markup("".join(map(file_text, names)))  # noqa: S704 (our own files)
