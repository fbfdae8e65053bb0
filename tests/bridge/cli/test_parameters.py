"""Options are those of the functions that verbs call: names, defaults, help; errors name parameters or options."""

from __future__ import annotations

import functools
import inspect
import json
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import bridge
from bridge import MergePlan, PlanError, TableType
from bridge.cli import main
from bridge.cli.parameters import DerivedOption, derived_option, help_of, option_name
from bridge.cli.terminal import TerminalOption
from bridge.errors import ParameterError
from bridge.pipeline import Course
from bridge.spark import SessionOptions
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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


def options_of(verb: str) -> list[click.Option]:
    return [one for one in main.commands[verb].params if isinstance(one, click.Option)]


@pytest.mark.parametrize("verb", main.commands)
def test_an_option_is_that_of_a_parameter_or_of_the_terminal(verb: str) -> None:
    assert [one.name for one in options_of(verb) if not isinstance(one, (DerivedOption, TerminalOption))] == []


WRONG = {
    **dict.fromkeys(("a[,b]", "a[,b]|all", "PATH[,PATH]"), "a,,b"),
    **dict.fromkeys(("N", "N|all", "N|last", "N[,N]", "SECONDS", "1%"), "-1"),
    **dict.fromkeys(("key=value", "spark.NAME=VALUE", "N=NAME", "N=R[@VERSION]"), "x"),
    **dict.fromkeys(("FILE|DDL", "FILE[,FILE]"), "absent.txt"),
    "FILE.(html|json|xml|md)": "page.pdf",
    "R": "9.9",
}
"""A value that is wrong for every option of a metavar."""


def wrong_values() -> list[tuple[str, str, str]]:
    """Return the options of all verbs with a wrong value of each."""
    found = []
    for verb in main.commands:
        for one in options_of(verb):
            absent = "absent" if one.name in {"batches", "config", "incoming", "log", "stored"} else None
            wrong = "?" if isinstance(one.type, click.Choice) else absent or WRONG.get(one.metavar or "")
            found += [] if wrong is None or one.name == "seed" else [(verb, one.opts[0], wrong)]
    return found


@pytest.mark.parametrize(("verb", "option", "value"), wrong_values())
def test_a_wrong_value_is_refused_in_a_sentence_that_names_the_option(verb: str, option: str, value: str) -> None:
    result = CliRunner().invoke(main, [verb, option, value])
    told = result.stderr.rpartition("Error: ")[2].strip()
    assert (result.exit_code, told.count("\n"), f"'{option}'" in told) == (2, 0, True), told


ONE = {"payload": "DefaultHoodieRecordPayload", "key": "id", "release": "0.15"}
PLAN = ["--payload", ONE["payload"], "--key", "id"]
course = functools.partial(Course.of, 1, [TableType.COPY_ON_WRITE])  # which `replay` and `simulate` check first
migrated = functools.partial(bridge.migrate, MergePlan(**ONE), "1.2")  # type: ignore[arg-type]
CONTRADICTIONS: list[tuple[str, Callable[..., Any], dict[str, object]]] = [
    ("simulate", MergePlan, {"key": "id"}),
    ("simulate", MergePlan, {"payload": "AWSDmsAvroPayload"}),
    ("simulate", MergePlan, {**ONE, "merger": "EVENT_TIME_ORDERING"}),
    ("simulate", MergePlan, {**ONE, "trust_sample": 9}),
    ("simulate", MergePlan, {**ONE, "trust_rule": True}),
    ("simulate", MergePlan, {**ONE, "engine": "native", "implementation": "java"}),
    ("simulate", MergePlan, {**ONE, "ordering": "a,b"}),
    ("replay", course, {"plain": True}),
    ("replay", course, {"keep_table_version": True}),
    ("replay", course, {"via": {1: "1.0"}}),
    ("replay", course, {"upgrade_after": 3}),
    ("replay", course, {"compact_every": 1}),
    ("simulate", course, {"plain_after": 2}),
    ("simulate", course, {"compact_after": [1]}),
    ("migrate", migrated, {"all_paths": True}),
    ("migrate", migrated, {"accept_differences": True}),
    ("migrate", migrated, {"compact_every": 1}),
    ("verify", functools.partial(bridge.verify, ONE["payload"]), {"exhaustive": True, "examples": 7}),
    ("verify", functools.partial(bridge.verify, ONE["payload"]), {"domains": ["x"]}),
]
"""A verb, its function, and parameters that contradict each other."""
GIVEN = {"verify": [ONE["payload"]], "simulate": ["--batches", "days"]}
GIVEN |= {"replay": ["--batches", "days", "--from", "0.15", "--to", "1.2", *PLAN], "migrate": ["--from", "0.15", *PLAN]}


def words_of(verb: str, settings: dict[str, object]) -> list[str]:
    """Write parameters as options."""
    names = {one.name: one.opts[-1] for one in options_of(verb)}
    found: list[str] = []
    for name, value in settings.items():
        match value:
            case dict():
                found += [word for one in value.items() for word in (names[name], "=".join(map(str, one)))]
            case list():
                found += [names[name], ",".join(map(str, value))]
            case _:
                found += [names[name]] if value is True else [names[name], str(value)]
    return found


@pytest.mark.parametrize(("verb", "called", "settings"), CONTRADICTIONS)
def test_parameters_that_contradict_each_other_are_refused_alike(
    verb: str, called: Callable[..., Any], settings: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ParameterError) as refused:
        called(**settings)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "1.jsonl").write_text('{"id": "a"}\n')
    plan = PLAN if verb == "simulate" and called is not MergePlan else []
    result = CliRunner().invoke(main, [verb, *GIVEN[verb], *plan, *words_of(verb, settings)])
    options = {str(one.name): one.opts[0] for one in options_of(verb)}
    assert result.exit_code == 2
    assert refused.value.of_options(options) == result.stderr.rpartition("Error: ")[2].strip()


@pytest.mark.parametrize(
    "settings",
    [
        {"plain": True},
        {"compact_every": 1},
        {"compact_after": [1]},
        {"upgrade_after": 1},
        {"via": {1: "1.0"}},
        {"keep_table_version": True},
        {"props": {"a": "b"}},
        {"history": True, "keep_table_version": True},
        {"history": True, "compact_every": 1},
        {"to": "EVENT_TIME_ORDERING"},
    ],
)
def test_what_is_not_for_the_question_that_a_table_is_asked_is_refused_alike(
    settings: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    given = {"to": "1.2", **settings}
    with pytest.raises(ParameterError) as refused:
        bridge.replay("t", **given)  # type: ignore[call-overload]
    result = CliRunner().invoke(main, ["replay", "--table", "t", *words_of("replay", given)])
    options = {str(one.name): one.opts[0] for one in options_of("replay")}
    assert result.exit_code == 2
    assert refused.value.of_options(options) == result.stderr.rpartition("Error: ")[2].strip()


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


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("rehearse days --to 1.2 --copy copy --partitions a", "TABLE days --copy copy"),
        ("simulate --batches days --mode EVENT_TIME_ORDERING --key id", "--batches days"),
        ("snapshot days --out-table db.rows", "TABLE days --out-table db.rows"),
        ("pack --out env.tar.gz --with numpy", "--out env.tar.gz"),
    ],
)
def test_a_dry_run_names_what_it_would_read_and_write(
    words: str, places: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "1.jsonl").write_text('{"id": "a"}\n')
    result = CliRunner().invoke(main, [*words.split(), "--dry-run", "--output", "json"])
    plan = json.loads(result.stdout)["plan"]
    assert " ".join(f"{name} {place}" for name, place in plan.items() if name != "dry_run") == places
