"""Runs the blocks of the page `migration_guide/keep_your_payload.md`, and looks for its answers."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from bridge.spark.java import find_java
from tests.support import GUIDE, ROOT

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM = ".venv/bin/payload-bridge"
_MAIN = "from bridge.cli import main; main()"


def run_page(folder: Path) -> list[str]:
    """Run the page in an empty folder; return what did not answer as it says."""
    wrong: list[str] = []
    answer: str | None = None
    told = {"JAVA_HOME": str(find_java()), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    for kind, text in _BLOCK.findall((GUIDE / "keep_your_payload.md").read_text(encoding="utf-8")):
        if kind == "text":
            if answer is not None and text.strip() not in answer:  # what stands before any command is an example
                wrong.append(f"{text.strip()!r} is not in {answer[-2000:]!r}")
            continue
        if kind == "py":  # a fragment of a job
            continue
        command = ["bash", "-euc", text] if kind == "sh" else [sys.executable, "-c", text]
        if _PROGRAM in text:
            command = [sys.executable, "-c", _MAIN, *shlex.split(text.replace("\\\n", " "))[1:]]
        ran = subprocess.run(
            command, cwd=folder, env={**os.environ, **told}, capture_output=True, text=True, check=False
        )
        answer = ran.stdout
        if ran.returncode:
            wrong.append(f"{text[:80]!r} ended with {ran.returncode}: {ran.stderr[-1500:]}")
    return wrong
