"""The help of each verb: what it needs and an example first, each option once, and nothing wider than the terminal."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.examples import EXAMPLES, wrapped
from bridge.cli.sections import JOBS, NEEDED, SECTIONS

VERBS = pytest.mark.parametrize("verb", sorted(main.commands))


def help_of(*verb: str, width: int = 80) -> str:
    return CliRunner().invoke(main, [*verb, "--help"], terminal_width=width).stdout


@pytest.mark.parametrize("width", [60, 80])
@VERBS
def test_help_fits_the_terminal_and_has_two_examples(verb: str, width: int) -> None:
    told = help_of(verb, width=width)
    assert [line for line in told.splitlines() if len(line) > width] == []
    _, first, rest = told.partition("\nExample:\n")
    one, _, _ = rest.partition("\n\n")
    _, _, others = rest.partition("\nMore examples:\n")
    commands = f"{one}\n{others}".replace("\\\n", " ").strip().splitlines()
    assert first
    assert len(commands) >= 2
    words = list(map(shlex.split, commands))
    assert words == list(map(shlex.split, EXAMPLES[verb]))
    known = {name for option in main.commands[verb].params for name in option.opts}
    assert all(one[1] == verb and {word for word in one if word.startswith("--")} <= known for one in words)


@VERBS
def test_each_option_is_shown(verb: str) -> None:
    context = click.Context(main.commands[verb], help_option_names=["-h", "--help"])
    options = [one for one in main.commands[verb].get_params(context) if isinstance(one, click.Option)]
    records = [one.get_help_record(context) for one in options]
    lines = [line.strip().partition("  ")[0] for line in help_of(verb).splitlines()]
    assert [name for name, _ in filter(None, records) if name not in lines] == []


@VERBS
def test_a_switch_says_what_it_does(verb: str) -> None:
    """The docstring of a boolean parameter may say "whether"; an option that takes no value may not."""
    helps = [one.help for one in main.commands[verb].params if isinstance(one, click.Option) and one.help]
    assert [text for text in helps if text.startswith("Whether")] == []


@VERBS
def test_what_a_verb_needs_comes_first(verb: str) -> None:
    needed = [f"--{name}" for names in NEEDED.get(verb, ()) for name in names]
    shown = re.findall(r"^  (--[\w-]+)(?=,| |$)", help_of(verb).partition("\nRequired:")[2], re.MULTILINE)
    assert shown[: len(needed)] == needed
    required = {one.opts[0] for one in main.commands[verb].params if isinstance(one, click.Option) and one.required}
    assert required <= set(needed)


def test_each_option_belongs_to_one_section() -> None:
    names = [name for section in SECTIONS.values() for name in section]
    assert len(names) == len(set(names))


def test_the_verbs_are_listed_by_job() -> None:
    assert sorted(verb for verbs in JOBS.values() for verb in verbs) == sorted(main.commands)
    told = help_of()
    assert [told.index(f"\n{job}:\n") for job in JOBS] == sorted(told.index(f"\n{job}:\n") for job in JOBS)
    assert "Commands:" not in told


def test_merge_says_what_a_point_takes() -> None:
    told, _, _ = help_of("merge").partition("\nRequired")
    assert "append         a batch onto a log     --stored, --incoming" in told


def test_what_cannot_be_broken_stays_whole() -> None:
    assert wrapped("payload-bridge inspect a --root b", 20, "  ") == "  payload-bridge inspect a \\\n      --root b"
