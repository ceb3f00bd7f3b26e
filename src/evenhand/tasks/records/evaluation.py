"""Evaluation of records and comparison of systems, document by document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.alignment.parts import Alignment, Batches
from evenhand.alignment.records import RecordFollower, records_of
from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation
from evenhand.data.tokens import Tokens
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError, SettingError
from evenhand.scoring.measure import Formula, Measure
from evenhand.settings import RECORDS, ScoreSettings
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, Part, SideSummary
from evenhand.tasks.records.alignment import ListAligner
from evenhand.tasks.records.answers import MALFORMED, at_path, triples, value_of, wrapper_of
from evenhand.tasks.records.fields import Fields
from evenhand.tasks.records.measures import RecordPair, count_answers, count_grounded
from evenhand.tasks.records.task import ANSWERS, CLASS_KINDS, GROUNDED, KINDS
from evenhand.tasks.records.text import TextValues
from evenhand.tasks.records.trees import Leaf, Node, TreeBuilder, leaves_of, text_of
from evenhand.tasks.records.verdicts import Compared, DocumentComparison
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import DrawnRows, Locations, Predictions, SentenceView, answer_code

_MANY = 1 << 10
"""Number of documents in a part, large enough to make the cost of a call negligible."""
_TN, _TP = CLASS_KINDS.index("TN"), CLASS_KINDS.index("TP")
WRAPPER, GREEDY, NOT_NEAR, WRAPPED = "wrapper", "greedy", "not near", "wrapped"
"""Beginnings of names of counts for notes: keys around values, large lists, single values."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems; documents are matched by id, else by order."""
    sides, settings = request.sides, request.settings
    fields = _fields(request)
    request.tables[RECORDS] = fields
    if settings["fields"] or settings["unknown_fields"] == "drop":
        request.tables["gold slots"] = _gold_slots(sides.gold(), settings, fields)
    followers = {name: RecordFollower(system(), (system, sides.gold)) for name, system in sides.systems.items()}
    names: dict[str, str] = {}
    return Alignment(_checked(sides.gold(), names), followers, _is_full, document_names=names)


def _checked(gold: Iterator[Annotation], names: dict[str, str]) -> Iterator[Annotation]:
    for batch in gold:
        records_of(batch)
        if batch.corpus.ids is not None:
            names.update(dict.fromkeys(batch.corpus.ids.texts(0, batch.corpus.sentences), batch.corpus.source))
        yield batch


def _is_full(batches: Batches) -> bool:
    return sum(batch.corpus.sentences for batch in batches) >= _MANY


def _fields(request: EvaluationRequest) -> Fields:
    """The fields of a run: those with options."""
    settings = request.settings
    schema = settings["schema"]
    default = "relaxed" if settings["preset"] == "relaxed" else "exact"
    declared = () if schema is None else schema.fields
    return Fields(
        request.vocabulary.labels, settings["fields"], declared, default, strict=settings["empty"] == "strict"
    )


def _builder(settings: ScoreSettings, fields: Fields, *, is_gold: bool = False) -> TreeBuilder:
    return TreeBuilder(fields, frozenset(settings["absent"]), settings["empty"] == "strict", is_gold)


def _gold_slots(gold: Iterator[Annotation], settings: ScoreSettings, fields: Fields) -> frozenset[int]:
    """The places of all fields of the gold standard and the schema; declared fields must be among them."""
    build = _builder(settings, fields, is_gold=True)
    for batch in gold:
        for value, line in _gold_values(batch, settings):
            _tree(build, value, batch.corpus.source, line)
    if message := fields.unknown({field.path for field in fields.all}):
        raise SettingError(message)
    return fields.known_slots()


def _tree(build: TreeBuilder, value: Any, source: str, line: int | None) -> Node | None:
    try:
        return build(value)
    except LimitError as error:
        raise InputError(source, line, error.finding, error.remedy) from None


def _gold_values(batch: Annotation, settings: ScoreSettings) -> Iterator[tuple[Any, int | None]]:
    """The values of a gold standard, and their lines."""
    for number, value in enumerate(records_of(batch).values):
        line = batch.corpus.line(number)
        if settings["preset"] == "triples":
            value, other_sizes = triples(value)
            if other_sizes:
                finding = f"expected a triple of three parts, got {other_sizes[0]}"
                raise InputError(batch.corpus.source, line, finding, "write subject, relation and object")
        yield value, line


