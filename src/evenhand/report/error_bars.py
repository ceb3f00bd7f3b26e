"""How the errors of systems divide, as data for figures and pages: Figure 1 of Ortmann 2022, for every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.problems import SettingError
from evenhand.report.tables import ERROR_NAMES
from evenhand.result.result import Result, Results
from evenhand.scores.model_score import ModelScore
from evenhand.tally import NO_LABEL
from evenhand.tasks.chains.kinds import ARCS
from evenhand.tasks.trees.models import ATTACHMENT
from evenhand.tasks.words.kinds import EXTRA, MISSING, TREE_KINDS

_MOST_TAGS = 6
"""How many tags have a part of each bar; the others share one."""
_ARCS_ERRORS = {"wl": "wrong antecedent", "fn": "missing antecedent", "fp": "spurious antecedent"}


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
class ErrorKind:
    """What a part of a bar stands for."""

    name: str
    """What readers call it."""
    verdict: str | None
    """The verdict of its units; None where these have several."""
    label: str | None = None
    """The gold label of its units, where that tells the kind."""


@dataclass(frozen=True)
class ErrorBars:
    """All errors of all systems, by kind."""

    kinds: Sequence[ErrorKind]
    bars: Sequence[Bar]
    remark: str = ""

    def without_empty(self, *optional: str) -> ErrorBars:
        """The same without these kinds, where no system has any."""
        kept = [
            place
            for place, kind in enumerate(self.kinds)
            if kind.name not in optional or any(bar.counts[place] for bar in self.bars)
        ]
        bars = [Bar(bar.system, bar.model, [bar.counts[place] for place in kept]) for bar in self.bars]
        return ErrorBars([self.kinds[place] for place in kept], bars, self.remark)


_ONE_SIDED = (ErrorKind("missing words", MISSING), ErrorKind("extra words", EXTRA))


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
    return ErrorBars([ErrorKind(f"{kind}: {what}", kind) for kind, what in ERROR_NAMES.items()], bars)


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
    kinds = [*(ErrorKind(label, "wrong", label) for label in shown), ErrorKind("other tags", None), *_ONE_SIDED]
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
    names = ("wrong head", "wrong relation", "both wrong")
    kinds = [ErrorKind(name, verdict) for name, verdict in zip(names, TREE_KINDS[1:], strict=True)]
    return ErrorBars([*kinds, *_ONE_SIDED], bars).without_empty("missing words", "extra words")


def _of_chains(results: Results) -> ErrorBars:
    models = [model for model in ARCS if model in results.models]
    if not models:
        raise SettingError("The errors of chains come from the scores arcs_any and arcs_nom; score with one of them.")
    bars = [
        Bar(name, model, [result[model].overall[kind] for kind in _ARCS_ERRORS])
        for name, result in results.items()
        for model in models
    ]
    return ErrorBars([ErrorKind(f"{kind}: {what}", kind) for kind, what in _ARCS_ERRORS.items()], bars)


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
