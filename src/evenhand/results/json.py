"""Load saved results that `to_json` or `--as json` wrote, and the counts of `score --counts`.

Each loader arranges the JSON as the fields of a result class. `msgspec.convert` then builds the object, and checks the
type and range of each field against the annotations of the class. A row of scores has the counts and ratios that its
measure declares. Files of earlier versions load, too: fields that they lack have defaults.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf, nan
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from evenhand import __version__, versions
from evenhand.arrays import MOST, Count, Difference, Share, Values
from evenhand.comparison.differences import CLASSES, Bound
from evenhand.comparison.units import Unit
from evenhand.data.annotation import ReadInfo
from evenhand.errors import InputError, SettingError, Skipped, counted, reason_of
from evenhand.grounding.grounder import BOUND, COUNTS, GroundingCounts, Listed
from evenhand.parameters import Parameter, check_file, check_path
from evenhand.pipeline.inputs import RunConfig
from evenhand.pipeline.run import Run
from evenhand.pipeline.saved_runs import decode
from evenhand.registry import load
from evenhand.results.agreement import Agreement, SavedFigures
from evenhand.results.causes import Causes, FoundSlice, SearchedSlice
from evenhand.results.comparison import Comparison, OracleResult, Pair, Ranking
from evenhand.results.confidence import (
    ApDifference,
    BestThreshold,
    Calibration,
    Confidence,
    SystemConfidence,
)
from evenhand.results.counts import COMMAND, Counts, saved_counts
from evenhand.results.result import GoldSummary, Result, Results, SliceScores
from evenhand.scoring.measure import Formula
from evenhand.scoring.prf import contingency, prf
from evenhand.scoring.scores import (
    Average,
    MeasureScore,
    Row,
    SentenceCounts,
    averages,
    ratio_row,
    with_gold,
    with_support,
)
from evenhand.scoring.tally import Tally
from evenhand.settings import CUSTOM, Groups, ReadSettings, ScoreSettings
from evenhand.statistics.precision_recall import Curve
from evenhand.tasks.registry import TASKS, model, model_names, models_of, parameters_of, without_overrides
from evenhand.tasks.task import GoldProfile

Loaded = TypeVar("Loaded")
Saved = dict[str, Any]
"""A JSON object."""
_SavedRow = dict[str, int | float | None]
"""Counts and scores of one row, by name."""
_ErrorCounts = dict[str, dict[str, Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]]]
"""A confusion table: counts by gold label and system label."""
UnitsByClass = dict[tuple[tuple[str, str] | None, str], list[Unit]]
"""Saved units, by pair of systems and class of difference."""
_CLASSES = {
    "score": "Results",
    "rank": "Ranking",
    "compare": "Comparison",
    "agree": "Agreement",
    "confidence": "Confidence",
    "causes": "Causes",
}
"""By command: the class of its result, for remedies."""


def load_result(source: str | Path) -> Result:
    """Load the result of one system."""
    results = load_results(source)
    if len(results) > 1:
        systems = f"the results of {len(results)} systems ({', '.join(results)})"
        raise SettingError(f"There are {systems} in it; load them with Results.from_json.")
    return next(iter(results.values()))


def load_results(source: str | Path) -> Results:
    return _load(source, "score", _results)


def load_ranking(source: str | Path) -> Ranking:
    return _load(source, "rank", _ranking)


def load_comparison(source: str | Path) -> Comparison:
    return _load(source, "compare", _comparison)


def load_agreement(source: str | Path) -> Agreement:
    return _load(source, "agree", _agreement)


def load_counts(source: str | Path) -> Counts:
    """Load what `score --counts` wrote, by the same version of Evenhand."""

    def build(saved: Saved) -> Counts:
        version = _field(saved, "evenhand", str)
        if version != __version__:
            finding = f"was written by Evenhand {version}, and this is {__version__}"
            raise InputError(str(source), None, finding, "score the files again")
        numbers = versions.numbers_of(_field(saved, "signature", str))
        if numbers != str(versions.NUMBERS):
            finding = f"has numbers version {numbers}, and this Evenhand computes {versions.NUMBERS}"
            raise InputError(str(source), None, finding, "score the files again")
        settings = _settings(_field(saved, "settings"))
        read_as = decode(_field(saved, "read_as"), dict[str, ReadSettings])
        content = GoldProfile(settings.task, frozenset(_field(saved, "traits", list[str])))
        config = RunConfig(settings, read_as, content)
        groups = _field(saved, "groups", Groups)
        files = _field(saved, "files", tuple[str, ...])
        run = decode(_field(saved, "run"), Run)
        if not run.systems or {*run.tallies} != {*run.systems}:
            raise ValueError("its systems have no counts")
        return Counts(_field(saved, "gold", str), config, groups, run, str(source), files)

    return _load(source, COMMAND, build, saved_counts)


def load_confidence(source: str | Path) -> Confidence:
    return _load(source, "confidence", _confidence)


def load_causes(source: str | Path) -> Causes:
    return _load(source, "causes", _causes)


_LOADERS: Mapping[str, Callable[[str | Path], object]] = {
    "score": load_results,
    "rank": load_ranking,
    "compare": load_comparison,
    "agree": load_agreement,
    "confidence": load_confidence,
    "causes": load_causes,
}


def checked_json(source: str | Path) -> Saved:
    """The JSON of a saved result of any command, as a mapping. Loading the result checks it."""
    name, text = _read(source)
    remedy = f"use a file written by evenhand {', '.join(_LOADERS)} --as json"
    try:
        saved: Saved = _convert(msgspec.json.decode(text), Saved)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise InputError(name, None, f"is not a saved result ({reason_of(error)})", remedy) from None
    command = saved.get("command")
    if not isinstance(command, str) or command not in _LOADERS:
        finding = "is not a saved result" if command is None else f"is a result of evenhand {command}"
        raise InputError(name, None, finding, remedy)
    _LOADERS[command](source)
    return saved


def _load(
    source: str | Path,
    command: str,
    build: Callable[[Saved], Loaded],
    parse: Callable[[bytes], Any] = msgspec.json.decode,
) -> Loaded:
    """The result of a command that `build` makes of the JSON; any defect of the JSON is an error with the file."""
    name, text = _read(source)
    try:
        saved = _convert(parse(text), Saved)
        _check_origin(name, saved, command)
        return build(saved)
    except InputError:
        raise
    except KeyError as error:
        raise _invalid(name, command, f"{error.args[0]!r} is missing") from None
    except (msgspec.MsgspecError, RecursionError, LookupError, TypeError, ValueError) as error:
        raise _invalid(name, command, reason_of(error)) from None


def _read(source: str | Path) -> tuple[str, bytes]:
    """The name of a source for messages, and its bytes. A string that begins with `{` is the JSON itself."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return "the saved text", source.encode("utf-8", "surrogatepass")
    if not isinstance(source, str):
        check_file(source)
    check_path(str(source))
    try:
        return str(source), Path(source).read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(str(source), None, f"cannot be read ({reason})", "pass a saved result, or its text") from None


