"""What systems say of links, in words: `Q5 for Q90`."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.links import kinds
from evenhand.tasks.links.linked import Identifiers
from evenhand.text.labels import Codes


@dataclass(frozen=True)
class Shown:
    """What tells units and answers in words: the codes of identifiers, and those of labels that files share."""

    identifiers: Identifiers
    labels: Codes[str]

    def words(self, kind: Ints, gold: Ints, system: Ints) -> Ints:
        """The labels that stand for what a system says: its identifier and, where it is wrong, the right one."""
        names = self.identifiers.names
        wrong = np.isin(kind, (kinds.OTHER, kinds.MISSED, kinds.OVER, kinds.LBE))
        found = np.full(kind.shape, -1)
        columns = (column.ravel().tolist() for column in (kind, gold, system, wrong))
        for at, (verdict, right, said, is_wrong) in enumerate(zip(*columns, strict=True)):
            if verdict not in (kinds.FN, kinds.TN) and said >= 0:
                text = f"{names[said]} for {names[right]}" if is_wrong and right >= 0 else names[said]
                found.flat[at] = self.labels.code(text)
        return found
