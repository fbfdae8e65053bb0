"""Behaviour tests run on the python and on the jvm engine; those that run on one are listed here, with the reason."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
BEHAVIOUR: Final = (
    "bridge/merge/test_*.py",
    "bridge/programs/test_*.py",
    "bridge/engines/test_*.py",
    "bridge/pipeline/test_merge_points.py",
    "bridge/pipeline/test_merge_report.py",
    "bridge/pipeline/test_operations.py",
    "jvm/test_*.py",
)
ON_BOTH: Final = {"both_engines", "engine", "of_hudi", "plan"}
"""The fixtures that run a test on both engines."""

_BELOW = "one merge call or program in this process, without an engine: jvm/test_twins.py compares the engines at it"
_OF_PYTHON = "how the python engine itself handles batches, in this process; its answers are those of jvm/test_twins.py"
_OF_JAVA = "how compiled classes are found, called and refused; what they answer is compared in jvm/test_twins.py"
_NATIVE = "the native engine, which has no class to compile"
WHOLE: Final[dict[str, tuple[int, str]]] = {
    "bridge/engines/test_agreement.py": (10, f"{_NATIVE}, and the python engine beside it"),
    "bridge/engines/test_arrow_records.py": (15, "rows between Arrow and Python"),
    "bridge/engines/test_connection.py": (6, _OF_JAVA),
    "bridge/engines/test_fast_path.py": (3, _OF_PYTHON),
    "bridge/engines/test_java_constants.py": (9, "that the names in Java are those in Python"),
    "bridge/engines/test_misbehaving.py": (5, f"{_OF_PYTHON}; jvm/test_misbehaving.py has the compiled class"),
    "bridge/engines/test_native_books.py": (1, f"{_NATIVE}, and the python engine beside it"),
    "bridge/engines/test_native_engine.py": (25, _NATIVE),
    "bridge/engines/test_native_histories.py": (7, f"{_NATIVE}, and the python engine beside it"),
    "bridge/engines/test_native_logs.py": (2, f"{_NATIVE}, and the python engine beside it"),
    "bridge/engines/test_python_engine.py": (23, _OF_PYTHON),
    "bridge/engines/test_quarantine.py": (16, f"{_OF_PYTHON}; it runs compiled classes that set keys aside, too"),
    "bridge/engines/test_small_inputs.py": (5, f"{_NATIVE}, and the python engine beside it"),
    "bridge/engines/test_support_matrix.py": (3, "the text of a page"),
    "bridge/engines/test_written_rows.py": (7, _OF_PYTHON),
    "bridge/merge/test_edited_records.py": (1, f"{_BELOW}; compiled ones: jvm/test_in_place.py"),
    "bridge/merge/test_log_entries.py": (23, _BELOW),
    "bridge/merge/test_merge_failures.py": (7, f"{_BELOW}; messages of both are compared in jvm/test_engines_alike.py"),
    "bridge/merge/test_point_props.py": (1, f"{_BELOW}; tables of both come from bridge/merge/point_props.py"),
    "bridge/merge/test_refused_inserts.py": (2, f"{_BELOW}; compiled classes do so in jvm/test_refused_inserts.py"),
    "bridge/merge/test_spark_mergers.py": (9, "no compiled merger of record type SPARK runs"),
    "bridge/programs/test_commits.py": (2, _BELOW),
    "bridge/programs/test_global_index.py": (13, f"{_BELOW}; Java has no such program"),
    "bridge/programs/test_global_upgrade.py": (5, f"{_BELOW}; Java has no such program"),
    "bridge/programs/test_path_search.py": (25, "Java has no such program; jvm/test_twins.py"),
    "bridge/programs/test_path_states.py": (12, f"{_BELOW}; Java has no such program"),
    "bridge/programs/test_single_operations.py": (2, _BELOW),
    "bridge/programs/test_small_files.py": (9, _BELOW),
    "bridge/programs/test_specs.py": (4, "a table of the code"),
    "bridge/programs/test_upgrade.py": (12, _BELOW),
    "bridge/programs/test_write_settings.py": (16, _BELOW),
    "jvm/test_built_for.py": (16, "a class beside its recompiled twin, which is one more class for jvm/test_twins.py"),
    "jvm/test_called_from_python.py": (9, _OF_JAVA),
    "jvm/test_cluster.py": (5, _OF_JAVA),
    "jvm/test_compiled_mergers.py": (11, _OF_JAVA),
    "jvm/test_jars.py": (5, _OF_JAVA),
    "jvm/test_misbehaving.py": (7, f"{_OF_JAVA}; bridge/engines/test_misbehaving.py has the class in Python"),
    "jvm/test_corners.py": (3, "a class of Hudi against its port, call by call"),
    "jvm/test_corpus.py": (4, "compiled classes against what real Hudi answered"),
    "jvm/test_custom_payloads.py": (24, _OF_JAVA),
    "jvm/test_determinism_java.py": (6, "the laws, whose Python side is in mergers/laws"),
    "jvm/test_differential.py": (2, "a class of Hudi against its port, call by call"),
    "jvm/test_fuzz.py": (3, "a class of Hudi against its port, call by call"),
    "jvm/test_generated_keys.py": (1, "a class of Hudi against its port, in jobs"),
    "jvm/test_histories.py": (3, "recorded tables, which test_conformance_histories.py runs on the python engine"),
    "jvm/test_in_place.py": (11, f"{_OF_JAVA}; users' classes in Python are in payloads/user"),
    "jvm/test_links.py": (12, "what Java makes of a class file, before any engine runs it"),
    "jvm/test_pair.py": (2, "a function of the jvm engine alone"),
    "jvm/test_ports.py": (0, "ports in Python beside their compiled twins"),
    "jvm/test_refused_inserts.py": (8, _OF_JAVA),
    "jvm/test_skeletons.py": (1, "generated Java"),
    "jvm/test_verify_java.py": (9, "the laws, whose Python side is in mergers/laws"),
}
"""Modules whose reason holds for all their tests on one engine or below, and how many those are."""
STARTS_SPARK: Final = {
    "bridge/engines/test_agreement.py",
    "bridge/engines/test_arrow_records.py",
    "bridge/engines/test_native_books.py",
    "bridge/engines/test_native_engine.py",
    "bridge/engines/test_native_histories.py",
    "bridge/engines/test_native_logs.py",
    "bridge/engines/test_small_inputs.py",
    "bridge/programs/test_path_search.py",
}
"""Those of `bridge` that start Spark though they compare no engines."""

_INPUT = "refused before an engine is chosen"
_FIGURES = "compares what two runs answered, whichever engine ran them"
_ALIKE = "the compiled class does the same in jvm/test_custom_payloads.py"
FUNCTIONS: Final[dict[str, dict[str, str]]] = {
    "bridge/pipeline/test_merge_points.py": {
        "test_the_merge_modes": "a merge mode calls no class",
        "test_the_functions_chained_answer_like_simulate": "single functions and simulate share their programs, which "
        "jvm/test_twins.py compares",
        "test_neither_partitions_nor_batches_change_the_answer": "the sizes of Arrow batches",
        "test_anything_else_is_refused": _INPUT,
        "test_a_schema_that_comes_and_goes_is_refused": _INPUT,
        "test_a_missing_column_is_named_before_any_job": _INPUT,
        "test_a_failing_payload_names_itself_and_the_key": "Python's own error; both are in jvm/test_engines_alike.py",
        "test_a_users_class_runs_through_every_merge_point": _ALIKE,
        "test_the_state_of_a_users_class_lasts_through_the_batch": _ALIKE,
    },
    "bridge/pipeline/test_merge_report.py": {
        "test_a_key_whose_ordering_does_not_compare_is_set_aside": "jvm/test_called_from_python.py sets keys of a "
        "compiled class aside",
        "test_python_and_native_keep_the_same_books": _NATIVE,
        "test_a_merge_of_nothing_ends": "waits for what Spark observes, whichever engine ran",
        "test_functions_that_return_rows_alone_refuse_to_set_rows_aside": _INPUT,
        "test_sides_that_do_not_fit_are_named": _INPUT,
    },
    "bridge/pipeline/test_operations.py": {
        "test_each_batch_is_written_by_its_operation": "Java has no such program; jvm/test_called_from_python.py",
        "test_both_sides_of_a_replay_count_the_rows_that_name_partitions": _FIGURES,
        "test_duplicates_are_compared_row_by_row": _FIGURES,
        "test_equal_duplicates_are_a_pair_whatever_their_place": _FIGURES,
        "test_what_a_grade_leaves_out": _FIGURES,
        "test_the_command_line_names_the_batch_and_its_operation": "options of the command line",
        "test_a_table_goes_up_in_steps_and_down_again": "options; jvm/test_engines_alike.py has steps",
        "test_the_command_line_says_from_when_on_a_writer_is_plain": "options of the command line",
        "test_an_impossible_operation_is_a_usage_error": _INPUT,
        "test_what_is_not_ported_is_refused_by_name": _INPUT,
        "test_a_batch_that_does_not_say_what_its_operation_needs_is_refused": _INPUT,
        "test_an_update_may_have_the_type_of_the_table_where_a_later_batch_has_a_narrower_one": _INPUT,
    },
    "jvm/test_engines_alike.py": {"test_the_real_key_generators_say_so": "what real Hudi answers"},
    "jvm/test_support_matrix.py": {},
    "jvm/test_twins.py": {},
}
"""The tests on one engine of the other modules, each with its reason."""


def _one_engine(module: str) -> dict[str, bool]:
    """Return the tests of a module that take no fixture of both engines, and whether they take `spark`."""
    found = {}
    for node in ast.walk(ast.parse((TESTS / module).read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            fixtures = {one.arg for one in node.args.args}
            if not fixtures & ON_BOTH:
                found[node.name] = "spark" in fixtures
    return found


def _modules() -> list[str]:
    return sorted(str(path.relative_to(TESTS)) for pattern in BEHAVIOUR for path in TESTS.glob(pattern))


def test_every_module_of_behaviour_is_listed() -> None:
    assert _modules() == sorted([*WHOLE, *FUNCTIONS])


@pytest.mark.parametrize("module", FUNCTIONS)
def test_a_test_on_one_engine_has_a_reason(module: str) -> None:
    """Otherwise: take one of the fixtures `ON_BOTH`, as in jvm/test_engines_alike.py, or say why it can't."""
    assert set(_one_engine(module)) == set(FUNCTIONS[module])


@pytest.mark.parametrize("module", WHOLE)
def test_a_new_test_on_one_engine_does_not_pass_unnoticed(module: str) -> None:
    known, reason = WHOLE[module]
    found = _one_engine(module)
    assert len(found) == known, (
        f"{module} has {len(found)} tests on one engine; {known} are known: {reason}. Let the new ones take a fixture "
        f"of {sorted(ON_BOTH)}; where that reason holds for them, too, correct the number"
    )


def test_a_module_that_stays_below_the_engines_starts_no_spark() -> None:
    below = [module for module in WHOLE if module.startswith("bridge/")]
    assert {module for module in below if any(_one_engine(module).values())} == STARTS_SPARK
