"""Every column varies: what goes wrong in the last of many is found, and a proof says for which values it holds."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bridge.cli import main
from mergers.laws import Verdict, check_laws, decide
from mergers.laws.blocks import Blocks, covering, size_for
from mergers.laws.core import Domain
from mergers.laws.reading import studied
from mergers.laws.strategies import OperandStrategies, ValueSource
from mergers.laws.universe import RecordSpec, small_universe
from payloads import parse_schema
from tests.mergers.laws.coupled import COUPLED, SCHEMA, SETTINGS, MeanIfClosedAndGold, ParsedMean, Planted
from tests.support.schemas import nullable, record_schema

ONE = {**SETTINGS, "laws": ["associativity"], "domain": "data"}
QUICK = {"Mean", "MeanIfClosedAndGold", "NestedMean", "ParsedDays", "Loops"}


class Fills(Planted):
    """Null is filled from the other version, in each column by itself; in order of arrival, so it is associative."""

    def merge(self, older, newer, schema, props):
        if older.record is None or newer.record is None:
            return newer
        row = {name: older.record[name] if value is None else value for name, value in newer.record.items()}
        return type(newer)(newer.key, row, newer.schema, ordering_value=newer.ordering_value)


class Sums(Planted):
    """A null in `level` or `quantity` fails; the sums are associative."""

    def changed(self, last, other, older, newer):
        return {name: older[name] + newer[name] for name in ("level", "quantity")}


class Parses(Planted):
    """Nothing but the texts of one customer can be read."""

    def changed(self, last, other, older, newer):
        numbers = [int(one["note"].removeprefix("№ ").rstrip("¤")) for one in (older, newer) if one["note"][0] == "№"]
        if len(numbers) < 2:
            raise LookupError(older["note"])
        return {"note": f"№ {sum(numbers) // 2}¤"}


class Rare(Planted):
    """Goes wrong for a value that only the data have."""

    def changed(self, last, other, older, newer):
        return {"level": older["level"] - newer["level"]} if hash(newer["city"] or "") == self.hash else {}

    hash = hash("Ålesund")


@pytest.mark.parametrize("planted", COUPLED, ids=lambda one: one.__name__)
def test_enumeration_finds_it(planted):
    (result,) = check_laws(planted, **ONE, exhaustive=True).results
    assert result.verdict is Verdict.VIOLATED, str(result)


@pytest.mark.parametrize(
    "planted",
    [pytest.param(one, marks=[] if one.__name__ in QUICK else pytest.mark.long) for one in COUPLED],
    ids=lambda one: one.__name__,
)
def test_examples_find_it(planted):
    (result,) = check_laws(planted, **ONE, exhaustive=False).results
    assert result.verdict is Verdict.VIOLATED, str(result)


@pytest.mark.parametrize("form", [["--exhaustive"], ["--examples", "20"]], ids=["enumerated", "sampled"])
def test_the_command_finds_it_too(form, tmp_path):
    path = tmp_path / "rows.avsc"
    path.write_text(json.dumps(SCHEMA.source), encoding="utf-8")
    name = f"{MeanIfClosedAndGold.__module__}:{MeanIfClosedAndGold.__name__}"
    words = [name, "--schema", str(path), "--key", "id", "--ordering", "ts", "--laws", "associativity", *form]
    assert CliRunner().invoke(main, ["verify", *words]).exit_code == 1


def test_a_proof_lists_every_column_with_its_values(tmp_path):
    path, page = tmp_path / "rows.avsc", tmp_path / "laws.html"
    path.write_text(json.dumps(SCHEMA.source), encoding="utf-8")
    words = [f"{__name__}:Fills", "--schema", str(path), "--key", "id", "--ordering", "ts", "--domain", "data"]
    words = ["verify", *words, "--laws", "associativity", "--exhaustive", "--output", "json", "--report", str(page)]
    answer = CliRunner().invoke(main, words)
    found = json.loads(answer.stdout)
    assert answer.exit_code == 0, answer.output
    assert found["results"][0]["detail"].startswith("for these values, ")
    universe = found["plan"]["universe"]["data"]
    assert set(universe["columns"]) == set(SCHEMA.by_name)
    constant = {name for name, values in universe["columns"].items() if len(values) == 1}
    assert constant == {"id", "_hoodie_is_deleted"}
    assert len(universe["columns"]["points"]) >= 3
    assert "all columns together" in [block["varied"] for block in universe["blocks"]]
    assert "points: 1.0, 0.1, 0.6, " in page.read_text(encoding="utf-8")


def test_a_column_that_the_class_names_and_that_stays_as_it_is_was_not_tried(monkeypatch, tmp_path):
    class Reads(Fills):
        columns = ("city", "status", "points", "note")

    monkeypatch.setattr(decide.DomainCheck, "_made_blocks", lambda _self: ())
    (result,) = check_laws(Reads, **ONE, exhaustive=True).results
    assert result.verdict is Verdict.NOT_TRIED
    assert result.line == "associativity [data]: not tried: points, note"
    (both,) = check_laws(Reads, **ONE, examples=5).results
    assert both.verdict is Verdict.HOLDS
    path = tmp_path / "rows.avsc"
    path.write_text(json.dumps(SCHEMA.source), encoding="utf-8")
    monkeypatch.setattr(f"{__name__}.Reads", Reads, raising=False)
    words = ["verify", f"{__name__}:Reads", "--schema", str(path), "--key", "id", "--ordering", "ts", "--exhaustive"]
    answer = CliRunner().invoke(main, [*words, "--laws", "associativity"])
    assert answer.exit_code == 3
    assert "not tried: points, note" in answer.output


# -- what real rows can hold


KEYED = parse_schema(record_schema(id=nullable("string"), ts="long", v=nullable("string"), w=nullable("long")))


@pytest.mark.parametrize("key", [("id",), ()])
@pytest.mark.parametrize("domain", list(Domain))
def test_a_key_is_never_null(key, domain):
    import hypothesis  # noqa: PLC0415 (as the search does)

    spec = RecordSpec(KEYED, key, ("ts",), pools={"v": ("a", None), "w": (1, None)}, read=("v", "w"))
    size = size_for(spec, is_remote=False, is_ours=False)
    universes = [small_universe(spec, domain, lambda version: version.is_delete)]
    universes += [block.universe for block in Blocks(spec, domain, None, size).all()]
    records = [version.record for one in universes for version in one.incoming] + [
        r for one in universes for r in one.rows
    ]
    assert None not in {record["id"] for record in records if record is not None}

    @hypothesis.settings(max_examples=50, database=None)
    @hypothesis.given(OperandStrategies(spec, domain).operands())
    def draws(operands):
        drawn = [operands.row, *(version.record for version in operands.versions)]
        assert all(record["id"] is not None for record in drawn if record is not None)

    draws()


def test_null_is_left_out_where_the_class_fails_on_it_and_said_so():
    report = check_laws(Sums, **ONE, exhaustive=True)
    assert report.results[0].verdict is Verdict.PROVED
    assert any("not among them: quantity: null, on which it fails (TypeError: " in line for line in report.reach)


def test_texts_that_the_class_parses_are_drawn():
    (result,) = check_laws(ParsedMean, **ONE, exhaustive=True).results
    assert {version.record["note"] for version in result.counterexample.operands.versions} <= {"7", "12", "-3", "0"}


def rows(notes):
    plain = dict.fromkeys(SCHEMA.by_name) | {"points": 1.0, "level": 3, "active": True, "tier": "PAID"}
    return [
        {**plain, "id": str(at), "ts": at, "tags": [], "note": note, "city": "Oslo"} for at, note in enumerate(notes)
    ]


def test_a_class_that_fails_on_most_rows_is_not_checked_until_it_gets_real_ones():
    (result,) = check_laws(Parses, **ONE, exhaustive=True).results
    assert result.verdict is Verdict.NOT_CHECKED
    assert " cases fail, most with " in result.detail
    for exhaustive in (True, False):
        found = check_laws(Parses, **ONE, exhaustive=exhaustive, data=rows(["№ 7¤", "№ 12¤", "№ 40¤"]))
        assert found.results[0].verdict is Verdict.VIOLATED, str(found)


def test_values_of_the_data_are_tried_by_both_forms():
    data = [{**row, "city": "Ålesund" if at % 3 else "Oslo"} for at, row in enumerate(rows(["x"] * 9))]
    for exhaustive in (True, False):
        assert check_laws(Rare, **ONE, exhaustive=exhaustive).ok
        assert not check_laws(Rare, **ONE, exhaustive=exhaustive, data=data).ok


def test_rows_are_drawn_in_the_share_that_the_data_have():
    import hypothesis  # noqa: PLC0415

    data = tuple(rows(["often"] * 90 + ["seldom"] * 10))
    spec = RecordSpec(SCHEMA, ("id",), ("ts",), data=data)
    seen = []

    @hypothesis.settings(max_examples=200, database=None, derandomize=True)
    @hypothesis.given(OperandStrategies(spec, Domain.DATA, source=ValueSource.DATA).records())
    def draws(record):
        seen.append(record["note"])

    draws()
    assert seen.count("often") > 3 * seen.count("seldom") > 0


@pytest.mark.parametrize("sizes", [[3] * 9, [2, 3, 4, 5], [2] * 30, [1, 3], [3]])
def test_any_two_values_of_two_columns_meet(sizes):
    found = covering(sizes)
    assert len(found) < 30
    for one in range(len(sizes)):
        for other in range(one):
            assert len({(row[one], row[other]) for row in found}) == sizes[one] * sizes[other]


def test_the_columns_that_a_class_reads_are_found(tmp_path):
    def read(judged):
        from mergers.laws.evaluate import Evaluator  # noqa: PLC0415
        from mergers.laws.subject import subject_of  # noqa: PLC0415

        found = subject_of(judged, **SETTINGS, release="1.2", props={})
        return studied(found.spec, Evaluator(found.algebra), is_ours=False).read

    by_name = {one.__name__: one for one in COUPLED}
    assert read(by_name["MeanIfClosedAndGold"]) == ("status", "points", "active", "tier")
    assert "points" in read(by_name["Loops"])
    assert "note" in read(by_name["LastColumn"])
