"""Job and Run: open the inputs, evaluate all systems in one pass, and add up the counts.

A `Job` describes an evaluation; an `Engine` runs it. A `Run` holds its counts. A job may be divided into jobs on
consecutive pieces of the inputs, whose runs add up to the run of the whole (`pipeline.partition`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.alignment.documents import GOLD_AND_PREDICTION, SideNames
from evenhand.alignment.parts import Alignment
from evenhand.arrays import Ints, empty
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.formats.paths import FileList
from evenhand.formats.storage import AnyPath
from evenhand.pipeline.inputs import Input, RunConfig, is_same_file, open_files, open_sides, path_of, paths_of
from evenhand.scoring.measure import Scorer
from evenhand.scoring.tally import Tally
from evenhand.settings import Atoms, Groups, ReadSettings, system_settings
from evenhand.tasks.evaluation import (
    Evaluation,
    EvaluationRequest,
    Offsets,
    Part,
    SideSummary,
    UncorrectedScores,
    check_confidences,
    uses_confidences,
)
from evenhand.tasks.registry import model, without_overrides
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary

Key = tuple[str, str | None, str]
"""System, supertag (or None) and scorer."""
Observer = Callable[[Evaluation], None]
"""Callback that receives the evaluation of each part."""
_MAX_WAITING = 16
"""Number of tallies of parts that are collected before they are added up, if only totals are kept."""


@dataclass
class Run:
    """The counts of a job: sizes of the gold standard's text, and the tallies of every system.

    Tallies have groups: the total, documents or sentences. For `finest` groups, this is decided at the end of the run:
    documents or, if there is only one document, sentences.
    """

    gold: SideSummary
    systems: dict[str, SideSummary]
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """By system and scorer."""
    supertags: dict[str, dict[str, dict[str, Tally]]] = field(default_factory=dict)
    """Tallies of groups of labels, by system, supertag and scorer."""
    documents: int = 0
    """Number of documents of the gold standard."""
    sentences: int = 0
    """Number of sentences of the gold standard."""
    atoms: Atoms = "tokens"
    """What positions count."""
    levels: dict[str, int] = field(default_factory=dict)
    """By system: the number of nesting levels of its spans and the gold standard's, if levels are separate."""
    document_of: list[Ints] = field(default_factory=list)
    """By batch: the document of each of its sentences. Only for `finest` groups."""
    size: int | None = 0
    """Number of tokens or characters of the gold standard; None if its files do not show it."""
    labels: tuple[str, ...] = ()
    """All labels of either side."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Chains: the names of documents, and the file of each."""
    document_names: list[str] = field(default_factory=list)
    """The names of documents, if the gold standard has them. Only for `document` and `finest` groups."""
    begins_inside: bool = False
    """Whether the first sentence continues a document of the preceding piece; this document has the number 0."""
    by_position: bool = False
    """Whether words are compared by position because one side does not spell them."""
    ends_apart: bool = False
    """Whether the last words of the two sides differ, so words that follow could change their alignment."""
    sentence_tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """The tallies by sentence, if `finest` groups turned out to be documents."""
    before: UncorrectedScores | None = None
    """Scores without overrides of the gold standard, if it has overrides."""

    def add_text(self, corpus: Corpus, reading: ReadInfo) -> None:
        """Count the text of the next batch of the gold standard, and note how it was read."""
        if not corpus.sentences and not corpus.names:
            raise InputError(corpus.source, None, "it contains no sentences", "use a gold standard that has some")
        self.gold.reading = self.gold.reading.plus(reading) if self.gold.reading else reading
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.atoms = corpus.atoms
        self.size = None if self.size is None or corpus.token_count is None else self.size + corpus.token_count

    def figures(self, name: str, side: SideSummary | None = None, groups: Groups = "document") -> GoldSummary:
        """Summarize the gold standard `name`; `side` replaces its units and labels.

        The names of documents are included unless `groups` are totals.
        """
        from evenhand.results.result import GoldSummary  # worker processes do without the results

        side = side or self.gold
        names = () if groups == "total" else tuple(self.document_names or self.names)
        return GoldSummary(
            name,
            self.documents,
            self.sentences,
            self.size if self.atoms == "tokens" else None,
            None if self.atoms == "tokens" else self.size,
            side.units,
            dict(sorted(side.labels.items())),
            self.gold.reading or ReadInfo(),
            side.chains,
            names if len(names) == self.documents else (),
        )

    def groups_of(self, corpus: Corpus, groups: Groups, of_document: Ints) -> Ints:
        """The group of each sentence of the next batch; groups are numbered over the whole run.

        `finest` groups are sentences until the end of the run. `of_document` is the document of each sentence.
        """
        sentences = np.arange(corpus.sentences)
        if groups in ("document", "finest"):
            self.document_names += corpus.names[int(corpus.continues) :]
        if groups == "finest":
            self.document_of.append(of_document)
        if groups in ("sentence", "finest"):
            return sentences + self.sentences
        return of_document if groups == "document" else np.zeros_like(sentences)

    def kept_apart(self, groups: Groups) -> Groups:
        """The kind of groups that tallies have at the end: `finest` groups are documents or sentences then."""
        if groups != "finest":
            return groups
        return "document" if self.names or self.documents > 1 else "sentence"

    def documents_of(self, corpus: Corpus) -> Ints:
        """The document of each sentence of the next batch; documents are numbered over the whole run."""
        documents: Ints = corpus.document_of(np.arange(corpus.sentences)) + self.documents - int(corpus.continues)
        return documents

    def settle_groups(self, groups: Groups) -> None:
        """At the end of a run, add up the tallies of sentences by document, if the `finest` groups are documents."""
        if groups == "finest" and self.documents > 1:
            if self.document_of:
                self.sentence_tallies = self.tallies
            self.tallies = self.by_document(self.tallies)

    def by_document(self, tallies: dict[str, dict[str, Tally]]) -> dict[str, dict[str, Tally]]:
        """Tallies of `finest` groups, added up by document. Tallies of chains are by document from the start."""
        if not self.document_of:
            return tallies
        of_document = np.concatenate(self.document_of)
        return {
            name: {scorer: tally.regroup(of_document) for scorer, tally in by_scorer.items()}
            for name, by_scorer in tallies.items()
        }


