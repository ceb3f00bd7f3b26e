"""Notes: what a reader of the numbers should know about the files behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.problems import WARNING, counted, plural
from evenhand.settings import ScoreSettings
from evenhand.statistics.significance import trials_for
from evenhand.suggestion import nearest
from evenhand.tasks.registry import TASKS, parameters_of
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.result.comparison import Slice
    from evenhand.result.pairs import Pair, Significance
    from evenhand.result.result import Gold

ALPHA = 0.05
"""The p-value below which a difference is called significant."""


def notes_on_gold(gold: Gold, unit: str) -> tuple[str, ...]:
    """A warning if the gold standard has no unit."""
    if gold.units:
        return ()
    finding = f"the gold standard {gold.name} has no {unit} that counts"
    return (f"{WARNING}{finding}, so overall scores of {plural(unit)} are undefined.",)


NOTHING_TO_RESAMPLE = "nothing can be resampled"
"""How the note begins that explains missing intervals and tests."""


def nothing_to_resample(of: str, number: int) -> str:
    """Explain missing intervals and tests."""
    size = counted(number, of.removesuffix("s"))
    return f"{NOTHING_TO_RESAMPLE}, as the gold standard has {size}: no intervals and no tests."


def why_sentences(few_documents: int, alpha: float = ALPHA) -> str:
    """Why tests and intervals resample sentences though there are several documents."""
    few = f"systems differ in at most {counted(few_documents, 'document')}, too few for any p-value below {alpha:g}"
    return f"Tests and intervals resample sentences: {few} (--of documents resamples these)."


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
    return (*found, *notes_on_pairs(pairs, groups, task))


def notes_on_pairs(pairs: Mapping[tuple[str, str], Pair], groups: str, task: str) -> Iterator[str]:
    """Sentences if no p-value of some pairs, or of all, can be below alpha."""
    tests = [pair.significance for pair in pairs.values() if pair.significance is not None and pair.different]
    all_pairs = len(pairs) >= len({name for pair in pairs for name in pair})
    remedy = "compare with one --baseline" if all_pairs else ""
    return notes_on_tests(tests, len(pairs), groups, task, remedy=remedy)


def _on_shared(shared: Slice, unit: str, by: str) -> str:
    """The scores on the units that all systems have, beside those on all units of the gold standard."""
    units = f"the {counted(shared.units, unit)} that all systems have"
    scores = ", ".join(f"{name} {100 * score:.2f}" for name, score in shared.scores.items())
    return f"{by} on {units}: {scores}; all other figures count a {unit} that a system lacks as wrong."


def _left_out(count: int, task: Task, by: str) -> str:
    """How many units are not compared, as they are in sentences that are not scored for a system."""
    units = f"{counted(count, task.unit_of(by))} of the gold standard {'is' if count == 1 else 'are'}"
    why = task.display.remarks.get("left_out", "not all systems are scored on their sentences")
    return f"{units} not compared, as {why}."


def notes_on_tests(
    tests: Sequence[Significance], pairs: int, groups: str, task: str, alpha: float = ALPHA, remedy: str = ""
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
        cause, first = f"{counted(trials, 'trial')} allow", f"set --trials to {trials_for(pairs, alpha)}"
    else:
        cause, first = f"so few {groups} allow", more
    remedies = " or ".join(filter(None, (first, remedy)))
    corrected = f"corrected for {counted(pairs, 'pair')} (Holm), " if pairs > 1 else ""
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
