"""What a comparison adds up to: scores, pairs, bounds, agreement and slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from evenhand.api.comparison_run import ComparedRun, ComparisonRun
from evenhand.api.pairs import Pairs
from evenhand.result.comparison import Comparison, OracleResult, Slice
from evenhand.result.notes import ALPHA, notes_on_comparison, notes_on_gold, notes_on_settings, nothing_to_resample
from evenhand.result.result import Gold
from evenhand.result.signature import joint_signature, signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import headline, score_tally
from evenhand.scores.row import Row, headline_of
from evenhand.tally import Tally
from evenhand.tasks.registry import model as declared_model
from evenhand.text.annotation import Reading


def comparison(run: ComparisonRun, found: ComparedRun, alpha: float = ALPHA) -> Comparison:
    """All figures of a comparison; `run` reads the files again for units and pages.

    Tests resample sentences if documents are too few for any p-value below alpha (see `ComparedRun.settled`).
    """
    asked, found = found, found.settled(run.pairs, alpha)
    counts, model, task = found.counts, found.model, found.prepared.task
    gold, settings, groups = found.figures(), found.prepared.settings, found.groups
    scores = _headlines(found, model, gold)
    pairs = Pairs(run, found)()
    paired, on_shared = counts.agreement.paired(), counts.on_shared()
    shared = None if on_shared is None else Slice(*on_shared)
    return Comparison(
        gold=gold,
        task=settings.task,
        by=found.by,
        systems=counts.systems,
        scores=scores,
        pairs=pairs,
        oracle=_oracle(found, scores),
        difficulty=counts.oracle.difficulty(),
        all_answers=paired[found.by] if paired else counts.agreement.all_answers(),
        correct_answers=counts.agreement.correct_answers(),
        labels=_labels(model, found.tallies_of(model), gold.labels),
        slices={name: _slices(model, *each) for name, each in counts.slices().items()},
        left_out=counts.left_out,
        shared=shared,
        resampling={
            **asdict(found.resampling),
            "of": groups[0] if found.has_groups else None,
            "few_documents": found.few_documents,
        },
        signature=_signature(found, gold.reading),
        notes=(
            *notes_on_gold(gold, task.unit_of(found.by)),
            *_notes_on_groups(asked, gold),
            *notes_on_settings(settings, counts.labels.values),
            *task.setting_notes(settings),
            *notes_on_comparison(counts.left_out, pairs, groups[0], settings.task, found.by, shared),
            *_notes_on_files(found),
        ),
        further_scores=_further(found, gold),
        paired=dict(paired),
        before=_before(found),
        page=run.page,
    )


def _headlines(found: ComparedRun, model: MatchModel, gold: Gold) -> dict[str, float]:
    """The score of every system under a match model."""
    labels, is_empty = list(gold.labels), not gold.units
    return {name: headline(model, tally, labels, is_empty=is_empty) for name, tally in found.tallies_of(model).items()}


def _before(found: ComparedRun) -> dict[str, float]:
    """The score of every system on the gold standard as it was read, where it has overrides."""
    before = found.run.before
    if before is None:
        return {}
    model = declared_model(found.prepared.task.name, found.by).prepare(before.settings)
    labels, is_empty = list(before.gold.labels), not before.gold.units
    return {
        name: headline(model, tallies[model.judge], labels, is_empty=is_empty)
        for name, tallies in before.tallies.items()
    }


def _further(found: ComparedRun, gold: Gold) -> dict[str, dict[str, float]]:
    """Every system's other scores, beside the one that it is compared by."""
    scores = {model.name: _headlines(found, model, gold) for model in found.further}
    return {name: {model: each[name] for model, each in scores.items()} for name in found.run.systems if scores}


def _notes_on_groups(asked: ComparedRun, gold: Gold) -> list[str]:
    """Why nothing is resampled though the user asks for it."""
    if asked.has_groups or not gold.units or not asked.resampling.is_wanted:
        return []
    return [nothing_to_resample(*asked.groups)]


def _notes_on_files(found: ComparedRun) -> tuple[str, ...]:
    """What a score of each system would say of the files, each said once."""
    gold = found.run.figures(found.gold_name)
    said: dict[str, None] = {}
    for name in found.run.systems:
        side, read_as = found.run.systems[name], found.prepared.read_as["gold"]
        each = found.prepared.task.notes(gold, found.run.gold, name, side, read_as, identical=False)
        said |= dict.fromkeys(each)
    return tuple(said)


def _signature(found: ComparedRun, reading: Reading) -> str:
    prepared, run, setting = found.prepared, found.run, found.resampling
    signatures = [
        signature(prepared.settings, prepared.read_as["gold"], run.atoms, reading, side.reading or Reading())
        for side in run.systems.values()
    ]
    of = found.groups[0] if found.has_groups else "none"
    parts = [joint_signature(signatures), f"by:{found.by}", f"of:{of}", f"trials:{setting.trials}"]
    parts += [f"resamples:{setting.resamples}", f"interval:{setting.interval}"]
    return "|".join([*parts, f"level:{setting.level:g}", f"seed:{setting.seed}"])


def _oracle(found: ComparedRun, scores: Mapping[str, float]) -> OracleResult:
    oracle, counts = found.counts.oracle, found.counts
    exact = counts.agreement.bound(found.run.gold.labels.total())
    best = max(range(len(scores)), key=lambda number: scores[counts.systems[number]])
    return OracleResult(oracle.overall(), oracle.labels(counts.labels.values), oracle.sentences(), best, exact)


def _labels(model: MatchModel, tallies: Mapping[str, Tally], support: Mapping[str, int]) -> dict[str, Slice]:
    """The score of every system on every label, the most frequent first."""
    scored = _scored(model, tallies)
    labels = {label for rows in scored.values() for label in rows}
    if model.headline == "accuracy":  # a share of the gold standard's units, which other labels do not have
        labels &= support.keys()
    order = sorted(labels, key=lambda label: (-support.get(label, 0), label))
    return {label: _slice(model, label, support.get(label, 0), scored) for label in order}


def _slices(model: MatchModel, units: Mapping[str, int], tallies: Mapping[str, Tally]) -> dict[str, Slice]:
    """The score of every system on every slice, those first on which scores differ most."""
    scored = _scored(model, tallies)
    met = [value for value in units if units[value] or any(value in rows for rows in scored.values())]
    found = {value: _slice(model, value, units[value], scored) for value in met}
    spread = {value: max(each.scores.values()) - min(each.scores.values()) for value, each in found.items()}
    return dict(sorted(found.items(), key=lambda item: (-spread[item[0]], item[0])))


def _scored(model: MatchModel, tallies: Mapping[str, Tally]) -> dict[str, Mapping[str, Row]]:
    """For every system, the scores of all labels, or of the slices that stand for them."""
    return {name: score_tally(model, tally, {}).labels for name, tally in tallies.items()}


def _slice(model: MatchModel, label: str, units: int, scored: Mapping[str, Mapping[str, Row]]) -> Slice:
    rows = {name: found.get(label) for name, found in scored.items()}
    return Slice(units, {name: headline_of(model, row) if row else 0.0 for name, row in rows.items()})