class RunAccumulator:
    """Adds up a run: the evaluations of parts or, if the job was divided, the runs of its pieces.

    It also numbers the documents and sentences of the gold standard.
    """

    def __init__(self, task: Task, systems: Sequence[str], groups: Groups, layer: str = "spans") -> None:
        """`layer` is the gold standard's layer whose `ReadInfo` describes how the gold standard was read."""
        if task.evaluation.by_document and groups == "sentence":
            raise SettingError(
                f"Scores of {task.name} are not sums over sentences; choose total, document or finest groups."
            )
        self.run = Run(SideSummary(), {name: SideSummary() for name in systems}, levels=dict.fromkeys(systems, 1))
        self._by_document = task.evaluation.by_document
        self._groups = groups
        self._layer = layer
        self._waiting: dict[Key, list[Tally]] = {}
        """Tallies that have not been added up."""
        self._shared: dict[str, list[Tally]] = {}
        """By scorer: tallies that are the same for all systems."""

    def number(self, batch: Annotation) -> Offsets:
        """Count the text of the next batch of the gold standard; return the numbers of its documents and sentences."""
        run = self.run
        corpus = batch.corpus
        if corpus.continues and not run.documents and not self._by_document:
            run.begins_inside = True
            run.documents = 1
        documents = run.documents_of(corpus)
        groups = empty() if self._by_document else run.groups_of(corpus, self._groups, documents)
        numbers = Offsets(groups, documents, run.sentences, run.documents - int(corpus.continues))
        run.add_text(corpus, batch.readings.get(self._layer) or batch.reading)
        return numbers

    def add(self, evaluation: Evaluation) -> None:
        """Add the counts of the next part."""
        self.add_tallies(evaluation)
        self.add_sides(evaluation.gold_count, evaluation.system_counts, evaluation.levels)
        for scorer, tally in evaluation.shared.items():
            self._shared.setdefault(scorer, []).append(tally)
        if evaluation.before is not None:
            before = self.run.before
            self.run.before = evaluation.before if before is None else before.plus(evaluation.before)

    def add_sides(self, gold: SideSummary, systems: Mapping[str, SideSummary], levels: Mapping[str, int]) -> None:
        """Add the summaries and levels of the next part or piece."""
        self.run.gold.join(gold)
        for name, summary in systems.items():
            self.run.systems[name].join(summary)
        for name, number in levels.items():
            self.run.levels[name] = max(self.run.levels[name], number)

    def add_tallies(self, part: Evaluation | Run, shift: int = 0) -> None:
        """Add the tallies of the next part or piece, whose groups are numbered from `shift` on.

        If only totals are kept, tallies are added up once a few of them wait, which bounds the memory.
        """
        for name, by_scorer in part.tallies.items():
            for tag, tallies in [(None, by_scorer), *part.supertags.get(name, {}).items()]:
                for scorer, tally in tallies.items():
                    waiting = self._waiting.setdefault((name, tag, scorer), [])
                    waiting.append(tally.shifted(shift))
                    if self._groups == "total" and len(waiting) > _MAX_WAITING:
                        waiting[:] = [self._merged(waiting)]

    def _merged(self, tallies: list[Tally]) -> Tally:
        """Add up tallies. Fractions are added up document by document, so totals do not depend on where parts end."""
        merged = Tally.merge(tallies)
        return merged.total() if self._groups == "total" and self._by_document else merged

    def sum_tallies(self) -> Run:
        """Return the run with the sums of all tallies; the tallies of parts are freed."""
        run = self.run
        run.tallies = {name: {} for name in run.systems}
        run.supertags = {name: {} for name in run.systems}
        for name, tag, scorer in list(self._waiting):
            tallies = run.tallies[name] if tag is None else run.supertags[name].setdefault(tag, {})
            tallies[scorer] = self._merged(self._waiting.pop((name, tag, scorer)))
        return run

    def finish(self, alignment: Alignment, labels: Sequence[str]) -> Run:
        """Return the run of all parts. `alignment` has how systems were read, `labels` the labels of both sides."""
        run = self.sum_tallies()
        shared = {scorer: Tally.merge(tallies) for scorer, tallies in self._shared.items()}
        for by_scorer in (*run.tallies.values(), *(run.before.tallies.values() if run.before else ())):
            by_scorer |= shared
        for name, follower in alignment.followers.items():
            summary = run.systems[name]
            summary.join(SideSummary(follower.reading, follower.breaks_differ, grounding=follower.grounding))
            summary.mismatches = follower.issues
        run.names = alignment.document_files
        run.by_position = alignment.by_position
        run.ends_apart = alignment.ends_apart
        run.labels = tuple(sorted(labels))
        return run


