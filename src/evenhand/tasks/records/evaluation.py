"""Evaluation of records and comparison of systems, document by document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field as dataclass_field
from dataclasses import replace
from functools import cached_property
from itertools import chain, count, islice
from typing import Any

import numpy as np

from evenhand.alignment.parts import Alignment, Batches
from evenhand.alignment.records import RecordFollower, records_of
from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation
from evenhand.data.tokens import Tokens
from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.scoring.measure import Formula, Measure
from evenhand.scoring.tally import Tally
from evenhand.settings import RECORDS, ScoreSettings
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, Part, SideSummary
from evenhand.tasks.records.alignment import ListAligner
from evenhand.tasks.records.answers import MALFORMED, STATUSES, at_path, triples, value_of, wrapper_of
from evenhand.tasks.records.fields import Fields
from evenhand.tasks.records.measures import RecordPair, count_table, list_verdicts, totals
from evenhand.tasks.records.task import ANSWERS, CLASS_KINDS, GROUNDED, GROUNDED_KINDS, KINDS
from evenhand.tasks.records.text import TextValues, is_checked
from evenhand.tasks.records.trees import TreeBuilder, text_of
from evenhand.tasks.records.verdicts import Compared, DocumentComparison
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import DrawnRows, Locations, Predictions, SentenceView, answer_code

_MANY = 1 << 10
"""Number of documents in a part, large enough to make the cost of a call negligible."""
_TN, _TP = CLASS_KINDS.index("TN"), CLASS_KINDS.index("TP")
WRAPPER, WRAPPED = "wrapper", "wrapped"
"""Beginnings of names of counts for notes: keys around values, single values."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems; documents are matched by id, else by order."""
    sides, settings = request.sides, request.settings
    declared = () if settings["schema"] is None else settings["schema"].fields
    default, strict = "relaxed" if settings["preset"] == "relaxed" else "exact", settings["empty"] == "strict"
    fields = Fields(request.vocabulary.labels, settings["fields"], declared, default, strict=strict)
    request.tables[RECORDS] = fields
    if settings["fields"] or settings["unknown_fields"] == "drop":
        request.tables["gold slots"] = _gold_slots(sides.gold(), settings, fields)
    followers = {name: RecordFollower(system(), (system, sides.gold)) for name, system in sides.systems.items()}
    names: dict[str, str] = {}
    return Alignment(_checked(sides.gold(), names), followers, _is_full, document_files=names)


def _checked(gold: Iterator[Annotation], names: dict[str, str]) -> Iterator[Annotation]:
    for batch in gold:
        records_of(batch)
        if batch.corpus.ids is not None:
            names.update(dict.fromkeys(batch.corpus.ids.texts(0, batch.corpus.sentences), batch.corpus.source))
        yield batch


def _is_full(batches: Batches) -> bool:
    return sum(batch.corpus.sentences for batch in batches) >= _MANY


def _builder(settings: ScoreSettings, fields: Fields, **options: Any) -> TreeBuilder:
    return TreeBuilder(fields, frozenset(settings["absent"]), settings["empty"] == "strict", **options)


def _gold_slots(gold: Iterator[Annotation], settings: ScoreSettings, fields: Fields) -> frozenset[int]:
    """The places of all fields of the gold standard and the schema; declared fields must be among them."""
    build = _builder(settings, fields, is_gold=True)
    for batch in gold:
        for gold_value in _gold_values(batch, settings):
            build(*gold_value)
    fields.check_declared()
    return fields.known_slots()


def _gold_values(batch: Annotation, settings: ScoreSettings) -> Iterator[tuple[Any, str, int | None]]:
    """The values of a gold standard, and their files and lines."""
    for number, value in enumerate(records_of(batch).values):
        line = batch.corpus.line(number)
        if settings["preset"] == "triples":
            value, other_sizes = triples(value)
            if other_sizes:
                finding = f"expected a triple of three parts, got {other_sizes[0]}"
                raise InputError(batch.corpus.source, line, finding, "write subject, relation and object")
        yield value, batch.corpus.source, line


