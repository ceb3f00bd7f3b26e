"""What is to be judged, and the one way through the house: open, align, portion, judge, tally.

The same work runs in this process, in another one, or on another machine (`engines`). Whoever wants to see more than
counts watches the pass: comparisons, reports, recorders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evenhand.dataclass import dataclass
from evenhand.formats.addresses import Place
from evenhand.formats.adoption import Adopted
from evenhand.formats.folders import FileList
from evenhand.pipeline.inputs import Input, is_same_file, open_sides, opened, place_of
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Counting, Run
from evenhand.problems import InputError
from evenhand.scores.model import Judge
from evenhand.settings import Groups, system_settings
from evenhand.tasks.passage import Judgement, Passage, Question
from evenhand.tasks.registry import model, without_overrides
from evenhand.tasks.task import Task
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.labels import Vocabulary
from evenhand.text.unequal import GOLD_AND_PREDICTION, SideNames

Watch = Callable[[Judgement], None]
"""Somebody who looks at every judgement."""


@dataclass(frozen=True)
class Work:
    """Gold standard and systems, and what is asked about them. It can be pickled, and so can the run."""

    gold: Input
    systems: Mapping[str, Input] | None
    """None where gold and prediction are columns of one file."""
    prepared: Prepared
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
    def places(self) -> list[Place | FileList]:
        """Where the files of all sides are; what is in memory has none."""
        return [place_of(side) for side in self.sides if not isinstance(side, Annotation | Adopted)]

    @property
    def judges(self) -> tuple[Judge, ...]:
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
        return opened(side, system_settings(read_as, name)).first.format.matches_documents

    @property
    def has_fractions(self) -> bool:
        """Whether counts are sums of fractions, which depend on the order of additions."""
        return self.prepared.read_as["gold"].weight is not None

    def run(
        self,
        watches: Sequence[Watch] = (),
        vocabulary: Vocabulary | None = None,
        extra_layers: tuple[str, ...] = (),
    ) -> Run:
        """One pass over all sides; `watches` look at every judgement."""
        prepared, vocabulary = self.prepared, vocabulary or Vocabulary()
        files = prepared.content.files if prepared.gold is self.gold else None
        sides = open_sides(self.gold, self.systems, prepared.task, prepared.read_as, vocabulary, files)
        counting = Counting(prepared.task, list(sides.systems), self.groups, sides.layers[0])
        asked = Question(
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


def _layer_of(reading: Reading | None) -> tuple[str | None, ...]:
    """What tells the layers of a file apart."""
    found = reading or Reading()
    return found.format, found.column, found.annotator


def one_pass(task: Task, asked: Question, counting: Counting, watches: Sequence[Watch] = ()) -> Run:
    """Align, portion and judge what is opened, and add up the counts."""
    passage: Passage = task.passage(asked)
    for judgement in passage.judgements(counting.number):
        counting.add(judgement)
        for watch in watches:
            watch(judgement)
        del judgement  # what it keeps is let go before the next portion is judged
    run = counting.finish(passage.finish(), asked.vocabulary.labels.values)
    task.check_sides(run.gold, run.systems)
    return run


Engine = Callable[[Work], Run]
"""Where work is done. All engines give the same run."""


def serial(work: Work) -> Run:
    """All of it in this process."""
    run = work.run()
    run.settle_groups(work.groups)
    return run
