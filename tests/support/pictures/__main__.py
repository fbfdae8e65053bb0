"""`python -m tests.support.pictures` draws the pictures of the guide."""

from __future__ import annotations

from tests.support.pictures import FOLDER, PICTURES

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
