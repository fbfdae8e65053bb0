"""Makes tests/data/corpus.tar.xz of the answers that `python -m tests.corpus --keep DIR` has in DIR/SEED."""

from __future__ import annotations

import io
import lzma
import tarfile
from pathlib import Path

import click

from tests.corpus.__main__ import RECORDED


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the histories, those of a class together, since they have the same batches."""
    paths = sorted(folder.glob("*/*/history.json"), key=lambda path: (path.parent.name, path.parent.parent.name))
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in paths:
            archive.addfile(_member(str(path.relative_to(folder)), data := path.read_bytes()), io.BytesIO(data))
    RECORDED.write_bytes(lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    click.echo(f"{RECORDED}: {len(paths)} tables, {RECORDED.stat().st_size:,} bytes")


def _member(name: str, data: bytes) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.size, found.mode = len(data), 0o644
    return found


if __name__ == "__main__":
    main()
