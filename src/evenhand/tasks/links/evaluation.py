"""Evaluation of entity links and comparison of systems; documents are matched by name and scored, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.alignment.documents import names_of
from evenhand.alignment.links import LinkFollower
from evenhand.alignment.parts import Alignment, Batches
from evenhand.arrays import Ints, empty, ints
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek, same_atoms
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import no_spans, to_documents
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula, Measure
from evenhand.settings import LINKS, ReadSettings, ScoreSettings
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, LabelFilter, Open, Part, ScoreFilter, SideSummary
from evenhand.tasks.links import task as kinds
from evenhand.tasks.links.error_types import by_identifier, link_kinds, match_links
from evenhand.tasks.links.hipe import HipeMatches
from evenhand.tasks.links.matching import RESPELLED, UNLINKED, Identifiers, Linked, LinkPair, LinkRules
from evenhand.tasks.links.task import aliases_of
from evenhand.tasks.spans.comparison import drawn_spans, span_predictions
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import DrawnRows, Predictions, SentenceView, answer_code

_MANY_LINKS = 1 << 12
"""Number of documents and links in a part, large enough to make the cost of a call negligible."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems; documents are matched by name."""
    settings, systems = request.settings, request.sides.systems
    opened = [request.sides.gold(), *(system() for system in systems.values())]
    gold, *streams = same_atoms(opened, "characters" if settings.align == "characters" else "strict")

    def open_gold() -> Iterator[Annotation]:
        return _with_other_documents(request.sides.gold(), list(systems.values()))

    followers = {
        name: LinkFollower(stream, (system, open_gold), strict=settings.align != "position")
        for (name, system), stream in zip(systems.items(), streams, strict=True)
    }
    names: dict[str, str] = {}
    gold = _named(_with_other_documents(gold, list(systems.values())), names)
    return Alignment(gold, followers, _is_full, document_files=names)


def _is_full(batches: Batches) -> bool:
    return sum(len(batch.spans(LINKS)) + len(batch.corpus.documents) for batch in batches) >= _MANY_LINKS


def _named(gold: Iterator[Annotation], names: dict[str, str]) -> Iterator[Annotation]:
    """The batches of the gold standard, whose documents are added to `names`; those without a name are numbered."""
    for batch in gold:
        for name in _document_names(batch):
            names.setdefault(name or str(len(names) + 1), batch.corpus.source)
        yield batch


def labeled_links(
    annotation: Annotation, layer: str, read_as: ReadSettings, settings: ScoreSettings, vocabulary: Vocabulary
) -> tuple[Spans]:
    """The linked spans of an annotation, whose labels are their identifiers."""
    spans, identifiers = annotation.spans(LINKS).into(vocabulary), Identifiers()
    linked = identifiers.linked(spans, LinkRules(aliases_of(settings["same_ids"], "gold"), (), only_first=True))
    code = vocabulary.labels.codes(identifiers.names.values)
    return (replace(linked.spans, label=code[linked.answer]),)


def evaluate(part: Part, request: EvaluationRequest) -> LinkEvaluation:
    """Count the links of a part under all scorers, one system after the other."""
    corpus, identifiers = Corpus.concatenate([batch.corpus for batch in part.gold]), Identifiers()
    spans = to_documents(part.spans(LINKS, request.vocabulary), corpus.documents, corpus.bounds)
    gold_mentions, gold_count = _linked(spans, "gold", "gold", request, identifiers)
    gold = _without_blanks(gold_mentions)
    names = AnswerNames(identifiers, request.vocabulary.labels)
    evaluation = LinkEvaluation(part=part, gold_count=gold_count, corpus=corpus, gold=gold, names=names)
    for name, spans in part.systems.items():
        mentions, summary = _linked(spans.into(request.vocabulary), "system", name, request, identifiers)
        system = _without_blanks(mentions)
        has_blanks = len(gold) < len(gold_mentions) or len(system) < len(mentions)
        pair = LinkPair(gold, system, evaluation.groups, (gold_mentions, mentions) if has_blanks else None)
        tallies = {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count is not None}
        evaluation.tallies[name] = tallies | pair.extra_tallies
        respelled = (matches.respelled for matches in pair.cached_values(HipeMatches))
        summary.noted[RESPELLED] = max(respelled, default=0)
        evaluation.system_counts[name] = summary
        if request.keep_units:
            evaluation.pairs[name] = pair
    return evaluation


