"""What would mislead a reader of the scores: labels that one side lacks, and what was repaired or left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evenhand.problems import WARNING, counted
from evenhand.report.verdict import on_tests
from evenhand.result.notes import NOTHING_TO_RESAMPLE
from evenhand.result.report import Report
from evenhand.result.result import Result
from evenhand.settings import ScoreSettings
from evenhand.tasks.notes import label_notes
from evenhand.tasks.registry import TASKS
from evenhand.text.label_names import listed

_SYSTEM = "system "


def cautions(report: Report) -> list[str]:
    """Labels, then everything else that was noted; what holds for several systems is said once.

    Warnings, and notes that change how p-values read, are part of the verdict.
    """
    unit, results = TASKS[report.task].unit, report.ordered
    about_labels = {note for each in results.values() for note in label_notes(each.gold, each.name, each.labels, unit)}
    said = set(about_labels) if report.comparison is None else {*about_labels, *on_tests(report.comparison)}
    notes = [note for note in report.notes if note not in said and not note.startswith((WARNING, NOTHING_TO_RESAMPLE))]
    labels = (sentence for each in results.values() for sentence in _labels(report, each, unit))
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
    if not TASKS[report.task].has_labels or not system or not gold or gold.keys().isdisjoint(system):
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
    errors, those = sum(each.count for each in groups), sum(each.count for each in groups if each.gold in missed)
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