def _check_origin(name: str, saved: Saved, command: str) -> None:
    """Refuse results of other commands, of newer versions, and of tasks that are not installed."""
    version = _field(saved, "evenhand", str)
    saved_by = _field(saved, "command", str)
    if saved_by != command:
        result_class = _CLASSES.get(saved_by)
        remedy = f"load it with {result_class}.from_json" if result_class else f"use a result of evenhand {command}"
        raise InputError(name, None, f"is a result of evenhand {saved_by}, not of {command}", remedy)
    if _release(version) > _release(__version__):
        finding = f"was saved by Evenhand {version}, which is newer than this one ({__version__})"
        raise InputError(name, None, finding, "update Evenhand")
    task = _convert(saved.get("task"), str | None, "$.task")
    if task is not None and task not in TASKS:
        finding = f"has the task {task!r}, which is not known here ({', '.join(TASKS)})"
        raise InputError(name, None, finding, "install the package that adds the task")


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at the end."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    if numbers is None:
        raise ValueError(f"{version!r} is not a version")
    return tuple(map(int, re.sub(r"(\.0+)+$", "", numbers[0]).split(".")))


def _invalid(name: str, command: str, detail: str) -> InputError:
    remedy = f"use a file written by evenhand {command}{'' if command == COMMAND else ' --as json or to_json'}"
    return InputError(name, None, f"is not a saved result of evenhand {command} ({detail})", remedy)


