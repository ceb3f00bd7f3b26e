"""Results as CSV: one row a system, model and label, with `overall`, `macro` and `support` as rows of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from evenhand.result.comparison import Comparison
from evenhand.result.ranking import Ranking
from evenhand.result.result import Result, Results
from evenhand.scores.spans import Average, ModelScore, Row
from evenhand.settings import ARCS

_BEFORE = ("system", "model", "row", "label", "gold", "predicted")
"""`row` tells labels (`label`) from `overall`, `macro`, `support` and supertags, whatever labels are called."""
_ORDER = ("TP", "FP", "FN", "TN", "LE", "BE", "BES", "BEL", "BEO", "LBE")
"""Which counts come first, where there are such; others follow as their models have them."""
_SCORES = ("precision", "recall", "f1", "f_beta")
_PAIR_COLUMNS = ("from", "to", "units", "different", "delta", "p", "p_holm", "low", "high")
_TRANSITION_COLUMNS = ("class", "gold", "before", "after", "change", "count")
RANKING_COLUMNS = ("data", "system", "model", "score", "low", "high", "rank", "change")


def render(results: Results | Ranking | Comparison) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if isinstance(results, Comparison):
        writer.writerows(_transitions(results) if results.show is None else _units(results))
        return file.getvalue()
    if isinstance(results, Ranking):
        writer.writerow(RANKING_COLUMNS)
        for ranking in (results, *(results.data_sets or {}).values()):
            writer.writerows(_standings(ranking))
        return file.getvalue()
    rows = [score.overall for result in results.values() for score in result.scores.values()]
    met = dict.fromkeys(kind for row in rows for kind in row.counts if kind != "gold")
    counts = [*(kind for kind in _ORDER if kind in met), *(kind for kind in met if kind not in _ORDER)]
    more = list(dict.fromkeys(name for row in rows for name in row.more))
    writer.writerow([*_BEFORE, *counts, *_SCORES, *more])
    for result in results.values():
        for score in result.scores.values():
            writer.writerows(_rows(result, score, counts, more))
    return file.getvalue()


def _rows(result: Result, score: ModelScore, counts: Sequence[str], more: Sequence[str]) -> Iterator[list[object]]:
    name, gold = (result.name, score.name), result.gold

    def cells(row: Average) -> list[object]:
        known = {**row.counts, **row.more} if isinstance(row, Row) else {}
        values = {each: known.get(each) for each in (*counts, *more)}
        shown = {each: "" if value is None else value for each, value in values.items()}
        scores = [row.precision, row.recall, row.f1, row.f_beta]
        return [*(shown[kind] for kind in counts), *scores, *(shown[each] for each in more)]

    has_means = bool(score.labels) and score.name not in ARCS  # over types of mentions these would mean little
    yield [*name, "overall", "", gold.units, result.units, *cells(score.overall)]
    for kind, average in (("macro", score.macro), ("support", score.support)) if has_means else ():
        yield [*name, kind, "", "", "", *cells(average)]
    for label, row in score.labels.items():
        yield [*name, "label", label, gold.labels.get(label, 0), result.labels.get(label, 0), *cells(row)]
    for part, row in score.overall.parts.items():
        yield [*name, "part", part, "", "", *cells(row)]
    for tag, row in score.supertags.items():
        yield [*name, "supertag", tag, "", "", *cells(row)]
    for distance, row in score.distances.items():
        yield [*name, "distance", distance, row.counts["gold"], row.counts["system"], *cells(row)]
    if score.sentences is not None:
        correct, total = score.sentences.correct, score.sentences.total
        nothing = [""] * (len(cells(score.overall)) - counts.index("correct") - 1)
        yield [*name, "sentences", "", total, "", *[""] * counts.index("correct"), correct, *nothing]


def _transitions(comparison: Comparison) -> Iterator[list[object]]:
    """A row a transition of every pair, with the figures of the pair beside it."""
    yield [*_PAIR_COLUMNS, *_TRANSITION_COLUMNS]
    for pair in comparison.pairs.values():
        test = pair.significance
        figures: list[object] = [pair.before, pair.after, pair.size, pair.different, pair.delta]
        figures += ["", ""] if test is None else [test.p, test.p_holm]
        figures += pair.interval or ("", "")
        rows = [(name, each) for name, found in pair.classes.items() for each in found.transitions]
        for name, each in rows:
            yield [*figures, name, each.gold, each.before, each.after, each.change, each.count]
        if not rows:
            yield [*figures, *[""] * len(_TRANSITION_COLUMNS)]


def _units(comparison: Comparison) -> Iterator[list[object]]:
    """A row a unit that was asked for."""
    plain = ("kind", "from", "to", "place", "document", "sentence", "start", "end", "words", "gold")
    yield [*plain, *comparison.systems, "text"]
    for unit in comparison.shown_units:
        row = unit.to_dict()
        yield [*(row[name] for name in plain), *(unit.answers[name] for name in comparison.systems), row["text"]]


def _standings(ranking: Ranking) -> Iterator[list[object]]:
    for system in ranking.systems:
        for model in ranking.models:
            standing = ranking[model][system]
            low, high = standing.interval or ("", "")
            yield [ranking.name, system, model, standing.score, low, high, standing.rank, standing.change]
