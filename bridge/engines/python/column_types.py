"""The types of whole columns that the modules of this engine share: of Arrow, and of numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    Mask: TypeAlias = npt.NDArray[np.bool_]
    """For each row of a batch, whether it is meant."""
    Codes: TypeAlias = npt.NDArray[np.int8]
    """For each row of a batch, the number of an enum's member."""
    Rows: TypeAlias = npt.NDArray[np.int64]
    """Numbers of rows of a batch, from 0."""
