"""What `python -m tests.soak` notices: wrong rows, which it shrinks, errors, and what grows."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tests.soak import rounds
from tests.soak.__main__ import Soak
from tests.soak.models import OF
from tests.soak.resources import FEWEST, Resources
from tests.soak.rounds import MOST_ROWS, Modelled, Written, drawn

if TYPE_CHECKING:
    from collections.abc import Callable

FRAMES = {"frames": 1}
FEW = 500
KINDS = {"frames": 6, "upgraded": 2, "merged": 1, "recorded": 1}


class Engine:
    """Answers as the model does, but for the rows that it loses."""

    def __init__(self, loses: Callable[[int, dict[str, Any]], bool] = lambda _number, _row: False) -> None:
        self._loses = loses

    def simulated(self, asked: Modelled) -> dict[int, list[tuple[Any, ...]]]:
        tables = enumerate(asked.snapshots(), 1)
        return {n: [tuple(row.values()) for row in found.values() if not self._loses(n, row)] for n, found in tables}


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "MOST_ROWS", FEW)


def _soaked(engine: Any, label: str) -> Soak:
    soak = Soak(engine, lambda _: None)
    soak.run(drawn(label, FRAMES))
    return soak


@pytest.mark.usefixtures("few_rows")
def test_right_rows_are_counted():
    soak = _soaked(Engine(), "1.4")
    assert (soak.problems, dict(soak.rounds)) == ([], {"frames": 1})
    assert soak.rows == sum(len(rows) for rows in drawn("1.4", FRAMES).snapshots()) > 0


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("label", ["1.4", "1.7", "1.9"])
def test_a_lost_row_is_told_with_its_label_and_few_rows(label):
    soak = _soaked(Engine(lambda number, row: number > 1 and row["qty"] == 4), label)
    (told,) = soak.problems
    sizes = [line.split(", ")[2].split(":")[0] for line in told.splitlines() if line.startswith("    batch ")]
    assert told.startswith(f"--round {label}: frames: ")
    assert "after batch 2, missing: " in told
    assert sizes == ["1 rows", "1 rows"]
    assert "1 differ" in str(soak)


@pytest.mark.usefixtures("few_rows")
def test_a_wrong_model_is_told(monkeypatch):
    engine = Engine()
    right = {label: engine.simulated(drawn(label, FRAMES)) for label in ("1.4", "1.7")}
    for name, model in OF.items():
        monkeypatch.setitem(OF, name, model._replace(merge=lambda stored, batch: stored or batch[0]))
    engine.simulated = lambda asked: right[asked.label]  # type: ignore[method-assign]
    for label in right:
        assert len(_soaked(engine, label).problems) == 1


@pytest.mark.usefixtures("few_rows")
def test_an_error_is_told():
    class Fails(Engine):
        def simulated(self, asked: Modelled) -> Any:
            raise ZeroDivisionError

    (told,) = _soaked(Fails(), "1.4").problems
    assert "ZeroDivisionError" in told
    assert told.count("batch ") == 1


def test_rounds_are_of_every_kind_and_drawn_alike_everywhere():
    found = [drawn(f"3.{number}", KINDS) for number in range(30)]
    assert found[:3] == [drawn(f"3.{number}", KINDS) for number in range(3)]
    assert {one.kind for one in found} == {*KINDS}
    assert {one.name for one in found if isinstance(one, Modelled)} == {*OF}
    batches = [batch for one in found for batch in one.batches]
    assert {batch.operation for batch in batches} > {"upsert", "insert", "delete", "insert_overwrite"}
    assert min(len(rows) for _, rows in batches) == 1
    assert MOST_ROWS / 2 < max(len(rows) for _, rows in batches) <= MOST_ROWS


def test_fewer_batches_have_fewer_compactions():
    batch = Written("upsert", ())
    one = Modelled("", "frames", (batch,) * 4, compact_after=(1, 2, 4))
    assert one.of((batch,) * 2).compact_after == (1, 2)


def _measured(series: tuple[str, str], value: Callable[[float], float], count: int = 3 * FEWEST) -> Resources:
    resources = Resources()
    for number in range(count):
        resources.note(number / count, {series: value(number / count)})
    return resources


def test_what_grows_is_told_and_what_is_only_noisy_or_warm_is_not():
    noise = random.Random(0)  # noqa: S311 (no secret)
    leak = ("workers", "MiB")
    assert _measured(leak, lambda hour: 300 + 200 * hour + noise.random()).leaks() == ["workers: MiB grow"]
    assert _measured(("java", "handles"), lambda hour: 300 + 60 * hour).leaks() == ["java: handles grow"]
    assert _measured(leak, lambda hour: 300 + 20 * hour).leaks() == []
    assert _measured(leak, lambda _: 300 + 200 * noise.random()).leaks() == []
    assert _measured(leak, lambda hour: 300 + 900 * min(hour, 0.3)).leaks() == []
    assert _measured(leak, lambda hour: 300 + 100 * (hour > 0.6) + noise.random()).leaks() == []  # loaded once
    assert _measured(leak, lambda hour: 900 * hour, count=FEWEST).leaks() == []  # too few after the first third


def test_memory_of_java_is_judged_by_what_is_live_in_it():
    assert _measured(("java", "MiB"), lambda hour: 900 * hour).leaks() == []
    (told,) = _measured(("java, live after a collection", "MiB"), lambda hour: 900 * hour).leaks()
    assert told.startswith("java, live")