def _convert(value: object, kind: Any, path: str = "$") -> Any:
    """The value as an object of the type `kind`. An error states the path of the wrong value in the JSON.

    `path` is the path of `value`.
    """
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        finding, _, inner = str(error).partition(" - at `$")
        raise ValueError(f"{finding} - at `{path}{inner.removesuffix('`')}`") from None


def _field(saved: Saved, name: str, kind: Any = Saved, path: str = "$") -> Any:
    """A field of the JSON object at `path`, as an object of the type `kind`."""
    return _convert(saved[name], kind, f"{path}.{name}")


def _undefined(score: object, kind: Any = Share) -> float:
    """A score; null is an undefined one, which is NaN."""
    return nan if score is None else float(_convert(score, kind))


def _interval(saved: Any) -> tuple[float, float] | None:
    if saved is None:
        return None
    low, high = (_field(saved, name, Difference) for name in ("low", "high"))
    if low > high:
        raise ValueError(f"an interval runs from {low:g} down to {high:g}")
    return low, high


def _gold(saved: Saved) -> GoldSummary:
    gold: GoldSummary = _convert({**_field(saved, "gold"), "reading": saved["reading"]}, GoldSummary, "$.gold")
    return gold


# Confidences


def _agreement(saved: Saved) -> Agreement:
    figures = _convert(saved, SavedFigures)
    names = [annotator.name for annotator in figures.annotators]
    if not figures.f1 or {(pair.a, pair.b) for pair in figures.pairs} != {*combinations(names, 2)}:
        raise ValueError("its pairs are not those of its annotators")
    kinds = [pair.verdicts.counts.keys() for pair in figures.pairs if pair.verdicts is not None]
    for pair in figures.pairs:
        if pair.f1.keys() != figures.f1.keys() or pair.codes.keys() != figures.codes.keys():
            raise ValueError(f"{pair.a} and {pair.b} have other figures than all annotators")
    if any(other != kinds[0] for other in kinds):
        raise ValueError("its pairs have different error types")
    return Agreement(figures)


def _confidence(saved: Saved) -> Confidence:
    """The figures and curves of all systems; their units were not saved."""
    systems = [_system_confidence(system) for system in _field(saved, "systems", list[Saved])]
    if not systems:
        raise ValueError("it has no systems")
    texts = {name: _field(saved, name, str) for name in ("task", "unit", "match", "of", "signature")}
    return Confidence(
        gold=_gold(saved),
        groups=_field(saved, "groups", Count),
        systems={system.name: system for system in systems},
        notes=_field(saved, "notes", tuple[str, ...]),
        by_label=_field(saved, "by_label", bool),
        differences=_field(saved, "differences", tuple[ApDifference, ...]),
        **texts,
    )


def _system_confidence(saved: Saved, label: str | None = None) -> SystemConfidence:
    """The figures of a system, or of a label of it."""
    curve = _field(saved, "curve")
    threshold = np.array(_field(curve, "threshold", list[float]))
    base = np.array(_field(curve, "base", list[float]))
    counts = np.array(_field(curve, "counts", list[list[float]])).reshape(len(threshold), len(base))
    best: BestThreshold = _field(saved, "best", BestThreshold)
    return SystemConfidence(
        name=_field(saved, "name", str) if label is None else label,
        beta=best.beta,
        units=_field(saved, "units", Count),
        scores=_field(saved, "scores", tuple[float, float] | None),
        curve=Curve(threshold, counts, base),
        ap=_field(saved, "ap", float),
        best_threshold=best,
        **{name: _field(saved, name, float | None) for name in ("macro_ap", "aurc", "eaurc")},
        calibration=_field(saved, "calibration", Calibration | None),
        uncalibrated=_convert(saved.get("uncalibrated"), str | None),
        labels={name: _system_confidence(one, name) for name, one in _field(saved, "labels", dict[str, Saved]).items()},
        shares_threshold=label is not None and _field(saved, "threshold", float | None) != best.threshold,
    )


