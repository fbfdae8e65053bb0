"""Pages of the guide whose commands run as written, in a folder, and print what the page shows."""

from __future__ import annotations

import re
import shlex
import subprocess
from typing import TYPE_CHECKING, Final

from click.testing import CliRunner

from bridge.cli import main
from tests.support.folders import GUIDE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession

PROGRAM: Final = ".venv/bin/payload-bridge"
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> int:
    """Run the blocks `sh` of a page; each block `text` shows a part of the last answer. Return how many ran."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    answer, run = "", 0
    for kind, text in BLOCK.findall((GUIDE / page).read_text(encoding="utf-8")):
        if kind == "text":
            assert text.strip() in answer, f"{text}\n---\n{answer}"
        if kind != "sh" or "pip install" in text or f"{PROGRAM} demo" in text:
            continue
        if PROGRAM not in text:
            subprocess.run(["bash", "-euc", text], check=True)  # noqa: S607 (the reader's shell)
            for module in re.findall(r"> (\w+\.py)\b", text):
                spark.sparkContext.addPyFile(str(folder / module))  # its workers have started without PYTHONPATH
            continue
        command = shlex.split(text.replace("\\\n", " "))
        result = CliRunner().invoke(main, command[1:], catch_exceptions=False)
        assert result.exit_code in {0, 1}, result.output
        answer, run = result.stdout, run + 1
    return run
