"""The names that constituents have in all rooms."""

from __future__ import annotations

LAYER = "constituents"
TAGS = "pos"
"""The layer with the tags of words."""
NO_LABEL = "()"
"""The label of a bracket that has none."""
