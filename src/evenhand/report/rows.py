"""Results as named columns and rows, with numbers as numbers: what CSV and data frames are made of.

Scores have a row a system, model and label, with `overall`, `macro` and `support` as rows of their own; comparisons a
row a transition of every pair or, where units were asked for, a row a unit; rankings a row a system and model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from evenhand.dataclass import dataclass
from evenhand.report.agreement_rows import COLUMNS, agreement_rows
from evenhand.result.agreement import Agreement
from evenhand.result.comparison import Comparison
from evenhand.result.display import Framed
from evenhand.result.ranking import Ranking
from evenhand.result.result import Result, Results
from evenhand.scores.model_score import ModelScore
from evenhand.scores.row import Average, Row

Value = str | float | None
Kind = Literal["text", "count", "number"]
"""Counts are whole numbers, unless weights make them fractions."""
Columns = Mapping[str, Kind]

_TEXT: Kind = "text"
_COUNT: Kind = "count"
_NUMBER: Kind = "number"
_BEFORE: Columns = {
    **dict.fromkeys(("system", "model", "row", "label"), _TEXT),
    **dict.fromkeys(("gold", "predicted"), _COUNT),
}
"""`row` tells labels (`label`) from `overall`, `macro`, `support` and supertags, whatever labels are called."""
_ORDER = ("TP", "FP", "FN", "TN", "LE", "BE", "BES", "BEL", "BEO", "LBE")
"""Which counts come first, where there are such; others follow as their models have them."""
_NAMES = {"system": "found"}
"""The columns of counts whose names others have."""
_SCORES = ("precision", "recall", "f1", "f_beta")
_HEADLINE = "headline"
"""The value of a model: in the row `overall`, and in all rows of a model that is one share, such as an accuracy."""
_TRANSITION: Columns = {
    **dict.fromkeys(("from", "to"), _TEXT),
    **dict.fromkeys(("units", "different"), _COUNT),
    **dict.fromkeys(("delta", "p", "p_holm", "low", "high"), _NUMBER),
    **dict.fromkeys(("class", "gold", "before", "after", "change"), _TEXT),
    "count": _COUNT,
}
_UNIT: Columns = {
    **dict.fromkeys(("kind", "from", "to", "place"), _TEXT),
    "document": _COUNT,
    "document_name": _TEXT,
    **dict.fromkeys(("sentence", "start", "end"), _COUNT),
    "positions": _TEXT,
    **dict.fromkeys(("token_start", "token_end"), _COUNT),
    **dict.fromkeys(("parts", "text_place", "words", "gold"), _TEXT),
}
_STANDING: Columns = {
    **dict.fromkeys(("data", "system", "model"), _TEXT),
    **dict.fromkeys(("score", "low", "high"), _NUMBER),
    **dict.fromkeys(("rank", "change"), _COUNT),
    "cluster": _TEXT,
}


@dataclass(frozen=True)
class Rows:
    """Columns by name, and rows with a value for each of them; None where there is none."""

    columns: Columns
    rows: Sequence[Sequence[Value]]


def rows_of(subject: Framed) -> Rows:
    """All rows of a result; None for scores that are undefined."""
    found = _rows_of(subject)
    return Rows(found.columns, [[None if value != value else value for value in row] for row in found.rows])


def _rows_of(subject: Framed) -> Rows:
    if isinstance(subject, Agreement):
        numbers = ("value", "low", "high")
        return Rows({name: _NUMBER if name in numbers else _TEXT for name in COLUMNS}, list(agreement_rows(subject)))
    if isinstance(subject, Comparison):
        return Rows(_TRANSITION, list(_transitions(subject))) if subject.show is None else _units(subject)
    if isinstance(subject, Ranking):
        rankings = (subject, *(subject.data_sets or {}).values())
        return Rows(_STANDING, [row for ranking in rankings for row in _standings(ranking)])
    if isinstance(subject, Result):
        return _scores(Results({subject.name: subject}))
    if isinstance(subject, Results):
        return _scores(subject)
    raise TypeError(f"{type(subject).__name__} has no rows")


def _scores(results: Results) -> Rows:
    overall = [score.overall for result in results.values() for score in result.scores.values()]
    met = dict.fromkeys(kind for row in overall for kind in row.counts if kind != "gold")
    counts = [
        _NAMES.get(kind, kind) for kind in (*(k for k in _ORDER if k in met), *(k for k in met if k not in _ORDER))
    ]
    more = [name for row in overall for name in row.more]
    columns = {
        **_BEFORE,
        **dict.fromkeys(counts, _COUNT),
        **dict.fromkeys((_HEADLINE, *_SCORES, *more), _NUMBER),
    }
    found = (
        row for result in results.values() for score in result.scores.values() for row in _rows_of_score(result, score)
    )
    return Rows(columns, [[row.get(name) for name in columns] for row in found])


def _rows_of_score(result: Result, score: ModelScore) -> Iterator[dict[str, Value]]:
    """The rows of one system and model, as far as they have values."""
    gold = result.gold

    def row(kind: str, found: Average, label: str | None = None, **sizes: float | None) -> dict[str, Value]:
        figures = _values(found, has_scores=not score.model.is_measured and not score.model.is_one_share)
        if score.model.is_one_share:
            figures[_HEADLINE] = found.recall
        return {"system": result.name, "model": score.name, "row": kind, "label": label, **sizes, **figures}

    yield {**row("overall", score.overall, gold=gold.units, predicted=result.units), _HEADLINE: score.headline}
    if score.labels and score.model.details == "all":
        yield row("macro", score.macro)
        yield row("support", score.support)
    for label, each in score.labels.items():
        is_unit = label in gold.labels or label in result.labels  # tags of words are not labels of brackets
        counts = (gold.labels.get(label, 0), result.labels.get(label, 0)) if is_unit else (None, None)
        yield row("label", each, label, gold=counts[0], predicted=counts[1])
    for kind, rows in (("part", score.overall.parts), ("supertag", score.supertags)):
        for name, each in rows.items():
            yield row(kind, each, name)
    for distance, each in score.distances.items():
        yield row("distance", each, distance, gold=each.counts["gold"], predicted=each.counts["system"])
    if score.sentences is not None:
        whole = {"gold": score.sentences.total, "correct": score.sentences.correct}
        yield {"system": result.name, "model": score.name, "row": "sentences", **whole}


def _values(found: Average, *, has_scores: bool) -> dict[str, Value]:
    scores: dict[str, Value] = {name: getattr(found, name) for name in _SCORES} if has_scores else {}
    if not isinstance(found, Row):
        return scores
    counts = {_NAMES.get(kind, kind): count for kind, count in found.counts.items() if kind != "gold"}
    return {**counts, **scores, **found.more}


def _transitions(comparison: Comparison) -> Iterator[list[Value]]:
    """A row a transition of every pair, with the figures of the pair beside it; one for a pair without any."""
    for pair in comparison.pairs.values():
        test = pair.significance
        figures: list[Value] = [pair.before, pair.after, pair.size, pair.different, pair.delta]
        figures += [None, None] if test is None else [test.p, test.p_holm]
        figures += pair.interval or (None, None)
        rows = [(name, each) for name, found in pair.classes.items() for each in found.transitions]
        for name, each in rows:
            yield [*figures, name, each.gold, each.before, each.after, each.change or None, each.count]
        if not rows:
            yield [*figures, *[None] * (len(_TRANSITION) - len(figures))]


def _units(comparison: Comparison) -> Rows:
    """A row a unit that was asked for, with a column a system for what it says."""
    names = {name: f"system:{name}" if name in (*_UNIT, "text") else name for name in comparison.systems}
    rows = []
    for unit in comparison.shown_units:
        row = unit.to_dict()
        row["parts"] = None if unit.parts is None else " ".join(f"{start}-{end}" for start, end in unit.parts)
        rows.append([*(row.get(name) for name in _UNIT), *(unit.answers[name] for name in names), row["text"]])
    return Rows({**_UNIT, **dict.fromkeys(names.values(), _TEXT), "text": _TEXT}, rows)


def _standings(ranking: Ranking) -> Iterator[list[Value]]:
    for system in ranking.systems:
        for model in ranking.models:
            standing = ranking[model][system]
            bounds = standing.interval or (None, None)
            figures = [standing.score, *bounds, standing.rank, standing.change]
            yield [ranking.name, system, model, *figures, ranking.cluster(model, system)]