def evaluate(part: Part, request: EvaluationRequest) -> RecordEvaluation:
    """Compare the documents of a part, one system after the other."""
    settings, fields = request.settings, request.tables[RECORDS]
    known = request.tables.get("gold slots") if settings["unknown_fields"] == "drop" else None
    build, build_system = _builder(settings, fields, is_gold=True), _builder(settings, fields, known=known)
    golds, texts = list[tuple[Any, str, int | None]](), list[str | None]()
    for batch in part.gold:
        texts += records_of(batch).texts or (None,) * batch.corpus.sentences
        golds += _gold_values(batch, settings)
    gold_values = [value for value, _, _ in golds]
    evaluation = RecordEvaluation(part=part)
    in_text = [None if text is None else TextValues(text) for text in texts]
    for name, contents in part.systems.items():
        summary = evaluation.system_counts[name]
        values, statuses = _values(contents, gold_values, settings, summary)
        compare = DocumentComparison(ListAligner(fields, summary.noted), strict=settings["empty"] == "strict")
        trees = ((build(*gold), build_system(value, name)) for gold, value in zip(golds, values, strict=True))
        documents = [compare(*both, text) for both, text in zip(trees, in_text, strict=True)]
        both = list(zip(gold_values, values, strict=True))
        pair = RecordPair(documents, both, evaluation.groups, request.vocabulary.labels, settings, texts, statuses)
        tallies = {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count is not None}
        tallies[ANSWERS] = count_table(STATUSES, [{status: 1} for status in statuses], pair.groups)
        if any(text is not None for text in texts):
            tallies[GROUNDED] = count_table(GROUNDED_KINDS, list(map(_grounded, documents, in_text)), pair.groups)
        evaluation.tallies[name] = tallies
        labels = request.vocabulary.labels.values
        summary.add(ints([leaf.field.label for document in documents for leaf in document.system_leaves]), labels)
        if not evaluation.gold_count.units:  # the same for all systems
            gold_labels = ints([leaf.field.label for document in documents for leaf in document.gold_leaves])
            evaluation.gold_count.add(gold_labels, labels)
        summary.noted[WRAPPED] += sum(document.wrapped for document in documents)
        if request.keep_units:
            evaluation.pairs[name] = pair
    return evaluation


def _values(
    contents: Sequence[object], golds: Sequence[Any], settings: ScoreSettings, summary: SideSummary
) -> tuple[list[Any], list[str]]:
    """The values in the answers of a system, and how each answer was read."""
    read = [value_of(content, gold, settings["tool"]) for content, gold in zip(contents, golds, strict=True)]
    values, statuses = [at_path(value, settings["at"]) for value, _ in read], [status for _, status in read]
    summary.noted.update(f"{WRAPPER}: {key}" for key in map(wrapper_of, values, golds) if key is not None)
    if settings["preset"] == "triples":
        divided = list(map(triples, values))
        values = [records for records, _ in divided]
        summary.noted[MALFORMED] += sum(len(other_sizes) for _, other_sizes in divided)
    summary.noted.update(statuses)
    return values, statuses


def _grounded(document: Compared, text: TextValues | None) -> dict[str, int]:
    """The leaves of both sides that can be looked up in the text, and those that are there."""
    if text is None:
        return {}
    checked = [list(filter(is_checked, leaves)) for leaves in (document.gold_leaves, document.system_leaves)]
    numbers = [(len(leaves), sum(text.has(leaf.value) for leaf in leaves)) for leaves in checked]
    return dict(zip(GROUNDED_KINDS, chain(*numbers), strict=True))


def facts(tallies: Mapping[str, Tally]) -> dict[str, dict[str, Any]]:
    """How answers were read, and the shares of values that are in the text."""
    answers, grounded = totals(tallies, ANSWERS), totals(tallies, GROUNDED)
    read = {ANSWERS: {status: int(answers[status]) for status in STATUSES}}
    shares = {side: grounded[f"{side}_found"] / grounded[side] for side in ("gold", "system") if grounded[side]}
    return {**read, GROUNDED: shares} if shares else read


class _SurplusTexts(list[str]):
    """The texts of values that only systems have; their positions count from `FIRST`."""

    FIRST = 1 << 31

    def has(self, start: Ints) -> Bools:
        is_surplus: Bools = start >= self.FIRST
        return is_surplus

    def text(self, start: int) -> str:
        return self[start - self.FIRST]