# Causes


def _causes(saved: Saved) -> Causes:
    """The tests of all slices; their units were not saved."""
    texts = {name: _field(saved, name, str) for name in ("task", "by", "unit", "of", "side", "signature")}
    counts = {name: _field(saved, name, Count) for name in ("groups", "size", "seed")}
    lists = {name: _field(saved, name, tuple[str, ...]) for name in ("notes", "systems", "attributes")}
    if len(lists["systems"]) not in (1, 2):
        raise ValueError("it has neither one nor two systems")
    return Causes(
        gold=_gold(saved),
        wrong=_field(saved, "wrong", dict[str, Count]),
        slices=_field(saved, "slices", tuple[SearchedSlice, ...]),
        found=_field(saved, "found", tuple[FoundSlice, ...]),
        two_sided=_field(saved, "two_sided", bool),
        **texts,
        **counts,
        **lists,
    )


# Scores


class NoTallies(Mapping[str, Tally]):
    """The tallies of a saved result, which has only sums: every access is an error."""

    def _refuse(self, *_: object) -> NoReturn:
        raise SettingError("A saved result has no tallies, which are counts by group; score the files again.")

    __getitem__ = __iter__ = __len__ = _refuse

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoTallies)

    __hash__ = None  # type: ignore[assignment]


def _results(saved: Saved) -> Results:
    gold = _gold(saved)
    settings = _field(saved, "settings")
    if saved.get("weights"):  # earlier versions saved the weights of the measure `weighted` here
        settings["weights"] = {"mixtures": saved["weights"]}
    score_settings = _settings(settings)
    systems = _field(saved, "systems", list[Saved])
    results = [_result(system, gold, score_settings, f"$.systems[{number}]") for number, system in enumerate(systems)]
    by_name = {result.name: result for result in results}
    if not results or len(by_name) < len(results):
        raise ValueError("systems need different names, and there must be at least one")
    return Results(by_name, _skipped(saved))


def _settings(saved: Saved) -> ScoreSettings:
    """The settings of a result: the common ones, and the parameters of its task.

    A measure that was a function of the user has its name only, with the prefix `CUSTOM`.
    """
    settings: ScoreSettings = _convert(saved, ScoreSettings, "$.settings")
    if settings.task not in TASKS:
        raise ValueError(f"unknown task {settings.task!r}")
    parameters = {parameter.name: _parameter_value(parameter, saved) for parameter in parameters_of(settings.task)}
    functions = dict.fromkeys(name.removeprefix(CUSTOM) for name in settings.match if name.startswith(CUSTOM))
    match = model_names(settings.task, (name.removeprefix(CUSTOM) for name in settings.match), functions)
    return replace(settings, match=match, parameters=parameters, functions=functions)


def _parameter_value(parameter: Parameter, saved: Saved) -> Any:
    """The value of a parameter under its present or a former name; the default if it was not saved."""
    name = next((name for name in (*parameter.names, parameter.signature_key) if name in saved), None)
    if name is None:
        return parameter.default
    stored = parameter.conversion.stored
    if stored is not None:
        stored = load(stored) if isinstance(stored, str) else stored
        return msgspec.convert(saved[name], stored | None if parameter.allowed.optional else stored)
    return parameter.value(saved[name])


