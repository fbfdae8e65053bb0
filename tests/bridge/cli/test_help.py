"""The help of each verb: nothing wider than the terminal, and examples that a shell takes as they are."""

from __future__ import annotations

import shlex

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.examples import EXAMPLES, wrapped


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("verb", sorted(main.commands))
def test_help_fits_the_terminal_and_has_two_examples(verb: str, width: int) -> None:
    told = CliRunner().invoke(main, [verb, "--help"], terminal_width=width).stdout
    assert [line for line in told.splitlines() if len(line) > width] == []
    _, _, examples = told.partition("Examples:\n")
    commands = examples.replace("\\\n", " ").strip().splitlines()
    assert len(commands) >= 2
    assert list(map(shlex.split, commands)) == list(map(shlex.split, EXAMPLES[verb]))


def test_what_cannot_be_broken_stays_whole() -> None:
    assert wrapped("payload-bridge inspect a --root b", 20, "  ") == "  payload-bridge inspect a \\\n      --root b"
