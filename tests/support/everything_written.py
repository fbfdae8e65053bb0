"""All that a command has put out, as one text: its streams, its files, and what its pages have packed."""

from __future__ import annotations

import base64
import re
import zlib
from typing import TYPE_CHECKING

from click.testing import CliRunner

from bridge.cli import main

if TYPE_CHECKING:
    from pathlib import Path

_PACKED = re.compile(r'<script type="application/octet-stream" id="data">([^<]+)<')


def everything_written(folder: Path, *words: object) -> tuple[int, str]:
    """Run a command that writes below `folder`; return its exit code and the text."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    texts = [result.stdout, result.stderr]
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            texts += [text, *(zlib.decompress(base64.b64decode(found)).decode() for found in _PACKED.findall(text))]
    return result.exit_code, "\n".join(texts)