def _without_blanks(mentions: Linked) -> Linked:
    return mentions.take(~mentions.blank) if mentions.blank.any() else mentions


def _linked(
    spans: Spans, side: str, name: str, request: EvaluationRequest, identifiers: Identifiers
) -> tuple[Linked, SideSummary]:
    """The spans of one side that have links, if only empty ones, and the number of links by label."""
    settings, tables = request.settings, request.tables
    aliases = f"replacements of {side} identifiers"
    if aliases not in tables:
        tables[aliases] = aliases_of(settings["same_ids"], side)
    nil_labels = settings["nil_labels"] if side == "system" else ()
    kept = LabelFilter(settings, side, name)(spans)
    linked = identifiers.linked(kept, LinkRules(tables[aliases], nil_labels, only_first=side == "gold"))
    summary, unlinked = SideSummary(), len(kept) - int(np.count_nonzero(~linked.blank))
    if side == "system":
        score, rows = ScoreFilter(request, name)(linked.spans.score, linked.spans.label, summary)
        linked = linked if score is None else replace(linked, spans=replace(linked.spans, score=score))
        linked = linked if rows is None else linked.take(rows)
    elif linked.spans.score is not None:
        summary.scored = int(np.count_nonzero(~np.isnan(linked.spans.score)))
        linked = replace(linked, spans=replace(linked.spans, score=None))
    summary.add(linked.spans.label[~linked.blank], spans.vocabulary.labels.values)
    summary.noted[UNLINKED] = unlinked
    return linked, summary


def _with_other_documents(gold: Iterator[Annotation], systems: Sequence[Open]) -> Iterator[Annotation]:
    """The batches of a gold standard; if it has no texts, followed by the documents that only systems have."""
    first, gold = peek(gold)
    # Without texts: it counts the characters of texts that it does not have, and names their documents.
    if first is None or first.corpus.atoms != "characters" or first.corpus.bounds is not None or not first.corpus.names:
        yield from gold
        return
    known = set(_document_names(first))
    for batch in gold:
        known.update(_document_names(batch))
        yield batch
    names = dict.fromkeys(name for system in systems for batch in system() for name in _document_names(batch))
    others = tuple(name for name in names if name and name not in known)
    if others:
        documents = np.arange(len(others))
        corpus = replace(first.corpus, sentences=len(others), lines=empty(), documents=documents, names=others)
        yield replace(first, corpus=corpus, layers={LINKS: no_spans(first.spans(LINKS).vocabulary)})


def _document_names(batch: Annotation) -> list[str]:
    names = names_of(batch.corpus)
    return names.texts(0, len(names))


@dataclass(kw_only=True)
class LinkEvaluation(Evaluation):
    """The links of some documents of the gold standard."""

    corpus: Corpus
    """All batches of the part."""
    gold: Linked
    names: AnswerNames

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self.corpus.documents)) + self.part.offsets[0].first_document

    def predictions(self, by: str, pairs: Sequence[LinkPair]) -> Predictions:
        return link_predictions(self.gold, pairs, self.corpus, self.names)

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """Links with identifiers as labels; positions in documents become positions in sentences."""
        rows = super().unit_rows(system, measure, formula).in_sentences(self.corpus)
        code = np.append(self.names.labels.codes(self.names.identifiers.names.values), -1)
        return replace(rows, gold_label=code[rows.gold_label], predicted=code[rows.predicted])

    def drawing(self, by: str) -> SentenceView:
        """Spans with their identifiers as labels."""
        return SentenceView(list(map(self._drawn, (self.gold, *(pair.system for pair in self.pairs.values())))))

    def _drawn(self, side: Linked) -> DrawnRows:
        names, labels = self.names.identifiers.names, self.names.labels
        codes = {code: labels.code(names[code]) for code in set(side.answer.tolist())}
        sentence, start = self.corpus.in_sentences(side.spans.scope, side.spans.start)
        end = side.spans.end - side.spans.start + start
        if self.corpus.lengths is not None:  # a system's span may extend into the next sentence
            end = np.minimum(end, self.corpus.lengths[sentence])
        label = np.array([codes[code] for code in side.answer.tolist()], dtype=np.int64)
        return drawn_spans(replace(side.spans, scope=sentence, start=start, end=end, label=label))