def _result(saved: Saved, gold: GoldSummary, settings: ScoreSettings, path: str) -> Result:
    """The result of one system, which is at `path` in the JSON."""
    name = _field(saved, "name", str, path)
    scores = _field(saved, "scores", dict[str, Saved], path)
    if set(scores) != set(settings.match):
        raise ValueError(f"the scores of {name} are not by the measures of its settings")
    by_measure = _scores(scores, gold, settings)
    before = _convert(saved.get("before", {}), dict[str, Saved], f"{path}.before")
    grounding = saved.get("grounding")
    return Result(
        name=name,
        gold=gold,
        predicted=_field(saved, "units", Count, path),
        predicted_labels=_field(saved, "labels", dict[str, Count], path),
        scores=by_measure,
        signature=_field(saved, "signature", str, path),
        settings=settings,
        reading=_field(saved, "reading", ReadInfo, path),
        notes=_field(saved, "notes", tuple[str, ...], path),
        tallies=NoTallies(),
        models=tuple(score.model for score in by_measure.values()),
        chains=_convert(saved.get("chains"), Count | None, f"{path}.chains"),
        grounding=None if grounding is None else _grounding(_convert(grounding, Saved, f"{path}.grounding")),
        before=_scores(before, gold, without_overrides(settings)),
        slices={
            name: {value: _slice_scores(piece, gold, settings) for value, piece in pieces.items()}
            for name, pieces in _convert(saved.get("slices", {}), dict[str, dict[str, Saved]], f"{path}.slices").items()
        },
        facts={
            fact: _field(saved, fact, Saved, path)
            for fact in TASKS[settings.task].evaluation.fact_names
            if fact in saved
        },
    )


def _slice_scores(saved: Saved, gold: GoldSummary, settings: ScoreSettings) -> SliceScores:
    labels = _field(saved, "labels", dict[str, Count])
    scores = _scores(_field(saved, "scores", dict[str, Saved]), replace(gold, labels=labels), settings)
    return SliceScores(_field(saved, "units", Count), labels, scores)


def _grounding(saved: Saved) -> GroundingCounts:
    """Counts of the placement of answers; those that an earlier version lacks are 0."""
    counts = _convert({name: saved.get(name, 0) for name in COUNTS}, dict[str, Count])
    labels = _field(saved, "labels", dict[str, Count])
    listed = [Listed(**item) for item in _field(saved, "listed", list[dict[str, str]])]
    saved_bound = _field(saved, "upper_bound")
    bound = _convert({name: saved_bound[name] for name in BOUND}, dict[str, Count])
    return GroundingCounts(Counter(counts), Counter(labels), listed, Counter(bound))


_NEAR = ("close", "missed")
"""Counts of `ts` and `t` that a result lacks if its tallies had `finest` groups."""
_MINIMUM = {"kappa": -MOST}
"""Lower bounds of scores that may be negative."""
_CONTINGENCY = tuple(contingency(dict.fromkeys(("TP", "FP", "FN", "TN"), np.zeros(1))))
"""The names of the scores that depend on true negatives."""


def _scores(saved: Mapping[str, Saved], gold: GoldSummary, settings: ScoreSettings) -> dict[str, MeasureScore]:
    return {name: _score(model(settings.task, name).prepare(settings), score, gold) for name, score in saved.items()}


def _score(formula: Formula, saved: Saved, gold: GoldSummary) -> MeasureScore:
    overall = _field(saved, "overall", _SavedRow)
    formula = formula.without(*(name for name in _NEAR if name not in overall))

    def rows(name: str, row_formula: Formula) -> dict[str, Row]:
        return {key: _row(row_formula, row) for key, row in _convert(saved.get(name, {}), dict[str, _SavedRow]).items()}

    def optional(name: str, kind: Any) -> Any:
        return _convert(saved.get(name), kind | None)

    def saved_average(name: str, computed: Average) -> Average:
        row = optional(name, _SavedRow)
        return computed if row is None else Average(*_prf(row, is_null=formula.is_null))

    labels = with_support(rows("labels", formula.of_labels()), gold.labels)
    parts = _convert(saved.get("parts", {}), dict[str, _SavedRow])
    macro, weighted = averages(labels, gold.labels)
    return MeasureScore(
        formula,
        with_gold(_overall(formula, overall, parts), gold.units),
        saved_average("macro", macro),
        saved_average("support", weighted),
        labels,
        optional("confusion", _ErrorCounts),
        optional("edges", _ErrorCounts),
        rows("supertags", formula.of_labels()),
        optional("baselines", dict[str, Share | None]) or {},
        optional("sentences", SentenceCounts),
        rows("distances", formula),
        optional("further", dict[str, Saved]) or {},
    )


