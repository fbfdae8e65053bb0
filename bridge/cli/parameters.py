"""Options that are derived from what a verb calls: name, type, default and help; and its errors, in their words."""

from __future__ import annotations

import ast
import contextlib
import enum
import inspect
import itertools
import re
from typing import TYPE_CHECKING, Any, Final, NoReturn, get_args

import click

from bridge.cli.completion import modes_from, payloads_from, releases_from, targets_from
from bridge.cli.decorators import VerbOption
from bridge.cli.paths import InputPath, JarFiles, SchemaInput
from bridge.cli.values import batch_number, names, number_or_all, numbers, operation, prop, release, upgrade_step
from bridge.errors import ClassLinkError, EngineError, InputError, ParameterError
from bridge.plan import TableType
from bridge.report import documented
from mergers.strategies import Fidelity
from payloads.errors import PayloadBridgeError
from payloads.user import CallEndedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bridge.cli.decorators import F


def _each(_context: click.Context, _option: click.Parameter, given: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(itertools.chain.from_iterable(given)))


_NAMES: Final = {"type": names, "metavar": "a[,b]"}
_PAYLOAD: Final = {"metavar": "NAME", "shell_complete": payloads_from}
_RELEASE: Final = {"type": release, "metavar": "R", "shell_complete": releases_from}
_SCHEMA: Final = {"type": SchemaInput(), "metavar": "FILE|DDL"}
_OR_ALL: Final = "int | None"
"""The annotation of a number whose default is another one than None, which stands for all."""
_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "AvroSchema": {
        **_SCHEMA,
        "note": "It is Spark DDL ('id string, ts bigint') or Avro JSON, or a file with either.",
    },
    "AvroSchema | StructType | str": _SCHEMA,
    "BatchNumber": {"type": batch_number, "metavar": "N|last"},
    "Collection[int]": {"type": numbers, "metavar": "N[,N]"},
    "DataFrame": {
        "type": InputPath(),
        "metavar": "PATH",
        "note": "A file or flat folder of Parquet, Avro, ORC, JSON lines or CSV.",
    },
    "Fidelity": {"type": click.Choice(get_args(Fidelity))},
    "HudiRelease": _RELEASE,
    "Iterable[str]": _NAMES,
    "JarPaths": {"type": JarFiles(), "multiple": True, "callback": _each, "metavar": "FILE[,FILE]"},
    "Mapping[int, str | SqlMerge]": {"type": operation, "multiple": True, "metavar": "N=NAME"},
    "Mapping[str, str]": {"type": prop, "multiple": True, "metavar": "key=value"},
    "MavenPackages": {"multiple": True, "metavar": "COORDINATE"},
    "MergerRef": {"metavar": "MODE|NAME", "shell_complete": modes_from},
    "PayloadRef": _PAYLOAD,
    "Sequence[str]": _NAMES,
    "Steps": {"type": upgrade_step, "multiple": True, "metavar": "N=R[@VERSION]"},
    "Target": {"metavar": "R|MODE|NAME", "shell_complete": targets_from},
    "TableType": {"type": click.Choice([one.value for one in TableType])},
    "bool": {"is_flag": True},
    "float": {"type": click.FloatRange(min=0, min_open=True), "metavar": "X"},
    "int": {"type": click.IntRange(min=0), "metavar": "N"},
    _OR_ALL: {"type": number_or_all, "metavar": "N|all"},
    "str": {"metavar": "NAME"},
    "str | Path": {"metavar": "PATH"},
    "str | HudiRelease": _RELEASE,
    "str | PayloadRef": _PAYLOAD,
    "str | type[HoodieRecordPayload] | PayloadRef": _PAYLOAD,
    "str | HudiRelease | RecordMergeMode": {"metavar": "R|MODE", "shell_complete": targets_from},
    "str | Sequence[str]": _NAMES,
    "tuple[str, ...]": _NAMES,
}
"""What click is told of an annotation, without the None that may follow a value, and a `note` for the help."""
_DEFAULT: Final = re.compile(r"(?:;|\.) None(?: for|:) ")


