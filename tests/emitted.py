"""Runs the scripts of `verify --emit-spark` on real Hudi: python -m tests.emitted [--release R] [--class NAME].

One script for every built-in payload of 0.15 and later that violates a law which shows in a table. The scripts of a
release share a session, since starting one takes longer than a script. Needs network or a filled Ivy cache.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import click
from pyspark.sql import SparkSession

from bridge.errors import InputError
from bridge.spark import small_input
from bridge.verify import spark_text, verify
from payloads import HudiRelease, builtin_payloads
from payloads.release import releases

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN = "The answers differ."


@click.command()
@click.option("--release", "wanted", multiple=True, help="Only this release; may be repeated.")
@click.option("--class", "names", multiple=True, help="Only this payload class; may be repeated.")
@click.option("--in-session", hidden=True, type=click.Path(path_type=Path), help="The folder whose scripts are run.")
def main(wanted: tuple[str, ...], names: tuple[str, ...], in_session: Path | None) -> None:
    """Print a line a script, and how many counterexamples real Hudi shows; exit 1 if one does not show."""
    if in_session is not None:
        _run_all(in_session)
        return
    lines: list[str] = []
    for release in map(HudiRelease.parse, wanted) if wanted else releases(since="0.15"):
        with tempfile.TemporaryDirectory(prefix="emitted-") as folder:
            for name, text in _scripts(release, names):
                Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
            command = [sys.executable, "-m", "tests.emitted", "--in-session", folder]
            told = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
            found = [line for line in told.stdout.splitlines() if line.startswith("= ")]
            if told.returncode:
                found.append(f"= session: failed, {told.stderr.strip().splitlines()[-1]}")
        for line in found:
            click.echo(f"{release} {line[2:]}")
        lines += found
    kinds = [line.partition(": ")[2].partition(",")[0] for line in lines]
    click.echo(f"{kinds.count('differ')} shown, {kinds.count('agree')} not shown, {kinds.count('failed')} failed")
    sys.exit(1 if set(kinds) != {"differ"} else 0)


def _environment() -> dict[str, str]:
    """Return variables by which a session of many small jobs interprets its queries, and compiles little."""
    settings = (word for name, value in small_input.INTERPRETED.items() for word in ("--conf", f"{name}={value}"))
    submit = " ".join([*settings, "--conf spark.ui.enabled=false", "pyspark-shell"])
    return {**os.environ, "SPARK_SUBMIT_OPTS": small_input.JAVA_OPTIONS, "PYSPARK_SUBMIT_ARGS": submit}


def _scripts(release: HudiRelease, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for payload_class in builtin_payloads(release):
        name = payload_class.__name__
        if names and name not in names:
            continue
        try:
            yield name, spark_text(verify(name, release=release, key=("id",), exhaustive=True))
        except InputError as reason:
            click.echo(f"{release} {name}: no script, {reason}", err=True)


def _run_all(folder: Path) -> None:
    """Run the scripts of a folder; what they print of tables goes to standard error."""
    with mock.patch.object(SparkSession, "stop"):
        for script in sorted(folder.glob("*.py")):
            said: list[str] = []

            def noted(*words: Any, said: list[str] = said) -> None:
                said.append(" ".join(map(str, words)))

            try:
                runpy.run_path(str(script), {"print": noted}, run_name="__main__")
                outcome = "differ" if said[-1] == _SHOWN else "agree"
            except Exception as error:  # noqa: BLE001 (Hudi may refuse anything)
                outcome = f"failed, {_cause(error)[:200]}"
            click.echo("\n".join(said), err=True)
            click.echo(f"= {script.stem}: {outcome}")


def _cause(error: Exception) -> str:
    """Return the line that names the innermost cause, which comes last."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    return causes[-1] if causes else lines[0]


if __name__ == "__main__":
    main()
