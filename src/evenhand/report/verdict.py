"""Who is better, and whether that is sure: the verdict of a report in sentences, from its statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

from evenhand.data.vocabulary import listed
from evenhand.errors import WARNING, counted
from evenhand.results.comparison import Comparison, Pair, Report
from evenhand.results.result import Result
from evenhand.results.signature import ALPHA, NOTHING_TO_RESAMPLE, notes_on_pairs, why_sentences
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import label_notes

_MEANS = {"overall": "", "macro": "macro "}
"""What is said of headlines that are an F1."""
_MOST_MODELS = 3
"""How many measures are named that put another system first."""


def verdict(report: Report) -> list[str]:
    """One system: its score. Several: how far the best one leads, whom it beats, and what other measures say."""
    warnings = [_sentence(note.removeprefix(WARNING)) for note in report.notes if note.startswith(WARNING)]
    comparison, names = report.comparison, list(report.ordered)
    if comparison is None:
        return [*_alone(report), *warnings]
    if all(isnan(score) for score in comparison.scores.values()):
        return warnings
    found = [*_leading(comparison, names), *_other_leaders(report, names[0]), *warnings]
    return [*found, *map(_sentence, on_tests(comparison))]


def on_tests(comparison: Comparison) -> list[str]:
    """What changes how p-values read: what was resampled instead of documents, and which tests cannot decide."""
    made = comparison.resampling
    found = [] if made["few_documents"] is None else [why_sentences(made["few_documents"])]
    found += [note for note in comparison.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    return [*found, *notes_on_pairs(comparison.pairs, made["of"] or "", comparison.task)]


def _sentence(note: str) -> str:
    """A note as a sentence of its own."""
    return note[:1].upper() + note[1:]


def how(report: Report) -> str:
    """What was compared and tested, in small print."""
    title, comparison = score_name(report, report.by), report.comparison
    if comparison is None:
        return ""
    made, pairs = comparison.resampling, len(comparison.pairs)
    if not made["trials"]:
        return f"Points of {title}."
    corrected = f", corrected for {counted(pairs, 'pair')} (Holm)" if pairs > 1 else ""
    return f"Points of {title}. p: approximate randomization of {made['of']}{corrected}; below {ALPHA:g} is evidence."


def measure(report: Report) -> str:
    """The score that comes first, as readers call it: fair F1, las, accuracy."""
    return score_name(report, report.by)


def score_name(report: Report, model: str) -> str:
    """The score of a match model, as readers call it."""
    score, title = next(iter(report.results.values())).scores.get(model), model_title(report.task, model)
    mean = None if score is None else _MEANS.get(score.model.headline)
    return title if score is None or mean is None else f"{title} {mean}F{score.beta:g}"


def differs(comparison: Comparison, one: str, other: str) -> bool | None:
    """Whether there is evidence that two systems differ; None where nothing was tested."""
    test = _pair(comparison, one, other).significance
    return None if test is None else test.p_holm < ALPHA


def _alone(report: Report) -> list[str]:
    name, standing = next(iter(report.ranking[report.by].items()))
    ranking, around = report.ranking, ""
    if isnan(standing.score):
        return []
    if standing.interval is not None:
        low, high = (100 * bound for bound in standing.interval)
        around = f" ({100 * ranking.level:g} % interval {low:.2f} to {high:.2f}, by {ranking.groups})"
    nothing = (_sentence(note) for note in ranking.notes if note.startswith(NOTHING_TO_RESAMPLE))
    return [f"{name} has {100 * standing.score:.2f} {measure(report)}{around}.", *nothing]


def _pair(comparison: Comparison, one: str, other: str) -> Pair:
    return comparison.pairs.get((one, other)) or comparison.pairs[other, one]


def _leading(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    """The best system against the next one, and against the others."""
    first, second, *others = names
    pair = _pair(comparison, first, second)
    if not pair.delta:
        same = "say the same of every unit" if not pair.different else "have the same score"
        yield f"{first} and {second} {same}."
    else:
        yield f"{first} leads {second} by {100 * abs(pair.delta):.2f} points{_sureness(comparison, pair)}."
    if others:
        yield from _against(comparison, first, second, others)


def _sureness(comparison: Comparison, pair: Pair) -> str:
    test = pair.significance
    if test is None:
        return "; no test was made"
    if not can_decide(comparison, pair):
        groups = counted(test.groups, str(comparison.resampling["of"]).removesuffix("s"))
        return f"; they differ in {groups}, too few for a test to decide"
    return f", {p_words(test.p_holm)}: {'' if test.p_holm < ALPHA else 'no '}evidence of a difference"


def can_decide(comparison: Comparison, pair: Pair) -> bool:
    """Whether the test of a pair can give evidence of a difference, after the correction for the number of pairs."""
    test = pair.significance
    return test is not None and (test.p_holm < ALPHA or len(comparison.pairs) * test.least < ALPHA)


def p_words(p: float) -> str:
    """A p-value with two digits that matter: p = 0.78, p = 0.0046, p < 0.0001."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.2g}"


