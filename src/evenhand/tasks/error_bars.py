"""How the errors of systems divide, as data for figures and pages: Figure 1 of Ortmann 2022, for every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.scores.model_score import ModelScore
from evenhand.table import Queries, Query
from evenhand.tally import NO_LABEL
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import confusion_score
from evenhand.tasks.words.kinds import ABSENT

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results

_MOST_LABELS = 6
"""How many labels have a part of each bar; the others share one."""


@dataclass(frozen=True)
class Bar:
    """The errors of one system under one match model, in the order of the kinds, and the queries for their units."""

    system: str
    model: str
    """What the literature calls it; empty where there is only one."""
    counts: Sequence[float]
    queries: Queries

    @property
    def total(self) -> float:
        return sum(self.counts)


@dataclass(frozen=True)
class ErrorKind:
    """What a part of a bar stands for, as readers call it."""

    name: str
    is_label: bool = False
    """Whether it is a label of the data, not a word of ours."""
    like: str = ""
    """The common error type that it is (`FN` of missing words), where its name does not begin with it."""

    @property
    def type(self) -> str:
        """What it is called for short, in the words of spans where these have it, too; nothing for labels."""
        code = "" if self.is_label else self.name.partition(":")[0]
        return self.like or (code.upper() if code in ("fn", "fp") else code)


@dataclass(frozen=True)
class ErrorBars:
    """All errors of all systems, by kind."""

    kinds: Sequence[ErrorKind]
    bars: Sequence[Bar]
    remark: str = ""

    def without_empty(self, optional: Sequence[ErrorKind]) -> ErrorBars:
        """The same without these kinds, where no system has any."""
        places = enumerate(self.kinds)
        kept = [place for place, kind in places if kind not in optional or any(bar.counts[place] for bar in self.bars)]
        bars = [
            replace(bar, counts=[bar.counts[place] for place in kept], queries=[bar.queries[place] for place in kept])
            for bar in self.bars
        ]
        return replace(self, kinds=[self.kinds[place] for place in kept], bars=bars)


def errors(results: Results, by: str | None = None) -> ErrorBars:
    """The errors of a task that does not say how they divide: by gold label, where labels are confused, or by verdict.

    The verdicts are those that some match model counts under their own names. With `by`, only what is wrong under this
    score: an accuracy does not count units that only the system has.
    """
    first, task = next(iter(results.values())), TASKS[results.task]
    if confusion_score(first) is not None:
        is_accuracy = by is not None and by in first.scores and first[by].model.headline == "accuracy"
        return errors_by_label(results, with_extra=not is_accuracy)
    wrong = [kind for kind in task.verdict_kinds if kind not in task.right(task.reported_by[0])]
    models = [name for name, score in first.scores.items() if set(wrong) & set(score.overall.counts)]
    if not models:
        raise SettingError(f"No match model that was scored tells the kinds of errors of {results.task}.")
    return errors_by_kind(results, models, dict.fromkeys(wrong, ""), _units)


def _units(result: Result, model: str, kind: str) -> Query | None:
    return Query(result.name, kind=kind) if kind in TASKS[result.settings.task].kinds else None


def errors_by_kind(
    results: Results,
    models: Sequence[str],
    kinds: Mapping[str, str],
    ask: Callable[[Result, str, str], Query | None],
) -> ErrorBars:
    """Verdicts, with what they are called, as these match models count them; `ask` has the query for each."""
    bars = [
        Bar(
            name,
            model_title(results.task, model),
            [result[model].overall.counts.get(kind) or 0 for kind in kinds],
            [ask(result, model, kind) for kind in kinds],
        )
        for name, result in results.items()
        for model in models
    ]
    return ErrorBars([ErrorKind(f"{kind}: {name}" if name else kind) for kind, name in kinds.items()], bars)


def errors_by_label(results: Results, *, with_extra: bool = True) -> ErrorBars:
    """Units with a wrong label by their gold label, and units that only one side has."""
    task = TASKS[results.task]
    label, unit = task.display.label, task.unit
    scores = {name: confusion_score(result) for name, result in results.items()}
    wrong = {name: _wrong_by_label(score) for name, score in scores.items() if score is not None}
    together = sum(wrong.values(), Counter[str]())
    shown = sorted(together, key=lambda each: (-together[each], each))[:_MOST_LABELS]
    right = task.right(task.reported_by[0])
    kinds = ",".join(kind for kind in task.kinds if kind not in (*right, *task.display.absent))
    bars = []
    for name, mine in wrong.items():
        others = sum(mine.values()) - sum(mine[each] for each in shown)
        lost, extra = one_sided(scores[name])
        counts = [*(mine[each] for each in shown), others, lost, extra if with_extra else 0]
        asked = [*(Query(name, kind=kinds, gold=each) for each in shown), None, missing(task.name, name), None]
        bars.append(Bar(name, "", counts, asked))
    one_side = [ErrorKind(f"missing {unit}s", like="FN"), ErrorKind(f"extra {unit}s", like="FP")]
    optional = [ErrorKind(f"other {label}s"), *one_side]
    remark = f"{unit.title()}s with a wrong {label}, by their {label} in the gold standard."
    return ErrorBars([*(ErrorKind(each, True) for each in shown), *optional], bars, remark).without_empty(optional)


def missing(task: str, system: str) -> Query | None:
    """The units of the gold standard that a system lacks."""
    absent = ",".join(kind for kind in TASKS[task].display.absent if kind != ABSENT)
    return Query(system, kind=absent) if absent else None


def _wrong_by_label(score: ModelScore) -> Counter[str]:
    cells = score.confusion or {}
    return Counter(
        {
            gold: int(sum(count for system, count in row.items() if system != NO_LABEL))
            for gold, row in cells.items()
            if gold != NO_LABEL
        }
    )


def one_sided(score: ModelScore | None) -> tuple[float, float]:
    """How many units only the gold standard has, and how many only the system."""
    cells = (score.confusion if score is not None else None) or {}
    missing = sum(row.get(NO_LABEL, 0) for row in cells.values())
    return missing, sum(cells.get(NO_LABEL, {}).values())
