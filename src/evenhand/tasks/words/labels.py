"""The labels of words: tags or relations under the names that are scored, as codes that both sides share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.settings import ScoreSettings
from evenhand.tasks.words.punctuation import is_punctuation
from evenhand.text.codes import Coder
from evenhand.text.labels import Codes
from evenhand.text.layers import Tags
from evenhand.text.words import Words


class Renamed:
    """The tags of a column under other names, as codes of a table; every name is looked at once."""

    def __init__(self, coder: Coder, table: Codes[str], rename: Callable[[str], str]) -> None:
        self._coder, self._table, self._rename = coder, table, rename
        self._new: list[int] = []

    def __call__(self, tags: Tags) -> Ints:
        code = tags.coded(self._coder)
        self._new += [self._table.code(self._rename(name)) for name in self._coder.names[len(self._new) :]]
        return np.array(self._new, dtype=np.int64)[code]


def label_maps(settings: ScoreSettings, side: str, name: str) -> dict[str, str]:
    """The new names of labels on one side, whose system is called `name`."""
    return {each.old: each.new for each in settings.maps if each.applies_to(side, name)}


def counted_words(
    settings: ScoreSettings, words: Words, labels: Ints, names: list[str], spell: Callable[[str], str] = str
) -> Bools:
    """Which words count: those that are no punctuation, and whose labels are chosen; `spell` is how labels are told."""
    counted = ~is_punctuation(settings["punctuation"], words.annotation)
    if settings.labels or settings.exclude:
        wanted, unwanted = (set(map(spell, chosen)) for chosen in (settings.labels, settings.exclude))
        chosen = [(not wanted or name in wanted) and name not in unwanted for name in names]
        counted &= np.array(chosen, dtype=np.bool_)[labels]
    return counted
