"""`suspects`: places where the gold standard is probably wrong, and proposals for a review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from evenhand.arrays import Ints, concatenate
from evenhand.comparison.suspects import (
    FEWEST_DOCUMENTS,
    FEWEST_SENTENCES,
    FEWEST_SPANS,
    WEAK,
    Candidates,
    Evidence,
    Rule,
    SpanTable,
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
    is_same_file,
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
    verdict: str | Sequence[str] | None = None,
    truth: Input | None = None,
    leave_out: str | Sequence[str] | None = None,
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
    verdicts = split_names(verdict or ())
    for name in verdicts:
        check_choice("verdict", name, VERDICTS)
    sides = systems_by_name(systems) or {}
    for name in split_names(leave_out or ()):
        if name not in sides:
            remedy = f"the systems are {', '.join(sides)}"
            raise SettingError(unknown(f"leave_out has no system {name!r}", name, list(sides), remedy))
        del sides[name]
    if not sides:
        raise SettingError("No system is left to vote; exclude fewer systems.")
    chosen = dict[str, Any](options)
    labels = split_names(chosen.pop("labels", None) or ())
    texts = _read(side_of(gold), sides, chosen)
    found = _searched(texts, rule)
    shown = _selected(found, verdicts, labels)
    drawn = shown if first is None else shown.take(np.arange(min(first, len(shown))))
    figures = texts.run.figures(name_of(side_of(gold)))
    compare = partial(_compared, found, side_of(gold), chosen)
    settings = replace(texts.prepared.settings, labels=labels)
    notes = [*found.notes, *notes_on_settings(settings, texts.run.labels, texts.run.systems)]
    rows = tuple(_suspects(found, drawn))
    if not len(found.suspects):
        notes.append("No suspects: the systems agree with the gold standard everywhere.")
    if gaps := sum(suspect.has_gaps for suspect in rows):
        notes.append(f"{counted(gaps, 'proposal')} with gaps: overrides cannot express gaps, so the file lacks them.")
    task = texts.prepared.task
    choices = f"rule:{found.rule}|voters:{'+'.join(found.names)}|first:{first or 'all'}"
    choices += f"|verdicts:{','.join(verdicts)}" if verdicts else ""
    choices += f"|listed-labels:{','.join(labels)}" if labels else ""
    return Suspects(
        gold=figures,
        task=task.name,
        unit=task.unit_of(task.measures[0].name),
        rule=found.rule,
        systems=_voters(found, drawn),
        suspects=rows,
        found=len(shown),
        signature=f"{texts.signature}|{choices}",
        notes=tuple(dict.fromkeys(notes)),
        truth=None if truth is None else compare(side_of(truth)),
        compare=compare,
        writes_overrides="overrides" in {parameter.name for parameter in task.parameters},
    )


# Reading


class _Collector:
    """Collects the annotations of all parts, with the sentences numbered over the whole text."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.corpora: list[Corpus] = []
        self.documents: list[Ints] = []
        self.tables: list[SpanTable] = []
        self.before: list[int] = []

    def __call__(self, evaluation: Evaluation) -> None:
        part = evaluation.part
        gold, systems = evaluation.annotations(self._vocabulary)
        self.before.append(part.offsets[0].sentences)
        self.corpora += [batch.corpus for batch in part.gold]
        self.documents.append(part.documents)
        self.tables.append(SpanTable.of(gold, list(systems.values())))


@dataclass(frozen=True)
class _Texts:
    """The annotations of gold standard and systems over the whole text."""

    prepared: RunConfig
    run: Run
    corpus: Corpus
    document_of: Ints
    table: SpanTable
    systems: tuple[str, ...]
    signature: str


