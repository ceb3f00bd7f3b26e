"""What a comparison adds up to: scores, pairs, bounds, agreement and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.api.pairs import ComparedRun, Pairs, UnitsOf
from evenhand.api.significance import Resampling
from evenhand.comparison.units import Unit
from evenhand.result.comparison import Comparison, OracleResult, Slice
from evenhand.result.notes import notes_on_comparison, notes_on_settings
from evenhand.result.result import Gold
from evenhand.result.signature import joint_signature, signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import Row, headline, score_tally
from evenhand.tally import Tally
from evenhand.text.annotation import Reading


def comparison(found: ComparedRun, resampling: Resampling, units: UnitsOf, shown: Sequence[Unit]) -> Comparison:
    """All figures of a comparison."""
    counts, model, tallies = found.counts, found.model, found.tallies
    names = counts.systems
    gold, settings = found.figures(), found.prepared.settings
    scores = {name: headline(model, tally, list(gold.labels)) for name, tally in tallies.items()}
    pairs = Pairs(found, resampling, scores, units)()
    kind, _ = found.groups
    paired = counts.agreement.paired()
    return Comparison(
        gold=gold,
        task=settings.task,
        by=found.by,
        systems=names,
        scores=scores,
        pairs=pairs,
        oracle=_oracle(found, scores),
        difficulty=counts.oracle.difficulty(),
        all_answers=paired[found.by] if paired else counts.agreement.all_answers(),
        correct_answers=counts.agreement.correct_answers(),
        labels=_labels(model, tallies, gold.labels),
        slices={name: _slices(model, names, *each) for name, each in counts.slices().items()},
        left_out=counts.left_out,
        resampling={**resampling.__dict__, "of": kind},
        signature=_signature(found, resampling, gold.reading),
        notes=(
            *notes_on_settings(settings, counts.labels.values),
            *found.prepared.task.setting_notes(settings),
            *notes_on_comparison(gold, counts.left_out, pairs, kind, settings.task),
            *_notes_on_files(found, gold),
        ),
        shown_units=tuple(shown),
        further_scores=_further(found, list(gold.labels)),
        paired=dict(paired),
    )


def _further(found: ComparedRun, labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """Every system's other scores, beside the one that it is compared by."""
    if not found.further:
        return {}
    return {
        name: {model.name: headline(model, tallies[model.judge], labels) for model in found.further}
        for name, tallies in found.run.tallies.items()
    }


def _notes_on_files(found: ComparedRun, gold: Gold) -> tuple[str, ...]:
    """What a score of each system would say of the files, each said once; words that are left out have a note."""
    said: dict[str, None] = {}
    for name in found.run.systems:
        side = found.run.systems[name]
        if found.prepared.task.compares_shared:
            side = replace(found.counts.system_counts[name], reading=side.reading)
        read_as = found.prepared.read_as["gold"]
        each = found.prepared.task.notes(gold, found.run.gold, name, side, read_as, identical=False)
        said |= dict.fromkeys(each)
    return tuple(said)


def _signature(found: ComparedRun, resampling: Resampling, reading: Reading) -> str:
    prepared, run = found.prepared, found.run
    signatures = [
        signature(
            prepared.settings,
            prepared.read_as["gold"],
            run.atoms,
            reading,
            side.reading or Reading(),
        )
        for side in run.systems.values()
    ]
    parts = [joint_signature(signatures), f"by:{found.by}", f"of:{found.groups[0]}", f"trials:{resampling.trials}"]
    parts += [f"resamples:{resampling.resamples}", f"interval:{resampling.interval}"]
    return "|".join([*parts, f"level:{resampling.level:g}", f"seed:{resampling.seed}"])


def _oracle(found: ComparedRun, scores: Mapping[str, float]) -> OracleResult:
    oracle, counts = found.counts.oracle, found.counts
    exact = counts.agreement.bound(found.run.gold.labels.total())
    best = max(range(len(scores)), key=lambda number: scores[counts.systems[number]])
    return OracleResult(oracle.overall(), oracle.labels(counts.labels.values), oracle.sentences(), best, exact)


def _labels(model: MatchModel, tallies: Mapping[str, Tally], support: Mapping[str, int]) -> dict[str, Slice]:
    """The score of every system on every label, the most frequent first."""
    scored = {name: score_tally(model, tally, support).labels for name, tally in tallies.items()}
    labels = dict.fromkeys(label for rows in scored.values() for label in rows)
    order = sorted(labels, key=lambda label: (-support.get(label, 0), label))
    return {
        label: Slice(
            support.get(label, 0),
            {name: _value(model, rows[label]) if label in rows else 0.0 for name, rows in scored.items()},
        )
        for label in order
    }


def _value(model: MatchModel, row: Row) -> float:
    return row.recall if model.headline == "accuracy" else row.f_beta


def _slices(
    model: MatchModel, names: Sequence[str], units: Mapping[str, int], tallies: Sequence[Tally]
) -> dict[str, Slice]:
    """The score of every system on every slice, those first on which scores differ most."""
    scored = {name: score_tally(model, tally, {}).labels for name, tally in zip(names, tallies, strict=True)}
    found = {
        value: Slice(
            units[value], {name: _value(model, rows[value]) if value in rows else 0.0 for name, rows in scored.items()}
        )
        for value in units
        if units[value] or any(value in rows for rows in scored.values())
    }
    spread = {value: max(each.scores.values()) - min(each.scores.values()) for value, each in found.items()}
    return dict(sorted(found.items(), key=lambda item: (-spread[item[0]], item[0])))
