"""The names that entity links have in all rooms."""

from __future__ import annotations

LAYER = "links"
"""The layer that holds spans with links."""
NIL = "NIL"
NO_TYPE = "_"
"""The label of a span whose file gives it none."""
RESPELLED = "respelled"
"""The trait of gold standards whose systems may spell tokens in another way."""


def is_nil(identifier: str) -> bool:
    """Whether an identifier says that the knowledge base lacks the entity."""
    return identifier.rpartition(":")[2].startswith(NIL)
