"""Runs the property tests on many fresh examples, and what is marked `long`: python -m tests.deep.

The seed that it prints repeats the examples. `python -m tests.deep -m long` runs what no lane has, alone.
"""

from __future__ import annotations

import os
import secrets
import sys

import click
import pytest

from tests.support.lanes import LONG


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--seed", type=click.IntRange(min=0), help="Repeats the examples of a run; without it they are fresh.")
@click.option("--examples", default=5000, show_default=True, help="Examples of each property.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def main(seed: int | None, examples: int, words: tuple[str, ...]) -> None:
    """Run the property tests and the long ones; WORDS are files, tests and options for pytest."""
    seed = secrets.randbits(32) if seed is None else seed
    repeat = " ".join(["python -m tests.deep", f"--seed {seed} --examples {examples}", *words])
    click.echo(f"to repeat: {repeat}")
    os.environ |= {"HYPOTHESIS_PROFILE": "deep", "HYPOTHESIS_EXAMPLES": str(examples)}
    status = pytest.main(["-q", "-m", f"hypothesis or {LONG}", f"--hypothesis-seed={seed}", *words])
    click.echo(f"to repeat: {repeat}")  # again, below what failed
    sys.exit(status)


if __name__ == "__main__":
    main()
