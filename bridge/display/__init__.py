"""Display: the template library, the style, and what pages and notebooks show alike."""

from __future__ import annotations

from bridge.display.notebook import Fragment, Grid, notebook_html
from bridge.display.printable import PART, escaped_json, printable
from bridge.display.templates import file_text, template_of, trusted
from payloads.visible import escaped

__all__ = [
    "PART",
    "Fragment",
    "Grid",
    "escaped",
    "escaped_json",
    "file_text",
    "notebook_html",
    "printable",
    "template_of",
    "trusted",
]
