"""Classes that another process can't import, such as those of a notebook's cell: their code is sent by value."""

from __future__ import annotations

import functools
import pickle

from payloads.errors import PayloadNotFoundError


@functools.lru_cache(maxsize=64)
def class_of(code: bytes, name: str) -> type:
    """Return the class that was sent; in the process that sent it, the class itself (which cloudpickle sees to).

    Args:
        code: the class, pickled by value.
        name: its name, for the error.

    Raises:
        PayloadNotFoundError: what its code needs is not here.
    """
    try:
        found: type = pickle.loads(code)  # noqa: S301 (it comes with the user's own plan)
    except Exception as error:
        msg = (
            f"{name}: its code was sent to this worker, but can't be loaded ({type(error).__name__}: {error}); move it "
            "to a module that workers can import"
        )
        raise PayloadNotFoundError(msg) from error
    return found