def _against(comparison: Comparison, first: str, second: str, others: Sequence[str]) -> Iterator[str]:
    """Which of the others the best one beats, whether the next one does, too, and whom it does not beat."""
    if any(differs(comparison, first, other) is None for other in others):
        return
    beaten = [other for other in others if differs(comparison, first, other)]
    open_cases = [other for other in others if other not in beaten]
    if differs(comparison, first, second):
        by_both, by_first = [], beaten
    else:
        by_both = [other for other in beaten if differs(comparison, second, other)]
        by_first = [other for other in beaten if other not in by_both]
    if by_both:
        yield f"Both beat {_whom(by_both, others)}."
    if by_first:
        only = "" if differs(comparison, first, second) else f"; no evidence that {second} does"
        yield f"{first} also beats {_whom(by_first, others)}{only}."
    if open_cases:
        yield f"No evidence that {_named(open_cases)} {'is' if len(open_cases) == 1 else 'are'} worse than {first}."


def _whom(beaten: Sequence[str], others: Sequence[str]) -> str:
    return f"all {len(others)} others" if len(beaten) == len(others) > 1 else _named(beaten)


def _named(names: Sequence[str]) -> str:
    return listed(names) if len(names) > 5 else " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _other_leaders(report: Report, best: str) -> Iterator[str]:
    """The other measures under which another system is best, if they are few by name."""
    found: dict[str, list[str]] = {}
    for model in report.ranking.shown_models:
        standings = report.ranking[model]
        top = max(standings, key=lambda name: standings[name].score)
        if standings[top].score > standings[best].score:
            found.setdefault(top, []).append(score_name(report, model))
    models = sum(map(len, found.values()))
    if models > _MOST_MODELS:
        yield f"By {models} of the {len(report.ranking.shown_models)} measures below, another system leads."
        return
    for name, names in found.items():
        yield f"By {_named(names)}, {name} leads."


# == report/cautions.py: What would mislead a reader of the scores: labels that one s


_SYSTEM = "system "


def cautions(report: Report) -> list[str]:
    """Labels, then everything else that was noted; what holds for several systems is said once.

    Warnings, and notes that change how p-values read, are part of the verdict.
    """
    unit, results = TASKS[report.task].unit, report.ordered
    about_labels = {
        note for result in results.values() for note in label_notes(result.gold, result.name, result.labels, unit)
    }
    said = set(about_labels) if report.comparison is None else {*about_labels, *on_tests(report.comparison)}
    notes = [note for note in report.notes if note not in said and not note.startswith((WARNING, NOTHING_TO_RESAMPLE))]
    labels = (sentence for result in results.values() for sentence in _labels(report, result, unit))
    return [
        *_chosen(next(iter(results.values())).settings),
        *_joined(labels, len(results)),
        *_joined(notes, len(results)),
    ]


def _chosen(settings: ScoreSettings) -> Iterator[str]:
    """What a user left out of the scores, or renamed."""
    if settings.labels:
        yield f"only these labels count (--labels): {listed(settings.labels)}."
    if settings.exclude:
        yield f"these labels do not count (--exclude): {listed(settings.exclude)}."
    if settings.maps:
        yield f"labels are renamed (--map): {listed([f'{each.old} to {each.new}' for each in settings.maps])}."


def _labels(report: Report, result: Result, unit: str) -> Iterator[str]:
    """The labels that only one side has, with their share of the errors."""
    gold, system = result.gold.labels, result.labels
    if not TASKS[report.task].input.has_labels or not system or not gold or gold.keys().isdisjoint(system):
        return
    if lacking := _only(gold, system, unit):
        share = _share(report, result, lacking)
        ending = f": {share} of its errors are that" if share else ""
        count = sum(gold[label] for label in lacking)
        yield (
            f"{_SYSTEM}{result.name}: {len(lacking)} of {len(gold)} gold labels never {_occur(lacking)} in its output "
            f"({listed(lacking)}; {counted(count, unit)}){ending}."
        )
    if own := _only(system, gold, unit):
        count = sum(system[label] for label in own)
        yield (
            f"{_SYSTEM}{result.name}: {len(own)} of its {len(system)} labels never {_occur(own)} in the gold standard "
            f"({listed(own)}; {counted(count, unit)})."
        )


def _occur(labels: Sequence[str]) -> str:
    return "occurs" if len(labels) == 1 else "occur"


def _only(labels: Mapping[str, int], others: Mapping[str, int], unit: str) -> list[str]:
    """Labels that only one side has; rare ones go unsaid where labels are many, as notes do."""
    least = sum(labels.values()) / 1000 if unit == "word" else 0
    return [label for label in labels if label not in others and labels[label] > least]


def _share(report: Report, result: Result, lacking: Iterable[str]) -> str:
    """How many of the errors are units with these gold labels."""
    if not report.fix_first[result.name] or report.by in TASKS[report.task].other_units:
        return ""
    groups, missed = result.fix_first(report.by, most=1 << 30), frozenset(lacking)
    errors, those = sum(group.count for group in groups), sum(group.count for group in groups if group.gold in missed)
    return f"{those / errors:.0%}".replace("%", " %") if those else ""


def _joined(notes: Iterable[str], systems: int) -> list[str]:
    """Notes on systems in which only the name differs, as one."""

    def who(names: Sequence[str]) -> str:
        return "all systems" if len(names) == systems > 1 else listed(names)

    about: dict[str, list[str]] = {}
    for note in notes:
        name, colon, text = note.removeprefix(_SYSTEM).partition(": ")
        is_of_system = note.startswith(_SYSTEM) and colon
        about.setdefault(text if is_of_system else note, []).extend([name] if is_of_system else [])
    return [f"{who(names)}: {text}" if names else text for text, names in about.items()]