def _read(gold: Input, sides: Mapping[str, Input], options: Mapping[str, Any], as_gold: bool = False) -> _Texts:
    """Read and align all sides; with `as_gold`, systems are read as the gold standard is."""
    content = content_for(gold, options, sides)
    task = TASKS[content.task]
    if not task.comparison.has_suspects:
        names = " and ".join(task.name for task in TASKS.values() if task.comparison.has_suspects)
        raise SettingError(f"Suspects are defined for {names}, not for {task.name}.")
    if options.get("match") is not None:
        raise SettingError("Suspects are found by exact match; remove match.")
    prepared = prepare(gold, sides, {**options, "match": (task.measures[0].name,)}, content)
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
        table=SpanTable.concatenate(collected.tables, collected.before),
        systems=tuple(run.systems),
        signature=joint_signature(signatures),
    )


# The search


@dataclass(frozen=True)
class _Search:
    """The candidates of a text and their suspicions."""

    texts: _Texts
    names: tuple[str, ...]
    """The voters: the systems without copies."""
    candidates: Candidates
    evidence: Evidence | None
    rule: Rule
    suspects: SuspectList
    notes: tuple[str, ...]

    def curve(self, truth: Spans) -> SuspectCurve:
        suspicion = suspicion_of(self.candidates, self.evidence, self.rule)
        return compared(self.candidates, self.evidence, suspicion, truth)


def _searched(texts: _Texts, rule: Rule | None) -> _Search:
    notes, names = [], list(texts.systems)
    table, foreign = texts.table.without_foreign()
    unit = texts.prepared.task.unit_of(texts.prepared.settings.match[0])
    for name, number in zip(names, foreign.tolist(), strict=True):
        if number:
            what = f"{counted(number, unit)} with labels that the gold standard never has"
            notes.append(f"system {name}: {what} {'is' if number == 1 else 'are'} left out.")
    copies, remarks = _equal_systems(table, names)
    notes += remarks
    table = table.without_systems(copies) if copies else table
    names = [name for number, name in enumerate(names) if number not in copies]
    document_of = texts.document_of - texts.document_of.min(initial=0)
    try:
        candidates = candidates_of(table, document_of, one_label=texts.prepared.task.comparison.one_label)
    except LimitError as error:
        raise SettingError(str(error)) from None
    is_perfect = bool((candidates.has == candidates.is_gold).all())
    if len(names) == 1 and (len(texts.systems) == 1 or not is_perfect):
        score = candidates.confidence
        if score is None:
            raise SettingError("Expected two systems, or one with scores; got one without scores.")
        if len(score) and not (score.min() >= 0 and score.max() <= 1):
            raise SettingError("The scores of one system must be from 0 to 1. Use --score-transform.")
    words = Words.of(texts.corpus, candidates.spans)
    if words is None:
        notes.append("The files have no text: words, contexts and capitals are not used.")
    for name, f1 in zip(names, candidates.f1.tolist(), strict=True):
        if f1 < WEAK:
            notes.append(f"system {name}: its F1 is {100 * f1:.1f}, so it votes with the least weight.")
    best = float(candidates.f1.max())
    if best < _LOW_F1:
        finding = f"the best system's F1 is {100 * best:.1f}"
        notes.append(f"{WARNING}{finding}; below {100 * _LOW_F1:.0f}, few proposals are right.")
    number, documents, sentences = int(candidates.is_gold.sum()), texts.run.documents, texts.run.sentences
    if rule is None:
        is_small = number < FEWEST_SPANS or (documents < FEWEST_DOCUMENTS and sentences < FEWEST_SENTENCES)
        rule = "plain" if is_small else "fit"
        if is_small:
            size = f"{counted(number, unit)}, {counted(documents, 'document')}, {counted(sentences, 'sentence')}"
            notes.append(f"Too few data ({size}): the rule is plain, without fitting.")
    if rule == "fit" and sentences < 2:
        raise SettingError("The rule fit needs two documents or sentences; use rule plain.")
    evidence = None if words is None or not len(candidates) else evidence_of(candidates, words)
    suspicion = suspicion_of(candidates, evidence, rule)
    return _Search(texts, tuple(names), candidates, evidence, rule, listed(candidates, suspicion), tuple(notes))


