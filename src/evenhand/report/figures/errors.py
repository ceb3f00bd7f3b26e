"""How the errors of systems divide, as stacked bars: Figure 1 of Ortmann 2022, for every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.report.chain_tables import CHAIN_NAMES
from evenhand.report.figures.canvas import (
    FILLS,
    SMALL,
    Size,
    count_axis,
    joined,
    legend,
    named,
    remark,
    rows_of,
    sheet,
    text_width,
)
from evenhand.report.tables import ERROR_NAMES
from evenhand.result.result import Result, Results
from evenhand.scores.spans import ModelScore
from evenhand.settings import ARCS, ATTACHMENT
from evenhand.tally import NO_LABEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_TAGS = 6
"""How many tags have a part of each bar; the others share one."""
_ARCS_ERRORS = {"wl": "wrong antecedent", "fn": "missing antecedent", "fp": "spurious antecedent"}
_GAP, _OF_WIDTH = 0.5, 0.6
"""The space between systems, in bars, and about how much of the figure's width bars have."""


@dataclass(frozen=True)
class Bar:
    """The errors of one system under one match model, in the order of the kinds."""

    system: str
    model: str
    counts: Sequence[float]

    @property
    def total(self) -> float:
        return sum(self.counts)


@dataclass(frozen=True)
class ErrorBars:
    """All errors of all systems, by kind."""

    kinds: Sequence[str]
    bars: Sequence[Bar]
    remark: str = ""

    def without_empty(self, *optional: str) -> ErrorBars:
        """The same without these kinds, where no system has any."""
        kept = [
            place
            for place, kind in enumerate(self.kinds)
            if kind not in optional or any(bar.counts[place] for bar in self.bars)
        ]
        bars = [Bar(bar.system, bar.model, [bar.counts[place] for place in kept]) for bar in self.bars]
        return ErrorBars([self.kinds[place] for place in kept], bars, self.remark)


def draw(results: Results, size: Size, *, counts: bool) -> Figure:
    """A bar for each system and model; all of the same length, or as long as there are errors."""
    found = error_bars(results)
    places = list(_places(found.bars))
    row = 0.24 if len(found.bars) <= 16 else 0.19
    figure = sheet(size, 1.1 + row * (places[-1] + 1) + 0.15 * len(found.kinds) / 3)
    axes = figure.subplots()
    longest = (max(bar.total for bar in found.bars) if counts else 100.0) or 1.0
    scale = [1.0 if counts else 100 / (bar.total or 1) for bar in found.bars]
    inches = _OF_WIDTH * figure.get_figwidth() / longest
    for kind, name in enumerate(found.kinds):
        widths = [bar.counts[kind] * each for bar, each in zip(found.bars, scale, strict=True)]
        begins = [sum(bar.counts[:kind]) * each for bar, each in zip(found.bars, scale, strict=True)]
        colour, hatch = FILLS[kind]
        axes.barh(places, widths, 0.86, begins, color=colour, hatch=hatch, edgecolor="black", label=name)
        _figures(axes, places, widths, begins, inches)
    axes.set_xlim(0, longest)
    _totals(axes, found.bars, places, scale)
    rows_of(axes, _row_names(found.bars, 0.3 * figure.get_figwidth()), places)
    axes.set_xlabel("errors" if counts else "% of the errors")
    count_axis(axes, 6)
    legend(figure, [axes])
    if found.remark:
        remark(figure, found.remark)
    return figure


def _figures(
    axes: Axes, places: Sequence[float], widths: Sequence[float], begins: Sequence[float], inches: float
) -> None:
    """The lengths of parts in their middle, where there is room; `inches` is about the width of one unit."""
    box = {"facecolor": "white", "edgecolor": "none", "boxstyle": "round,pad=0.15", "alpha": 0.9}
    for place, width, begin in zip(places, widths, begins, strict=True):
        text = f"{width:,.0f}"
        if width and width * inches > text_width(text, SMALL) + 0.08:
            middle = (begin + width / 2, place)
            axes.text(*middle, text, ha="center", va="center_baseline", fontsize=SMALL - 0.5, bbox=box)


def _totals(axes: Axes, bars: Sequence[Bar], places: Sequence[float], scale: Sequence[float]) -> None:
    """How many errors there are, behind each bar."""
    for bar, place, each in zip(bars, places, scale, strict=True):
        axes.annotate(
            f"n = {bar.total:,.0f}",
            *((bar.total * each, place), (3, 0)),
            textcoords="offset points",
            va="center_baseline",
            fontsize=SMALL,
            annotation_clip=False,
        )


