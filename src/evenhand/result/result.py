"""Results: what `score` returns, for one system or for many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.grounding.counts import GroundingCounts
from evenhand.problems import SettingError
from evenhand.result.contract import to_contract
from evenhand.result.display import Framed, Plotted, Shown, Tabled, Tallied
from evenhand.result.metrics import flat_metrics
from evenhand.result.signature import joint_signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore
from evenhand.settings import Groups, ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.recoverable import ErrorGroup, error_groups
from evenhand.tasks.registry import TASKS, name_among
from evenhand.tasks.registry import model as declared_model
from evenhand.text.annotation import Reading


@dataclass(frozen=True)
class Gold:
    """The gold standard in figures."""

    name: str
    documents: int
    sentences: int
    tokens: int | None
    characters: int | None
    """The number of characters without spaces, where these are the atoms."""
    units: int
    labels: Mapping[str, int]
    reading: Reading
    chains: int | None = None
    """How many coreference chains there are, where these are scored."""
    document_names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What documents are called, where they are groups of the tallies and have names."""


@dataclass(frozen=True, repr=False)
class Result(Shown, Framed, Plotted, Tabled, Tallied):
    """The scores of one system: `result["fair"].f1`, `result["fair"].labels["ORG"].recall`."""

    name: str
    gold: Gold
    units: int
    labels: Mapping[str, int]
    """How many spans of each label the system has."""
    scores: Mapping[str, ModelScore]
    signature: str
    settings: ScoreSettings
    reading: Reading
    notes: tuple[str, ...] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """The counts behind the scores, by judge (`exact`, `fair`); a saved result has none."""

    models: tuple[MatchModel, ...] = ()
    """The match models behind the scores."""
    chains: int | None = None
    grounding: GroundingCounts | None = None
    """Of a language model: how its answers were read, and where its strings were found."""
    groups: Groups = "total"
    """What the tallies keep apart: documents, sentences, or nothing."""
    before: Mapping[str, ModelScore] = field(default_factory=dict)
    """The scores on the gold standard as it was read, where it has overrides."""
    sentence_tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """The tallies by sentence, where those of the finest groups are by document: for tests that documents cannot
    decide."""

    def __getitem__(self, model: str) -> ModelScore:
        if model not in self.scores:
            raise KeyError(f"no match model {model!r} was scored; there are {', '.join(self.scores)}")
        return self.scores[model]

    def __iter__(self) -> Iterator[str]:
        """The names of the match models."""
        return iter(self.scores)

    def __contains__(self, model: object) -> bool:
        return model in self.scores

    @property
    def beta(self) -> float:
        return self.settings.beta

    def metrics(self) -> dict[str, float]:
        """The scores under flat names, for trackers of experiments: `f1`, `fair_f1`, `PER_f1`.

        The first match model has bare names, and the labels are its own; other models stand before their measures.
        """
        return flat_metrics(self.scores)

    def fix_first(self, by: str | None = None, most: int = 5) -> list[ErrorGroup]:
        """The groups of errors from which most points can be gained (see `tasks.recoverable`).

        by      the match model of the score, one whose verdicts tell the kinds of errors [the task's first of these]
        most    how many groups [5]
        """
        task = TASKS[self.settings.task]
        name = by or task.reported_by[0]
        if name_among(task.name, name, task.reported_by) is None:
            raise SettingError(f"by is {name!r}; errors of {task.name} are told by {' or '.join(task.reported_by)}.")
        model = declared_model(task.name, name).prepare(self.settings)
        if model.judge not in self.tallies:
            remedy = f"score the files with match={model.name!r}"
            raise SettingError(f"The result of {self.name} has no counts of errors by {model.name}; {remedy}.")
        return error_groups(task, model, self.tallies[model.judge])[:most]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        return Results({self.name: self}).to_dict()

    @staticmethod
    def from_json(source: str | Path) -> Result:
        """The result of one system, as `to_json` saved it: from a file, or from the text itself."""
        from evenhand.result.load import load_result

        return load_result(source)


class Results(Shown, Framed, Plotted, Tabled, Tallied, Mapping[str, Result]):
    """The scores of several systems on one gold standard, by name."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self._results = dict(results)
        self._first = next(iter(self._results.values()))

    @property
    def gold(self) -> Gold:
        return self._first.gold

    @property
    def task(self) -> str:
        return self._first.settings.task

    @property
    def beta(self) -> float:
        return self._first.beta

    @property
    def unit(self) -> str:
        """What is counted."""
        return TASKS[self.task].unit

    @property
    def signature(self) -> str:
        return joint_signature(result.signature for result in self.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found and mended, each said once."""
        return tuple(dict.fromkeys(note for result in self.values() for note in result.notes))

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._first.scores)

    def __getitem__(self, name: str) -> Result:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        return to_contract(self)

    @staticmethod
    def from_json(source: str | Path) -> Results:
        """Results as `to_json` or `evenhand score --as json` saved them: from a file, or from the text itself."""
        from evenhand.result.load import load_results

        return load_results(source)