@dataclass(kw_only=True)
class RecordEvaluation(Evaluation):
    """The values of some documents and their verdicts."""

    surplus: _SurplusTexts = dataclass_field(default_factory=_SurplusTexts)

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(self.part.sentences) + self.part.offsets[0].first_document

    @cached_property
    def _shown(self) -> Part:
        """The part with the leaves of the gold standard as tokens, for display: `items[2].price: 12.50`."""
        documents, batches = iter(next(iter(self.pairs.values())).documents), []
        for batch in self.part.gold:
            size, lines = batch.corpus.sentences, batch.corpus.lines
            texts = [[text_of(leaf) for leaf in document.gold_leaves] for document in islice(documents, size)]
            bounds = np.append(0, np.cumsum(ints([len(leaves) for leaves in texts])))
            tokens = Tokens.of([text for leaves in texts for text in leaves])
            lines = np.repeat(lines[np.arange(size)], np.diff(bounds)) if len(lines) else lines
            corpus = replace(batch.corpus, bounds=bounds, tokens=tokens, lines=lines)
            batches.append(replace(batch, corpus=corpus))
        return replace(self.part, gold=batches)

    @cached_property
    def locations(self) -> Locations:
        return self._shown.locations(self.surplus)

    def predictions(self, by: str, pairs: Sequence[RecordPair]) -> Predictions:
        """Predictions of several systems for the same values.

        A unit is a leaf of the gold standard, or a value that only systems have: surplus, identified by document,
        field, value and number of the copy, which is TN under the systems that do not have it. A system's answer is its
        verdict with its field; answers with different values differ. TP and TN are right.

        Source: Tuggener 2017, section 2.
        """
        units = dict[tuple[int, int, str, int], int]()
        for at, document in enumerate(pairs[0].documents):
            for number, leaf in enumerate(document.gold_leaves):
                units[at, leaf.field.label, leaf.key, number] = len(units)
        texts, first = {"": 0}, self.surplus.FIRST + len(self.surplus) - len(units)
        rows: list[tuple[int, int, int, int, int]] = []
        for row, pair in enumerate(pairs):
            for at, document in enumerate(pair.documents):
                copies: defaultdict[tuple[int, str], Iterator[int]] = defaultdict(lambda: count(1))
                for number, leaf, gold, system in document.units():
                    verdict, field, text = leaf.verdict.partition(".")[0], leaf.field.label, 0
                    if gold is None:
                        number = -next(copies[field, leaf.key])
                    elif system is not None and verdict != "TP":
                        text = texts.setdefault(system.key, len(texts))
                    key = at, field, leaf.key, number
                    if key not in units:
                        units[key] = len(units)
                        self.surplus.append(text_of(leaf))
                    predicted = -1 if system is None else system.field.label
                    rows.append((row, units[key], CLASS_KINDS.index(verdict), predicted, text))
        row_of, unit_of, kind, label, detail = ints(rows).reshape(-1, 5).T
        shown = np.full((len(pairs), len(units)), answer_code(ints(_TN), ints(-1)))
        details = np.zeros_like(shown)
        shown[row_of, unit_of], details[row_of, unit_of] = answer_code(kind, label), detail
        sentence, own_label, start = ints([(at, field, number) for at, field, _, number in units]).reshape(-1, 3).T
        is_surplus = start < 0
        start = np.where(is_surplus, first + np.arange(len(units)), start)
        labels = {"label": own_label, "gold_label": np.tile(np.where(is_surplus, -1, own_label), (len(pairs), 1))}
        columns = {"sentence": sentence, "start": start, "end": start + 1, "part": np.full_like(shown, -1), **labels}
        predictions = Predictions.of_codes(shown, KINDS, (_TP, _TN), _TN, is_surplus=is_surplus, **columns)
        return replace(predictions, answer=shown * len(texts) + details)

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """The values of both sides; values that only the system has have no position."""
        rows = super().unit_rows(system, measure, formula)
        return replace(rows, is_error=np.array([kind not in formula.counts["TP"] for kind in rows.types])[rows.type])

    def drawing(self, by: str) -> SentenceView:
        """Rows of a string and the number of the gold leaf, or -1: texts, and values of systems with their verdicts."""
        pairs = list(self.pairs.values())
        name = pairs[0].labels.code
        texts = [(at, name(text), -1) for at, text in enumerate(pairs[0].texts) if text is not None]
        sides = [DrawnRows(*ints(texts).reshape(-1, 3).T)]
        for rows in map(list_verdicts, pairs):
            strings = {**rows.strings, **rows.matched_strings}
            kinds = enumerate(rows.types[code].partition(".")[0] for code in rows.type.tolist())
            label = ints([name(f"{kind}\t{strings.get(row, '')}") for row, kind in kinds])
            sides.append(DrawnRows(rows.sentence, label, rows.start))
        return SentenceView(sides)
