"""What is to be judged, and the run over it: the same in this process, in another one, or on another machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from evenhand.pipeline.inputs import Side, open_chains, open_inputs, open_words, same_positions
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.pipeline.serial import run_serial
from evenhand.settings import Groups
from evenhand.tasks.chains.judging import ChainRun
from evenhand.tasks.words.passage import WordRun
from evenhand.text.labels import Vocabulary

if TYPE_CHECKING:
    from evenhand.engines.recording import Recorder


@dataclass(frozen=True)
class Work:
    """Gold standard and systems, and what is asked about them. It can be pickled, and so can the run."""

    gold: Side
    systems: Mapping[str, Side] | None
    """None where gold and prediction are columns of one file."""
    prepared: Prepared
    judges: Sequence[str]
    groups: Groups

    def run(self, recorder: Callable[[Vocabulary], Recorder] | None = None) -> Run:
        """Read, judge and tally; a recorder looks at all verdicts."""
        vocabulary = Vocabulary()
        record = None if recorder is None else recorder(vocabulary)
        run = {"spans": _spans, "chains": _chains}.get(self.prepared.settings.task, _words)(self, vocabulary, record)
        run.labels = tuple(sorted(vocabulary.labels.values))
        return run


Engine = Callable[[Work], Run]
"""Where work is done. All engines give the same run."""


def serial(work: Work) -> Run:
    """All of it in this process."""
    run = work.run()
    run.settle_groups(work.groups)
    return run


def _spans(work: Work, vocabulary: Vocabulary, record: Recorder | None) -> Run:
    settings, judges = work.prepared.settings, work.judges
    if work.groups != "finest" and "units" in judges:
        judges = [*judges, "near"]
    inputs = open_inputs(work.gold, work.systems, work.prepared.read_as, settings.align, vocabulary)
    watch = None if record is None else record.spans
    return run_serial(inputs.gold, inputs.feeds, vocabulary, settings, judges, work.groups, inputs.gold_layer, watch)


def _words(work: Work, vocabulary: Vocabulary, record: Recorder | None) -> Run:
    settings, read_as = work.prepared.settings, work.prepared.read_as
    golds, streams = open_words(work.gold, work.systems, read_as, vocabulary)
    golds, streams, by_position = same_positions(golds, streams, settings.align)
    columns = {side: next(iter(read_as[side].columns), None) for side in ("gold", "system")}
    words = WordRun(streams, vocabulary, settings, work.judges, columns, by_position=by_position)
    if record is None:
        return words(golds, work.groups)
    words.watch = record.words
    return words(record.text(golds), work.groups)


def _chains(work: Work, vocabulary: Vocabulary, record: Recorder | None) -> Run:
    """Its judges are told by the match models."""
    key, streams = open_chains(work.gold, work.systems, work.prepared.read_as, vocabulary)
    chains = ChainRun(streams, key, vocabulary, work.prepared.settings)
    watch = None if record is None else partial(record.chains, types=chains.types)
    return chains(work.groups, watch)