class DerivedOption(VerbOption):
    """The option of a parameter; its name is that of the parameter."""


def derived_option(
    called: Callable[..., Any], name: str, *flags: str, note: str = "", **settings: object
) -> Callable[[F], F]:
    """Make the option of a parameter of a function, or of a field of a class.

    Args:
        called: the function or the class with attributes; annotations and the docstring say what the option takes.
        name: the parameter.
        flags: the names of the option, where they are not that of the parameter.
        note: what only the command line says, after the help.
        settings: what click is told in place of what the annotation says.
    """
    found = inspect.signature(called).parameters[name]
    kind = _kind(found)
    known = {"type": click.Choice(_literals(kind))} if kind.startswith("Literal[") else _TYPES.get(kind)
    told = {} if known is None and "type" in settings else known or _TYPES[kind]
    default = {"default": _as_text(found.default), "show_default": True} if _is_shown(found.default) else {}
    told = {**told, **default, **settings}
    repeated = "May be repeated." if "multiple" in told else ""
    notes = filter(None, (help_of(called, name), told.pop("note", ""), note, repeated))
    return click.option(
        *(flags or (option_name(name),)), name, **{"cls": DerivedOption, "help": " ".join(notes), **told}
    )


def option_name(name: str) -> str:
    """Return the option of a parameter."""
    return f"--{name.replace('_', '-')}"


def help_of(called: Callable[..., Any], name: str) -> str:
    """Return what a docstring says of a parameter, in the words of the command line."""
    section = "Attributes" if inspect.isclass(called) else "Args"
    _, documentation = documented(called.__doc__ or "", section)
    parameters = inspect.signature(called).parameters
    text = _DEFAULT.sub(". Default: ", documentation[name])
    text = text.replace("None", "all") if _kind(parameters[name]) == _OR_ALL else text
    text = re.sub(r"`([^`]+)`", lambda one: option_name(one[1]) if one[1] in parameters else one[1], text)
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


OF_DATA: Final = (ClassLinkError, InputError, EngineError, CallEndedError)
"""Errors of data and environment, not of the command line."""


@contextlib.contextmanager
def refused(
    kind: type[PayloadBridgeError] = PayloadBridgeError, *, but: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Turn errors of a kind, `but` not all, into errors of the command line."""
    try:
        yield
    except but:
        raise
    except kind as error:
        refuse(error)


def refuse(error: PayloadBridgeError) -> NoReturn:
    """Turn an error of this project into one of the command line."""
    context = click.get_current_context(silent=True)
    options = {} if context is None else {one.name: one.opts[0] for one in context.command.params if one.name}
    text = error.of_options(options) if isinstance(error, ParameterError) else str(error)
    raise click.UsageError(text, context) from error


def _kind(parameter: inspect.Parameter) -> str:
    """Return the annotation of a parameter as text, without the None that says that it may be left out."""
    kind = str(getattr(parameter.annotation, "__forward_arg__", parameter.annotation))  # of a NamedTuple
    return kind if kind == _OR_ALL and isinstance(parameter.default, int) else kind.removesuffix(" | None")


def _is_shown(default: object) -> bool:
    """Whether a default is a value that a user might write."""
    return isinstance(default, (str, int, float, tuple, enum.Enum)) and default is not False and default != ()


def _as_text(default: object) -> object:
    """Return a default as a user writes it."""
    if isinstance(default, enum.Enum):
        return default.value
    return ",".join(str(_as_text(one)) for one in default) if isinstance(default, tuple) else default


def _literals(kind: str) -> tuple[str, ...]:
    values = ast.literal_eval(f"({kind.removeprefix('Literal[').removesuffix(']')},)")
    return tuple(map(str, values))
