"""The verdict on top of a page, in sentences: which system is best, whether that is significant, and what may mislead.

`verdict` has the sentences, `method` the small print, `against_best` the words in each system's row, and `cautions` the
list below the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

from evenhand.data.vocabulary import list_names
from evenhand.errors import WARNING, counted
from evenhand.results.comparison import Comparison, Pair, Report
from evenhand.results.result import Result
from evenhand.results.signature import ALPHA, NOTHING_TO_RESAMPLE, notes_on_pairs, why_sentences
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import label_notes

_MEANS = {"overall": "", "macro": "macro "}
"""Prefixes of headlines that are F1 scores."""
_TIE = 0.00005
"""Differences of scores below this are 0.00 points."""


def verdict(report: Report) -> list[str]:
    """One system: its score. Several: the lead of the best one, the systems it beats, and leaders by other measures."""
    warnings = [_sentence(note.removeprefix(WARNING)) for note in report.notes if note.startswith(WARNING)]
    comparison, names = report.comparison, list(report.ordered)
    if comparison is None:
        return [*_score_of_one(report), *warnings]
    if all(isnan(score) for score in comparison.scores.values()):
        return warnings
    sentences = [*_lead(comparison, names), *_other_leaders(report, names[0]), *warnings]
    return [*sentences, *map(_sentence, _notes_on_tests(comparison))]


def method(report: Report) -> str:
    """The compared score and the test, in small print."""
    comparison = report.comparison
    if comparison is None:
        return ""
    points = f"Points of {score_name(report, report.by)}."
    made, pairs = comparison.resampling, len(comparison.pairs)
    if not made["trials"]:
        return points
    corrected = f", corrected for {counted(pairs, 'pair')} (Holm)" if pairs > 1 else ""
    return f"{points} p: approximate randomization of {made['of']}{corrected}; below {ALPHA:g} is significant."


def against_best(report: Report, name: str) -> str:
    """The difference of a system from the best one, for its row; empty if there is nothing to compare."""
    comparison, best = report.comparison, next(iter(report.ordered))
    if comparison is None or isnan(comparison.scores[name]):
        return ""
    if name == best:
        return "best"
    pair = _pair(comparison, best, name)
    if pair.significance is None:
        return ""
    p = p_words(pair.significance.p_holm)
    if not _can_decide(comparison, pair):
        return f"too few {comparison.resampling['of']} to tell, {p}"
    return f"lower, {p}" if differs(comparison, best, name) else f"not significant, {p}"


def score_name(report: Report, measure: str) -> str:
    """The score of a measure, as readers call it: fair F1, las, accuracy."""
    score, title = next(iter(report.results.values())).scores.get(measure), model_title(report.task, measure)
    mean = None if score is None else _MEANS.get(score.model.headline)
    return title if score is None or mean is None else f"{title} {mean}F{score.beta:g}"


def differs(comparison: Comparison, one: str, other: str) -> bool | None:
    """Whether two systems differ significantly; None if nothing was tested."""
    test = _pair(comparison, one, other).significance
    return None if test is None else test.p_holm < ALPHA


def p_words(p: float) -> str:
    """A p-value with two significant digits: p = 0.78, p = 0.0046, p < 0.0001."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.2g}"


def _notes_on_tests(comparison: Comparison) -> list[str]:
    """Notes on p-values: resampling of sentences instead of documents, and tests that cannot decide."""
    made = comparison.resampling
    notes = [] if made["few_documents"] is None else [why_sentences(made["few_documents"])]
    notes += [note for note in comparison.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    return [*notes, *notes_on_pairs(comparison.pairs, made["of"] or "", comparison.task)]


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:]


def _score_of_one(report: Report) -> list[str]:
    ranking, interval = report.ranking, ""
    name, standing = next(iter(ranking[report.by].items()))
    if isnan(standing.score):
        return []
    if standing.interval is not None:
        low, high = (100 * bound for bound in standing.interval)
        interval = f" ({100 * ranking.level:g} % interval {low:.2f} to {high:.2f}, by {ranking.groups})"
    nothing = (_sentence(note) for note in ranking.notes if note.startswith(NOTHING_TO_RESAMPLE))
    return [f"{name} has {100 * standing.score:.2f} {score_name(report, report.by)}{interval}.", *nothing]


def _pair(comparison: Comparison, one: str, other: str) -> Pair:
    return comparison.pairs.get((one, other)) or comparison.pairs[other, one]


