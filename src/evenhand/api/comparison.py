"""What a comparison adds up to: scores, pairs, bounds, agreement and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.api.pairs import Compared, Pairs, UnitsOf
from evenhand.api.results import chain_notes
from evenhand.api.significance import Resampling
from evenhand.comparison.ranking import headline
from evenhand.comparison.units import Unit
from evenhand.result.comparison import Comparison, OracleResult, Slice
from evenhand.result.notes import notes, notes_on_comparison, notes_on_settings, notes_on_words
from evenhand.result.result import Gold
from evenhand.result.signature import joint_signature, signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import Row, score_tally
from evenhand.scores.prf import prf
from evenhand.tally import Tally
from evenhand.text.annotation import Reading


def comparison(found: Compared, resampling: Resampling, units: UnitsOf, shown: Sequence[Unit]) -> Comparison:
    """All figures of a comparison."""
    comparing, run, model, tallies = found.comparing, found.run, found.model, found.tallies
    names = comparing.systems
    gold, settings = run.figures(found.gold_name), found.prepared.settings
    scores = {name: headline(model, tally, list(gold.labels)) for name, tally in tallies.items()}
    pairs = Pairs(found, resampling, scores, units)()
    kind, _ = found.groups
    of_spans = settings.task == "spans"
    return Comparison(
        gold=gold,
        task=settings.task,
        by=found.by,
        systems=names,
        scores=scores,
        pairs=pairs,
        oracle=_oracle(found, scores),
        difficulty=comparing.oracle.difficulty(),
        all_answers=found.paired[found.by] if found.paired else comparing.agreement.all_answers(of_spans=of_spans),
        correct_answers=comparing.agreement.correct_answers(),
        labels=_labels(model, tallies, gold.labels),
        slices={name: _slices(model, names, *each) for name, each in comparing.slices().items()},
        left_out=found.left_out,
        resampling={**resampling.__dict__, "of": kind},
        signature=_signature(found, resampling, gold.reading),
        notes=(
            *notes_on_settings(settings, comparing.labels.values),
            *notes_on_comparison(gold, found.left_out, pairs, kind, settings.task),
            *_notes_on_files(found, gold),
        ),
        shown_units=tuple(shown),
        further_scores=_further(found, list(gold.labels)),
        paired=dict(found.paired),
    )


def _further(found: Compared, labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """Of chains: every system's other scores, beside the one that it is compared by."""
    if not found.further:
        return {}
    return {
        name: {model.name: headline(model, tallies[model.judge], labels) for model in found.further}
        for name, tallies in found.run.tallies.items()
    }


def _notes_on_files(found: Compared, gold: Gold) -> tuple[str, ...]:
    """What a score of each system would say of the files, each said once."""
    said: dict[str, None] = {}
    for name, side in found.run.systems.items():
        reading = side.reading or Reading()
        if found.comparing.task == "chains":
            each = chain_notes(gold, name, found.run, identical=False)
        elif found.comparing.task == "spans":
            repair = found.prepared.read_as["gold"].repair
            breaks = side.breaks_differ
            each = notes(gold, name, reading, side.labels, repair, breaks_differ=breaks, identical=False)
        else:
            each = notes_on_words(gold, name, reading, side.labels, missing=0, identical=False)
        said |= dict.fromkeys(each)
    return tuple(said)


def _signature(found: Compared, resampling: Resampling, reading: Reading) -> str:
    prepared, run = found.prepared, found.run
    signatures = [
        signature(
            prepared.settings,
            prepared.read_as["gold"],
            prepared.weights,
            run.atoms,
            reading,
            side.reading or Reading(),
        )
        for side in run.systems.values()
    ]
    parts = [joint_signature(signatures), f"by:{found.by}", f"of:{found.groups[0]}", f"trials:{resampling.trials}"]
    parts += [f"resamples:{resampling.resamples}", f"interval:{resampling.interval}"]
    return "|".join([*parts, f"level:{resampling.level:g}", f"seed:{resampling.seed}"])


def _oracle(found: Compared, scores: Mapping[str, float]) -> OracleResult:
    oracle, comparing = found.comparing.oracle, found.comparing
    exact = None
    if comparing.task == "spans":
        solved, wrong = comparing.agreement.solved, comparing.agreement.shared_errors
        bound = prf(solved, solved + wrong, solved, found.run.gold.labels.total())
        exact = {"precision": float(bound.precision), "recall": float(bound.recall), "f1": float(bound.f1)}
    best = max(range(len(scores)), key=lambda number: scores[comparing.systems[number]])
    return OracleResult(oracle.overall(), oracle.labels(comparing.labels.values), oracle.sentences(), best, exact)


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
