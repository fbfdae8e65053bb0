"""Compares the ports with the real Java classes on very many cases: python -m tests.jvm.fuzz --examples 100000."""

from __future__ import annotations

import multiprocessing
import random
import secrets
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from bridge import local_session
from bridge.engines.jvm.calls import PayloadCalls
from payloads import HudiRelease, PayloadRef, builtin_payloads
from payloads.release import releases
from tests.jvm.case_pools import each_pool, some_sequences
from tests.jvm.differential import compared
from tests.jvm.shrink import described

if TYPE_CHECKING:
    from payloads.builtin.base import BuiltinPayload
    from tests.jvm.case_pools import Pool

SHOWN = 3
"""How many differences of one kind are shown for a class and release."""


class Comparison:
    """The comparison of one port, bound to its release.

    Attributes:
        cases: how many cases were tried.
        sequences: how many sequences were played on them.
        differences: how many sequences differ, by the name of the sequence.
    """

    def __init__(self, payload_class: type[BuiltinPayload], calls: PayloadCalls, per_pool: int, per_case: int) -> None:
        """Prepare: `per_pool` cases of one shape, `per_case` sequences of one case."""
        self.cases = self.sequences = 0
        self.differences: Counter[str] = Counter()
        self._payload_class = payload_class
        self._calls = calls
        self._per_pool = per_pool
        self._per_case = per_case

    def run(self, examples: int, number: int) -> None:
        """Try `examples` cases that `number` reproduces."""
        pools = -(-examples // self._per_pool)
        each_pool(self._payload_class, number, pools, lambda pool: self._play(pool, examples))

    def _play(self, pool: Pool, examples: int) -> None:
        chance = random.Random(pool.number)  # noqa: S311 (reproducible on purpose)
        cases = list(pool.cases(min(self._per_pool, examples - self.cases)))
        played = [sequence for case in cases for sequence in some_sequences(case, self._per_case, chance)]
        self.cases += len(cases)
        self.sequences += len(played)
        for difference in compared(played, self._calls):
            self.differences[difference.sequence] += 1
            if self.differences[difference.sequence] <= SHOWN:
                click.echo(described(difference, self._calls))


@click.command()
@click.option("--examples", default=100_000, show_default=True, help="Cases of each class, spread over its releases.")
@click.option("--class", "names", multiple=True, help="Only classes whose name contains this; may be repeated.")
@click.option("--release", type=HudiRelease.parse, help="Only this release: it gets all the examples.")
@click.option("--seed", type=click.IntRange(min=0), help="Repeats the cases of a run; without it they are fresh.")
@click.option("--per-pool", default=250, show_default=True, help="Cases of one schema, with the same properties.")
@click.option(
    "--sequences", "per_case", default=2, show_default=True, help="Sequences of one case; a sequence is a few calls."
)
@click.option("--workers", default=1, show_default=True, help="Processes that share the classes and one JVM.")
def main(**options: Any) -> None:
    """Print a line a class and release, and what differs in its shrunk form; exit with 1 where something does."""
    options["seed"] = secrets.randbits(32) if options["seed"] is None else options["seed"]
    lines = releases(since="0.15") if options["release"] is None else [options["release"]]
    ports = [port for line in lines for port in builtin_payloads(line) if _is_chosen(port.__name__, **options)]
    ports.sort(key=lambda port: (port.__name__, port.release))
    spark = local_session()
    spread = Counter(port.__name__ for port in ports)
    shares = [(port, -(-options["examples"] // spread[port.__name__])) for port in ports]
    # Each worker has objects of its own in the JVM, which live as long as this process refers to them.
    calls = [
        {line: PayloadCalls(spark, PayloadRef("HoodieAvroPayload"), line) for line in lines}
        for _ in range(options["workers"])
    ]
    fork = multiprocessing.get_context("fork")
    workers = [
        fork.Process(target=_compare, args=(shares[number :: len(calls)], own, options))
        for number, own in enumerate(calls)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    spark.stop()
    sys.exit(max(abs(worker.exitcode or 0) for worker in workers))


def _is_chosen(name: str, names: tuple[str, ...], **_options: Any) -> bool:
    return not names or any(part in name for part in names)


def _compare(
    shares: list[tuple[type[BuiltinPayload], int]], calls: dict[HudiRelease, PayloadCalls], options: dict[str, Any]
) -> None:
    failed = 0
    for port, share in shares:
        comparison = Comparison(port, calls[port.release], options["per_pool"], options["per_case"])
        comparison.run(share, options["seed"])
        different = sum(comparison.differences.values())
        failed += different
        counts = f"{comparison.cases} cases, {comparison.sequences} sequences, {different} differ"
        click.echo(f"{port.__name__} {port.release}: {counts}; seed {options['seed']}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
