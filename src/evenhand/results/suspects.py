"""Suspects: places where the gold standard may be wrong; what `suspects` returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.comparison.suspects import Rule, SuspectCurve
from evenhand.data.overrides import BOUNDS, LABEL, MISSING, PROPOSED, LabeledBounds
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.pipeline.inputs import Input
from evenhand.results.display import Displayed, WithRows, WithTables, present, written
from evenhand.results.result import GoldSummary
from evenhand.results.table import Kind, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS: Mapping[str, Kind] = {
    "rank": "count",
    "verdict": "text",
    "suspicion": "number",
    "document": "text",
    "line": "count",
    "sentence": "count",
    "start": "count",
    "end": "count",
    "gold": "text",
    "string": "text",
    "to_start": "count",
    "to_end": "count",
    "to": "text",
    "to_string": "text",
    "note": "text",
}
"""The columns of the table; `gold` and `to` are labels."""


class Reading(NamedTuple):
    """A span in its sentence: the text before it, its own text, and the text after it."""

    left: str
    string: str
    right: str


@dataclass(frozen=True)
class Suspect:
    """One place where the gold standard may be wrong."""

    rank: int
    verdict: str
    suspicion: float
    document: str
    """Its name or, without one, its number from 1."""
    sentence: int
    """Its number in the file, from 1."""
    line: int | None
    gold: LabeledBounds | None
    """The gold span; None if it is missing."""
    to: LabeledBounds | None
    """The proposal; None if the gold span is spurious."""
    note: str
    """The reason, as counts that can be checked."""
    positions: str = "tokens"
    """The unit of positions: tokens of the sentence, or characters of the text."""
    gold_reading: Reading | None = None
    """The gold span in its sentence; None without a text."""
    proposed_reading: Reading | None = None
    has_gaps: bool = False
    """Whether the proposal leaves out tokens, which overrides cannot express."""

    def row(self) -> tuple[str | float | None, ...]:
        """The values of `COLUMNS`."""
        gold = (None, None, None) if self.gold is None else self.gold
        to = (None, None, None) if self.to is None else self.to
        string, to_string = (None if one is None else one.string for one in (self.gold_reading, self.proposed_reading))
        place = (self.rank, self.verdict, self.suspicion, self.document, self.line, self.sentence)
        return (*place, *gold, string, *to, to_string, self.note)

    def override(self, voters: tuple[str, ...]) -> dict[str, Any]:
        """The line of a file of overrides."""
        gold = {} if self.gold is None else self.gold._asdict()
        to: dict[str, Any] = {}
        if self.to is not None and self.verdict in (LABEL, BOUNDS, MISSING):
            to = {"label": self.to.label} if self.verdict == LABEL else self.to._asdict()
        return {
            "sentence": self.sentence,
            **gold,
            "verdict": self.verdict,
            **({"to": to} if to else {}),
            **({"positions": self.positions} if self.positions != "tokens" else {}),
            "suspicion": round(self.suspicion, 4),
            "rank": self.rank,
            "status": PROPOSED,
            "note": self.note,
            "voters": voters,
        }


@dataclass(frozen=True)
class Voter:
    """A system among the voters."""

    f1: float
    """Its exact F1 against the gold standard; of tags, its accuracy."""
    weight: float
    proposals: int
    """Number of listed suspects whose proposal it makes."""


@dataclass(frozen=True, repr=False)
class Suspects(Displayed, WithTables, WithRows):
    """Places where the gold standard may be wrong, most suspicious first."""

    gold: GoldSummary
    task: str
    unit: str
    rule: Rule
    systems: Mapping[str, Voter]
    suspects: tuple[Suspect, ...]
    found: int
    """Number of all suspects that the filters select; `suspects` has the first ones."""
    signature: str
    notes: tuple[str, ...] = ()
    truth: SuspectCurve | None = None
    """The comparison with a corrected gold standard, if one is given."""
    compare: Callable[[Input], SuspectCurve] | None = field(default=None, repr=False, compare=False)
    writes_overrides: bool = True
    """Whether the task has overrides."""

    @property
    def table(self) -> Table:
        """One row per suspect."""
        values = list(zip(*(suspect.row() for suspect in self.suspects), strict=True)) or [()] * len(COLUMNS)
        return Table(COLUMNS, values, f"{len(self.suspects):,} of {self.found:,} suspects", self.signature)

    def to_overrides(self, path: str | Path | None = None) -> str:
        """Return a file of overrides with unreviewed proposals, and write it to `path`, if given."""
        if not self.writes_overrides:
            raise SettingError(
                f"Overrides correct spans; there are none for {self.task}. Write the table as CSV or JSON."
            )
        lines = [suspect.override(tuple(self.systems)) for suspect in self.suspects if not suspect.has_gaps]
        return written("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), path)

    def curve(self, truth: Input) -> SuspectCurve:
        """Compare with a corrected gold standard: average precision, and the errors found by the share reviewed."""
        if self.compare is None:
            raise SettingError("There is nothing to compare; call eh.suspects on the files again.")
        return self.compare(truth)

    def to_html(self, path: str | Path | None = None, title: str = "") -> str:
        """The page of suspects: one file without external resources, to review the proposals."""
        from evenhand.report.html.suspects import render

        return written(render(self, title), path)

    def plot(
        self, path: str | Path | None = None, *, width: float | None = None, height: float | None = None
    ) -> Figure:
        """Draw the errors found by the share reviewed as a Matplotlib figure; this needs `truth`.

        path     write it to this file, as SVG, PDF or PNG
        width    in inches, likewise height
        """
        from evenhand.report.figures.canvas import Size, check_matplotlib

        check_matplotlib()
        from evenhand.report.figures.suspects import plot

        return plot(self, path, Size(width, height))

    def saved(self) -> dict[str, Any]:
        return {
            "command": "suspects",
            "task": self.task,
            "signature": self.signature,
            "notes": self.notes,
            "gold": {"name": self.gold.name, **self.gold.sizes(), "labels": self.gold.labels},
            "rule": self.rule,
            "systems": [
                {"name": name, "f1": voter.f1, "weight": voter.weight, "proposals": voter.proposals}
                for name, voter in self.systems.items()
            ],
            "found": self.found,
            "suspects": [_saved(suspect) for suspect in self.suspects],
            **present(truth=None if self.truth is None else self.truth.saved()),
        }


def _saved(suspect: Suspect) -> dict[str, Any]:
    strings = {"string": suspect.gold_reading, "to_string": suspect.proposed_reading}
    return {
        "rank": suspect.rank,
        "verdict": suspect.verdict,
        "suspicion": suspect.suspicion,
        "document": suspect.document,
        "sentence": suspect.sentence,
        "line": suspect.line,
        "positions": suspect.positions,
        "gold": None if suspect.gold is None else suspect.gold._asdict(),
        "to": None if suspect.to is None else suspect.to._asdict(),
        **{name: None if reading is None else reading.string for name, reading in strings.items()},
        "note": suspect.note,
    }
