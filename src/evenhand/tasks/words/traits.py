"""What an annotation in memory has beside the layer that is scored, which match models ask for."""

from __future__ import annotations

from evenhand.settings import UNIVERSAL_LAYERS
from evenhand.text.annotation import Annotation
from evenhand.text.enhanced import DEPS, has_edges


def traits_of_words(annotation: Annotation) -> frozenset[str]:
    """`universal` where words have all columns of Universal Dependencies."""
    return frozenset({"universal"} if all(layer in annotation.layers for layer in UNIVERSAL_LAYERS) else ())


def traits_of_trees(annotation: Annotation) -> frozenset[str]:
    """The same, and `enhanced` where most words have enhanced dependencies."""
    return traits_of_words(annotation) | ({"enhanced"} if has_edges(annotation.layers.get(DEPS)) else set())
