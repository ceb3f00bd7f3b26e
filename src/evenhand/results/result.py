"""Scores of one system (`Result`) or several systems (`Results`): what `score` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from evenhand.arrays import Count
from evenhand.data.annotation import ReadInfo
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, Skipped, unknown
from evenhand.grounding.grounder import BOUND, GroundingCounts
from evenhand.parameters import split_names
from evenhand.results.display import Displayed, WithFigures, WithRows, WithTables, WithTallies, present
from evenhand.results.signature import joint_signature, notes_on_skipped
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import Average, MeasureScore, Row
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups, ScoreSettings
from evenhand.tasks.registry import TASKS, models_of, name_among
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.tables import ErrorGroup, error_groups

if TYPE_CHECKING:
    from evenhand.keywords import QueryKeywords
    from evenhand.pipeline.inputs import ScoredInputs
    from evenhand.results.summary import Summary
    from evenhand.results.table import Table


@dataclass(frozen=True)
class GoldSummary:
    """The gold standard in figures."""

    name: str
    documents: Count
    sentences: Count
    tokens: Count | None
    characters: Count | None
    """The number of characters without spaces, if the positions are characters."""
    units: Count
    labels: Mapping[str, Count]
    reading: ReadInfo
    chains: Count | None = None
    """The number of coreference chains, if chains are scored."""
    document_names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The names of documents, if tallies are grouped by document and documents have names."""

    def sizes(self) -> dict[str, int | None]:
        """The counts, as the JSON of scores and comparisons has them."""
        return {name: getattr(self, name) for name in ("documents", "sentences", "tokens", "characters", "units")}


@dataclass(frozen=True)
class SliceScores(Mapping[str, MeasureScore]):
    """The scores of one system on the units of one slice: `result.slices["genre"]["chat"]["fair"].f1`."""

    units: Count
    """The number of gold units."""
    labels: Mapping[str, Count]
    """The number of gold units by label, if they have labels."""
    scores: Mapping[str, MeasureScore]

    def __getitem__(self, model: str) -> MeasureScore:
        if model not in self.scores:
            raise KeyError(f"no measure {model!r} has these slices; there are {', '.join(self.scores)}")
        return self.scores[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, repr=False)
