"""Notebooks of the guide: their cells run in this process, and their outputs are stored.

`python -m tests.support.notebooks` writes the outputs anew. A Jupyter kernel would start a second Java.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from typing import TYPE_CHECKING, Any, Final

from tests.support.folders import GUIDE

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS: Final = tuple(sorted(GUIDE.glob("*.ipynb")))


def executed(path: Path) -> dict[str, Any]:
    """Return a notebook with the outputs of its cells, which run from top to bottom."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = _outputs("".join(cell["source"]), names, number)
    return notebook


def text(notebook: dict[str, Any]) -> str:
    """Return a notebook as its file has it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before = ast.Module(tree.body[: len(tree.body) - (last is not None)], [])
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(before, f"<cell {number}>", "exec"), names)  # noqa: S102 (our own notebook)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)  # noqa: S307 (likewise)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(_plain(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": _lines(value._repr_html_()), **data}
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _plain(value: Any) -> str:
    """Return what stands for a value where HTML is not shown, found as IPython finds it."""
    if not hasattr(value, "_repr_pretty_"):
        return repr(value)
    written = _Written()
    value._repr_pretty_(written, False)
    return "".join(written)


class _Written(list[str]):
    """Stands for IPython's printer."""

    text = list.append


def _lines(shown: str) -> list[str]:
    return shown.splitlines(keepends=True)


if __name__ == "__main__":
    for one in NOTEBOOKS:
        one.write_text(text(executed(one)), encoding="utf-8")