@dataclass(frozen=True)
class Job:
    """Gold standard, systems and settings of an evaluation. Jobs and runs can be pickled."""

    gold: Input
    systems: Mapping[str, Input] | None
    """None if gold and prediction are columns of one file."""
    prepared: RunConfig
    models: Sequence[str]
    """The measures whose scorers run."""
    groups: Groups
    with_totals: bool = False
    """Whether totals are needed besides `finest` groups: some measures run an additional scorer only for totals."""
    called: SideNames = GOLD_AND_PREDICTION
    """What messages call the sides."""

    @property
    def sides(self) -> list[Input]:
        """The gold standard and the systems."""
        return [self.gold, *(self.systems or {}).values()]

    @property
    def paths(self) -> list[AnyPath | FileList]:
        """The paths of all sides that are not in memory."""
        return paths_of(self.sides)

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that run, without duplicates: scorers of the measures and, for totals, additional scorers."""
        task = self.prepared.settings.task
        scorers = [model(task, name).scorer for name in self.models]
        if self.with_totals or self.groups != "finest":
            scorers += [scorer.also_run for scorer in scorers if scorer.also_run is not None]
        return tuple({scorer.name: scorer for scorer in scorers}.values())

    @property
    def is_whole(self) -> bool:
        """Whether the job must run in one piece.

        It must if scorers compare strings, if documents of a system are matched regardless of files, and if there are
        overrides, which refer to sentences and documents by their numbers in the whole gold standard.
        """
        settings = self.prepared.settings
        if settings.parameters != without_overrides(settings).parameters:
            return True
        compares_strings = any("strings" in scorer.needs for scorer in self.scorers)
        return compares_strings or any(map(self._matches_documents, self.systems or ()))

    def _matches_documents(self, name: str) -> bool:
        """Whether the documents of a system are matched with the gold standard's regardless of its files."""
        side = (self.systems or {})[name]
        if isinstance(side, Annotation):
            return side.extractions is not None
        settings = system_settings(self.prepared.read_as, name)
        return open_files(side, settings).first.format.contents.matches_documents

    @property
    def keeps_files(self) -> bool:
        """Whether files must not be divided because scorers evaluate whole documents."""
        return any(scorer.by_document for scorer in self.scorers)

    @property
    def has_fractions(self) -> bool:
        """Whether counts are sums of fractions, which depend on the order of additions: tokens have weights."""
        return self.prepared.read_as["gold"].weight is not None

    def run(
        self,
        observers: Sequence[Observer] = (),
        vocabulary: Vocabulary | None = None,
        extra_layers: tuple[str, ...] = (),
    ) -> Run:
        """Evaluate all systems in one pass; `observers` receive the evaluation of each part."""
        prepared = self.prepared
        vocabulary = vocabulary or Vocabulary()
        files = prepared.content.files if prepared.gold is self.gold else None
        read_as = self._with_unit_columns() if observers else prepared.read_as
        sides = open_sides(self.gold, self.systems, prepared.task, read_as, vocabulary, files, prepared.dropped)
        counting = RunAccumulator(prepared.task, list(sides.systems), self.groups, sides.layers[0])
        request = EvaluationRequest(
            sides,
            prepared.settings,
            read_as,
            self.scorers,
            vocabulary,
            keep_units=bool(observers),
            extra_layers=extra_layers,
            called=self.called,
        )
        run = one_pass(prepared.task, request, counting, observers)
        for name in run.systems if uses_confidences(prepared.settings.parameters) else ():
            other = self.gold if self.systems is None else self.systems[name]
            paths = paths_of([other])
            check_confidences(str(paths[0]) if paths else name, name, run.systems, prepared.settings)
        self.refuse_itself(run)
        return run

    def _with_unit_columns(self) -> Mapping[str, ReadSettings]:
        """How files are read if units are kept: with the columns that units of the task need."""
        read_as = self.prepared.read_as
        columns = tuple(dict.fromkeys((*read_as["gold"].extra, *self.prepared.task.input.unit_columns)))
        return {**read_as, "gold": replace(read_as["gold"], extra=columns)}

    def refuse_itself(self, run: Run) -> None:
        """Raise an error if a system is the gold standard itself: the same layer of the same file."""
        if not self.prepared.task.input.rejects_same_layer or self.called != GOLD_AND_PREDICTION:
            return
        is_perfect = self.prepared.task.evaluation.is_perfect
        for name, side in run.systems.items():
            other = self.gold if self.systems is None else self.systems[name]
            is_itself = is_same_file(self.gold, other) and _layer_of(run.gold.reading) == _layer_of(side.reading)
            if is_itself and is_perfect(run.tallies[name]):
                finding = "gold standard and system are the same layer of one file"
                remedy = "specify the system's file, or its layer with --column system:NAME"
                raise InputError(str(path_of(other)), None, finding, remedy)  # type: ignore[arg-type]