class Result(Displayed, WithRows, WithFigures, WithTables, WithTallies, Mapping[str, MeasureScore]):
    """The scores of one system by measure: `result["fair"].f1`, `result["fair"].labels["ORG"].recall`."""

    name: str
    gold: GoldSummary
    predicted: int
    """The number of units that the system predicts."""
    predicted_labels: Mapping[str, int]
    """The same by label."""
    scores: Mapping[str, MeasureScore]
    signature: str
    settings: ScoreSettings
    reading: ReadInfo
    notes: tuple[str, ...] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """The counts that scores are computed from, by scorer (`exact`, `fair`); a saved result has none."""

    models: tuple[Formula, ...] = ()
    """The measures of the scores."""
    chains: int | None = None
    grounding: GroundingCounts | None = None
    """For a language model: how its answers were read, and where its strings were found."""
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Further facts of a task, such as the `answers` of a language model by how they were read."""
    groups: Groups = "total"
    """The groups of the tallies: documents, sentences, or one total."""
    before: Mapping[str, MeasureScore] = field(default_factory=dict)
    """The scores on the gold standard without overrides, if it has overrides."""
    sentence_tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """Tallies by sentence, for tests if documents are too few; only if the groups are documents."""
    lacking: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The measures of annotation that the system does not have; their scores are undefined instead of 0."""
    slices: Mapping[str, Mapping[str, SliceScores]] = field(default_factory=dict)
    """The scores on slices, by the name of the slicing and the slice, in natural order."""
    inputs: ScoredInputs | None = field(default=None, repr=False, compare=False)
    """The files or annotations, from which units are read again; a saved result has none."""

    @property
    def entities(self) -> Mapping[str, Any] | None:
        """For chains scored with `entities`: errors by entity and their cost, under the keys of the JSON."""
        return self.facts.get("entities")

    def __getitem__(self, model: str) -> MeasureScore:
        if model not in self.scores:
            raise KeyError(f"no measure {model!r} was scored; there are {', '.join(self.scores)}")
        return self.scores[model]

    def __iter__(self) -> Iterator[str]:
        """The names of the measures."""
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def errors(self, by: str | None = None, **query: Unpack[QueryKeywords]) -> Table:
        """The errors as a table with one row per unit; reads the files again.

        by         the measure whose errors are listed [of the scored ones, the first that distinguishes error types]
        type       only these error types: "FN,LE" or a list
        label      only units with one of these labels, in the gold standard or predicted
        text       only units whose string contains this regular expression
        slice      only units of a slice of `compare`: "length=2", "document=doc1", or a column of the gold standard
        sample     a random sample of this many units, always the same for the same `seed`
        context    words of context on each side [5]
        """
        return _listed([self], by, {**query, "correct": False})

    def units(self, by: str | None = None, **query: Unpack[QueryKeywords]) -> Table:
        """All units that a measure counts, correct ones too, as a table; for the keywords see `errors`."""
        return _listed([self], by, {**query, "correct": True})

    @property
    def beta(self) -> float:
        return self.settings.beta

    def metrics(self) -> dict[str, float]:
        """The scores under flat names, for experiment trackers: `f1`, `fair_f1`, `PER_f1`.

        Scores of the first measure have bare names, and labels are scored by it. Scores of other measures have the
        name of the measure as a prefix. So have the numbers of units by error type (`fair_LE`), of the first measure
        that distinguishes them, in the order of the task.
        """
        task, metrics = TASKS[self.settings.task], dict[str, float]()
        typed = next((name for name in task.selection.reported if name in self.scores), None)
        for number, (name, score) in enumerate(self.scores.items()):
            prefix = f"{_key(name)}_" if number else ""
            metrics |= _overall_metrics(_key(name), score, prefix)
            counts = score.overall.counts if name == typed else {}
            types = [kind for kind in task.error_types.of(name) if counts.get(kind) is not None]
            metrics |= {f"{prefix}{kind}": float(counts[kind] or 0) for kind in types}
        first = next(iter(self.scores.values()))
        for label, row in first.labels.items() if first.model.breakdown.details in ("all", "labels") else ():
            label_metrics = _row_metrics(first.model, f"{_key(label)}_", row)
            if not metrics.keys().isdisjoint(label_metrics):
                label_metrics = _row_metrics(first.model, f"{_code(label[0])}{_key(label[1:])}_", row)
            metrics |= label_metrics
        return metrics

    def fix_first(self, by: str | None = None, most: int = 5) -> list[ErrorGroup]:
        """The groups of errors with the largest gain if they were fixed (see `tasks.tables`).

        by      the measure of the score; it must distinguish error types [the task's first such measure]
        most    the maximum number of groups [5]
        """
        task = TASKS[self.settings.task]
        name = by or task.selection.reported[0]
        if name_among(task.name, name, task.selection.reported) is None:
            measures = " or ".join(task.selection.reported)
            raise SettingError(f"by is {name!r}; use {measures} for the errors of {task.name}.")
        groups = task.display.error_groups(self, name)
        if groups is not None:
            return groups[:most]
        measure = declared_model(task.name, name).prepare(self.settings)
        if measure.scorer not in self.tallies:
            remedy = f"score the files with match={measure.name!r}"
            raise SettingError(f"The result of {self.name} has no counts of errors by {measure.name}; {remedy}.")
        return error_groups(task, measure, self.tallies[measure.scorer])[:most]

    def saved(self) -> dict[str, Any]:
        return Results({self.name: self}).saved()

    @staticmethod
    def from_json(source: str | Path) -> Result:
        """Load the result of one system that `to_json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_result

        return load_result(source)


class Results(Displayed, WithRows, WithFigures, WithTables, WithTallies, Mapping[str, Result]):
    """The scores of several systems on one gold standard, by name."""

    def __init__(self, results: Mapping[str, Result], skipped: Mapping[str, Skipped] | None = None) -> None:
        """`skipped` are the systems that could not be scored."""
        self._results, self.skipped = dict(results), dict(skipped or {})
        self._first = next(iter(self._results.values()))

    @property
    def gold(self) -> GoldSummary:
        return self._first.gold

    @property
    def task(self) -> str:
        return self._first.settings.task

    @property
    def beta(self) -> float:
        return self._first.beta

    @property
    def unit(self) -> str:
        """The name of the task's unit: span, token, …"""
        return TASKS[self.task].unit

    @property
    def signature(self) -> str:
        return joint_signature(result.signature for result in self.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings and repairs, without repetitions."""
        on_systems = dict.fromkeys(note for result in self.values() for note in result.notes)
        return (*notes_on_skipped(self.skipped, len(self)), *on_systems)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._first.scores)

    def __getitem__(self, name: str) -> Result:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def summary(self, against: str = "best", **options: Any) -> Summary:
        """One table with intervals, and tests against the best system, the first, or the one named; reads files again.

        Options are `trials`, `resamples`, `level`, `seed` and `of`, as in `compare`. `evenhand.summarize` scores and
        summarizes in one pass.
        """
        inputs = self._first.inputs
        if inputs is None or inputs.systems is None:
            raise SettingError("A summary needs the files themselves; make it with evenhand.summarize(gold, systems).")
        from evenhand.api.summary import summarize_inputs

        inputs.check_unchanged()
        systems = {name: inputs.systems[name] for name in self}
        return summarize_inputs(replace(inputs, systems=systems), against, **options)

    def errors(
        self, by: str | None = None, *, system: str | Sequence[str] = (), **query: Unpack[QueryKeywords]
    ) -> Table:
        """The errors of all systems, or of some, as a table with one row per unit; see `Result.errors`."""
        return _listed(self._chosen(system), by, {**query, "correct": False})

    def units(
        self, by: str | None = None, *, system: str | Sequence[str] = (), **query: Unpack[QueryKeywords]
    ) -> Table:
        """All units that a measure counts, correct ones too, as a table; see `Result.errors`."""
        return _listed(self._chosen(system), by, {**query, "correct": True})

    def _chosen(self, systems: str | Sequence[str]) -> list[Result]:
        names = split_names(systems) or tuple(self)
        for name in names:
            if name not in self:
                remedy = f"choose one of {', '.join(self)}"
                raise SettingError(unknown(f"Unknown system {name!r}", name, list(self), remedy))
        return [self[name] for name in names]

    def saved(self) -> dict[str, Any]:
        gold = self.gold
        return {
            "command": "score",
            "task": self.task,
            "signature": self.signature,
            "notes": self.notes,
            "gold": {
                "name": gold.name,
                "format": gold.reading.format,
                "encoding": gold.reading.encoding,
                **gold.sizes(),
                **present(chains=gold.chains),
                "labels": gold.labels,
            },
            "systems": [_saved_system(result) for result in self.values()],
            "settings": saved_settings(self._first.settings),
            "reading": gold.reading,
            **present(skipped=[reason.saved(name) for name, reason in self.skipped.items()] or None),
        }

    @staticmethod
    def from_json(source: str | Path) -> Results:
        """Load results that `to_json` or `evenhand score --as json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_results

        return load_results(source)


# Units


def _listed(results: Sequence[Result], by: str | None, query: Mapping[str, Any]) -> Table:
    """The units of some systems of one run, read from their files again."""
    inputs = results[0].inputs
    if inputs is None:
        raise SettingError(f"The result of {results[0].name} was loaded, and has no units; score the files again.")
    from evenhand.api.errors import UnitQuery, default_measure, list_units

    checked = UnitQuery(**query).checked()
    inputs.check_unchanged()
    return list_units(inputs, by or default_measure(inputs.config), checked, [result.name for result in results])


# Flat metrics


def _overall_metrics(name: str, score: MeasureScore, prefix: str) -> dict[str, float]:
    model = score.model
    if model.breakdown.details == "accuracy":
        return {name: float(score.headline)}
    if model.has_ratios_only:
        return _row_metrics(model, prefix, score.overall)
    if model.headline == "accuracy":
        metrics = {name: float(score.headline)}
    else:
        metrics = _prf_metrics(prefix, Average(score.precision, score.recall, score.f1, score.headline), model.beta)
    if model.breakdown.details == "all":
        metrics |= _prf_metrics(f"{prefix}macro_", score.macro, model.beta)
    return metrics


def _row_metrics(model: Formula, prefix: str, row: Row) -> dict[str, float]:
    """The scores of a row, without unknown ones."""
    if not model.has_ratios_only:
        return _prf_metrics(prefix, row, model.beta)
    return {f"{prefix}{name}": float(value) for name, value in row.more.items() if value is not None}


def _prf_metrics(prefix: str, average: Average, beta: float) -> dict[str, float]:
    names = ("precision", "recall", "f1") if beta == 1 else ("precision", "recall", "f1", "f_beta")
    return {f"{prefix}{name}": float(getattr(average, name)) for name in names}


def _key(text: str) -> str:
    """A label as part of a metric's name: other characters become a point and their code in hexadecimal."""
    return "".join(char if char.isalnum() or char in "_-" else _code(char) for char in text)


def _code(char: str) -> str:
    return f".{ord(char):X}."


# JSON contract


def saved_settings(settings: ScoreSettings) -> dict[str, Any]:
    """The settings and the parameters of the task and of the requested measures, in one mapping.

    Training data, and parameters that only select units of systems, are left out unless they are set.
    """
    measures = [model for model in models_of(settings.task) if model.name in settings.match]
    parameters = list(TASKS[settings.task].parameters)
    parameters += [parameter for measure in measures for parameter in measure.parameters]
    left_out = ("parameters", "functions", *(() if settings.train else ("train", "drop_leaked")))
    common = {name: value for name, value in vars(settings).items() if name not in left_out}
    common["match"] = settings.spelled_match
    return common | {
        parameter.name: settings[parameter.name]
        for parameter in parameters
        if parameter.effect.on != "systems" or settings[parameter.name] != parameter.default
    }


def _saved_system(result: Result) -> dict[str, Any]:
    grounding = None if result.grounding is None else _saved_grounding(result.grounding)
    return {
        "name": result.name,
        "format": result.reading.format,
        "encoding": result.reading.encoding,
        "units": result.predicted,
        **present(chains=result.chains, grounding=grounding, **result.facts),
        "labels": result.predicted_labels,
        "scores": {name: saved_score(score) for name, score in result.scores.items()},
        **present(
            before={name: saved_score(score) for name, score in result.before.items()},
            slices={name: _saved_slices(slices) for name, slices in result.slices.items()},
        ),
        "signature": result.signature,
        "notes": result.notes,
        "reading": result.reading,
    }


def _saved_slices(slices: Mapping[str, SliceScores]) -> dict[str, Any]:
    return {
        value: {
            "units": piece.units,
            "labels": piece.labels,
            "scores": {name: saved_score(score) for name, score in piece.scores.items()},
        }
        for value, piece in slices.items()
    }


def _saved_grounding(grounding: GroundingCounts) -> dict[str, Any]:
    """The counts of a language model's strings. The upper bound is not a score of the system, so it is separate."""
    bound = {"of": "exact", **{name: grounding.bound[name] for name in BOUND}, "f1": grounding.upper_bound}
    listed = [item._asdict() for item in grounding.listed]
    return {**grounding, "labels": grounding.labels, "upper_bound": bound, "listed": listed}


def saved_score(score: MeasureScore) -> dict[str, Any]:
    """The score of a system under one measure; undefined scores are NaN."""

    def rows(by_name: Mapping[str, Row]) -> dict[str, Any]:
        return {name: _saved_row(score.model, row) for name, row in by_name.items()}

    details, head = score.model.breakdown.details, {"headline": score.headline}
    if details == "accuracy":
        return {**head, "overall": {**score.overall.counts, "accuracy": score.headline}}
    overall = _saved_row(score.model, score.overall)
    common = {**head, "overall": overall, **present(further=score.further)}
    if details == "overall":
        return {**common, **present(parts=rows(score.overall.parts))}
    if details == "labels":
        return {**common, "labels": rows(score.labels)}
    sentences = score.sentences
    if sentences is not None:
        overall["accuracy"] = score.headline
    return {
        **common,
        "macro": _saved_average(score.macro, score.beta),
        "support": _saved_average(score.weighted, score.beta),
        "labels": rows(score.labels),
        **present(
            sentences=None if sentences is None else {**asdict(sentences), "share": sentences.share},
            distances=rows(score.distances),
            supertags=rows(score.supertags),
            baselines=score.baselines,
        ),
        **{name: table for name in ("confusion", "edges") if (table := getattr(score, name)) is not None},
    }


def _saved_row(model: Formula, row: Row) -> dict[str, float | None]:
    return {**row.counts, **({} if model.has_ratios_only else _saved_average(row, model.beta)), **row.more}


def _saved_average(average: Average, beta: float) -> dict[str, float | None]:
    return {name: getattr(average, name) for name in ("precision", "recall", "f1", *(["f_beta"] if beta != 1 else []))}


class Layers(dict[str, Result | Results]):
    """The result of each layer of spaCy's documents, by its name (`ents`, `spans:sc`, `tag`, `trees`)."""

    def __init__(self, results: Mapping[str, Result | Results], notes: tuple[str, ...] = ()) -> None:
        super().__init__(results)
        self.notes = notes
        """Layers that are not scored, because only one side has them."""

    def __str__(self) -> str:
        notes = "".join(f"\n\nNote: {note}" for note in self.notes)
        return "\n\n".join(f"# {layer}\n\n{result}" for layer, result in self.items()) + notes

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{layer}</h4>{result._repr_html_()}" for layer, result in self.items())

    def to_dict(self) -> dict[str, Any]:
        """The JSON of each result, by layer."""
        return {layer: result.to_dict() for layer, result in self.items()}
