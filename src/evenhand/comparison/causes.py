"""Where systems fail: units with their attributes, and the slices in which errors are significantly more frequent.

Units are the units of the gold standard and the units that only a system has (with `--units gold` only the first, with
`--units system` the units that the system has, correct or not). A unit is wrong if the compared measure counts it as an
error. Attributes are those of [slices](#slices) and the label of the unit, in the gold standard or, if only a system
has it, in the system's output. `statistics.slice_search` tests all slices.

For each slice of one system, *points* is what the score would gain if all errors in it were corrected, as in [what to
fix first](#what-to-fix-first); of two systems, the points of the second minus those of the first.

Slices are not causes. Attributes correlate: strings that are not in the training data are rare and long. If slices of
both are listed, the data do not show which one matters.

Source: this project; Liu et al. 2021 for comparing the errors of systems by attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Literal

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.comparison.slices import Slicing, binned
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import headlines
from evenhand.statistics.slice_search import ListedSlice, Membership, SearchSettings, SliceTests, membership, search
from evenhand.statistics.slice_search import without_shadows as list_without_shadows
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.task import Task
from evenhand.tasks.unit_rows import Places
from evenhand.tasks.units import Predictions

UnitSide = Literal["all", "gold", "system"]
JOINT = " & "
"""Between the two values of a slice: `seen=new & label=MISC`."""
EXAMPLES = 3


@dataclass(frozen=True)
class WrongUnits:
    """The units that a system has wrong, for examples: columns of texts."""

    unit: list[int] = field(default_factory=list)
    place: list[str] = field(default_factory=list)
    """File and line."""
    text: list[str | None] = field(default_factory=list)