def _equal_systems(table: SpanTable, names: Sequence[str]) -> tuple[list[int], list[str]]:
    """The numbers of the systems that equal an earlier one, and notes on these and on nearly equal ones."""
    has = table.has[1:]
    size = has.sum(axis=1)
    copies, notes = list[int](), []
    for later in range(len(names)):
        for earlier in range(later):
            if earlier in copies or later in copies:
                continue
            total = int(size[earlier] + size[later])
            equal = 2 * np.count_nonzero(has[earlier] & has[later]) / total if total else 1.0
            pair = f"{names[earlier]} and {names[later]}"
            if equal == 1:
                copies.append(later)
                notes.append(f"{pair} are equal, so {names[later]} does not vote.")
            elif equal > _NEARLY_EQUAL:
                notes.append(f"{pair} agree on {100 * equal:.1f} % of their spans, so they vote almost as one.")
    return copies, notes


def _selected(found: _Search, verdicts: Sequence[str], labels: Sequence[str]) -> SuspectList:
    """The suspects with these verdicts and labels; empty selections select all."""
    suspects, spans = found.suspects, found.candidates.spans
    names = spans.vocabulary.labels
    selected = np.ones(len(suspects), dtype=np.bool_)
    if verdicts:
        selected &= np.array([verdict in verdicts for verdict in suspects.verdict], dtype=np.bool_)
    if labels:
        label_of = np.append(spans.label, -1)
        known = [code for label in labels if (code := names.find(label)) is not None]
        selected &= np.isin(label_of[suspects.gold], known) | np.isin(label_of[suspects.proposal], known)
    return suspects.take(np.flatnonzero(selected))


def _voters(found: _Search, suspects: SuspectList) -> dict[str, Voter]:
    candidates = found.candidates
    proposed = candidates.has[:, suspects.proposal[suspects.proposal >= 0]].sum(axis=1)
    nothing = candidates.has_nothing[:, suspects.gold[suspects.proposal < 0]].sum(axis=1)
    columns = zip(found.names, candidates.f1, candidates.weight, proposed + nothing, strict=True)
    return {name: Voter(float(f1), float(weight), int(number)) for name, f1, weight, number in columns}


def _compared(found: _Search, gold: Input, options: Mapping[str, Any], truth: Input) -> SuspectCurve:
    """Compare the suspects with a corrected gold standard, which is read as the gold standard is."""
    if is_same_file(gold, truth):
        raise SettingError("truth is the gold standard itself; use a corrected one.")
    texts = _read(gold, {"truth": side_of(truth)}, options, as_gold=True)
    truth_spans = texts.table.spans.take(np.flatnonzero(texts.table.has[1]))
    return found.curve(truth_spans.into(found.candidates.spans.vocabulary))


# Rows


def _suspects(found: _Search, suspects: SuspectList) -> Iterator[Suspect]:
    """The suspects with their locations, texts and reasons."""
    texts, candidates = found.texts, found.candidates
    spans, corpus, names = candidates.spans, texts.corpus, candidates.spans.vocabulary.labels
    locations = Locations([Annotation(corpus, {}, {})], 0, texts.document_of, int(texts.document_of.min(initial=0)))
    rows = np.where(suspects.gold >= 0, suspects.gold, suspects.proposal)
    lines = locations.lines(spans.scope[rows], spans.start[rows])
    positions = corpus.positions(spans.scope, spans.start, spans.end)
    in_characters = positions.of == "characters" and corpus.has_input_text
    start, end = (positions.start, positions.end) if in_characters else (spans.start, spans.end)

    def bounds(row: int) -> LabeledBounds | None:
        return None if row < 0 else LabeledBounds(int(start[row]), int(end[row]), names[int(spans.label[row])])

    readings = _readings(corpus, spans, np.unique(np.concatenate([suspects.gold, suspects.proposal])))
    reasons = _Reasons(found)
    pairs = zip(suspects.gold.tolist(), suspects.proposal.tolist(), strict=True)
    for number, (gold, proposal) in enumerate(pairs):
        sentence = int(spans.scope[rows[number]])
        yield Suspect(
            rank=number + 1,
            verdict=suspects.verdict[number],
            suspicion=float(suspects.suspicion[number]),
            document=locations.document(int(texts.document_of[sentence])),
            sentence=sentence + 1,
            line=lines[number],
            gold=bounds(gold),
            to=bounds(proposal),
            note="; ".join(reasons(gold, proposal, suspects.verdict[number])),
            positions="characters" if in_characters else "tokens",
            gold_reading=readings.get(gold),
            proposed_reading=readings.get(proposal),
            has_gaps=proposal >= 0 and bool(spans.shape[proposal]),
        )


