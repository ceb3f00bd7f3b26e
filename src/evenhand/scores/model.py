"""The declaration of a match model: its names, its judge, its arithmetic, its parameters and its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.parameters import Parameter
from evenhand.scores.match_model import MatchModel
from evenhand.settings import ScoreSettings


@dataclass(frozen=True)
class Judge:
    """Who says what is right. Models with the same judge share its counts."""

    name: str
    count: Callable[..., Any] | None = None
    """The counts of one question as a tally; None where the task counts for all of its judges at once."""
    takes_tags: bool = False
    """Whether it compares tags of tokens, whatever spans they spell: it then takes tokens, and no supertags."""
    beside: Judge | None = None
    """Another judge that is asked, too, where only totals are wanted."""
    takes_strings: bool = False
    """Whether it compares strings text by text, wherever they stand, so that whole documents are judged together."""
    takes_texts: bool = False
    """Whether it takes the texts of whole documents, and spans as offsets into them."""
    remembers: bool = False
    """Whether it looks back to the begin of a document, so that the portions of a file are judged in their order."""

    @property
    def by_document(self) -> bool:
        """Whether it looks at more than a portion of a document."""
        return self.takes_strings or self.takes_texts or self.remembers


@dataclass(frozen=True)
class Model:
    """A match model as it is declared, once; `arithmetic` makes of it what a run divides."""

    name: str
    task: str
    judge: Judge
    arithmetic: Callable[[str, ScoreSettings], MatchModel]
    """What precision and recall divide and which counts are shown, under the settings of a run."""
    definition: str
    """The address of the docstring that defines it ("package.module" or "package.module:function")."""
    aliases: tuple[str, ...] = ()
    """Other names that people use for it; case, hyphens, underscores and blanks do not matter."""
    title: str = ""
    """What the literature calls it, where that is not its name."""
    family: str | None = None
    """A name that stands for several models."""
    parameters: tuple[Parameter, ...] = ()
    needs: frozenset[str] = frozenset()
    """The traits that a gold standard must have (`pos`, `universal`)."""
    summary: str = ""
    """The definition in one line, for lists; without one, the first line of the docstring serves."""
    counterpart: str | None = None
    """The model that differs in one choice only, such as what errors count as; tables show both if they differ."""
    is_variant: bool = False
    """Whether it is the one of the two that was added to the original."""
    is_ranked: bool = False
    """Whether systems rank their answers, so that `name@n` takes one as right that is among the first n.

    Its judge then takes the keyword `depth`.
    """

    def prepare(self, settings: ScoreSettings) -> MatchModel:
        """The model under these settings."""
        return self.arithmetic(self.name, settings)

    def at(self, depth: int) -> Model:
        """The model that looks at so many ranked answers, where it has a judge that can."""
        if self.judge.count is None:
            return self
        judge = replace(self.judge, name=f"{self.judge.name}@{depth}", count=partial(self.judge.count, depth=depth))
        return replace(self, name=f"{self.name}@{depth}", judge=judge)