def _overall(formula: Formula, saved: _SavedRow, parts: Mapping[str, _SavedRow]) -> Row:
    """The row of all labels. For an accuracy, only the counts and the accuracy are saved."""
    if formula.breakdown.details == "accuracy":
        correct = _number(saved, "correct")
        tokens = _number(saved, "tokens")
        if correct > tokens:
            raise ValueError(f"{correct:g} of {tokens:g} tokens are correct")
        counts = {name: saved[name] for name in formula.counts}
        if "accuracy" in saved and saved["accuracy"] is None:
            return Row(nan, nan, nan, nan, counts)
        precision, recall, f1, f_beta = map(float, prf(correct, tokens, correct, tokens, formula.beta))
        return Row(precision, recall, f1, f_beta, counts)
    return replace(_row(formula, saved), parts={part.name: _row(part, parts[part.name]) for part in formula.parts})


def _row(formula: Formula, saved: _SavedRow) -> Row:
    """Counts and scores. Null is allowed for scores, for true negatives, and for counts that files may not show."""
    nullable = {"TN", *formula.breakdown.known}
    counts = {
        name: None if name in nullable and saved[name] is None else _number(saved, name) for name in formula.counts
    }
    more = {
        name: None if saved[name] is None else _share(saved, name, _MINIMUM.get(name, 0))
        for name in (_CONTINGENCY if formula.contingency else ())
    }
    for measure in formula.ratios:
        if saved[measure.name] is None:
            more[measure.name] = None if measure.name in nullable else nan
        else:
            more[measure.name] = float(_number(saved, measure.name, 0, MOST if measure.is_share else inf))
    if formula.has_ratios_only:
        return ratio_row(counts, more)
    precision, recall, f1, f_beta = _prf(saved, is_null=formula.is_null)
    return Row(precision, recall, f1, f_beta, counts, more)