def _readings(corpus: Corpus, spans: Spans, rows: Ints) -> dict[int, Reading]:
    """Spans in their sentences, by row; none without a text."""
    rows = rows[rows >= 0]
    if corpus.tokens is None or corpus.bounds is None or not len(rows):
        return {}
    place = spans.scope[rows], spans.start[rows], spans.end[rows]
    begin, stop = corpus.quotable_bounds(*place)
    first, last = corpus.windows(*place, _CONTEXT)
    data = corpus.quotable.data
    edges = (column.tolist() for column in (rows, first, begin, stop, last))
    return {
        row: Reading(*(data[one:other].decode() for one, other in ((left, start), (start, end), (end, right))))
        for row, left, start, end, right in zip(*edges, strict=True)
    }


class _Reasons:
    """The reason of each suspect: at most four clauses, each a count that can be checked."""

    def __init__(self, found: _Search) -> None:
        self._candidates, self._evidence = found.candidates, found.evidence
        spans = found.candidates.spans
        self._labels = [spans.vocabulary.labels[label] for label in spans.label.tolist()]
        self._systems = len(found.names)
        self._number = found.candidates.has.sum(axis=0)
        self._nothing = found.candidates.has_nothing.sum(axis=0)
        self._corpus = found.texts.corpus

    def __call__(self, gold: int, proposal: int, verdict: str) -> Iterator[str]:
        evidence = self._evidence
        if proposal < 0:
            number = int(self._nothing[gold])
            yield f"{self._of_systems(number)} {self._verb('have', number)} nothing there"
            if evidence is not None and evidence.unlabelled[gold]:
                yield f"the gold standard leaves it unlabelled {_times(int(evidence.unlabelled[gold]))} elsewhere"
        else:
            label, number = self._labels[proposal], int(self._number[proposal])
            what = f" for '{self._text(proposal)}'" if verdict == BOUNDS and evidence is not None else ""
            yield f"{self._of_systems(number)} {self._verb('predict', number)} {label}{what}"
            if evidence is not None and evidence.elsewhere[proposal]:
                times = _times(int(evidence.elsewhere[proposal]))
                here = int(evidence.doc_elsewhere[proposal])
                inside = f" ({here} in this document)" if here else ""
                yield f"the gold standard labels it {label} {times} elsewhere{inside}"
            if evidence is not None:
                same, spans = int(evidence.in_context[proposal]), int(evidence.contexts[proposal])
                if spans >= _LEAST_CONTEXTS and 2 * same >= spans:
                    yield f"{same} of {spans} spans in the same context in this document are {label}"
        if gold >= 0:
            yield self._for_gold(gold)

    def _for_gold(self, gold: int) -> str:
        number = int(self._number[gold])
        agreeing = f"{number} of {self._systems} agree" if number else "no system agrees"
        times = 0 if self._evidence is None else int(self._evidence.elsewhere[gold])
        elsewhere = f", which labels it {self._labels[gold]} {_times(times)} elsewhere" if times else ""
        return f"{agreeing} with the gold standard{elsewhere}"

    def _of_systems(self, number: int) -> str:
        return f"{number} of {counted(self._systems, 'system')}"

    @staticmethod
    def _verb(verb: str, number: int) -> str:
        third = {"have": "has", "predict": "predicts"}
        return third[verb] if number == 1 else verb

    def _text(self, row: int) -> str:
        spans = self._candidates.spans
        return self._corpus.quoted(int(spans.scope[row]), int(spans.start[row]), int(spans.end[row])) or ""


def _times(number: int) -> str:
    return counted(number, "time")
