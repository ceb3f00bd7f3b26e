"""`--map`, `--labels` and `--exclude` for relations.

`--map` renames types of relations and labels of their arguments; `--labels` and `--exclude` choose types.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import ints
from evenhand.settings import ScoreSettings
from evenhand.tasks.relations.side import Side


class RelationRelabeling:
    """The choices of a user for one side."""

    def __init__(self, settings: ScoreSettings, side: str, name: str) -> None:
        self._settings, self._map = settings, settings.new_names(side, name)

    def __call__(self, side: Side) -> Side:
        if self._settings.keeps_labels:
            return side
        labels = side.spans.vocabulary.labels
        names = [self._map.get(name, name) for name in labels.values]
        new = ints([labels.code(name) for name in names])
        chosen = np.array([self._settings.chooses(name) for name in names], dtype=np.bool_)
        kept = side.take(np.flatnonzero(chosen[side.label]) if len(side) else ints([]))
        spans = replace(side.spans, label=new[side.spans.label])
        return replace(kept, label=new[kept.label], spans=spans)
