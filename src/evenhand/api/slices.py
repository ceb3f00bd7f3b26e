"""Scores on slices of the units, in addition to the scores on all units; training data and leakage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from evenhand.api.score import Systems, is_nothing, results_of, totals_of
from evenhand.comparison.attributes import SliceContext
from evenhand.comparison.slices import SliceCounts, SlicedCounts, SliceRequest, Slices, word_list
from evenhand.comparison.training import Background, read_background, shared_counts, shares_no_unit
from evenhand.data.annotation import extra_layer
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.parameters import TRAIN, checked_arguments
from evenhand.pipeline.inputs import (
    Choice,
    ColumnChoice,
    DroppedSentences,
    Input,
    RunConfig,
    Side,
    is_single_system,
    known_options,
    name_of,
    prepare,
    side_of,
)
from evenhand.pipeline.run import Job, Run
from evenhand.results.leakage import Leakage, SharedSentences, leakage_sentence
from evenhand.results.result import Result, Results, SliceScores, saved_score
from evenhand.results.signature import joint_signature
from evenhand.results.table import Kind, Table
from evenhand.scoring.scores import SystemScores
from evenhand.settings import Groups
from evenhand.tasks.task import Task
from evenhand.versions import signed

if TYPE_CHECKING:
    from evenhand.keywords import EvaluationKeywords, Match

TrainingFiles = Side | Sequence[Side] | None
"""Training data as users give them: a file, an annotation, a frame, or a list of these."""


@dataclass(frozen=True)
class SliceData:
    """What slices need in addition to gold standard and systems."""

    prepared: RunConfig
    """The settings of the run, with the columns of slices and without leaked sentences."""
    background: Background | None
    """The indexes of the gold standard and of the training data, if they are needed."""
    request: SliceRequest
    words: Collection[str] | None
    notes: tuple[str, ...] = ()

    def context(self, labels: StringIndex[str]) -> SliceContext:
        """The input of attributes, given the labels of the run."""
        return SliceContext(self.words, labels, self.background, self.prepared.settings)


@dataclass(frozen=True)
class SliceOptions:
    """Slices and training data as a user specifies them: the keywords of all functions that slice units."""

    request: SliceRequest = SliceRequest()
    words: Collection[str] | None = None
    train: tuple[Input, ...] = ()
    drop_leaked: bool = False

    @staticmethod
    def of(
        slices: Slices | SliceRequest = (),
        vocabulary: str | PathLike[str] | Collection[str] | None = None,
        train: TrainingFiles = None,
        drop_leaked: object = False,
    ) -> SliceOptions:
        """Check the keywords; tables and word lists are read."""
        request, words = SliceRequest.of(slices), word_list(vocabulary)
        if words is not None and "vocabulary" not in request.names:
            raise SettingError("A word list is for the slice 'vocabulary'; add that slice.")
        listed = () if train is None else (train,) if is_single_system(train) else tuple(train)  # type: ignore[arg-type]
        if train is not None and not listed:
            raise SettingError("train is empty. Specify a file, or remove it.")
        if drop_leaked and not listed:
            raise SettingError("drop_leaked needs training data. Specify it with train.")
        return SliceOptions(request, words, tuple(map(side_of, listed)), bool(drop_leaked))

    def __bool__(self) -> bool:
        return bool(self.request or self.train)

    def with_seen(self, task: Task) -> SliceOptions:
        """The same, and the slices `seen` first if there are training data and the task has these slices."""
        if not self.train or "seen" not in task.comparison.attributes or self.request.has("seen"):
            return self
        return replace(self, request=replace(self.request, names={"seen": "", **self.request.names}))

    def read(self, gold: Input, systems: Mapping[str, Input] | None, prepared: RunConfig) -> SliceData:
        """Read the training data, and the gold standard if its strings are counted."""
        prepared = with_columns(prepared, self.request)
        task = prepared.task
        lacking = self.request.needs("train", task)
        if lacking and not self.train:
            raise SettingError(f"The slice {lacking[0]!r} needs training data; specify it with --train FILE.")
        if not self.train and not self.request.needs("gold", task):
            return SliceData(prepared, None, self.request, self.words)
        background = read_background(gold, systems, prepared, self.train)
        if not self.train:
            return SliceData(prepared, background, self.request, self.words)
        notes = notes_on_training(background, task.unit)
        names = tuple(map(name_of, self.train))
        settings = replace(prepared.settings, train=names, drop_leaked=self.drop_leaked)
        prepared = replace(prepared, settings=settings)
        if self.drop_leaked:
            leaked = background.leaked
            units = background.gold.column("of_sentence")
            dropped = int(units[leaked].sum()) if len(units) else 0
            if leaked.all():
                raise SettingError(
                    "All sentences of the gold standard occur in the training data. Remove --drop-leaked."
                )
            sentences = counted(int(leaked.sum()), "test sentence")
            verb = "is" if leaked.sum() == 1 else "are"
            notes.append(f"{sentences} with {counted(dropped, f'gold {task.unit}')} {verb} left out (--drop-leaked).")
            self._check_numbers(background, prepared)
            prepared = replace(prepared, dropped=DroppedSentences(leaked, background.gold.ids_of(leaked)))
            background = read_background(gold, systems, prepared, (), background)
        return SliceData(prepared, background, self.request, self.words, tuple(notes))

    def _check_numbers(self, background: Background, prepared: RunConfig) -> None:
        """Refuse what refers to sentences or documents by their numbers, which change if some are left out."""
        if prepared.settings.parameters.get("overrides") is not None:
            raise SettingError("Overrides refer to sentences by number. Remove overrides or drop_leaked.")
        gold = background.gold
        document, leaked = gold.column("document"), background.leaked | (gold.column("lengths") == 0)
        remaining = np.bincount(document[~leaked], minlength=gold.documents)
        others = [name for name in self.request.names if name not in prepared.task.comparison.attributes]
        by_document = self.request.tables or others or self.request.has("document")
        if by_document and not gold.has_document_names and not remaining.all():
            raise SettingError(
                "drop_leaked leaves out whole documents, which have no names, so the others get new numbers. "
                "Name the documents, or remove slices by document."
            )


def notes_on_training(background: Background, unit: str) -> list[str]:
    """Notes on leakage, and on units that training data and gold standard do not share."""
    notes = [leakage_sentence(shared_counts(background, "same").long, background.gold.sentences)]
    if shares_no_unit(background):
        notes.append(f"No test {unit} occurs in training with the same string and label.")
    return notes


@checked_arguments()
def leakage(
    train: TrainingFiles,
    test: Side,
    *,
    task: str | None = None,
    format: Choice = None,
    column: ColumnChoice = None,
    encoding: Choice = None,
) -> Leakage:
    """Count the sentences and documents of a test set that occur in training data.

    train      a file, an annotation, a data frame, or a list of these
    test       the same, but one
    task, format, column, encoding
               as in `score`; by side: {"gold": …, "train": …}
    """
    files, gold = SliceOptions.of(train=train).train, side_of(test)
    if not files:
        raise SettingError("train is empty. Specify a file.")
    options = {"task": task, "format": format, "column": column, "encoding": encoding, TRAIN: files}
    prepared = prepare(gold, {}, options)
    background = read_background(gold, {}, prepared, files, checks_labels=False)
    index = background.gold
    exact, loose = (SharedSentences(**vars(shared_counts(background, spelling))) for spelling in ("same", "loose"))
    names = "+".join(map(name_of, files))
    return Leakage(
        test=index.name,
        train=background.training.name,
        task=prepared.task.name,
        unit=prepared.task.unit,
        documents=index.documents,
        sentences=index.sentences,
        units=index.units,
        exact=exact,
        loose=loose,
        repeated=index.repeated,
        signature=signed({"task": prepared.task.name, "test": name_of(gold), "train": names}),
    )


@checked_arguments(known_options, inputs=("by",))
def slices(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side],
    *,
    by: Slices,
    train: TrainingFiles = None,
    drop_leaked: bool = False,
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    match: Match = None,
    **options: Unpack[EvaluationKeywords],
) -> Table:
    """The scores of systems on slices of the units, as a table with one row per slice, system and measure.

    by         slices, as in `score`: names ("seen", "length=1,2,3+"), tables of metadata, or a list of these
    train      the training data of the systems, for slices such as "seen"
    match      measures [those of `score`]

    Other keywords are as in `score`.
    """
    from evenhand.api.score import score

    if is_nothing(by):
        raise SettingError('by is empty. Specify slices, such as by="length".')
    of_slices: dict[str, Any] = {"slices": by, "train": train, "drop_leaked": drop_leaked, "vocabulary": vocabulary}
    scored = score(gold, systems, match=match, **of_slices, **options)
    results = {scored.name: scored} if isinstance(scored, Result) else scored
    rows = [
        {"slice": name, "value": value, "system": system, "measure": measure, "gold": piece.units}
        | {"headline": score.headline, **saved_score(score)["overall"]}
        for system, result in results.items()
        for name, pieces in result.slices.items()
        for value, piece in pieces.items()
        for measure, score in piece.items()
    ]
    kinds: dict[str, Kind] = {"slice": "text", "value": "text", "system": "text", "measure": "text", "gold": "count"}
    for row in rows:
        kinds |= {
            name: "count" if isinstance(value, int) else "number" for name, value in row.items() if name not in kinds
        }
    columns = [[row.get(name) for row in rows] for name in kinds]
    notes = dict.fromkeys(note for result in results.values() for note in result.notes)
    return Table(kinds, columns, "", joint_signature(result.signature for result in results.values()), list(notes))


def score_with_slices(
    gold: Input, systems: Systems, prepared: RunConfig, groups: Groups, options: SliceOptions
) -> Results:
    """Score in this process, in one pass for all units and for the slices."""
    if groups not in ("total", "finest"):
        raise SettingError(f"groups is {groups!r}; with slices, choose total or finest.")
    data, vocabulary = options.read(gold, systems, prepared), Vocabulary()
    counts = counts_of_slices(gold, data, vocabulary.labels)
    prepared = data.prepared
    models = (*prepared.settings.match, prepared.task.unit_measure)
    job = Job(gold, systems, prepared, models, "finest", with_totals=True)
    layers = (*options.request.names, *map(extra_layer, prepared.read_as["gold"].extra))
    run = job.run([counts], vocabulary, layers)
    if groups == "finest":
        run.settle_groups(groups)
        results = results_of(name_of(gold), run, prepared, groups)
    else:
        results = totals_of(name_of(gold), run, prepared)
    return with_slices(results, run, counts, gold, data.notes)


def with_columns(prepared: RunConfig, request: SliceRequest) -> RunConfig:
    """Settings that also read the columns of the gold standard by which units are sliced."""
    read_as = replace(prepared.read_as["gold"], extra=request.columns(prepared.task))
    return replace(prepared, read_as={**prepared.read_as, "gold": read_as})


def counts_of_slices(gold: Input, data: SliceData, labels: StringIndex[str]) -> SliceCounts:
    """An observer of the run, which counts the units of each slice under each measure."""
    task, settings = data.prepared.task, data.prepared.settings
    return SliceCounts(data.request.slicings(task, data.context(labels), gold), task, settings, labels.values)


def with_slices(results: Results, run: Run, counts: SliceCounts, gold: Input, further: Sequence[str] = ()) -> Results:
    """The results with the scores on slices, and notes on them and on training data."""
    sliced, notes = counts.finish(gold)
    optional = [slicing.name for slicing in counts.slicings if slicing.is_optional]
    notes = [*further, *notes]
    for name, sums in sliced.items():
        is_requested = name not in optional
        if is_requested and sums.measures is not None and not sums.measures.issuperset(results.models):
            others = [measure for measure in results.models if measure not in sums.measures]
            verb = "does" if len(others) == 1 else "do"
            notes.append(f"The slice {name} needs units, which {', '.join(others)} {verb} not count one by one.")
    return Results({name: _with_slices(result, run, sliced, notes) for name, result in results.items()})


def _with_slices(result: Result, run: Run, sliced: Mapping[str, SlicedCounts], notes: Sequence[str]) -> Result:
    slices: dict[str, dict[str, SliceScores]] = {}
    for name, counts in sliced.items():
        models = [replace(formula, extra_scores=None) for formula in result.models]
        models = [formula for formula in models if counts.measures is None or formula.name in counts.measures]
        slices[name] = {}
        for value, labels, tallies in zip(counts.names, counts.labels, counts.tallies[result.name], strict=True):
            named = {label: count for label, count in labels.items() if label}
            by_measure = {
                formula.name: SystemScores(
                    [formula],
                    tallies if counts.measures is None else {formula.scorer: tallies[formula.name]},
                    {},
                    run.levels[result.name],
                    named,
                    result.settings,
                )[formula.name]
                for formula in models
            }
            slices[name][value] = SliceScores(sum(labels.values()), named, by_measure)
    return replace(result, slices=slices, notes=tuple(dict.fromkeys((*result.notes, *notes))))
