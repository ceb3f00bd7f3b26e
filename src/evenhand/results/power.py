"""The power of a test set: what `power` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.results.display import Displayed, WithTables, present
from evenhand.results.result import GoldSummary
from evenhand.statistics.power import ROUGH_BELOW, Exaggeration, Method, PowerCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class TextSize:
    """An amount of text: a number of groups, and the proportional number of sentences, tokens and gold units."""

    groups: int
    sentences: int | None
    """None if the groups are sentences."""
    tokens: int | None
    units: int | None


@dataclass(frozen=True)
class SentencePower:
    """What the text could show if its sentences were independent, which the sentences of a document are not."""

    sd: float
    detectable: float | None
    design_effect: float | None
    """The variance of the difference by documents, divided by that by sentences."""


@dataclass(frozen=True)
class PairPower:
    """Two systems: their difference, and what the test set can show."""

    before: str
    after: str
    scores: tuple[float, float]
    interval: tuple[float, float] | None
    """The interval of the observed difference."""
    delta: float
    """The true difference that the power refers to: the observed one, unless another one is specified."""
    alpha: float
    """The level of the test, divided by the number of pairs."""
    power: float | None
    """None if the outputs are identical."""
    detectable: float | None
    needed_size: TextSize | None
    """The size for the target power at `delta`; None if it is above 20 times the present one."""
    sd: float
    by_sentence: SentencePower | None = None
    """If documents are resampled."""
    mcnemar: float | None = None
    """Power of McNemar's test at `delta` if units were independent, for scores that are shares of units."""
    exaggeration: Exaggeration | None = None
    """Printed if the power is below one half."""
    simulated: float | None = None
    curve_of: PowerCurve | None = field(default=None, repr=False, compare=False)

    @property
    def needed_groups(self) -> int | None:
        """The number of groups of the needed size."""
        return None if self.needed_size is None else self.needed_size.groups

    @property
    def observed(self) -> float:
        """The difference of the scores."""
        return self.scores[1] - self.scores[0]

    @property
    def is_identical(self) -> bool:
        return self.power is None

    def needed(self, delta: float) -> int | None:
        """Number of groups needed to detect another difference, a fraction such as 0.01."""
        return self._curve.needed(abs(delta))

    def curve(self, groups: Sequence[int], delta: float | None = None) -> list[float]:
        """The power at these numbers of groups."""
        return [self._curve.power(abs(self.delta if delta is None else delta), number) for number in groups]

    @property
    def _curve(self) -> PowerCurve:
        if self.curve_of is None:
            raise SettingError("A saved result has no counts to draw from; call eh.power on the files again.")
        return self.curve_of


@dataclass(frozen=True)
class ExpectedPower:
    """What the test set can show of a system that does not exist yet, given its correlation with the present one."""

    correlation: float
    reason: str
    """The kind of system that has such a correlation."""
    detectable: float | None
    power: float | None
    """At the specified difference."""
    needed_size: TextSize | None
    curve_of: PowerCurve | None = field(default=None, repr=False, compare=False)

    @property
    def needed_groups(self) -> int | None:
        return None if self.needed_size is None else self.needed_size.groups


@dataclass(frozen=True, repr=False)
class Power(Displayed, WithTables):
    """Whether a test set can show a difference, which one it can show, and how much text is needed."""

    gold: GoldSummary
    task: str
    by: str
    of: str
    """The groups: documents or sentences."""
    groups: int
    """Their number in this test set."""
    planned: int
    """The number of groups that power refers to; `groups`, unless another number is specified."""
    alpha: float
    """The level of each test: divided by the number of pairs if there are several, as in the first step of Holm."""
    target: float
    method: Method
    seed: int
    pairs: Mapping[tuple[str, str], PairPower]
    system: str | None = None
    """The only system, if the other one is planned."""
    half_width: float | None = None
    """Half the width of the 95 % interval of the system's score."""
    expected: Sequence[ExpectedPower] = ()
    delta: float | None = None
    """The true difference that the user specifies."""
    width: float | None = None
    """The half width of an interval that the user specifies."""
    needed_for_width: Mapping[str, TextSize] = field(default_factory=dict)
    """The size that an interval of this width needs, by system or pair (`a and b`)."""
    signature: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_rough(self) -> bool:
        return self.groups < ROUGH_BELOW

    @property
    def pair(self) -> PairPower:
        """The pair, if there is one."""
        if len(self.pairs) != 1:
            raise SettingError(f"There are {len(self.pairs)} pairs of systems; choose one of `pairs`.")
        return next(iter(self.pairs.values()))

    @property
    def observed(self) -> float:
        return self.pair.observed

    @property
    def power(self) -> float | None:
        return self.pair.power

    @property
    def detectable(self) -> float | None:
        return self.pair.detectable

    def needed(self, delta: float) -> int | None:
        """Number of groups needed to detect a difference, a fraction such as 0.01."""
        return self.pair.needed(delta)

    def curve(self, groups: Sequence[int], delta: float | None = None) -> list[float]:
        """The power at these numbers of groups."""
        return self.pair.curve(groups, delta)

    def plot(
        self, path: str | Path | None = None, *, width: float | None = None, height: float | None = None
    ) -> Figure:
        """Draw power by size and by difference as a Matplotlib figure.

        path     write it to this file, as SVG, PDF or PNG
        width    in inches, likewise height
        """
        from evenhand.report.figures.canvas import Size, check_matplotlib

        check_matplotlib()
        from evenhand.report.figures.power import plot

        return plot(self, path, Size(width, height))

    def saved(self) -> dict[str, Any]:
        return {
            "command": "power",
            "task": self.task,
            "by": self.by,
            "signature": self.signature,
            "notes": self.notes,
            "of": self.of,
            "groups": self.groups,
            "planned": self.planned,
            "alpha": self.alpha,
            "target": self.target,
            "method": self.method,
            "rough": self.is_rough,
            "pairs": [_saved_pair(pair) for pair in self.pairs.values()],
            **present(system=self.system, half_width=self.half_width, delta=self.delta, width=self.width),
            **({"expected": [_saved_expected(row) for row in self.expected]} if self.expected else {}),
            **present(needed_for_width={name: size.groups for name, size in self.needed_for_width.items()}),
            **present(text_for_width=dict(self.needed_for_width)),
        }


def _saved_expected(row: ExpectedPower) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in ("correlation", "reason", "detectable", "power")}
    return {**values, **_saved_size(row.needed_size)}


def _saved_size(size: TextSize | None) -> dict[str, Any]:
    return {"needed": None if size is None else size.groups, **present(needed_text=size)}


def _saved_pair(pair: PairPower) -> dict[str, Any]:
    values = {name: getattr(pair, name) for name in ("delta", "alpha", "power", "detectable", "sd")}
    return {
        "from": pair.before,
        "to": pair.after,
        "scores": dict(zip((pair.before, pair.after), pair.scores, strict=True)),
        "observed": pair.observed,
        "interval": pair.interval,
        **values,
        **_saved_size(pair.needed_size),
        **present(
            by_sentence=pair.by_sentence,
            mcnemar=pair.mcnemar,
            exaggeration=pair.exaggeration,
            simulated=pair.simulated,
        ),
    }