def evaluate(part: Part, request: EvaluationRequest) -> RecordEvaluation:
    """Compare the documents of a part, one system after the other."""
    settings, fields = request.settings, request.tables[RECORDS]
    build, build_system = _builder(settings, fields, is_gold=True), _builder(settings, fields)
    golds, texts = list[tuple[Any, str, int | None]](), list[str | None]()
    for batch in part.gold:
        layer = records_of(batch)
        texts += layer.texts or (None,) * len(layer)
        golds += [(value, batch.corpus.source, line) for value, line in _gold_values(batch, settings)]
    gold_values = [value for value, _, _ in golds]
    evaluation = RecordEvaluation(part=part, golds=lambda: [_tree(build, *gold) for gold in golds])
    in_text = [None if text is None else TextValues(text) for text in texts]
    known = request.tables.get("gold slots") if settings["unknown_fields"] == "drop" else None
    for name, contents in part.systems.items():
        summary = evaluation.system_counts[name]
        values, statuses = _values(contents, gold_values, settings, summary)
        compare = DocumentComparison(aligner := ListAligner(fields), strict=settings["empty"] == "strict")
        documents = []
        for gold, value, text in zip(golds, values, in_text, strict=True):
            tree, system = _tree(build, *gold), _tree(build_system, value, name, None)
            if known is not None and system is not None:
                system = _without_unknown(system, known)
            documents.append(compare(tree, system, text))
        both = list(zip(gold_values, values, strict=True))
        pair = RecordPair(documents, both, evaluation.groups, request.vocabulary.labels, settings, texts, statuses)
        tallies = {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count is not None}
        tallies[ANSWERS] = count_answers(statuses, pair.groups)
        if any(text is not None for text in texts):
            tallies[GROUNDED] = count_grounded(pair, list(map(_grounded, documents, in_text)))
        evaluation.tallies[name] = tallies
        _summarize(summary, evaluation, pair, aligner, request)
        if request.keep_units:
            evaluation.pairs[name] = pair
    return evaluation


def _values(
    contents: Sequence[object], golds: Sequence[Any], settings: ScoreSettings, summary: SideSummary
) -> tuple[list[Any], list[str]]:
    """The values in the answers of a system, and how each answer was read."""
    values, statuses = [], []
    tool, path, is_triples = settings["tool"], settings["at"], settings["preset"] == "triples"
    for content, gold in zip(contents, golds, strict=True):
        value, status = value_of(content, gold, tool)
        value = at_path(value, path) if path else value
        if (key := wrapper_of(value, gold)) is not None:
            summary.noted[f"{WRAPPER}: {key}"] += 1
        if is_triples:
            value, malformed = triples(value)
            summary.noted[MALFORMED] += len(malformed)
        values.append(value)
        statuses.append(status)
    for status, count in Counter(statuses).items():
        summary.noted[status] += count
    return values, statuses


def _without_unknown(node: Node, known: frozenset[int]) -> Node | None:
    """A tree without the fields that only systems have."""
    if isinstance(node, Leaf):
        return node if node.field.slot in known else None
    node.children = {
        step: kept for step, child in node.children.items() if (kept := _without_unknown(child, known)) is not None
    }
    return node if node.children else None


def _grounded(document: Compared, text: TextValues | None) -> dict[str, int]:
    """The leaves of both sides that can be looked up in the text, and those that are there."""
    if text is None:
        return {}
    counts: dict[str, int] = {}
    for side, leaves in (("gold", document.gold_leaves), ("system", document.system_leaves)):
        checked = [leaf for leaf in leaves if leaf.field.options.ground and not isinstance(leaf.value, bool)]
        counts |= {side: len(checked), f"{side}_found": sum(text.has(leaf.value) for leaf in checked)}
    return counts


def _summarize(
    summary: SideSummary,
    evaluation: RecordEvaluation,
    pair: RecordPair,
    aligner: ListAligner,
    request: EvaluationRequest,
) -> None:
    names = request.vocabulary.labels.values
    sides = [(summary, [document.system_leaves for document in pair.documents])]
    if not evaluation.gold_count.units:  # the same for all systems
        sides.append((evaluation.gold_count, [document.gold_leaves for document in pair.documents]))
    for side, documents in sides:
        side.add(ints([leaf.field.label for leaves in documents for leaf in leaves]), names)
    summary.noted[WRAPPED] += sum(document.wrapped for document in pair.documents)
    for prefix, counts in ((GREEDY, aligner.greedy), (NOT_NEAR, aligner.not_near)):
        summary.noted.update({f"{prefix}: {name}": count for name, count in counts.items()})


