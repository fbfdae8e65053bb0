from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from tests.size import Size, lines_of_code, share_of_any, sizes

PYTHON = '''"""What it does.

More.
"""

# Why.
TEXT = """first

# second
"""


def double(value):
    """Double it."""
    return value * 2  # done
'''
JAVA = """/** What it does. */
class A {
    // why
    int a = 1; /* here */

    /*
     * int b;
     */
    String c = "// no comment";
}
"""


@pytest.mark.parametrize(("source", "suffix", "lines"), [(PYTHON, ".py", 5), (JAVA, ".java", 4), ("", ".py", 0)])
def test_lines_of_code_are_those_with_code(source, suffix, lines):
    assert lines_of_code(source, suffix) == lines


def test_packages_are_counted_two_deep():
    paths = ["bridge/a.py", "bridge/x/b.py", "bridge/x/y/c.py", "payloads/d.py"]
    found = sizes((PurePosixPath(path), "a = 1\n") for path in paths)
    assert found == {"bridge": Size(3, 3), "bridge/x": Size(2, 2), "payloads": Size(1, 1)}


def test_annotations_that_say_any_are_counted():
    source = "def f(a: Any, b, *c: int) -> dict[str, Any]: ...\nd: Mapping[str, object] = {}\n"
    paths = [
        (PurePosixPath("bridge/a.py"), source),
        (PurePosixPath("tests/a.py"), "e: Any"),
        (PurePosixPath("A.java"), ""),
    ]
    assert share_of_any(paths) == 2 / 4
    assert share_of_any([]) == 0
