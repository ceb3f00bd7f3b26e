"""Evaluation of constituents and comparison of systems; sentences are matched by order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.alignment.parts import Alignment
from evenhand.arrays import Bools, Ints
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.settings import POS_TAGS
from evenhand.tasks.constituents.evalb import ERROR, SKIP, Forest, ForestFollower, Selection, comparable_sentences
from evenhand.tasks.constituents.parseval import BracketPair, in_text, kept_brackets, match_brackets
from evenhand.tasks.constituents.task import LEFT_OUT, MENDED, SENTENCE_KINDS, UNSCORED, counts_errors
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, LabelFilter, Part, SideSummary
from evenhand.tasks.spans.comparison import span_predictions
from evenhand.tasks.spans.matching import Matching, SpanMatches
from evenhand.tasks.spans.measures import FN, TP
from evenhand.tasks.units import DrawnRows, Predictions, SentenceView, answer_code, answer_parts

_STATUS = {ERROR: "error", SKIP: "skip"}


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems, to be read in step; a part is one batch of the gold standard."""
    systems = request.sides.systems.items()
    followers = {name: ForestFollower(open_side(), request.vocabulary) for name, open_side in systems}
    return Alignment(request.sides.gold(), followers)


def evaluate(part: Part, request: EvaluationRequest) -> ConstituentEvaluation:
    """Count the brackets of a part under all scorers, one system after the other."""
    settings, vocabulary = request.settings, request.vocabulary
    selection = Selection(settings["prm"], vocabulary.columns[POS_TAGS], vocabulary)
    gold = Forest.concatenate([Forest.of(batch, vocabulary) for batch in part.gold])
    gold_spans = LabelFilter(settings, "gold", "gold")(gold.brackets)
    evaluation = ConstituentEvaluation(part=part)
    _count(gold, gold_spans, selection, evaluation.gold_count)
    for name, system in part.systems.items():
        spans, summary = LabelFilter(settings, "system", name)(system.brackets), evaluation.system_counts[name]
        _count(system, spans, selection, summary)
        sentences = comparable_sentences(gold, system, selection)
        pair = BracketPair(sentences, (gold_spans, spans), selection, part.groups, settings["cutoff"])
        tallies = {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count is not None}
        evaluation.tallies[name] = tallies | {LEFT_OUT: _tally_left_out(pair, part)}
        for status, count_name in _STATUS.items():
            summary.noted[count_name] = int(np.count_nonzero(sentences.status == status))
        summary.noted[MENDED] = len(sentences.mended)
        if request.keep_units:
            evaluation.pairs[name] = pair
    return evaluation


def _count(forest: Forest, spans: Spans, selection: Selection, summary: SideSummary) -> None:
    """Count the brackets of a side in all sentences, regardless of their status."""
    everywhere = np.ones(len(forest), dtype=np.bool_)
    kept = kept_brackets(forest, spans, selection.keeps_words(forest), everywhere, selection)
    summary.add(kept.label, spans.vocabulary.labels.values)


def _tally_left_out(pair: BracketPair, part: Part) -> Tally:
    """The sentences that are left out: locations as gold labels, reasons as labels of the system."""
    names: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    for sentence, reason in sorted(pair.sentences.reasons.items()):
        location = pair.sentences.system.location(sentence) or f"sentence {part.offsets[0].sentences + sentence + 1}"
        codes = [names.setdefault(text, len(names)) for text in (location, reason)]
        status = _STATUS[int(pair.sentences.status[sentence])]
        rows.append((int(part.groups[sentence]), *codes, SENTENCE_KINDS.index(status)))
    return Tally.of(tuple(names), SENTENCE_KINDS, *np.array(rows, dtype=np.int64).reshape(-1, 4).T)


@dataclass(kw_only=True)
class ConstituentEvaluation(Evaluation):
    """The brackets of a part and their error types."""

    @cached_property
    def _compared(self) -> dict[bool, ComparedBrackets]:
        """The brackets of all systems, by whether sentences with errors count."""
        pairs = list(self.pairs.values())
        return {counts_errors: ComparedBrackets(pairs, counts_errors) for counts_errors in (False, True)}

    def predictions(self, by: str, pairs: Sequence[BracketPair]) -> Predictions:
        return ComparedBrackets(pairs, counts_errors(by)).predictions

    def units(self, by: str) -> Predictions:
        return self._compared[counts_errors(by)].predictions

    def answers(self, by: str) -> Predictions:
        """Predictions in sentences in which all systems are scored."""
        compared, predictions = self._compared[counts_errors(by)], self.units(by)
        return predictions.take(np.logical_and.reduce(compared.is_scored, axis=0)[predictions.sentence])

    def drawing(self, by: str) -> SentenceView:
        """Rows of label, start, end and a mark.

        The mark of a gold bracket is the number of systems that miss it; the mark of a system's bracket is 1 if it is
        wrong.
        """
        compared = self._compared[counts_errors(by)]
        missed, sides = np.zeros(len(compared.gold), dtype=np.int64), []
        for system, matching, rows in compared.matched:
            missed[rows[matching.gold_kind != TP]] += 1
            sides.append((system, (matching.system_kind != TP).astype(np.int64)))
        in_text = [(compared.in_text(spans), mark) for spans, mark in ((compared.gold, missed), *sides)]
        return SentenceView([DrawnRows(side.scope, side.label, side.start, side.end, mark) for side, mark in in_text])