def _prf(saved: _SavedRow, *, is_null: bool = False) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and F-beta; F-beta was not saved if it equals F1.

    All of them are null, or none. Under a measure with `is_null`, each may be null.
    """
    names = ("precision", "recall", "f1", *(["f_beta"] if "f_beta" in saved else []))
    if all(name in saved and saved[name] is None for name in names[:3]):
        return nan, nan, nan, nan
    scores = [nan if is_null and saved[name] is None else _share(saved, name) for name in names]
    precision, recall, f1 = scores[:3]
    return precision, recall, f1, scores[-1]


def _share(saved: _SavedRow, name: str, minimum: float = 0) -> float:
    return float(_number(saved, name, minimum, MOST))


def _number(saved: _SavedRow, name: str, minimum: float = 0, maximum: float = inf) -> float:
    value = saved[name]
    if value is None:
        raise ValueError(f"{name} is null")
    if not minimum <= value <= maximum:
        raise ValueError(f"{name} is {value:g}")
    return value


# Comparisons


def _comparison(saved: Saved) -> Comparison:
    systems = _field(saved, "systems", tuple[str, ...])
    by = _field(saved, "by", str)
    saved_scores = _field(saved, "scores", dict[str, Saved])
    scores = {name: _undefined(saved_scores[name][by]) for name in systems}
    saved_pairs = _field(saved, "pairs", list[Saved])
    agreement = _field(saved, "agreement")
    resampling = _field(saved, "resampling")
    if len(scores) < len(systems) or not saved_pairs:
        raise ValueError("systems need different names, and there must be at least one pair")
    measures = models_of(_field(saved, "task", str)) if any(pair.get("further") for pair in saved_pairs) else ()
    further = [measure.name for measure in measures if measure.name in saved_scores[systems[0]]]
    units = [_unit(unit, systems) for unit in _field(saved, "units", list[Saved])]
    by_class: UnitsByClass = {}
    for unit in units:
        by_class.setdefault((unit.pair, unit.kind), []).append(unit)
    pairs = [_pair(pair, by_class, further) for pair in saved_pairs]
    unknown = {name for pair in pairs for name in (pair.before, pair.after)} - scores.keys()
    if unknown:
        raise KeyError(min(unknown))

    def slices(rows: Mapping[str, Saved]) -> dict[str, Saved]:
        return {value: _slice(row, systems) for value, row in rows.items()}

    fields = {
        **saved,
        **_field(saved, "report"),
        "gold": _gold(saved),
        "left_out": saved["gold"].get("left_out", 0),
        "scores": scores,
        "pairs": {(pair.before, pair.after): pair for pair in pairs},
        "oracle": _oracle(_field(saved, "oracle"), scores),
        "all_answers": _matrix(agreement["all"], systems),
        "correct_answers": _matrix(agreement["correct"], systems),
        "labels": slices(_field(saved, "labels", dict[str, Saved])),
        "slices": {name: slices(rows) for name, rows in _field(saved, "slices", dict[str, dict[str, Saved]]).items()},
        "resampling": {**resampling, "few_documents": resampling.get("few_documents")},
        "shown_units": tuple(units),
        "skipped": _skipped(saved),
        "further_scores": {
            name: {measure: _undefined(saved_scores[name][measure]) for measure in further}
            for name in systems
            if further
        },
        "paired": {
            name: _matrix(table, systems)
            for name, table in _convert(agreement.get("paired", {}), dict[str, list[Any]]).items()
        },
        "before": {name: _undefined(saved["before"][name]) for name in systems if saved.get("before")},
        "shared": None if saved.get("shared") is None else _slice(_field(saved, "shared"), systems),
    }
    comparison: Comparison = _convert(fields, Comparison)
    return comparison


def _unit(saved: Saved, systems: Sequence[str]) -> Unit:
    """A unit. Files of earlier versions lack `positions`: theirs count tokens, or characters without spaces."""
    answers = _field(saved, "answers")
    positions = saved.get("positions") or "tokens"
    fields = {**saved, "positions": positions, "answers": {name: answers[name] for name in systems}}
    unit: Unit = _convert(fields, Unit, "$.units[...]")
    return unit


def _pair(saved: Saved, units: UnitsByClass, further: Sequence[str]) -> Pair:
    """The comparison of two systems; `further` are the other measures whose differences were tested."""
    before = _field(saved, "from", str)
    after = _field(saved, "to", str)
    classes = _field(saved, "classes", dict[str, Saved])
    changes = saved.get("further", {})

    def differences(name: str) -> Saved:
        count = _field(classes[name], "count", Count)
        saved_units = units.get(((before, after), name), [])
        return {**classes[name], "name": name, "_units": partial(_all_units, name, saved_units, count)}

    fields = {
        **saved,
        **_change(saved),
        "before": before,
        "after": after,
        "size": saved["units"],
        "moved": saved.get("moved", 0),
        "classes": {name: differences(name) for name in CLASSES},
        "detectable": saved.get("detectable"),
        "mcnemar": None if saved.get("mcnemar") is None else _field(saved, "mcnemar")["p"],
        "further": {name: _change(changes[name]) for name in further},
    }
    pair: Pair = _convert(fields, Pair, "$.pairs[...]")
    return pair


def _change(saved: Saved) -> Saved:
    """The fields of a `ScoreChange`."""
    return {
        "delta": _undefined(saved["delta"], Difference),
        "significance": saved.get("significance"),
        "interval": _interval(saved.get("interval")),
    }


def _all_units(kind: str, units: list[Unit], count: int) -> list[Unit]:
    """The units of a class, if all of them were saved."""
    if len(units) < count:
        few = f"{len(units):,} of these {counted(count, 'unit')} were saved"
        raise SettingError(f"{few}; compare the files again, with show={kind!r} and no limit to save them all.")
    return list(units)


def _oracle(saved: Saved, scores: Mapping[str, float]) -> OracleResult:
    systems = list(scores)
    labels = _field(saved, "labels", dict[str, Saved])
    exact = saved.get("exact")
    return OracleResult(
        bound_from_shares(_field(saved, "overall"), systems),
        {label: bound_from_shares(bound, systems) for label, bound in labels.items()},
        bound_from_shares(_field(saved, "sentences"), systems),
        max(range(len(systems)), key=lambda number: scores[systems[number]]),
        None if exact is None else {name: _undefined(value) for name, value in _convert(exact, Saved).items()},
    )


def bound_from_shares(saved: Saved, systems: Sequence[str]) -> Bound:
    """The counts of a bound, which were saved as shares of its units.

    A share times the number of units is a count, except for rounding errors, which are far below a half.
    """
    units = _field(saved, "units", Count)
    shares = _field(saved, "systems", dict[str, Share | None])
    correct = tuple(round((shares[name] or 0) * units) for name in systems)
    return Bound(units, correct, round((_field(saved, "upper_bound", Share | None) or 0) * units))


def _slice(saved: Saved, systems: Sequence[str]) -> Saved:
    scores = _field(saved, "systems")
    return {"units": saved["units"], "systems": {name: scores[name] for name in systems}}


def _matrix(rows: object, systems: Sequence[str]) -> Values:
    table: Values = np.array(_convert(rows, list[list[Share]], "$.agreement"), dtype=np.float64)
    return table.reshape(len(systems), len(systems))


# Rankings


def _ranking(saved: Saved) -> Ranking:
    ranking: Ranking = _convert(_ranking_fields(saved), Ranking)
    for part in (ranking, *(ranking.data_sets or {}).values()):
        clusters = part.clusters
        standings = part.standings
        if not standings or not all(standings.values()):
            raise ValueError("there must be at least one system and at least one measure")
        if clusters is not None and (
            clusters.model not in standings or {*clusters.systems} != {*standings[clusters.model]}
        ):
            raise ValueError("clusters must have every system, under a measure of the ranking")
    return ranking


def _ranking_fields(saved: Saved) -> Saved:
    """The fields of a `Ranking`; each of its data sets is a ranking, too."""
    systems = _field(saved, "systems", list[Saved])
    resampling = _field(saved, "resampling")
    names = [_field(system, "name", str) for system in systems]
    if len({*names}) < len(names):
        raise ValueError("systems need different names")
    before = _convert(saved.get("before", {}), dict[str, Saved], "$.before")
    data_sets = _convert(saved.get("data_sets"), dict[str, Saved] | None, "$.data_sets")
    return {
        **saved,
        **resampling,
        "groups": resampling["of"],
        "standings": {
            measure: {system["name"]: _standing(_field(system, "standings")[measure]) for system in systems}
            for measure in _field(saved, "models", list[str])
        },
        "skipped": _skipped(saved),
        "before": {measure: {name: _undefined(scores[name]) for name in names} for measure, scores in before.items()},
        "data_sets": None if data_sets is None else {name: _ranking_fields(part) for name, part in data_sets.items()},
    }


def _skipped(saved: Saved) -> dict[str, Skipped]:
    systems = _convert(saved.get("skipped", []), list[Saved], "$.skipped")
    return {_field(system, "name", str): _convert(system, Skipped, "$.skipped[...]") for system in systems}


def _standing(saved: Any) -> Saved:
    standing: Saved = _convert(saved, Saved, "$.systems[...].standings[...]")
    return {**standing, "score": _undefined(standing["score"]), "interval": _interval(standing["interval"])}
