"""Enhanced dependencies, as files of words have them: the layers, and whether a file has any."""

from __future__ import annotations

import numpy as np

from evenhand.text.layers import Tags

DEPS, COLLAPSED = "deps", "enhanced"
"""The layers with the edges of words, as they stand and without empty nodes."""
NO_EDGES = "_"


def has_edges(cells: object) -> bool:
    """Whether most words of a layer have enhanced dependencies."""
    if not isinstance(cells, Tags) or not len(cells):
        return False
    code = cells.code
    without = [place for place, name in enumerate(cells.names) if name == NO_EDGES]
    return bool(np.count_nonzero(np.isin(code, without)) * 2 < len(code))
