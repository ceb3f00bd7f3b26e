"""How tables are shown: what a user may choose about their figures, columns and captions."""

from __future__ import annotations

import re
from math import isnan

from evenhand.dataclass import dataclass
from evenhand.problems import SettingError

MOST_DECIMALS = 10
UNDEFINED = "–"
"""What tables show in place of a score that is undefined."""
_LABEL = re.compile(r"[A-Za-z0-9:._/+-]+")
"""What the label of a LaTeX table may hold, lest it end or run as a command."""


@dataclass(frozen=True)
class TableStyle:
    """What text, Markdown and LaTeX let a user choose.

    percent    scores as percentages, else as fractions
    decimals   of scores [2 of percentages, 4 of fractions]
    columns    only these columns of tables, by their headings; the first one always stays [all]
    caption    of LaTeX tables, which then float
    label      of LaTeX tables, for references; they float, too
    page_columns
               how many columns the pages have that LaTeX tables are for, 1 or 2
    width      how many columns a terminal has, into which text is folded [not folded]
    marks      stars behind differences that are significant
    colour     a terminal's bold type for the best scores, and its colours for differences that are significant
    """

    percent: bool = True
    decimals: int | None = None
    columns: tuple[str, ...] = ()
    caption: str = ""
    label: str = ""
    page_columns: int = 1
    width: int | None = None
    marks: bool = False
    colour: bool = False

    def __post_init__(self) -> None:
        if self.decimals is not None and not 0 <= self.decimals <= MOST_DECIMALS:
            raise SettingError(f"decimals is {self.decimals}; it must be a number from 0 to {MOST_DECIMALS}.")
        if self.page_columns not in (1, 2):
            raise SettingError(f"page_columns is {self.page_columns}; pages have 1 or 2.")
        if self.label and not _LABEL.fullmatch(self.label):
            raise SettingError(
                f"the label {self.label!r} cannot be used in LaTeX; take letters, digits and any of : . _ / + - only."
            )

    def score(self, value: float, sign: str = "") -> str:
        """A score; with the sign +, a difference of two. A dash if it is undefined."""
        if isnan(value):
            return UNDEFINED
        if self.percent:
            return self.share(value, sign)
        return f"{value:{sign}.{4 if self.decimals is None else self.decimals}f}"

    def share(self, value: float, sign: str = "") -> str:
        """A percentage, also where scores are fractions; a dash if it is undefined."""
        if isnan(value):
            return UNDEFINED
        return f"{100 * value:{sign}.{2 if self.decimals is None else self.decimals}f}"

    def interval(self, bounds: tuple[float, float] | None, sign: str = "") -> str:
        return UNDEFINED if bounds is None else " – ".join(self.score(bound, sign) for bound in bounds)


PLAIN = TableStyle()


def stars(p: float | None) -> str:
    """Two for p below 0.01, one for p below 0.05."""
    return "" if p is None else "**" if p < 0.01 else "*" if p < 0.05 else ""