@dataclass(frozen=True)
class ComparedBrackets:
    """The brackets of the gold standard and of several systems, and their matching."""

    pairs: Sequence[BracketPair]
    counts_errors: bool = False
    """Whether sentences that a system failed on count as wrong; else they are left out."""

    @cached_property
    def _keep(self) -> Bools:
        """The kept words of the gold standard, with the quotes that the first system put back."""
        first = self.pairs[0]
        keep = first.selection.keeps_words(first.sentences.gold)
        for pair in reversed(self.pairs):
            for sentence in pair.sentences.mended:
                if pair.sentences.valid[sentence]:
                    words = slice(*pair.sentences.gold.bounds[sentence : sentence + 2].tolist())
                    keep[words] = pair.sentences.keep_gold[words]
        return keep

    @cached_property
    def _matchable(self) -> Bools:
        """For every system, the valid sentences in which it is scored on these words."""
        rows = []
        for pair in self.pairs:
            gold = pair.sentences.gold
            other = np.bincount(gold.sentence_of[pair.sentences.keep_gold != self._keep], minlength=len(gold))
            rows.append(pair.sentences.valid & (other == 0))
        return np.array(rows)

    @cached_property
    def is_scored(self) -> Bools:
        if not self.counts_errors:
            return self._matchable
        failed: Bools = np.array([pair.sentences.failed for pair in self.pairs])
        return self._matchable | failed

    @cached_property
    def gold(self) -> Spans:
        """The brackets of the gold standard in sentences in which some system is scored."""
        first = self.pairs[0]
        scored: Bools = np.logical_or.reduce(self.is_scored, axis=0)
        return kept_brackets(first.sentences.gold, first.spans[0], self._keep, scored, first.selection)

    @cached_property
    def matched(self) -> list[tuple[Spans, Matching, Ints]]:
        """For every system, its brackets, their matching, and the rows of the gold standard that were matched."""
        matched = []
        for pair, scored, matchable in zip(self.pairs, self.is_scored, self._matchable, strict=True):
            sentences, selection = pair.sentences, pair.selection
            system = kept_brackets(sentences.system, pair.spans[1], sentences.keep_system, scored, selection)
            rows = np.flatnonzero(matchable[self.gold.scope])  # words of other sentences differ
            matched.append((system, match_brackets(self.gold.take(rows), system, selection), rows))
        return matched

    def in_text(self, spans: Spans) -> Spans:
        """Brackets of either side, with positions that count all words of the gold standard."""
        return in_text(spans, self._keep, self.pairs[0].sentences.gold.bounds)

    @cached_property
    def predictions(self) -> Predictions:
        """Predictions of every system for every unit; unscored in sentences that it is not scored on."""
        matches = [(self.in_text(system), self._matches(matching, rows)) for system, matching, rows in self.matched]
        predictions = span_predictions(self.in_text(self.gold), matches)
        unscored = ~self.is_scored[:, predictions.sentence]
        shown = np.where(unscored, answer_code(np.array(UNSCORED), np.array(-1)), predictions.shown)
        kind, predicted = answer_parts(shown)
        return replace(
            predictions,
            answer=shown,
            shown=shown,
            right=predictions.right & ~unscored,
            part=np.where(unscored, -1, predictions.part),
            gold_label=np.where(unscored, -1, predictions.gold_label),
            predicted=predicted,
            verdict=kind,
        )

    def _matches(self, matching: Matching, rows: Ints) -> SpanMatches:
        """Error types of all brackets of the gold standard, of which these rows were matched."""
        matches, size = matching.matches(), len(self.gold)
        partner, kind = np.full(size, -1), np.full(size, FN)
        partner[rows], kind[rows] = matches.system[: len(rows)], matches.kind[: len(rows)]
        surplus = slice(len(rows), None)
        gold = np.append(np.arange(size), np.append(rows, -1)[matches.gold[surplus]])
        nothing = np.zeros(len(gold), dtype=np.int64)
        kinds, system = np.append(kind, matches.kind[surplus]), np.append(partner, matches.system[surplus])
        return SpanMatches(kinds, gold, system, nothing, nothing)
