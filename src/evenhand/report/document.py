"""What a report says, whatever it is written in: an opening, sections of tables, notes and the signature.

What each kind of result has of these is in a module of its own, which is loaded when there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evenhand.dataclass import dataclass
from evenhand.problems import WARNING, announced
from evenhand.registry import late
from evenhand.result.display import Shown, Tabled
from evenhand.table import Table
from evenhand.table_style import PLAIN, TableStyle


@dataclass(frozen=True)
class Section:
    heading: str
    tables: Sequence[Table]


@dataclass(frozen=True)
class Document:
    opening: str
    sections: Sequence[Section]
    notes: Sequence[str]
    signature: str

    @property
    def warnings(self) -> list[str]:
        """The notes that stand above the tables."""
        return [note for note in self.notes if note.startswith(WARNING)]

    @property
    def remarks(self) -> list[str]:
        """The notes that stand below them."""
        return [announced(note) for note in self.notes if not note.startswith(WARNING)]


def document(subject: Shown | Tabled, style: TableStyle = PLAIN) -> Document:
    """The report on a result."""
    for each in type(subject).__mro__:
        if each.__name__ in _DOCUMENTS:
            return _DOCUMENTS[each.__name__](subject, style)
    raise TypeError(f"{type(subject).__name__} has no tables")


_DOCUMENTS: Mapping[str, Callable[[Shown | Tabled, TableStyle], Document]] = {
    "Adjudication": late("evenhand.report.adjudication_document:adjudication_document"),
    "Agreement": late("evenhand.report.agreement_document:agreement_document"),
    "Comparison": late("evenhand.report.comparison_document:comparison_document"),
    "Gate": late("evenhand.report.gate_document:gate_document"),
    "Ranking": late("evenhand.report.ranking_document:ranking_document"),
    "Result": late("evenhand.report.score_document:result_document"),
    "Results": late("evenhand.report.score_document:score_document"),
}
"""By the types of results."""