@dataclass(frozen=True)
class AnswerNames:
    """The names of answers, such as `Q5 for Q90`, as codes of labels that all files share."""

    identifiers: Identifiers
    labels: StringIndex[str]

    def codes(self, kind: Ints, gold: Ints, system: Ints) -> Ints:
        """The name of each answer: the system's identifier and, if that is wrong, the right one; -1 for none."""
        names = self.identifiers.names
        wrong = np.isin(kind, (kinds.OTHER, kinds.MISSED, kinds.OVER, kinds.LBE))
        codes = np.full(kind.shape, -1)
        columns = (column.ravel().tolist() for column in (kind, gold, system, wrong))
        for at, (error_type, expected, predicted, is_wrong) in enumerate(zip(*columns, strict=True)):
            if error_type not in (kinds.FN, kinds.TN) and predicted >= 0:
                right = f" for {names[expected]}" if is_wrong and expected >= 0 else ""
                codes.flat[at] = self.labels.code(names[predicted] + right)
        return codes


def link_predictions(gold: Linked, pairs: Sequence[LinkPair], corpus: Corpus, names: AnswerNames) -> Predictions:
    """Predictions of several systems for the same links.

    A unit is a link of the gold standard, or one that was not matched with a gold link: surplus, which is TN under the
    systems that do not have it. A system's answer is its error type under `fair`, with its identifier and, if that is
    wrong, the right one: `LE.other Q5 for Q90`. TP and TN are right. Units have the labels of their spans. Tables of
    transitions sum over identifiers.

    Sources: Tuggener 2017, section 2; Ortmann 2022 for the error types.
    """
    matches = [(by_identifier(pair.system), pair.cached(match_links)) for pair in pairs]
    predictions = span_predictions(by_identifier(gold), matches)
    expected = predictions.gold_label
    kind = link_kinds(predictions.kind, expected, predictions.predicted)
    name = names.codes(kind, expected, predictions.predicted)
    code = answer_code(kind, name)
    label = np.append(gold.spans.label, _surplus_labels(predictions, pairs, len(gold)))
    target = names.labels.codes(names.identifiers.names.values)[predictions.label]
    sentence, start = corpus.in_sentences(predictions.sentence, predictions.start)
    shift = predictions.start - start
    bounds = predictions.part
    return replace(
        predictions,
        label=label,
        answer=code,
        shown=code,
        part=np.where(bounds >= 0, ((bounds >> 32) - shift << 32) | ((bounds & 0xFFFFFFFF) - shift), -1),
        sentence=sentence,
        start=start,
        end=predictions.end - shift,
        gold_label=np.where(expected < 0, -1, _gold_labels(gold, predictions, label)),
        predicted=name,
        kinds=kinds.KINDS,
        verdict=kind,
        target=target,
    )


def _gold_labels(gold: Linked, predictions: Predictions, label: Ints) -> Ints:
    """The label that an error counts for: the unit's label; of surplus, the label of the gold link it overlaps."""
    labels = np.tile(label, (predictions.systems, 1))
    columns = (gold.spans.scope, gold.spans.start, gold.spans.end)
    rows = {bounds: row for row, bounds in enumerate(zip(*(column.tolist() for column in columns), strict=True))}
    scope = predictions.sentence.tolist()
    for system, unit in zip(*np.nonzero(predictions.is_surplus & (predictions.gold_label >= 0)), strict=True):
        bounds = int(predictions.part[system, unit])
        row = rows.get((scope[unit], bounds >> 32, bounds & 0xFFFFFFFF))
        if row is not None:
            labels[system, unit] = gold.spans.label[row]
    return labels


def _surplus_labels(predictions: Predictions, pairs: Sequence[LinkPair], first: int) -> Ints:
    """The labels of surplus spans, from the first system that has each."""
    labels: dict[tuple[int, ...], int] = {}
    for pair in reversed(pairs):
        spans = pair.system.spans
        columns = (spans.scope, spans.start, spans.end, pair.system.answer, spans.label)
        for *key, label in zip(*(column.tolist() for column in columns), strict=True):
            labels[tuple(key)] = label
    units = (predictions.sentence, predictions.start, predictions.end, predictions.label)
    return ints([labels[key] for key in zip(*(column[first:].tolist() for column in units), strict=True)])
