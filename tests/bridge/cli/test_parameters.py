"""Options are those of the functions that verbs call: names, defaults, help; errors name parameters or options."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import bridge
from bridge import MergePlan, PlanError
from bridge.cli import main
from bridge.cli.parameters import derived_option, help_of, option_name
from bridge.errors import ParameterError
from bridge.spark import SessionOptions
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS: dict[str, tuple[Callable[..., Any], str]] = {
    "inspect": (bridge.inspect, "from_release bootstrap call_timeout"),
    "migrate": (bridge.migrate, "upgrade_after keep_table_version compact_after accept_differences"),
    "merge": (MergePlan, "props trust_rule trust_sample"),
    "plan": (bridge.plan_migration, "to from_release keep_table_version bootstrap call_timeout"),
    "replay": (bridge.replay, "upgrade_after via keep_table_version plain compact_after compact_every"),
    "rehearse": (bridge.rehearse, "to payload props downgrade"),
    "simulate": (MergePlan, "key partition ordering arrival fidelity engine implementation on_error call_timeout"),
    "verify": (bridge.verify, "key ordering props laws domains examples exhaustive seed allow call_timeout"),
}
"""The function or dataclass behind a verb, and the parameters that are its options."""


@pytest.mark.parametrize("verb", VERBS)
def test_an_option_has_the_name_and_the_default_of_its_parameter(verb: str) -> None:
    called, names = VERBS[verb]
    options = {one.name: one for one in main.commands[verb].params}
    for name in names.split():
        default = inspect.signature(called).parameters[name].default
        option = options[name]
        assert isinstance(option, click.Option)
        assert {option_name(name), "--from", "--prop"} & {*option.opts}
        if isinstance(default, (str, int, float, tuple)) and default is not False and default != ():
            assert option.default == (",".join(default) if isinstance(default, tuple) else default), name


def test_help_is_the_docstring_in_the_words_of_the_command_line() -> None:
    def called(*, upgrade_after: int = 3, keep: bool = False) -> None:
        """Do something.

        Args:
            upgrade_after: the batch before `keep`, which is
                one of `many`; None for the last one.
            keep: whether to.

        Raises:
            keep: is not this.
        """

    assert help_of(called, "upgrade_after") == "The batch before --keep, which is one of many. Default: the last one."
    assert help_of(called, "keep") == "Whether to."

    @click.command
    @derived_option(called, "upgrade_after", note="Once.")
    @derived_option(called, "keep")
    def verb(upgrade_after: int, *, keep: bool) -> None:
        click.echo(f"{upgrade_after} {keep}")

    assert CliRunner().invoke(verb, []).stdout == "3 False\n"
    assert CliRunner().invoke(verb, ["--upgrade-after", "4", "--keep"]).stdout == "4 True\n"
    assert CliRunner().invoke(verb, ["--upgrade-after", "x"]).exit_code == 2
    assert "last one. Once. [default: 3;" in " ".join(CliRunner().invoke(verb, ["--help"]).stdout.split())


@pytest.mark.parametrize(("name", "value"), [("domains", "x"), ("allow", "x")])
def test_an_error_names_the_parameter_in_python_and_the_option_on_the_command_line(name: str, value: str) -> None:
    payload, small = "DefaultHoodieRecordPayload", {"exhaustive": True, "laws": ["idempotence"]}
    with pytest.raises(PlanError, match=rf"^{name} x: "):
        bridge.verify(payload, release=HudiRelease.V1_2, key=("id",), **{**small, name: (value,)})  # type: ignore[arg-type]
    words = ["verify", payload, "--exhaustive", "--laws", "idempotence", option_name(name), value]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, f"{option_name(name)} x: " in result.stderr) == (2, True)


def test_spark_runs_in_one_place() -> None:
    with pytest.raises(PlanError, match=r"^master and remote are two ways to run; give one"):
        SessionOptions(master="local[1]", remote="sc://host")
    result = CliRunner().invoke(main, ["check-cluster", "--master", "local[1]", "--remote", "sc://host"])
    assert (result.exit_code, "--master and --remote are two ways to run" in result.stderr) == (2, True)


@pytest.mark.parametrize("words", [("--key", "id"), ("--ordering", "ts"), ("--prop", "a=b"), ("--call-timeout", "9")])
def test_what_is_for_calls_of_a_class_needs_rows_or_a_schema(words: tuple[str, str]) -> None:
    result = CliRunner().invoke(main, ["payloads", "AWSDmsAvroPayload", *words])
    assert (result.exit_code, f"{words[0]} is for calls of a class" in result.stderr) == (2, True)


def test_an_enumeration_tries_no_examples() -> None:
    with pytest.raises(ParameterError, match=r"^examples is for random examples, and exhaustive tries none"):
        bridge.verify("AWSDmsAvroPayload", release="0.15", exhaustive=True, examples=7)
