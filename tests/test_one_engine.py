"""Behaviour tests run on the python and on the jvm engine; those that run on one are listed here, with the reason."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

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
MODULES: Final = {
    "bridge/engines/test_connection.py": _OF_JAVA,
    "bridge/engines/test_fast_path.py": _OF_PYTHON,
    "bridge/engines/test_java_constants.py": "that the names in Java are those in Python",
    "bridge/engines/test_python_engine.py": _OF_PYTHON,
    "bridge/engines/test_quarantine.py": f"{_OF_PYTHON}; it runs compiled classes that set keys aside, too",
    "bridge/engines/test_support_matrix.py": "the text of a page",
    "bridge/engines/test_written_rows.py": _OF_PYTHON,
    "bridge/merge/test_log_entries.py": _BELOW,
    "bridge/merge/test_merge_failures.py": f"{_BELOW}; messages of both are compared in jvm/test_engines_alike.py",
    "bridge/merge/test_spark_mergers.py": "no compiled merger of record type SPARK runs",
    "bridge/programs/test_commits.py": _BELOW,
    "bridge/programs/test_global_index.py": f"{_BELOW}; Java has no such program",
    "bridge/programs/test_path_states.py": f"{_BELOW}; Java has no such program",
    "bridge/programs/test_single_operations.py": _BELOW,
    "bridge/programs/test_small_files.py": _BELOW,
    "bridge/programs/test_specs.py": "a table of the code",
    "bridge/programs/test_upgrade.py": _BELOW,
    "bridge/programs/test_write_settings.py": _BELOW,
    "jvm/test_cluster.py": _OF_JAVA,
    "jvm/test_corners.py": "a class of Hudi against its port, call by call",
    "jvm/test_custom_payloads.py": _OF_JAVA,
    "jvm/test_determinism_java.py": "the laws, whose Python side is in mergers/laws",
    "jvm/test_differential.py": "a class of Hudi against its port, call by call",
    "jvm/test_fuzz.py": "a class of Hudi against its port, call by call",
    "jvm/test_histories.py": "recorded tables, which test_conformance_histories.py runs on the python engine",
    "jvm/test_pair.py": "a function of the jvm engine alone",
    "jvm/test_skeletons.py": "generated Java",
    "jvm/test_verify_java.py": "the laws, whose Python side is in mergers/laws",
}
"""Modules whose tests all run on one engine or below it. Those of `bridge` must not start Spark."""

_NATIVE = "the native engine, which has no class to compile"
_INPUT = "refused before an engine is chosen"
_FIGURES = "compares what two runs answered, whichever engine ran them"
_ALIKE = "the compiled class does the same in jvm/test_custom_payloads.py"
FUNCTIONS: Final = {
    "bridge/engines/test_arrow_records.py": dict.fromkeys(("*",), "rows between Arrow and Python"),
    "bridge/engines/test_native_engine.py": dict.fromkeys(("*",), _NATIVE),
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
        "test_duplicates_are_compared_row_by_row": _FIGURES,
        "test_equal_duplicates_are_a_pair_whatever_their_place": _FIGURES,
        "test_what_a_grade_leaves_out": _FIGURES,
        "test_the_command_line_names_the_batch_and_its_operation": "options of the command line",
        "test_a_table_goes_up_in_steps_and_down_again": "the jvm engine runs no upgrade in steps",
        "test_the_command_line_says_from_when_on_a_writer_is_plain": "options of the command line",
        "test_an_impossible_operation_is_a_usage_error": _INPUT,
        "test_what_is_not_ported_is_refused_by_name": _INPUT,
        "test_a_batch_that_does_not_say_what_its_operation_needs_is_refused": _INPUT,
    },
    "bridge/programs/test_path_search.py": dict.fromkeys(("*",), "Java has no such program; jvm/test_twins.py"),
    "jvm/test_called_from_python.py": dict.fromkeys(("*",), _OF_JAVA),
    "jvm/test_compiled_mergers.py": dict.fromkeys(("*",), _OF_JAVA),
    "jvm/test_engines_alike.py": {"test_the_real_key_generators_say_so": "what real Hudi answers"},
    "jvm/test_support_matrix.py": {},
    "jvm/test_twins.py": {},
}
"""The tests on one engine of the other modules; `*` is for all that are not on both."""


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


def test_a_test_on_one_engine_has_a_reason() -> None:
    """Otherwise: take one of the fixtures `ON_BOTH`, as in jvm/test_engines_alike.py, or say why it can't."""
    assert set(_modules()) == {*MODULES, *FUNCTIONS}
    for module, reasons in FUNCTIONS.items():
        found = set(_one_engine(module))
        assert {*reasons} - {"*"} <= found, f"{module}: a reason for a test that is gone or runs on both"
        assert "*" in reasons or found == set(reasons), f"{module}: a test on one engine without a reason"


def test_a_module_that_stays_below_the_engines_starts_no_spark() -> None:
    spark = {module: [name for name, starts in _one_engine(module).items() if starts] for module in MODULES}
    assert {module: names for module, names in spark.items() if names and module.startswith("bridge/")} == {}
