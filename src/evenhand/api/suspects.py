"""`suspects`: places where the gold standard is probably wrong, and proposals for a review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from evenhand.api.compare import one_measure
from evenhand.arrays import Ints, concatenate, ints
from evenhand.comparison.suspects import (
    FEWEST_DOCUMENTS,
    FEWEST_SENTENCES,
    FEWEST_SPANS,
    WEAK,
    Annotators,
    Candidates,
    Evidence,
    Rule,
    SuspectCurve,
    SuspectList,
    Words,
    candidates_of,
    compared,
    evidence_of,
    listed,
    suspicion_of,
)
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.overrides import BOUNDS, LABEL, MISSING, SPURIOUS, LabeledBounds
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import WARNING, LimitError, SettingError, counted, unknown
from evenhand.parameters import check_choice, check_whole_number, checked_arguments, split_names
from evenhand.pipeline.inputs import (
    Input,
    RunConfig,
    content_for,
    known_options,
    name_of,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.pipeline.run import Job, Run
from evenhand.results.signature import joint_signature, notes_on_settings, signature
from evenhand.results.suspects import Reading, Suspect, Suspects, Voter
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.registry import TASKS
from evenhand.tasks.units import Locations

if TYPE_CHECKING:
    from evenhand.keywords import Keywords

VERDICTS = (MISSING, SPURIOUS, LABEL, BOUNDS)
_CONTEXT = 60
"""Maximum number of words before and after a suspect that are shown."""
_NEARLY_EQUAL = 0.99
_LOW_F1 = 0.5
_LEAST_CONTEXTS = 3


@checked_arguments(known_options)
def suspects(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input],
    *,
    rule: Rule | None = None,
    first: int | None = 100,
    verdict: str | Sequence[str] = (),
    truth: Input | None = None,
    leave_out: str | Sequence[str] = (),
    **options: Unpack[Keywords],
) -> Suspects:
    """Rank places where the gold standard is probably wrong, because systems and its other annotations contradict it.

    rule       "fit", "plain" (no fitting) or "votes" [fit, or plain if there are few data]
    first      number of suspects, None for all
    verdict    only suspects with these verdicts: missing, spurious, label, bounds
    truth      a corrected gold standard: also report how many of its corrections are found
    leave_out  systems that do not vote

    `labels` chooses suspects by the gold label or the proposed label. Other keywords are as in `score`. Returns
    `Suspects` with `table`, `to_overrides(path)`, `to_html(path)` and `curve(truth)`.
    """
    check_choice("rule", rule, get_args(Rule), optional=True)
    first = None if first is None else check_whole_number("first", first, 1)
    verdicts = split_names(verdict)
    for name in verdicts:
        check_choice("verdict", name, VERDICTS)
    sides = systems_by_name(systems) or {}
    for name in split_names(leave_out):
        if name not in sides:
            remedy = f"the systems are {', '.join(sides)}"
            raise SettingError(unknown(f"leave_out has no system {name!r}", name, list(sides), remedy))
        del sides[name]
    if not sides:
        raise SettingError("No system is left to vote; leave out fewer systems.")
    chosen = dict[str, Any](options)
    labels = split_names(chosen.pop("labels", ()))
    texts = _read(side_of(gold), sides, chosen)
    found = _searched(texts, rule)
    shown = _selected(found, verdicts, labels)
    drawn = shown if first is None else shown.take(np.arange(min(first, len(shown))))
    figures = texts.run.figures(name_of(side_of(gold)))
    compare = partial(_compared, found, side_of(gold), chosen)
    notes = [*texts.notes, *found.notes, *notes_on_settings(replace(texts.prepared.settings, labels=labels), figures.labels)]
    rows = tuple(_suspects(found, drawn))
    if not len(found.suspects):
        notes.append("No suspects: the systems agree with the gold standard everywhere.")
    if gaps := sum(suspect.has_gaps for suspect in rows):
        notes.append(f"{counted(gaps, 'proposal')} with gaps: overrides cannot express gaps, so the file lacks them.")
    task = texts.prepared.task
    settings = f"rule:{found.rule}|voters:{'+'.join(found.names)}|first:{first or 'all'}"
    settings += f"|verdicts:{','.join(verdicts)}" if verdicts else ""
    settings += f"|listed-labels:{','.join(labels)}" if labels else ""
    return Suspects(
        gold=figures,
        task=task.name,
        unit=task.unit_of(task.measures[0].name),
        rule=found.rule,
        systems=_voters(found, drawn),
        suspects=rows,
        found=len(shown),
        signature=f"{texts.signature}|{settings}",
        notes=tuple(dict.fromkeys(notes)),
        truth=None if truth is None else compare(side_of(truth)),
        compare=compare,
        writes_overrides=task.has_overrides,
    )


# Reading


@dataclass
class _Collector:
    """Collects the annotations of all parts, with the sentences numbered over the whole text."""

    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        self.corpora: list[Corpus] = []
        self.documents: list[Ints] = []
        self.gold: list[Spans] = []
        self.systems: dict[str, list[Spans]] = {}
        self.before: list[int] = []

    def __call__(self, evaluation: Evaluation) -> None:
        part = evaluation.part
        gold, systems = evaluation.annotations(self.vocabulary)
        self.before.append(part.offsets[0].sentences)
        self.corpora += [batch.corpus for batch in part.gold]
        self.documents.append(part.documents)
        self.gold.append(gold)
        for name, spans in systems.items():
            self.systems.setdefault(name, []).append(spans)

    def joined(self, parts: Sequence[Spans]) -> Spans:
        return Spans.concatenate(parts, self.before)


@dataclass(frozen=True)
class _Texts:
    """The annotations of gold standard and systems over the whole text."""

    prepared: RunConfig
    run: Run
    corpus: Corpus
    document_of: Ints
    gold: Spans
    systems: dict[str, Spans]
    signature: str
    notes: list[str]


def _read(gold: Input, sides: Mapping[str, Input], options: Mapping[str, Any], as_gold: bool = False) -> _Texts:
    """Read and align all sides; with `as_gold`, systems are read as the gold standard is."""
    content = content_for(gold, options)
    task = TASKS[content.task]
    if not task.comparison.has_suspects:
        names = " and ".join(task.name for task in TASKS.values() if task.comparison.has_suspects)
        raise SettingError(f"Suspects are defined for {names}, not for {task.name}.")
    by = one_measure(None, dict(options)) or task.measures[0].name
    prepared = prepare(gold, sides, {**options, "match": (by,)}, content)
    if as_gold:
        like_gold = replace(prepared.read_as["gold"], side="system", weight=None)
        prepared = replace(prepared, read_as={**prepared.read_as, "system": like_gold})
    vocabulary = Vocabulary()
    collected = _Collector(vocabulary)
    run = Job(gold, sides, prepared, prepared.settings.match, "total").run([collected], vocabulary)
    corpus = Corpus.concatenate(collected.corpora)
    settings, read_as = prepared.settings, prepared.read_as["gold"]
    gold_reading = run.figures(name_of(gold)).reading
    signatures = [
        signature(settings, read_as, run.atoms, gold_reading, side.reading or gold_reading)
        for side in run.systems.values()
    ]
    return _Texts(
        prepared=prepared,
        run=run,
        corpus=corpus,
        document_of=concatenate(collected.documents),
        gold=collected.joined(collected.gold),
        systems={name: collected.joined(parts) for name, parts in collected.systems.items()},
        signature=joint_signature(signatures),
        notes=[],
    )
