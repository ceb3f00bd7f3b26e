"""Numbers within bounds, as types: who reads a saved result checks its numbers by them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

MOST = 1 + 1e-9
"""The largest share, and what rounding may add to it."""
Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=MOST)]
"""A score, or a part of a whole."""
Difference = Annotated[float, Meta(ge=-MOST, le=MOST)]
"""Of two shares; also what a correlation is."""
