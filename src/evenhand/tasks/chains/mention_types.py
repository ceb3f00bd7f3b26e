"""What mentions are by the key's POS: nominal or not, and of which type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tasks.chains.arcs import is_nominal
from evenhand.tasks.chains.kinds import NOUNS
from evenhand.text.annotation import Annotation
from evenhand.text.chains import Chains
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Tags


class MentionTypes:
    """What mentions are by the key's POS: nominal or not, and of which type."""

    def __init__(self, vocabulary: Vocabulary, nominal: Sequence[str]) -> None:
        self._labels, self._coder, self._tags = vocabulary.labels, vocabulary.columns["pos"], nominal
        self._is_noun: list[bool] = []
        self._label: list[int] = []

    def __call__(self, mentions: Chains, key: Annotation) -> tuple[Bools, Ints] | None:
        """Whether each mention is nominal, and the code of its type; None where the key has no POS."""
        pos = key.layers.get("pos")
        if not isinstance(pos, Tags):
            return None
        code = pos.coded(self._coder)[key.corpus.document_bounds[mentions.document] + mentions.start]
        for name in self._coder.names[len(self._is_noun) :]:
            self._is_noun.append(name in self._tags)
            self._label.append(self._labels.code(name))
        nominal = is_nominal(mentions, code, np.array(self._is_noun, dtype=np.bool_))
        label = np.array(self._label, dtype=np.int64)[code] if len(code) else code
        return nominal, np.where(nominal, self._labels.code(NOUNS), label)
