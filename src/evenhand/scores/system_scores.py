"""The scores of one system, worked out when somebody asks: a ranking of fifty systems asks for few of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore, score_tally
from evenhand.tally import Tally
from evenhand.tasks.words.scores import with_words


class Scores(Mapping[str, ModelScore]):
    """By match model, in the order in which models were named."""

    def __init__(
        self,
        models: Sequence[MatchModel],
        tallies: Mapping[str, Tally],
        supertags: Mapping[str, Mapping[str, Tally]],
        levels: int,
        support: Mapping[str, int],
        *,
        baselines: bool,
    ) -> None:
        self.models = {model.name: model for model in models}
        self._tallies, self._supertags = tallies, supertags
        self._levels, self._support, self._baselines = levels, support, baselines
        self._scores: dict[str, ModelScore] = {}

    def __getitem__(self, name: str) -> ModelScore:
        if name not in self._scores:
            model = self.models[name]
            found = score_tally(
                model,
                self._totals[model.judge],
                self._support,
                {tag: found[model.judge] for tag, found in self._supertag_totals.items() if model.judge in found},
                baselines=self._baselines,
            )
            self._scores[name] = with_words(found, self._totals)
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    @cached_property
    def _totals(self) -> dict[str, Tally]:
        return self._added_up(self._tallies)

    @cached_property
    def _supertag_totals(self) -> dict[str, dict[str, Tally]]:
        return {tag: self._added_up(tallies) for tag, tallies in self._supertags.items()}

    def _added_up(self, tallies: Mapping[str, Tally]) -> dict[str, Tally]:
        """The counts of all groups; tokens and separators know how many of them there are, once for every level."""
        found = {judge: tally.total() for judge, tally in tallies.items()}
        if "units" in found and "text" in self._tallies:
            text = self._tallies["text"].total()
            found["units"] += replace(text, count=text.count * self._levels)
        if "units" in found and "near" in found:
            found["units"] += found["near"]
        return found
