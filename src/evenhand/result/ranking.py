"""A ranking: what `rank` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field
from math import inf
from pathlib import Path
from typing import Any

from evenhand.comparison.clusters import Clusters
from evenhand.comparison.ranking import Correlation, Standing
from evenhand.dataclass import dataclass
from evenhand.result.contract import defined
from evenhand.result.display import Framed, Plotted, Shown, Tabled
from evenhand.tasks.registry import model as declared_model
from evenhand.version import __version__


@dataclass(frozen=True, repr=False)
class Ranking(Shown, Framed, Plotted, Tabled):
    """Systems under several match models: `ranking["ts"]["florian"].rank`."""

    name: str
    """The gold standard, or `average` over several data sets."""
    standings: Mapping[str, Mapping[str, Standing]]
    correlations: Sequence[Correlation]
    level: float
    resamples: int
    seed: int
    groups: str | None
    """What was resampled: documents or sentences; None if there was nothing to resample."""
    signature: str
    notes: tuple[str, ...] = ()
    task: str = "spans"
    data_sets: Mapping[str, Ranking] | None = None
    """The rankings that an average is over, by data set."""
    clusters: Clusters | None = None
    """Which systems share a letter under the first model; None where nothing was tested."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """The systems that could not be ranked, with the sentence of the error of each."""
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By model, the scores of systems on the gold standard as it was read, where it has overrides."""
    few_documents: int | None = None
    """In how many documents two systems differ at most, if these are too few to decide and sentences are resampled."""

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.standings)

    @property
    def shown_models(self) -> tuple[str, ...]:
        """The match models of tables: of two counterparts the kind of the first one, which decides.

        The counterpart of the first model is shown, too, if it gives a system another score.
        """
        declared = {name: declared_model(self.task, name) for name in self.models}
        first = declared[self.models[0]]

        def is_shown(name: str) -> bool:
            if declared[name].counterpart not in declared or declared[name].is_variant == first.is_variant:
                return True
            pairs = zip(self.standings[first.name].values(), self.standings[name].values(), strict=True)
            return name == first.counterpart and any(repr(one.score) != repr(two.score) for one, two in pairs)

        return tuple(filter(is_shown, self.models))

    @property
    def systems(self) -> tuple[str, ...]:
        """By rank under the first model, then by name; systems without a rank last."""
        first = self.standings[self.models[0]]
        return tuple(sorted(first, key=lambda system: (first[system].rank or inf, system)))

    def __getitem__(self, model: str) -> Mapping[str, Standing]:
        try:
            return self.standings[model]
        except KeyError:
            raise KeyError(f"no match model {model!r} was ranked; there are {', '.join(self.models)}") from None

    def __iter__(self) -> Iterator[str]:
        """The names of the match models."""
        return iter(self.standings)

    def __contains__(self, model: object) -> bool:
        return model in self.standings

    def cluster(self, model: str, system: str) -> str | None:
        """The letter of a system under a model; None where nothing was tested."""
        return self.clusters[system] if self.clusters is not None and self.clusters.model == model else None

    def to_dict(self) -> dict[str, Any]:
        """The ranking as plain Python, in the form of its JSON."""
        found = {"evenhand": __version__, "command": "rank", **self._figures()}
        if self.data_sets is not None:
            found["data_sets"] = {name: each._figures() for name, each in self.data_sets.items()}
        return found

    @staticmethod
    def from_json(source: str | Path) -> Ranking:
        """A ranking as `to_json` or `evenhand rank --as json` saved it: from a file, or from the text itself."""
        from evenhand.result.load import load_ranking

        return load_ranking(source)

    def _figures(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "signature": self.signature,
            "notes": list(self.notes),
            "name": self.name,
            "models": list(self.models),
            "resampling": {
                "resamples": self.resamples,
                "of": self.groups,
                "few_documents": self.few_documents,
                "level": self.level,
                "seed": self.seed,
            },
            "systems": [
                {"name": system, "standings": {model: _standing(self[model][system]) for model in self.models}}
                for system in self.systems
            ],
            "correlations": [{**asdict(each), "models": list(each.models)} for each in self.correlations],
            "clusters": None if self.clusters is None else asdict(self.clusters),
            "skipped": [{"name": name, "reason": reason} for name, reason in self.skipped.items()],
            **({"before": {model: _plain(scores) for model, scores in self.before.items()}} if self.before else {}),
        }


def _plain(scores: Mapping[str, float]) -> dict[str, float | None]:
    return {name: defined(score) for name, score in scores.items()}


def _standing(standing: Standing) -> dict[str, Any]:
    found = {**asdict(standing), "score": defined(standing.score)}
    if standing.interval is not None:
        found["interval"] = dict(zip(("low", "high"), standing.interval, strict=True))
    return found
