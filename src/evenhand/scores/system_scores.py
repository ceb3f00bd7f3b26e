"""The scores of one system, worked out when somebody asks: a ranking of fifty systems asks for few of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore, score_tally
from evenhand.scores.row import UNDEFINED
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally


class SystemScores(Mapping[str, ModelScore]):
    """By match model, in the order in which models were named."""

    def __init__(
        self,
        models: Sequence[MatchModel],
        tallies: Mapping[str, Tally],
        supertags: Mapping[str, Mapping[str, Tally]],
        levels: int,
        support: Mapping[str, int],
        settings: ScoreSettings,
        *,
        is_empty: bool = False,
        other_units: Collection[str] = (),
    ) -> None:
        """`is_empty` tells that the gold standard has no unit; `other_units` are models that count other units."""
        self.models = {model.name: model for model in models}
        self._tallies, self._supertags = tallies, supertags
        self._levels, self._support, self._is_empty, self._other_units = levels, support, is_empty, other_units
        self._baselines = bool(settings.parameters.get("baselines"))
        self._scores: dict[str, ModelScore] = {}

    def __getitem__(self, name: str) -> ModelScore:
        if name not in self._scores:
            model = self.models[name]
            found = score_tally(
                model,
                self._added_up(model, self._tallies),
                self._support,
                {
                    tag: self._added_up(model, tallies)
                    for tag, tallies in self._supertags.items()
                    if model.judge in tallies
                },
                baselines=self._baselines,
                is_empty=self._may_be_undefined(name),
            )
            found = found if model.further is None else model.further(found, self._tallies)
            if self._may_be_undefined(name) and isnan(found.overall.recall):
                found = replace(found, macro=UNDEFINED, support=UNDEFINED)
            self._scores[name] = found
        return self._scores[name]

    def _may_be_undefined(self, name: str) -> bool:
        """Whether the gold standard has no unit of a model, if the model wants nothing of it."""
        return self._is_empty or name in self._other_units

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def _added_up(self, model: MatchModel, tallies: Mapping[str, Tally]) -> Tally:
        """The counts of a model's judge, with those of the text, once for every level, and of what is beside it."""
        found = tallies[model.judge].total()
        if model.text is not None and model.text in self._tallies:
            text = self._tallies[model.text].total()
            found += replace(text, count=text.count * self._levels)
        if model.beside is not None and model.beside in tallies:
            found += tallies[model.beside].total()
        return found
