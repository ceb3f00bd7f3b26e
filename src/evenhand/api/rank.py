"""`rank`: gold standard and systems in, a ranking under several match models out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from evenhand.api.results import scored
from evenhand.api.score import chosen_engine
from evenhand.api.significance import Resampling
from evenhand.api.suites import suite
from evenhand.arguments import checked_arguments
from evenhand.comparison.ranking import Samples, correlations, resampled, standings
from evenhand.formats.addresses import Place, place
from evenhand.pipeline.inputs import Input, named
from evenhand.pipeline.options import content_for, known_options, prepare
from evenhand.problems import SettingError
from evenhand.result.ranking import Ranking
from evenhand.result.result import Results
from evenhand.result.signature import joint_signature
from evenhand.scores.model_score import headline
from evenhand.settings import Groups, Resampled
from evenhand.tasks.registry import TASKS

_GROUPS: Mapping[Resampled | None, Groups] = {None: "finest", "documents": "document", "sentences": "sentence"}
"""What tallies keep apart, by what is to be resampled."""


@checked_arguments(known_options)
def rank(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    **options: Any,
) -> Ranking:
    """Rank systems under several match models, in one pass over the gold standard.

    resamples  how many resamples the intervals come from; 0 for none
    level      confidence level of intervals
    seed       of the random numbers: the same seed, systems and models give the same intervals
    of         what is resampled: "documents" or "sentences"; without it, documents, or sentences where there is one
               document; chains always by document

    The other keywords are those of `score`. The match models are, unless others are named, "exact", "fair", "ts" and
    "t" for spans, "accuracy" for tags, the official LAS, MLAS and BLEX for CoNLL-U, "las", "uas" and "ls" for other
    trees, "mela", "lea", "arcs_any" and (with POS) "arcs_nom" for chains.
    """
    resampling = Resampling.checked(resamples=resamples, level=level, seed=seed, of=of)
    return _rank(gold, named(systems) or {}, resampling, options)[0]


@checked_arguments(known_options)
def rank_suite(
    manifest: str | PathLike[str],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    **options: Any,
) -> Ranking:
    """Rank systems on several data sets, each for itself and on average: the mean of a system's headlines.

    The manifest is a TOML file with a table `[[data]]` for each data set: its `name`, its `gold` file and its
    `systems` (a pattern such as "english/*.conll", or a table of names and files), and maybe `task`, `format`,
    `column`, `encoding`, `align` and `map`. Paths are counted from its folder. All data sets must have the same
    systems.
    """
    resampling = Resampling.checked(resamples=resamples, level=level, seed=seed, of=of)
    parts, samples = {}, {}
    for number, data_set in enumerate(suite(manifest)):
        chosen: dict[str, Any] = {**options, **data_set.options}
        found = _rank(data_set.gold, data_set.systems, resampling, chosen, number)
        parts[data_set.name], samples[data_set.name] = replace(found[0], name=data_set.name), found[1]
    return _average(place(manifest), parts, samples)


def _rank(
    gold: Input, systems: Mapping[str, Input], resampling: Resampling, options: Mapping[str, Any], data_set: int = 0
) -> tuple[Ranking, Samples]:
    """The ranking on one data set, and the resampled headlines; each data set has draws of its own."""
    if options.get("groups", "total") != "total":
        raise SettingError("groups does nothing in a ranking; say with `of` what is resampled.")
    content = content_for(gold, options)
    task = TASKS[content.task]
    resampling.check(task)
    match = options.get("match") or task.ranked(content)
    groups: Groups = _GROUPS[resampling.of] if resampling.resamples else "total"
    prepared = prepare(gold, systems, {**options, "match": match}, content)
    results = scored(gold, systems, prepared, groups, chosen_engine(options.get("engine"), options.get("jobs")))
    return ranked(results, resampling, data_set)


def ranked(results: Results, resampling: Resampling, data_set: int = 0) -> tuple[Ranking, Samples]:
    """The ranking of results whose tallies keep apart what is resampled, and the resampled headlines."""
    task, resamples, level, seed = TASKS[results.task], resampling.resamples, resampling.level, resampling.seed
    models = next(iter(results.values())).models
    tallies = {name: result.tallies for name, result in results.items()}
    judges = {model.judge for model in models}
    totals = {name: {judge: found[judge].total() for judge in judges} for name, found in tallies.items()}
    labels = list(results.gold.labels)
    scores = {
        model.name: {name: headline(model, each[model.judge], labels) for name, each in totals.items()}
        for model in models
    }
    kind, number = resampling.groups(task, results.gold.documents, results.gold.sentences)
    notes = results.notes
    if resamples and task.by_document and number < 2:
        resamples, notes = 0, (*notes, "there is one document, so that nothing can be resampled; no intervals.")
    samples: Samples = {}
    if resamples:
        samples = resampled(models, tallies, labels, number, resamples, (seed, data_set))
    ranking = Ranking(
        results.gold.name,
        standings(scores, samples, level),
        correlations(scores),
        level,
        resamples,
        seed,
        kind,
        f"{results.signature}|resamples:{resamples}|of:{kind}|level:{level:g}|seed:{seed}",
        notes,
        results.task,
    )
    return ranking, samples


def _average(manifest: Place, parts: Mapping[str, Ranking], samples: Mapping[str, Samples]) -> Ranking:
    """The mean over data sets; resamples are averaged one by one, as the data sets are drawn independently."""
    first = next(iter(parts.values()))
    for name, part in parts.items():
        missing = set(first.systems).symmetric_difference(part.systems)
        if missing:
            raise SettingError(f"The system {min(missing)!r} is not in all data sets of {manifest}; see {name}.")
    scores = {
        model: {
            system: float(np.mean([part[model][system].score for part in parts.values()])) for system in first.systems
        }
        for model in first.models
    }
    resamples = first.resamples if all(samples.values()) else 0  # chains of one document have none
    joint = {
        model: {system: np.mean([each[model][system] for each in samples.values()], axis=0) for system in first.systems}
        for model in (first.models if resamples else ())
    }
    return Ranking(
        "average",
        standings(scores, joint, first.level),
        correlations(scores),
        first.level,
        resamples,
        first.seed,
        "+".join(dict.fromkeys(part.groups for part in parts.values())),
        joint_signature(part.signature for part in parts.values()) + f"|suite:{'+'.join(parts)}",
        tuple(f"{name}: {note}" for name, part in parts.items() for note in part.notes),
        first.task,
        dict(parts),
    )
