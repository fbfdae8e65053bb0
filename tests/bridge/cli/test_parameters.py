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
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS: dict[str, tuple[Callable[..., Any], str]] = {
    "inspect": (bridge.inspect, "from_release bootstrap call_timeout"),
    "migrate": (bridge.migrate, "upgrade_after keep_table_version compact_after"),
    "plan": (bridge.plan_migration, "from_release keep_table_version bootstrap call_timeout"),
    "replay": (bridge.replay, "upgrade_after via keep_table_version plain compact_after compact_every"),
    "simulate": (MergePlan, "key partition ordering arrival fidelity engine implementation on_error call_timeout"),
    "verify": (bridge.verify, "key ordering laws domains examples seed allow call_timeout"),
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
        assert {option_name(name), "--from"} & {*option.opts}
        if default not in {None, ()} and default is not False:
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
