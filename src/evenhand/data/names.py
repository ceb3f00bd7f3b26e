"""The names that constituents have in all rooms."""

from __future__ import annotations

LAYER = "constituents"
TAGS = "pos"
"""The layer with the tags of words."""
NO_LABEL = "()"
"""The label of a bracket that has none."""


# == text/link_names.py: The names that entity links have in all rooms.


LAYER_LINK_NAMES = "links"
"""The layer that holds spans with links."""
NIL = "NIL"
NO_TYPE = "_"
"""The label of a span whose file gives it none."""
RESPELLED = "respelled"
"""The trait of gold standards whose systems may spell tokens in another way."""


def is_nil(identifier: str) -> bool:
    """Whether an identifier says that the knowledge base lacks the entity."""
    return identifier.rpartition(":")[2].startswith(NIL)
