"""The frame of every picture: its colours in light and dark, its title and description, and the template around it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import jinja2

from bridge.display import file_text
from tests.support.folders import GUIDE

FOLDER: Final = GUIDE / "pictures"
COLOURS: Final = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([a-z0-9]+): light-dark\((\S+), (\S+)\)", file_text("colours.css"))
}
"""The colours of the report pages by name: in light and in dark."""
_TEMPLATES: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def drawn(template: str, **values: Any) -> str:
    """Return a picture; `values` has `width`, `height`, `title`, `description`, and what the template draws."""
    return _TEMPLATES.get_template(template).render(colours=COLOURS, **values)
