"""Agreement between annotators: what `agree` returns, saves and loads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from evenhand.agreement.places import Place, Vote
from evenhand.arguments import whole_number
from evenhand.problems import SettingError, counted
from evenhand.result.agreement_figures import (
    Coefficients,
    Coverage,
    DocumentAgreement,
    Figures,
    Interval,
    LabelAgreement,
    PairAgreement,
    Spread,
    Unitizing,
)
from evenhand.result.agreement_page import DrawnPlaces
from evenhand.result.display import Framed, Shown, Tabled, written
from evenhand.text.annotation import Annotation
from evenhand.version import __version__

DEFAULT_LIMIT = 5_000
"""How many places a page carries."""


class Voters(Protocol):
    """Who can read the files of annotators again, and let them vote."""

    def conflicts(self, vote: Vote) -> list[Place]:
        """Places where they do not have the same spans."""

    def adjudicated(self, vote: Vote) -> Iterator[Annotation]:
        """What the vote accepts, in batches."""

    def places(self, vote: Vote, limit: int) -> DrawnPlaces:
        """All places, in their sentences; so many are kept, conflicts first."""


class Agreement(Shown, Framed, Tabled):
    """How far annotators agree: `agreement.alpha`, `agreement.pairs`, `agreement.labels["PER"].kappa`."""

    def __init__(
        self,
        figures: Figures,
        by: str | None = None,
        voters: Voters | None = None,
        listed: Sequence[Place] = (),
    ) -> None:
        """With `by`, "document", tables have a row a document; `voters` read the files again.

        Tables list the conflicts that are `listed`.
        """
        self.figures, self.by, self._voters, self.listed = figures, by, voters, listed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Agreement) and self.figures == other.figures

    __hash__ = None  # type: ignore[assignment]

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.figures.annotators)

    @property
    def is_unitized(self) -> bool:
        """Whether annotators choose where units are, so that there are figures of units."""
        return self.figures.coding is not None

    @property
    def coverage(self) -> Coverage:
        return self.figures.coverage

    @property
    def codes(self) -> Mapping[str, Coefficients]:
        """Coefficients over `all` atoms, those that `any` annotator labels, and those that `every` one does."""
        return self.figures.codes

    @property
    def _over_all(self) -> Coefficients:
        """The coefficients over all atoms; undefined where these have no codes."""
        return self.codes.get("all", Coefficients(0))

    @property
    def observed(self) -> float | None:
        return self._over_all.observed

    @property
    def kappa(self) -> float | None:
        return self._over_all.kappa

    @property
    def fleiss(self) -> float | None:
        return self._over_all.fleiss

    @property
    def alpha(self) -> float | None:
        return self._over_all.alpha

    @property
    def ac1(self) -> float | None:
        return self._over_all.ac1

    @property
    def f1(self) -> Mapping[str, Spread]:
        """F1 of pairs by match model: mean and standard deviation."""
        return self.figures.f1

    @property
    def unitizing(self) -> Unitizing:
        return self.figures.unitizing

    @property
    def labels(self) -> Mapping[str, LabelAgreement]:
        return self.figures.labels

    @property
    def pairs(self) -> Mapping[tuple[str, str], PairAgreement]:
        return {(each.a, each.b): each for each in self.figures.pairs}

    @property
    def documents(self) -> Mapping[str, DocumentAgreement]:
        return {each.name: each for each in self.figures.documents}

    @property
    def undefined(self) -> Mapping[str, str]:
        """Why figures are undefined, by their paths in the JSON."""
        return self.figures.undefined

    @property
    def intervals(self) -> Mapping[str, Interval]:
        return self.figures.intervals

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self.figures.notes)

    @property
    def signature(self) -> str:
        return self.figures.signature

    def conflicts(self, vote: str | int = "majority") -> list[Place]:
        """Places where annotators do not have the same spans; the files are read again.

        vote       which spans are accepted there: those of the "majority", "unanimous" ones, or those that so many
                   annotators have
        """
        return self._asked("conflicts").conflicts(Vote.of(vote))

    def listing_conflicts(self, vote: str | int = "majority", limit: int | None = None) -> Agreement:
        """The same agreement, whose tables list conflicts, too: all of them, or the first ones."""
        most = None if limit is None else whole_number("limit", limit, 0)
        return Agreement(self.figures, self.by, self._voters, self.conflicts(vote)[:most])

    @property
    def adjudicated(self) -> Annotation:
        """The annotation that a majority makes of all annotators; the files are read again."""
        return self.adjudicate()

    def adjudicate(self, vote: str | int = "majority") -> Annotation:
        """The annotation that a vote makes of all annotators, as in `conflicts`; the files are read again.

        Documents of one annotator are taken over.
        """
        return Annotation.concatenate(list(self.adjudicated_batches(vote)))

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        vote: str | int = "majority",
        limit: int = DEFAULT_LIMIT,
    ) -> str:
        """One page with figures and all places, a lane for each annotator; written to `path` too, where one is given.

        title      of the page [the names of the annotators]
        vote       as in `conflicts`
        limit      how many places the page carries: conflicts before others

        The files are read again.
        """
        from evenhand.report.html.places import render

        places = self._asked("places").places(Vote.of(vote), whole_number("limit", limit, 0))
        names = ", ".join(self.annotators) if len(self.annotators) < 6 else counted(len(self.annotators), "annotator")
        return written(render(self, places, title or f"Agreement of {names}"), path)

    def adjudicated_batches(self, vote: str | int = "majority") -> Iterator[Annotation]:
        """The same in batches."""
        return self._asked("adjudicated spans").adjudicated(Vote.of(vote))

    def _asked(self, what: str) -> Voters:
        if self._voters is None:
            raise SettingError(f"A saved agreement has no {what}, as these are in the files; call agree again.")
        return self._voters

    def to_dict(self) -> dict[str, Any]:
        """The agreement as plain Python, in the form of its JSON."""
        return {"evenhand": __version__, "command": "agree", **msgspec.to_builtins(self.figures)}

    @staticmethod
    def from_json(source: str | Path) -> Agreement:
        """An agreement as `to_json` or `evenhand agree --as json` saved it: from a file, or from the text itself."""
        from evenhand.result.load import load_agreement

        return load_agreement(source)
