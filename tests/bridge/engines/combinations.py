"""The combinations of program, release and rule on which engines must agree, and the engines that run each."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.bridge.engines.generated import (
    MERGER,
    OF_MODES,
    OF_PAYLOADS,
    PARTIAL,
    WITH_TEXTS,
    WITHOUT_DATES,
    Combination,
)
from tests.support.pairwise import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROGRAMS = ("upsert", "combine_input", "append", "snapshot", "compact")
_CALLED = (
    "DefaultHoodieRecordPayload",
    "OverwriteWithLatestAvroPayload",
    "EventTimeAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "AWSDmsAvroPayload",
    "PostgresDebeziumAvroPayload",
)


_BY_MODE = _CALLED[:2]


def all_combinations() -> dict[Combination, tuple[str, ...]]:
    """Return every combination with the engines that run it beside the python engine."""
    lists = {"native": set(natively()), "jvm": set(compiled())}
    return {
        one: tuple(engine for engine, runs in lists.items() if one in runs)
        for one in dict.fromkeys((*natively(), *compiled()))
    }


def in_turns(combinations: dict[Combination, tuple[str, ...]]) -> dict[Combination, tuple[str, ...]]:
    """Return combinations so that those of unlike program and rule follow each other: a part of a run has all kinds."""
    turns: dict[tuple[str, str], list[Combination]] = {}
    for one in combinations:
        turns.setdefault((one.program, one.merges), []).append(one)
    rounds = itertools.zip_longest(*turns.values())
    return {one: combinations[one] for turn in rounds for one in turn if one is not None}


def covering(combinations: Iterable[Combination]) -> list[Combination]:
    """Return few combinations that have each release, rule and ordering of a program, and each rule with a marker."""

    def facts(one: Combination) -> set[tuple[object, ...]]:
        of_program = {(one.program, one.release), (one.program, one.merges), (one.program, *one.ordering)}
        return of_program | {(one.merges, one.marker)}

    return few(combinations, facts)


def compiled() -> Iterator[Combination]:
    """Give combinations that the jvm engine runs with classes of a bundle."""
    for payload, release, program in itertools.product(_CALLED, ("0.15", "1.0", "1.1", "1.2"), PROGRAMS):
        # From 1.1 on a class is called for tables that 1.0 created, unless they have a merge mode in its place.
        older = (("created_by", "1.0"),) if release >= "1.1" else ()
        if older and payload in _BY_MODE:
            continue
        for name in ("long", "string") if payload in _BY_MODE else ("long",):
            yield Combination(program, release, payload, (name,), settings=older)


def natively() -> Iterator[Combination]:
    """Give every combination that the native engine claims."""
    yield from _of_modes()
    yield from _of_payloads()
    yield from _of_partial_updates()
    merged = itertools.product(("upsert", "snapshot", "compact"), ("1.1", "1.2"), (False, True))
    for program, release, marker in merged:
        yield Combination(program, release, MERGER, (), marker)


def _of_modes() -> Iterator[Combination]:
    event, commit = "EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"
    lists = [("string", "long"), ("int", "int"), ("double", "int", "string")]
    plain_lists = [("boolean", "long"), ("int", "int")]
    orders = {
        "upsert": [*((name,) for name in OF_MODES), *lists, ()],
        "combine_input": [*((name,) for name in WITH_TEXTS), *plain_lists, ()],
        "append": [(name,) for name in WITHOUT_DATES] + [*plain_lists, ()],
        "snapshot": [(name,) for name in WITHOUT_DATES],
        "compact": [(name,) for name in WITHOUT_DATES],
    }
    for program, release in itertools.product(orders, ("1.1", "1.2")):
        yield Combination(program, release, commit, ("long",))
        yield Combination(program, release, commit, ("int",), marker=True)
        for order in orders[program]:
            yield Combination(program, release, event, order)
        yield Combination(program, release, event, ("int",), marker=True)
        if program == "append":
            yield Combination(program, release, event, ("string",), settings=(("inserts_to", "log"),))


def _of_payloads() -> Iterator[Combination]:
    default, latest = "DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload"
    for release in ("0.12", "0.13", "0.14", "0.15", "1.0"):
        texts = WITHOUT_DATES if release >= "1.0" else WITH_TEXTS
        for payload in (default, latest):
            for name in OF_PAYLOADS:
                yield Combination("upsert", release, payload, (name,))
            for name in WITH_TEXTS:
                yield Combination("combine_input", release, payload, (name,))
            for name in texts:
                yield Combination("append", release, payload, (name,))
            yield Combination("upsert", release, payload, (), marker=True)
            yield Combination("append", release, payload, ("long",), marker=True)
        yield Combination("append", release, default, ("string",), settings=(("inserts_to", "log"),))
        if release < "1.0":
            yield from _of_scanners(release)
        else:
            yield from logs_of_1_0()
        others = ["EventTimeAvroPayload"]
        others += [] if release < "0.13" else ["AWSDmsAvroPayload"]
        for payload, program in itertools.product(others, ("upsert", "combine_input", "append")):
            yield Combination(program, release, payload, ("int",))


def _of_scanners(release: str) -> Iterator[Combination]:
    """Give what folds logs by payloads."""
    default, latest, event = "DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload", "EventTimeAvroPayload"
    for program in ("snapshot", "compact"):
        for payload, name in itertools.product((default, latest, event), WITH_TEXTS):
            yield Combination(program, release, payload, (name,))
        yield Combination(program, release, default, ("long",), marker=True)
    if release >= "0.13":
        yield Combination("compact", release, "AWSDmsAvroPayload", ("int",))


def logs_of_1_0() -> Iterator[Combination]:
    """Give logs that readers of 1.0 merge by commit time, and by event time."""
    commit, default, event = "OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload", "EVENT_TIME_ORDERING"
    for program in ("snapshot", "compact"):
        for marker in (False, True):
            yield Combination(program, "1.0", commit, ("long",), marker)
        for merges in (event, default):
            for name in WITHOUT_DATES:
                yield Combination(program, "1.0", merges, (name,))
            yield Combination(program, "1.0", merges, ("int",), marker=True)


def _of_partial_updates() -> Iterator[Combination]:
    programs = ("upsert", "combine_input", "append", "snapshot", "compact")
    for payload, program, release in itertools.product(PARTIAL, programs, ("1.1", "1.2")):
        for name in ("int", "long"):
            yield Combination(program, release, payload, (name,))
