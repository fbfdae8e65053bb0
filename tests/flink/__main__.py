"""The carrier of Flink's rows with PyFlink itself: python -m tests.flink [--environment DIR] [--keys N].

In an environment of its own, which has the extra `flink` (some 800 MB): the tests of carrier and mergers with PyFlink's
rows, the block of the guide, whose answer must be the page's, and its process function on changelogs of many keys, by
each payload and release. Fails where one of these does. Needs Java, and network or filled caches.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "migration_guide" / "flink.md"
TESTS = ("tests/mergers/record/test_flink_record.py", "tests/mergers/test_flink_mergers.py")
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@click.command()
@click.option("--environment", type=click.Path(path_type=Path), help="Where the environment is, or is made to stay.")
@click.option("--keys", default=100, show_default=True, help="Keys for each payload and release.")
@click.option("--seed", default=17, show_default=True, help="What their changes are drawn from.")
def main(environment: Path | None, keys: int, seed: int) -> None:
    """Run all parts, and say how long each took."""
    with tempfile.TemporaryDirectory(prefix="flink-") as made:
        folder = Path(made)
        python = _installed(environment or folder / "environment")
        block, answer = (text for _, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8"))[:2])
        script = folder / "merge_changelog.py"
        script.write_text(block, encoding="utf-8")
        pytest = ("-m", "pytest", "-q", "-c", os.devnull, "--noconftest", "-p", "no:cacheprovider", "--rootdir", ".")
        _run("tests with PyFlink's rows", python, *pytest, *TESTS)
        for release in ("0.15", "1.2"):
            asked = folder / f"at_{release.replace('.', '_')}.py"
            asked.write_text(block.replace('payload, "0.15")', f'payload, "{release}")'), encoding="utf-8")
            shown = _run(f"the guide's block, by {release}", python, str(asked))
            if answer not in shown:
                msg = f"the guide's block answers otherwise by {release} than the page says:\n{shown}"
                raise SystemExit(msg)
        _run("changelogs", python, str(Path(__file__).with_name("changelogs.py")), str(script), str(keys), str(seed))


def _installed(folder: Path) -> Path:
    """Return the interpreter of an environment with this checkout, PyFlink and pytest."""
    python = folder / "bin" / "python"
    start = time.monotonic()
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", f"{ROOT}[flink]", "pytest"], check=True)
    click.echo(f"environment: {time.monotonic() - start:.0f} s")
    return python


def _run(name: str, python: Path, *words: str) -> str:
    """Run a part from the root of the checkout, which the workers import, too; return what it prints."""
    start = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([str(python), *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    click.echo(done.stdout.rstrip())
    if done.returncode:
        click.echo(done.stderr[-4000:], err=True)
        msg = f"{name} failed"
        raise SystemExit(msg)
    click.echo(f"{name}: {time.monotonic() - start:.0f} s")
    return done.stdout


if __name__ == "__main__":
    main()