def _layer_of(reading: ReadInfo | None) -> tuple[str | None, ...]:
    """The attributes that distinguish the layers of a file."""
    reading = reading or ReadInfo()
    return reading.format, reading.column, reading.annotator


def one_pass(
    task: Task, request: EvaluationRequest, counting: RunAccumulator, observers: Sequence[Observer] = ()
) -> Run:
    """Align and evaluate the inputs part by part, and add up the counts."""
    alignment: Alignment = task.evaluation.align(request)
    for gold, systems in alignment.parts():
        part = Part(gold, systems, list(map(counting.number, gold)), alignment.texts_are_documents)
        del gold, systems  # so the part is freed before the next one is read
        evaluation: Evaluation = task.evaluation.evaluate(part, request)
        counting.add(evaluation)
        for observe in observers:
            observe(evaluation)
        del part, evaluation
    run = counting.finish(alignment, request.vocabulary.labels.values)
    task.evaluation.check_inputs(run.gold, run.systems)
    return run


Engine = Callable[[Job], Run]
"""Runs a job. All engines return the same run."""


def serial(job: Job, observers: Sequence[Observer] = (), vocabulary: Vocabulary | None = None) -> Run:
    """Run a job in this process."""
    run = job.run(observers, vocabulary)
    run.settle_groups(job.groups)
    return run