def _lead(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    first, second, *others = names
    pair = _pair(comparison, first, second)
    if not pair.delta:
        same = "have identical predictions" if not pair.different else "have the same score"
        yield f"{first} and {second} {same}."
    elif abs(pair.delta) < _TIE:
        yield f"{first} and {second} are tied: their scores differ by less than 0.01 points."
    else:
        yield f"{first} leads {second} by {100 * abs(pair.delta):.2f} points{_significance(comparison, pair)}."
    if others:
        yield from _beaten(comparison, first, second, others)


def _significance(comparison: Comparison, pair: Pair) -> str:
    test = pair.significance
    if test is None:
        return "; no test was made"
    if not _can_decide(comparison, pair):
        groups = counted(test.groups, str(comparison.resampling["of"]).removesuffix("s"))
        return f"; they differ in {groups}, too few for a test to decide"
    return f", {p_words(test.p_holm)}: {'a' if test.p_holm < ALPHA else 'no'} significant difference"


def _can_decide(comparison: Comparison, pair: Pair) -> bool:
    """Whether the test of a pair can be significant after the correction for the number of pairs."""
    test = pair.significance
    return test is not None and (test.p_holm < ALPHA or len(comparison.pairs) * test.least < ALPHA)


def _beaten(comparison: Comparison, first: str, second: str, others: Sequence[str]) -> Iterator[str]:
    """The other systems that both, or only the best one, are significantly better than; and the undecided ones."""
    if any(differs(comparison, first, other) is None for other in others):
        return
    beaten = [other for other in others if differs(comparison, first, other)]
    undecided = [other for other in others if other not in beaten]
    is_clear_winner = differs(comparison, first, second)
    by_both = [] if is_clear_winner else [other for other in beaten if differs(comparison, second, other)]
    by_first = [other for other in beaten if other not in by_both]
    if by_both:
        yield f"Both beat {_whom(by_both, others)}."
    if by_first:
        only = "" if is_clear_winner else f"; {second} is not significantly better"
        yield f"{first} also beats {_whom(by_first, others)}{only}."
    if undecided:
        verb = "is" if len(undecided) == 1 else "are"
        yield f"{_named(undecided)} {verb} not significantly worse than {first}."


def _whom(beaten: Sequence[str], others: Sequence[str]) -> str:
    return f"all {len(others)} others" if len(beaten) == len(others) > 1 else _named(beaten)


def _named(names: Sequence[str]) -> str:
    return list_names(names) if len(names) > 5 else " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _other_leaders(report: Report, best: str) -> Iterator[str]:
    """The other measures under which another system is best."""
    leaders: dict[str, list[str]] = {}
    for measure in report.ranking.shown_models:
        standings = report.ranking[measure]
        top = max(standings, key=lambda name: standings[name].score)
        if standings[top].score > standings[best].score:
            leaders.setdefault(top, []).append(score_name(report, measure))
    for name, measures in leaders.items():
        yield f"By {_named(measures)}, {name} leads."


# Cautions


_SYSTEM = "system "


def cautions(report: Report) -> list[str]:
    """Findings that may mislead: labels that one side lacks, then all other notes, joined if systems share them.

    Warnings and notes on p-values are part of the verdict.
    """
    unit, results = TASKS[report.task].unit, report.ordered
    replaced = {
        note
        for result in results.values()
        for note in label_notes(result.gold, result.name, result.predicted_labels, unit)
    }
    if report.comparison is not None:
        replaced |= {*_notes_on_tests(report.comparison)}
    in_verdict = (WARNING, NOTHING_TO_RESAMPLE)
    notes = [note for note in report.notes if note not in replaced and not note.startswith(in_verdict)]
    labels = (sentence for result in results.values() for sentence in _one_sided_labels(report, result, unit))
    return [
        *_label_settings(next(iter(results.values())).settings),
        *_joined(labels, len(results)),
        *_joined(notes, len(results)),
    ]


def _label_settings(settings: ScoreSettings) -> Iterator[str]:
    if settings.labels:
        yield f"only these labels count (--labels): {list_names(settings.labels)}."
    if settings.exclude:
        yield f"these labels do not count (--exclude): {list_names(settings.exclude)}."
    if settings.maps:
        yield f"labels are renamed (--map): {list_names([f'{label.old} to {label.new}' for label in settings.maps])}."


def _one_sided_labels(report: Report, result: Result, unit: str) -> Iterator[str]:
    """The labels that only one side has, with their share of the errors."""
    gold, system = result.gold.labels, result.predicted_labels
    if not TASKS[report.task].input.has_labels or not system or not gold or gold.keys().isdisjoint(system):
        return
    if lacking := _only(gold, system, unit):
        share = _error_share(report, result, lacking)
        ending = f": {share} of its errors are that" if share else ""
        count = sum(gold[label] for label in lacking)
        yield (
            f"{_SYSTEM}{result.name}: {len(lacking)} of {len(gold)} gold labels never {_occur(lacking)} in its output "
            f"({list_names(lacking)}; {counted(count, unit)}){ending}."
        )
    if extra := _only(system, gold, unit):
        count = sum(system[label] for label in extra)
        yield (
            f"{_SYSTEM}{result.name}: {len(extra)} of its {len(system)} labels never {_occur(extra)} in the gold "
            f"standard ({list_names(extra)}; {counted(count, unit)})."
        )


def _occur(labels: Sequence[str]) -> str:
    return "occurs" if len(labels) == 1 else "occur"


def _only(labels: Mapping[str, int], others: Mapping[str, int], unit: str) -> list[str]:
    """Labels that only one side has; rare ones are left out if words have labels, as in notes."""
    minimum = sum(labels.values()) / 1000 if unit == "word" else 0
    return [label for label in labels if label not in others and labels[label] > minimum]


def _error_share(report: Report, result: Result, labels: Iterable[str]) -> str:
    if not report.fix_first[result.name] or report.by in TASKS[report.task].other_units:
        return ""
    groups, missed = result.fix_first(report.by, most=1 << 30), frozenset(labels)
    errors, those = sum(group.count for group in groups), sum(group.count for group in groups if group.gold in missed)
    return f"{those / errors:.0%}".replace("%", " %") if those else ""


def _joined(notes: Iterable[str], systems: int) -> list[str]:
    """Notes on systems; those that differ only in the name are joined."""

    def who(names: Sequence[str]) -> str:
        return "all systems" if len(names) == systems > 1 else list_names(names)

    systems_of: dict[str, list[str]] = {}
    for note in notes:
        name, colon, text = note.removeprefix(_SYSTEM).partition(": ")
        is_of_system = note.startswith(_SYSTEM) and colon
        systems_of.setdefault(text if is_of_system else note, []).extend([name] if is_of_system else [])
    return [f"{who(names)}: {text}" if names else text for text, names in systems_of.items()]
