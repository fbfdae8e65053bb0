"""The grammar of layouts: the same seed gives the same table, and everything that it can draw is drawn."""

from __future__ import annotations

from tests.live.layouts import draw

RELEASES = ("0.15.0", "1.2.0")


def test_a_seed_gives_the_same_layout() -> None:
    assert draw(3, 7, "1.2.0") == draw(3, 7, "1.2.0")
    assert draw(3, 7, "1.2.0") != draw(3, 8, "1.2.0")


def test_every_kind_of_step_and_setting_is_drawn() -> None:
    drawn = [draw(0, number, release) for number in range(400) for release in RELEASES]
    done = {step.sql.partition("(")[0] or step.do for layout in drawn for step in layout.steps}
    operations = {"upsert", "insert", "bulk_insert", "delete", "delete_partition", "insert_overwrite", "crash"}
    assert done > operations | {"insert_overwrite_table", "call run_compaction", "call rollback_to_savepoint"}
    labels = {label for layout in drawn for label in layout.name.split("-")}
    assert labels > {"cow", "mor", "postgres", "custom", "composite", "nometa", "hfile", "positions", "duplicates"}


def test_rows_have_the_columns_of_their_step() -> None:
    steps = [step for number in range(100) for step in draw(1, number, "1.2.0").steps]
    assert all(row.keys() == step.columns.keys() for step in steps for row in step.rows)
