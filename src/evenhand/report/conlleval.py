"""Results in the layout of conlleval, for programs that read it: the counts, the accuracy, a line a label.

What stands there is ours: exact match, and the tag accuracy. Several systems follow each other, each behind its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.problems import SettingError, visible
from evenhand.result.result import Result, Results
from evenhand.scores.spans import Row


def render(results: Results) -> str:
    lines = [line for result in results.values() for line in _lines(result, is_one_of_many=len(results) > 1)]
    return "\n".join(map(visible, lines)) + "\n"


def _lines(result: Result, *, is_one_of_many: bool) -> Iterator[str]:
    if "accuracy" not in result.scores or result.gold.tokens is None:
        raise SettingError(f"{result.name} and its gold standard know no tokens, which conlleval counts.")
    exact, accuracy = result["exact"], result["accuracy"].headline
    if is_one_of_many:
        yield f"system: {result.name}"
    yield (
        f"processed {result.gold.tokens} tokens with {result.gold.units} phrases; "
        f"found: {result.units} phrases; correct: {exact.overall['TP']}."
    )
    yield f"accuracy: {100 * accuracy:6.2f}%; {_figures(exact.overall)}"
    for label, row in exact.labels.items():
        yield f"{label:>17}: {_figures(row)}  {result.labels.get(label, 0)}"


def _figures(row: Row) -> str:
    return f"precision: {100 * row.precision:6.2f}%; recall: {100 * row.recall:6.2f}%; FB1: {100 * row.f1:6.2f}"