def _places(bars: Sequence[Bar]) -> Iterator[float]:
    """Where the bars stand: those of one system side by side."""
    place, before = -1.0, None
    for bar in bars:
        place += 1.0 if before in (None, bar.system) else 1.0 + _GAP
        before = bar.system
        yield place


def _row_names(bars: Sequence[Bar], inches: float) -> list[str]:
    """The system on the first of its bars, not wider than this, and the model."""
    names, before = [], None
    for bar in bars:
        name = named(bar.system, inches) if bar.system != before else ""
        names.append(joined(name, "   ", bar.model) if name and bar.model else name or bar.model)
        before = bar.system
    return names


def error_bars(results: Results) -> ErrorBars:
    """The errors by kind: types of spans, tags, heads and relations, or antecedents."""
    builders = {"spans": _of_spans, "tags": _of_tags, "trees": _of_trees, "chains": _of_chains}
    return builders[results.task](results)


def _of_spans(results: Results) -> ErrorBars:
    fair = [model for model in ("fair", "weighted") if model in results.models]
    if not fair:
        raise SettingError("The types of errors come from the match model fair; score with it too.")
    bars = []
    for name, result in results.items():
        if "exact" in results.models:
            overall = result["exact"].overall
            bars.append(Bar(name, "exact", [overall[kind] if kind in ("FN", "FP") else 0 for kind in ERROR_NAMES]))
        bars.append(Bar(name, fair[0], [result[fair[0]].overall[kind] for kind in ERROR_NAMES]))
    return ErrorBars([f"{kind}: {what}" for kind, what in ERROR_NAMES.items()], bars)


def _of_tags(results: Results) -> ErrorBars:
    """Wrong words by their tag in the gold standard, and words that only one side has."""
    wrong = {name: _wrong_by_label(_score(result, "accuracy")) for name, result in results.items()}
    together = sum(wrong.values(), Counter[str]())
    shown = sorted(together, key=lambda label: (-together[label], label))[:_MOST_TAGS]
    bars = []
    for name, result in results.items():
        mine = wrong[name]
        others = sum(mine.values()) - sum(mine[label] for label in shown)
        bars.append(Bar(name, "", [*(mine[label] for label in shown), others, *_one_sided(result["accuracy"])]))
    kinds = [*(named(label, 1.0) for label in shown), "other tags", "missing words", "extra words"]
    found = ErrorBars(kinds, bars, "Words with a wrong tag, by their tag in the gold standard.")
    return found.without_empty("other tags", "missing words", "extra words")


def _of_trees(results: Results) -> ErrorBars:
    bars = []
    for name, result in results.items():
        right = {model: _score(result, model).overall["correct"] for model in ATTACHMENT}
        missing, extra = _one_sided(result["ls"])
        head, relation = right["ls"] - right["las"], right["uas"] - right["las"]
        both = result["las"].overall["gold"] - right["las"] - head - relation - missing
        bars.append(Bar(name, "", [head, relation, both, missing, extra]))
    kinds = ["wrong head", "wrong relation", "both wrong", "missing words", "extra words"]
    return ErrorBars(kinds, bars).without_empty("missing words", "extra words")


def _of_chains(results: Results) -> ErrorBars:
    models = [model for model in ARCS if model in results.models]
    if not models:
        raise SettingError("The errors of chains come from the scores arcs_any and arcs_nom; score with one of them.")
    bars = [
        Bar(name, CHAIN_NAMES[model], [result[model].overall[kind] for kind in _ARCS_ERRORS])
        for name, result in results.items()
        for model in models
    ]
    return ErrorBars([f"{kind}: {what}" for kind, what in _ARCS_ERRORS.items()], bars)


def _score(result: Result, model: str) -> ModelScore:
    if model not in result.scores:
        raise SettingError(f"This figure takes the score {model}; score with {model} too.")
    return result[model]


def _wrong_by_label(score: ModelScore) -> Counter[str]:
    cells = score.confusion or {}
    return Counter(
        {
            gold: int(sum(count for system, count in row.items() if system != NO_LABEL))
            for gold, row in cells.items()
            if gold != NO_LABEL
        }
    )


def _one_sided(score: ModelScore) -> tuple[float, float]:
    """How many words only the gold standard has, and how many only the system."""
    cells = score.confusion or {}
    missing = sum(row.get(NO_LABEL, 0) for row in cells.values())
    return missing, sum(cells.get(NO_LABEL, {}).values())
