"""Notes: what a reader of the numbers should know about the files behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.settings import ScoreSettings
from evenhand.statistics.significance import trials_for
from evenhand.suggestion import nearest
from evenhand.tasks.registry import TASKS, parameters_of
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.result.comparison import Slice
    from evenhand.result.pairs import Pair, Significance

_ALPHA = 0.05


def notes_on_comparison(
    left_out: int,
    pairs: Mapping[tuple[str, str], Pair],
    groups: str,
    task: str,
    by: str,
    shared: Slice | None = None,
) -> tuple[str, ...]:
    """What a reader of a comparison should know."""
    found = []
    if left_out:
        found.append(_left_out(left_out, TASKS[task], by))
    if shared is not None:
        found.append(_on_shared(shared, TASKS[task].unit_of(by), by))
    identical = [f"{a} and {b}" for (a, b), pair in pairs.items() if not pair.different and not pair.moved]
    if identical:
        found.append(f"no difference at all: {', '.join(identical)}.")
    tests = [pair.significance for pair in pairs.values() if pair.significance is not None and pair.different]
    all_pairs = len(pairs) >= len({name for pair in pairs for name in pair})
    remedy = "compare with one --baseline" if all_pairs else ""
    return (*found, *notes_on_tests(tests, len(pairs), groups, task, remedy=remedy))


def _on_shared(shared: Slice, unit: str, by: str) -> str:
    """The scores on the units that all systems have, beside those on all units of the gold standard."""
    units = (
        f"the 1 {unit} that all systems have"
        if shared.units == 1
        else f"the {shared.units:,} {unit}s that all systems have"
    )
    scores = ", ".join(f"{name} {100 * score:.2f}" for name, score in shared.scores.items())
    return f"{by} on {units}: {scores}; all other figures count a {unit} that a system lacks as wrong."


def _left_out(count: int, task: Task, by: str) -> str:
    """How many units are not compared, as they are in sentences that are not scored for a system."""
    unit = task.unit_of(by)
    units = f"1 {unit} of the gold standard is" if count == 1 else f"{count:,} {unit}s of the gold standard are"
    why = task.display.remarks.get("left_out", "not all systems are scored on their sentences")
    return f"{units} not compared, as {why}."


def notes_on_tests(
    tests: Sequence[Significance], pairs: int, groups: str, task: str, alpha: float = _ALPHA, remedy: str = ""
) -> Iterator[str]:
    """Sentences where no p-value can be below alpha: that of some tests, or all once they are corrected for the pairs.

    `remedy` is what else a user can do about the number of pairs.
    """
    more = "use --of sentences" if groups == "documents" and not TASKS[task].by_document else ""
    if any(test.least > alpha for test in tests):
        ending = f"; {more}" if more else ""
        yield f"some systems differ in so few {groups} that no p-value can be below {100 * alpha:g} %{ending}."
    if not tests or min(test.least for test in tests) > alpha:
        return
    floors = [test.least if test.exact else max(test.least, 1 / (test.trials + 1)) for test in tests]
    if pairs * min(floors) < alpha:
        return
    if pairs * min(test.least for test in tests) < alpha:
        trials = max(test.trials for test in tests)
        cause, first = f"{trials:,} trials allow", f"set --trials to {trials_for(pairs, alpha)}"
    else:
        cause, first = f"so few {groups} allow", more
    remedies = " or ".join(filter(None, (first, remedy)))
    corrected = f"corrected for {pairs:,} pairs (Holm), " if pairs > 1 else ""
    yield f"{corrected}{cause} no p-value below {100 * alpha:g} %{'; ' if remedies else ''}{remedies}."


def notes_on_settings(settings: ScoreSettings, met: Sequence[str]) -> tuple[str, ...]:
    """A sentence for every label that the user names and no file has; `met` are all labels there are."""
    named = [("--labels", name) for name in settings.labels] + [("--exclude", name) for name in settings.exclude]
    named += [("--map", each.old) for each in settings.maps]
    for parameter in parameters_of(settings.task):
        named += [(parameter.option, label) for label in parameter.labels(settings[parameter.name])]
    found = []
    for option, label in named:
        if label not in met:
            other = nearest(label, list(met))
            hint = f"; the nearest one is {other!r}" if other else ""
            found.append(f"the label {label!r} of {option} occurs nowhere{hint}.")
    return tuple(found)
