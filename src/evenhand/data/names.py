"""Names of layers and special labels. This module does not load NumPy, so declarations of tasks can import it."""

from __future__ import annotations

LINKS = "links"
"""Spans with links to a knowledge base."""
RELATIONS = "relations"
"""Relations between the spans of the layer `spans`."""
CONSTITUENTS = "constituents"
POS_TAGS = "pos"
"""The tags of the words of constituent trees."""
EXTRACTIONS = "extractions"
"""Answers of language models; also the name of their format."""
OFFSET_LISTS = "offset lists"
"""Spans with offsets into texts that only the other side has."""

NO_LABEL = "()"
"""The label of a bracket without one."""
NO_TYPE = "_"
"""The label of a linked span without one."""
NIL = "NIL"
RESPELLED = "respelled"
"""Trait of gold standards whose systems may spell tokens differently."""


def is_nil(identifier: str) -> bool:
    """Whether an identifier means that the knowledge base lacks the entity."""
    return identifier.rpartition(":")[2].startswith(NIL)
