"""Results in the layout of conlleval, for programs that read it: the counts, the accuracy, a line a label.

What stands there is ours: the match models of phrases and tags that a task declares. Several systems follow each
other, each behind its name. Percentages are divided and rounded as conlleval does, so that ties come out alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.problems import SettingError, visible
from evenhand.result.result import Result, Results
from evenhand.scores.prf import percentages
from evenhand.scores.row import Row
from evenhand.tasks.registry import TASKS


def render(results: Results) -> str:
    lines = [line for result in results.values() for line in _lines(result, is_one_of_many=len(results) > 1)]
    return "\n".join(map(visible, lines)) + "\n"


def _lines(result: Result, *, is_one_of_many: bool) -> Iterator[str]:
    phrases, tags = TASKS[result.settings.task].display.conlleval or ("", "")
    if tags not in result.scores or result.gold.tokens is None:
        raise SettingError(f"{result.name} and its gold standard know no tokens, which conlleval counts.")
    exact, tokens = result[phrases], result.gold.tokens
    equal_tags = round(result[tags].headline * tokens)
    if is_one_of_many:
        yield f"system: {result.name}"
    yield (
        f"processed {tokens} tokens with {result.gold.units} phrases; "
        f"found: {result.units} phrases; correct: {exact.overall['TP']}."
    )
    yield f"accuracy: {100 * equal_tags / tokens if tokens else 0:6.2f}%; {_figures(exact.overall)}"
    for label, row in exact.labels.items():
        yield f"{label:>17}: {_figures(row)}  {result.labels.get(label, 0)}"


def _figures(row: Row) -> str:
    correct = row["TP"]
    precision, recall, f1 = percentages(correct, correct + row["FP"], correct + row["FN"])
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
