"""Bad inputs, drawn by a seed and a number, to every verb and every public function, in one process and one session.

Each must end with right rows, or with one sentence and exit code 2 or 3, and leave nothing. What became of them is
counted; one of the failures of each verb is printed with its number, which `--only` repeats.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from bridge.spark import java_has_ended, local_session
from tests.reliability.trial import GROUPS, Trial, table_of


@click.command(help=__doc__)
@click.option("--inputs", default=2000, show_default=True, help="How many inputs.")
@click.option("--seed", default=0, show_default=True)
@click.option("--first", default=0, show_default=True, help="The number of the first input.")
@click.option("--only", multiple=True, type=int, help="The number of an input; may be repeated.")
@click.option("--group", type=click.Choice(GROUPS), help="Only functions, verbs, or verbs whose rows are compared.")
@click.option("--plain", is_flag=True, help="Start no Spark: commands end where they would, functions do without.")
@click.option("--minutes", default=0.0, help="Begin no input after so many minutes; 0 for no limit.")
@click.option("--failures", type=click.Path(path_type=Path), help="Write all failures to this file.")
@click.option("--tables", default=0, help="Damage so many recorded tables instead: python -m tests.live.damage.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    inputs: int,
    seed: int,
    first: int,
    only: tuple[int, ...],
    group: str | None,
    plain: bool,
    minutes: float,
    failures: Path | None,
    tables: int,
) -> None:
    """Run the inputs; exit 1 where one fails."""
    if tables:
        from tests.live.damage.__main__ import main as damage  # noqa: PLC0415 (it loads what reads tables)

        damage(["--examples", str(tables), "--seed", str(seed)])
    end = time.monotonic() + minutes * 60 if minutes else float("inf")
    has_ended = False
    spark = None if plain else local_session(2, small=True)  # as a command starts it for few rows
    with Trial(seed, group, spark=spark) as trial:
        for number in only or range(first, first + inputs):
            if time.monotonic() > end:
                break
            found = trial.run(number)
            if not found.is_good:
                print(f"{number} {found.target}: {found.outcome.kind}: {found.given}\n    {found.outcome.told}")  # noqa: T201 (a command)
                sys.stdout.flush()
                if failures:
                    with failures.open("a") as stream:
                        stream.write(
                            f"{number}\t{found.target}\t{found.outcome.kind}\t{found.given}\t{found.outcome.told!r}\n"
                        )
            if has_ended := spark is not None and java_has_ended(RuntimeError()):
                print(f"{number}: Spark's Java has ended; later inputs would only be told so: --first {number + 1}")  # noqa: T201
                break
    print(table_of(trial.counts))  # noqa: T201 (as above)
    sys.exit(0 if trial.is_good and not has_ended else 1)


if __name__ == "__main__":
    main()
