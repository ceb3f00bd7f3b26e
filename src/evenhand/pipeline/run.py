"""What a run over a gold standard adds up. Runs over parts of it add up, too (`engines.joining`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from evenhand.alignment.documents import GOLD_AND_PREDICTION, SideNames
from evenhand.arrays import Ints, empty
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.formats.objects import WrappedObject
from evenhand.formats.paths import FileList
from evenhand.formats.storage import AnyPath
from evenhand.pipeline.inputs import Input, RunConfig, is_same_file, open_sides, opened, place_of
from evenhand.scoring.measure import Scorer
from evenhand.scoring.tally import Tally
from evenhand.settings import Atoms, Groups, system_settings
from evenhand.tasks.evaluation import (
    Evaluation,
    EvaluationRequest,
    Evaluator,
    Offsets,
    Outcome,
    SideSummary,
    UncorrectedScores,
)
from evenhand.tasks.registry import model, without_overrides
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary

Key = TypeVar("Key")
_MOST = 16
"""How many totals wait until they are added up."""


@dataclass
class Run:
    """What a run adds up: the text in figures, and for every system its tallies by judge."""

    gold: SideSummary
    systems: dict[str, SideSummary]
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    supertags: dict[str, dict[str, dict[str, Tally]]] = field(default_factory=dict)
    """For every system and supertag, the tallies by judge."""
    documents: int = 0
    sentences: int = 0
    atoms: Atoms = "tokens"
    levels: dict[str, int] = field(default_factory=dict)
    """On how many levels each system's spans and the gold standard's are, where levels are separate."""
    document_of: list[Ints] = field(default_factory=list)
    """The document of each sentence, batch by batch, where these may become the groups."""
    size: int | None = 0
    """How many atoms there are, where the files know."""
    labels: tuple[str, ...] = ()
    """All labels that were met."""
    names: dict[str, str] = field(default_factory=dict)
    """The named documents of chains, and the file of each."""
    document_names: list[str] = field(default_factory=list)
    """What documents are called, where the gold standard says and these may be the groups."""
    begins_inside: bool = False
    """Whether the first sentence belongs to a document that began before it, which then has the number 0."""
    by_position: bool = False
    """Whether words are compared by their places, as one side does not spell them."""
    ends_apart: bool = False
    """Whether the last words of both sides are not the same, so that what follows could change how they align."""
    sentence_tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """The tallies by sentence, if those of the finest groups are by document in the end."""
    before: UncorrectedScores | None = None
    """What was counted without overrides of the gold standard, where there are some."""

    def add_text(self, corpus: Corpus, reading: ReadInfo) -> None:
        if not corpus.sentences and not corpus.names:
            raise InputError(corpus.source, None, "there is no sentence in it", "give a gold standard that has some")
        self.gold.reading = self.gold.reading.plus(reading) if self.gold.reading else reading
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.atoms = corpus.atoms
        self.size = None if self.size is None or corpus.token_count is None else self.size + corpus.token_count

    def figures(self, name: str, side: SideSummary | None = None) -> GoldSummary:
        """The gold standard in figures, under its name; with the units of another count, where one is given."""
        from evenhand.results.result import (
            GoldSummary as Gold,  # with much else, which a process that only counts can do without
        )

        tokens, characters = (self.size, None) if self.atoms == "tokens" else (None, self.size)
        side = self.gold if side is None else side
        labels = dict(sorted(side.labels.items()))
        reading = self.gold.reading or ReadInfo()
        names = tuple(self.document_names or self.names)
        sizes = (self.documents, self.sentences, tokens, characters, side.units)
        return Gold(name, *sizes, labels, reading, side.chains, names if len(names) == self.documents else ())

    def groups_of(self, corpus: Corpus, groups: Groups) -> Ints:
        """The number of the group that each sentence of the next batch belongs to, over the whole run.

        The finest groups are documents, or sentences where there is one document, which is known at the end.
        """
        if corpus.continues and not self.documents:
            self.begins_inside, self.documents = True, 1
        sentences, of_document = np.arange(corpus.sentences), self.documents_of(corpus)
        if groups in ("document", "finest"):
            self.document_names += corpus.names[int(corpus.continues) :]
        if groups == "finest":
            self.document_of.append(of_document)
        if groups in ("sentence", "finest"):
            return sentences + self.sentences
        return of_document if groups == "document" else np.zeros_like(sentences)

    def kept_apart(self, groups: Groups) -> Groups:
        """What the groups of tallies are, at the end: the finest are documents, or sentences where there is one."""
        if groups != "finest" or self.names:
            return "document" if groups == "finest" else groups
        return "document" if self.documents > 1 else "sentence"

    def documents_of(self, corpus: Corpus) -> Ints:
        """The document of each sentence of the next batch, over the whole run."""
        documents: Ints = corpus.document_of(np.arange(corpus.sentences)) + self.documents - int(corpus.continues)
        return documents

    def settle_groups(self, groups: Groups) -> None:
        """At the end of all: where the finest groups are documents, those of sentences become these."""
        if groups == "finest" and self.documents > 1:
            if self.document_of:
                self.sentence_tallies = self.tallies
            self.tallies = self.by_document(self.tallies)

    def by_document(self, tallies: dict[str, dict[str, Tally]]) -> dict[str, dict[str, Tally]]:
        """Tallies of the finest groups, by document; those of chains are so from the start."""
        if not self.document_of:
            return tallies
        of_document = np.concatenate(self.document_of)
        return {
            name: {judge: tally.regroup(of_document) for judge, tally in found.items()}
            for name, found in tallies.items()
        }


class SummedTallies(Generic[Key]):
    """Tallies of portions or parts that are added up by key; few totals wait at a time."""

    def __init__(self, groups: Groups, *, by_document: bool) -> None:
        self._is_total, self._by_document = groups == "total", by_document
        self._waiting: dict[Key, list[Tally]] = {}

    def add(self, key: Key, tally: Tally) -> None:
        waiting = self._waiting.setdefault(key, [])
        waiting.append(tally)
        if self._is_total and len(waiting) > _MOST:
            waiting[:] = [self._merged(waiting)]

    def finish(self) -> dict[Key, Tally]:
        """The sums; what they are made of is let go."""
        return {key: self._merged(self._waiting.pop(key)) for key in list(self._waiting)}

    def _merged(self, tallies: list[Tally]) -> Tally:
        """The sum; a total of fractions is added up document by document, whatever the portions were."""
        found = Tally.merge(tallies)
        return found.total() if self._is_total and self._by_document else found


class RunAccumulator:
    """A run in the making: numbers the batches of the gold standard, and adds up judgements."""

    def __init__(self, task: Task, systems: Sequence[str], groups: Groups, layer: str) -> None:
        if task.by_document and groups == "sentence":
            raise SettingError(
                f"Scores of {task.name} are no sums over sentences; choose total, document or finest groups."
            )
        self.run = Run(SideSummary(), {name: SideSummary() for name in systems})
        self._by_document, self._groups, self._layer = task.by_document, groups, layer
        self._sums: SummedTallies[tuple[str, str]] = SummedTallies(groups, by_document=task.by_document)

    def number(self, batch: Annotation) -> Offsets:
        """Where the next batch stands; its text is counted."""
        run, corpus = self.run, batch.corpus
        groups = empty() if self._by_document else run.groups_of(corpus, self._groups)
        documents = run.documents_of(corpus)
        numbers = Offsets(groups, documents, run.sentences, run.documents - int(corpus.continues))
        run.add_text(corpus, batch.readings.get(self._layer) or batch.reading)
        return numbers

    def add(self, judgement: Evaluation) -> None:
        """Add the counts of a portion."""
        for name, tallies in judgement.tallies.items():
            for judge, tally in tallies.items():
                self._sums.add((name, judge), tally)

    def finish(self, outcome: Outcome, labels: Sequence[str]) -> Run:
        run = self.run
        run.tallies = {name: {} for name in run.systems}
        for (name, judge), tally in self._sums.finish().items():
            run.tallies[name][judge] = tally
        for tallies in run.tallies.values():
            tallies |= outcome.shared
        if outcome.before is not None:
            tallies_before = {name: {**found, **outcome.shared} for name, found in outcome.before.tallies.items()}
            run.before = replace(outcome.before, tallies=tallies_before)
        run.supertags = {
            name: {tag: dict(found) for tag, found in outcome.supertags.get(name, {}).items()} for name in run.systems
        }
        run.levels = {name: outcome.levels.get(name, 1) for name in run.systems}
        run.names = dict(outcome.document_names)
        run.by_position, run.ends_apart = outcome.by_position, outcome.ends_apart
        run.labels = tuple(sorted(labels))
        return run


# == pipeline/work.py: What is to be judged, and the one way through the house: ope


Observer = Callable[[Evaluation], None]
"""Somebody who looks at every judgement."""


@dataclass(frozen=True)
class Job:
    """Gold standard and systems, and what is asked about them. It can be pickled, and so can the run."""

    gold: Input
    systems: Mapping[str, Input] | None
    """None where gold and prediction are columns of one file."""
    prepared: RunConfig
    models: Sequence[str]
    """The match models whose judges are asked."""
    groups: Groups
    with_totals: bool = False
    """Whether judges are asked, too, that only totals need, though groups are kept apart."""
    called: SideNames = GOLD_AND_PREDICTION
    """What messages call the sides."""

    @property
    def sides(self) -> list[Input]:
        """The gold standard and the systems."""
        return [self.gold, *(self.systems or {}).values()]

    @property
    def places(self) -> list[AnyPath | FileList]:
        """Where the files of all sides are; what is in memory has none."""
        return [place_of(side) for side in self.sides if not isinstance(side, Annotation | WrappedObject)]

    @property
    def judges(self) -> tuple[Scorer, ...]:
        """The judges that are asked, each once."""
        task = self.prepared.settings.task
        asked = [model(task, name).judge for name in self.models]
        is_total = self.with_totals or self.groups != "finest"
        beside = [judge.beside for judge in asked if judge.beside is not None and is_total]
        return tuple({judge.name: judge for judge in (*asked, *beside)}.values())

    @property
    def is_whole(self) -> bool:
        """Whether it must not be divided: judges compare strings, or strings are placed in documents.

        Overrides name sentences and documents by their numbers in the whole gold standard.
        """
        settings = self.prepared.settings
        if settings.parameters != without_overrides(settings).parameters:
            return True
        return any(judge.takes_strings for judge in self.judges) or any(map(self._is_placed, self.systems or ()))

    @property
    def keeps_files(self) -> bool:
        """Whether files must not be divided, as judges look at whole documents."""
        return any(judge.by_document for judge in self.judges)

    def _is_placed(self, name: str) -> bool:
        """Whether the documents of a system are matched with the gold standard's, whatever its files are."""
        side, read_as = (self.systems or {})[name], self.prepared.read_as
        if isinstance(side, Annotation):
            return side.extractions is not None
        return opened(side, system_settings(read_as, name)).first.format.contents.matches_documents

    @property
    def has_fractions(self) -> bool:
        """Whether counts are sums of fractions, which depend on the order of additions."""
        return self.prepared.read_as["gold"].weight is not None

    def run(
        self,
        watches: Sequence[Observer] = (),
        vocabulary: Vocabulary | None = None,
        extra_layers: tuple[str, ...] = (),
    ) -> Run:
        """One pass over all sides; `watches` look at every judgement."""
        prepared, vocabulary = self.prepared, vocabulary or Vocabulary()
        files = prepared.content.files if prepared.gold is self.gold else None
        sides = open_sides(self.gold, self.systems, prepared.task, prepared.read_as, vocabulary, files)
        counting = RunAccumulator(prepared.task, list(sides.systems), self.groups, sides.layers[0])
        asked = EvaluationRequest(
            sides,
            prepared.settings,
            prepared.read_as,
            self.judges,
            vocabulary,
            counting.run.gold,
            counting.run.systems,
            is_watched=bool(watches),
            extra_layers=extra_layers,
            called=self.called,
        )
        run = one_pass(prepared.task, asked, counting, watches)
        self.refuse_itself(run)
        return run

    def refuse_itself(self, run: Run) -> None:
        """Raise an error if a system is the gold standard itself: the same layer of the same file."""
        if not self.prepared.task.refuses_itself or self.called != GOLD_AND_PREDICTION:
            return
        is_perfect = self.prepared.task.is_perfect
        for name, side in run.systems.items():
            other = self.gold if self.systems is None else self.systems[name]
            is_itself = is_same_file(self.gold, other) and _layer_of(run.gold.reading) == _layer_of(side.reading)
            if is_itself and is_perfect(run.tallies[name]):
                finding = "gold standard and system are the same layer of one file"
                remedy = "name the file of the system, or its layer with --column system:NAME"
                raise InputError(str(place_of(other)), None, finding, remedy)  # type: ignore[arg-type]


def _layer_of(reading: ReadInfo | None) -> tuple[str | None, ...]:
    """What tells the layers of a file apart."""
    found = reading or ReadInfo()
    return found.format, found.column, found.annotator


def one_pass(task: Task, asked: EvaluationRequest, counting: RunAccumulator, watches: Sequence[Observer] = ()) -> Run:
    """Align, portion and judge what is opened, and add up the counts."""
    passage: Evaluator = task.passage(asked)
    for judgement in passage.judgements(counting.number):
        counting.add(judgement)
        for watch in watches:
            watch(judgement)
        del judgement  # what it keeps is let go before the next portion is judged
    run = counting.finish(passage.finish(), asked.vocabulary.labels.values)
    task.check_sides(run.gold, run.systems)
    return run


Engine = Callable[[Job], Run]
"""Where work is done. All engines give the same run."""


def serial(work: Job) -> Run:
    """All of it in this process."""
    run = work.run()
    run.settle_groups(work.groups)
    return run