@dataclass(kw_only=True)
class RecordEvaluation(Evaluation):
    """The values of some documents and their verdicts."""

    golds: Callable[[], list[Node | None]]
    """Makes the trees of the gold standard."""

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(self.part.sentences) + self.part.offsets[0].first_document

    @cached_property
    def _shown(self) -> Part:
        """The part with the leaves of the gold standard as tokens, for display: `items[2].price: 12.50`."""
        trees, batches = self.golds(), []
        for batch in self.part.gold:
            size, lines = batch.corpus.sentences, batch.corpus.lines
            texts = [[text_of(leaf) for leaf in leaves_of(tree)] for tree in trees[:size]]
            bounds = np.append(0, np.cumsum(ints([len(leaves) for leaves in texts])))
            tokens = Tokens.of([text for leaves in texts for text in leaves])
            lines = np.repeat(lines[np.arange(size)], np.diff(bounds)) if len(lines) else lines
            corpus = replace(batch.corpus, bounds=bounds, tokens=tokens, lines=lines)
            batches.append(replace(batch, corpus=corpus))
            del trees[:size]
        return replace(self.part, gold=batches)

    @cached_property
    def _surplus(self) -> _SurplusTexts:
        return _SurplusTexts()

    @cached_property
    def locations(self) -> Locations:
        return self._shown.locations(self._surplus)

    def predictions(self, by: str, pairs: Sequence[RecordPair]) -> Predictions:
        return record_predictions(pairs, self._surplus)

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """The values of both sides; values that only the system has have no position."""
        rows = super().unit_rows(system, measure, formula)
        return replace(rows, is_error=np.array([kind not in formula.counts["TP"] for kind in rows.types])[rows.type])

    def drawing(self, by: str) -> SentenceView:
        """Rows of a string and the number of the gold leaf, or -1: texts, and values of systems with their verdicts."""
        pairs = list(self.pairs.values())
        name = pairs[0].labels.code
        texts = enumerate(pairs[0].texts)
        sides = [[(at, name(text), -1) for at, text in texts if text is not None]]
        for pair in pairs:
            rows = []
            for at, document in enumerate(pair.documents):
                for start, gold, system in document.units():
                    verdict = (gold or system).verdict
                    rows.append((at, name(f"{verdict}\t{text_of(system) if system is not None else ''}"), start))
            sides.append(rows)
        columns = [np.array(rows, dtype=np.int64).reshape(-1, 3).T for rows in sides]
        return SentenceView([DrawnRows(sentence, label, start) for sentence, label, start in columns])


class _SurplusTexts:
    """The texts of values that only systems have; their positions count from `FIRST`."""

    FIRST = 1 << 31

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> int:
        self._texts.append(text)
        return self.FIRST + len(self._texts) - 1

    def has(self, start: Ints) -> Bools:
        is_surplus: Bools = start >= self.FIRST
        return is_surplus

    def text(self, start: int) -> str:
        return self._texts[start - self.FIRST]


def record_predictions(pairs: Sequence[RecordPair], surplus: _SurplusTexts) -> Predictions:
    """Predictions of several systems for the same values.

    A unit is a leaf of the gold standard, or a value that only systems have: surplus, identified by document, field,
    value and number of the copy, which is TN under the systems that do not have it. A system's answer is its verdict
    with its field; answers with different values differ. TP and TN are right.

    Source: Tuggener 2017, section 2.
    """
    first = pairs[0]
    sizes = [len(document.gold_leaves) for document in first.documents]
    begins = np.append(0, np.cumsum(ints(sizes)))
    size = int(begins[-1])
    texts: dict[str, int] = {}
    units: dict[tuple[int, int, str, int], int] = {}
    starts: list[int] = []
    rows: list[list[tuple[int, int, int, int]]] = []
    for pair in pairs:
        own: list[tuple[int, int, int, int]] = []
        for at, document in enumerate(pair.documents):
            copies: Counter[tuple[int, str]] = Counter()
            for number, gold, system in document.units():
                leaf = gold or system
                assert leaf is not None
                unit_number, text, field = int(begins[at]) + number, 0, -1 if system is None else system.field.label
                if gold is None:
                    copies[leaf.field.label, leaf.key] += 1
                    key = at, field, leaf.key, copies[leaf.field.label, leaf.key]
                    if key not in units:
                        units[key] = size + len(units)
                        starts.append(surplus.add(text_of(leaf)))
                    unit_number = units[key]
                elif system is not None and leaf.verdict != "TP":
                    text = texts.setdefault(system.key, len(texts) + 1)
                own.append((unit_number, CLASS_KINDS.index(leaf.verdict or ""), field, text))
        rows.append(own)
    extra, count = len(units), len(pairs)
    kind, label = np.full((count, size + extra), _TN), np.full((count, size + extra), -1)
    detail = np.zeros((count, size + extra), dtype=np.int64)
    for row, own in enumerate(rows):
        unit, kinds, fields, details = np.array(own, dtype=np.int64).reshape(-1, 4).T
        kind[row, unit], label[row, unit], detail[row, unit] = kinds, fields, details
    gold_label = ints([leaf.field.label for document in first.documents for leaf in document.gold_leaves])
    start = np.append(np.concatenate([np.arange(number) for number in (0, *sizes)]), ints(starts))
    shown = answer_code(kind, label)
    predictions = Predictions.of_codes(
        shown,
        KINDS,
        (_TP, _TN),
        _TN,
        label=np.append(gold_label, ints([key[1] for key in units])),
        is_surplus=np.arange(size + extra) >= size,
        part=np.full(shown.shape, -1),
        sentence=np.append(np.repeat(np.arange(len(sizes)), sizes), ints([key[0] for key in units])),
        start=start,
        end=start + 1,
        gold_label=np.concatenate((np.tile(gold_label, (count, 1)), np.full((count, extra), -1)), axis=1),
    )
    return replace(predictions, answer=shown * (len(texts) + 1) + detail)
