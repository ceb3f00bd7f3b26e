"""Where the figures of GermEval's own script are others than ours, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evenhand.problems import counted
from evenhand.result.germeval import Repairs
from evenhand.scores.germeval import Counts, Metric, Score, by_class, by_label, metrics
from evenhand.scores.germeval_script import Causes


def script_note(ours: Counts, script: Counts, causes: Causes, repairs: Repairs, *, as_script: bool) -> Iterator[str]:
    """One sentence, if any printed figure differs: the figures of the other side."""
    other, shown = (metrics(ours), metrics(script)) if as_script else (metrics(script), metrics(ours))
    differing = list(_differences(shown, other)) or _labels_that_differ(ours, script)
    if not differing:
        return
    figures, reason = _listed(differing), _listed(list(_reasons(causes, repairs)))
    if as_script:
        yield f"These are the figures of the official script; Evenhand's are {figures}, since the script {reason}."
    else:
        yield f"The official script prints {figures}, since it {reason}; --as-script gives its figures."


def _differences(shown: Mapping[str, Metric], other: Mapping[str, Metric]) -> Iterator[str]:
    for name, metric in other.items():
        if _printed(metric) != _printed(shown[name]):
            f1, f1_shown = (round(each.percentages.f1, 2) for each in (metric, shown[name]))
            yield f"{f1:.2f} ({f1 - f1_shown:+.2f}) for {name} F1"


def _labels_that_differ(ours: Counts, script: Counts) -> list[str]:
    """For figures by label or class that differ though those over all of them do not."""
    labels = [
        label
        for scores in (by_label, by_class)
        for (label, left), right in zip(scores(ours).items(), scores(script).values(), strict=True)
        if [_printed(score) for score in left] != [_printed(score) for score in right]
    ]
    return [f"other figures for {label}" for label in dict.fromkeys(labels)]


def _printed(score: Score) -> list[str]:
    return [f"{value:.2f}" for value in score.percentages]


def _reasons(causes: Causes, repairs: Repairs) -> Iterator[str]:
    if causes.other_label:
        yield f"continues {_entities(causes.other_label)} over a change of label at I-"
    if causes.sentence_end:
        yield f"continues {_entities(causes.sentence_end)} over the end of a sentence"
    if causes.file_end:
        yield f"counts {_entities(causes.file_end)} at the end of the file as wrong"
    if repairs.policy == "discard" and repairs.count:
        yield f"keeps {_entities(repairs.count)} that --repair discard leaves out"


def _entities(count: int) -> str:
    return counted(count, "entity")


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
