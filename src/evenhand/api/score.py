"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any, get_args, overload

from evenhand.data.annotation import ReadInfo
from evenhand.errors import WARNING, EvenhandError, SettingError, counted, warn_caller
from evenhand.parameters import check_choice, check_whole_number, checked_arguments
from evenhand.pipeline.inputs import (
    Choice,
    ColumnChoice,
    Input,
    RunConfig,
    is_single_system,
    known_options,
    name_of,
    prepare,
    sides_of,
)
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.results.result import Result, Results
from evenhand.results.signature import notes_on_gold, notes_on_settings, signature
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import MeasureScore, SystemScores
from evenhand.settings import Align, Groups, Repair
from evenhand.tasks.evaluation import UncorrectedScores
from evenhand.tasks.registry import TASKS, help_of, model, models_of, parameters_of

if TYPE_CHECKING:
    from evenhand.tasks.spans.leakage import LeakedSpan


Systems = Mapping[str, Input] | None


def scored(gold: Input, systems: Systems, prepared: RunConfig, groups: Groups, engine: Engine = serial) -> Results:
    """Read, judge and score; the engine says where."""
    run = engine(Job(gold, systems, prepared, prepared.settings.match, groups))
    return results_of(name_of(gold), run, prepared, groups)


def results_of(gold_name: str, run: Run, prepared: RunConfig, groups: Groups) -> Results:
    """The results of a run."""
    settings, task = prepared.settings, prepared.task
    models, read_as, gold = shown_models(prepared.models, groups), prepared.read_as["gold"], run.figures(gold_name)
    general = notes_on_gold(gold, task.unit), notes_on_settings(settings, run.labels), task.rules.notes(settings)
    found = {}
    for name, side in run.systems.items():
        tallies, reading = run.tallies[name], side.reading or ReadInfo()
        notes = task.evaluation.notes(
            gold, run.gold, name, side, read_as, identical=task.evaluation.is_perfect(tallies)
        )
        if side.grounding is not None and side.grounding.has_nothing:
            warn_caller(next(note for note in notes if note.startswith(WARNING)).removeprefix(WARNING))
        found[name] = Result(
            name=name,
            gold=gold,
            units=side.units,
            labels=dict(sorted(side.labels.items())),
            scores=SystemScores(
                *(models, tallies, run.supertags[name], run.levels[name], gold.labels, settings),
                is_empty=not gold.units,
                other_units=task.other_units,
            ),
            signature=signature(settings, read_as, run.atoms, gold.reading, reading),
            settings=settings,
            reading=reading,
            notes=tuple(note for each in (*general, notes) for note in each),
            tallies=tallies,
            models=tuple(models),
            chains=side.chains,
            grounding=side.grounding,
            groups=run.kept_apart(groups),
            before=_scores_before(run.before, name, groups),
            sentence_tallies=run.sentence_tallies.get(name, {}),
        )
    return Results(found)


def _scores_before(before: UncorrectedScores | None, name: str, groups: Groups) -> Mapping[str, MeasureScore]:
    """The scores of a system on the gold standard as it was read, where it has overrides."""
    if before is None:
        return {}
    settings = before.settings
    models = shown_models([model(settings.task, each).prepare(settings) for each in settings.match], groups)
    gold, levels = before.gold, before.levels[name]
    return SystemScores(models, before.tallies[name], {}, levels, gold.labels, settings, is_empty=not gold.units)


def shown_models(models: Sequence[Formula], groups: Groups) -> Sequence[Formula]:
    """What is counted for totals only is not shown where groups are kept apart."""
    return [each.without("close", "missed") for each in models] if groups == "finest" else models


def totals_of(gold_name: str, run: Run, prepared: RunConfig) -> Results:
    """The results of a run that keeps groups apart, as totals."""
    totals = {name: {judge: tally.total() for judge, tally in each.items()} for name, each in run.tallies.items()}
    return results_of(gold_name, replace(run, tallies=totals), prepared, "total")


def scored_if_sound(
    gold: Input, systems: Mapping[str, Input], prepared: RunConfig, groups: Groups, engine: Engine
) -> tuple[Results, dict[str, str]]:
    """The results of the systems that can be scored, and for each of the others the sentence of its error.

    If all of them can, they are read once. If not, each is read by itself to find those that cannot, and then the
    others together. An error that no system has by itself, and one that all have, are raised.
    """
    try:
        return scored(gold, systems, prepared, groups, engine), {}
    except EvenhandError as error:
        reasons = _reasons(gold, systems, prepared, engine)
        if not reasons or (set(reasons.values()) == {str(error)} and len(reasons) == len(systems)):
            raise
    if len(reasons) == len(systems):
        listed = " ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise SettingError(f"None of the {counted(len(systems), 'system')} can be ranked. {listed}")
    sound = {name: side for name, side in systems.items() if name not in reasons}
    return scored(gold, sound, prepared, groups, engine), reasons


def _reasons(gold: Input, systems: Mapping[str, Input], prepared: RunConfig, engine: Engine) -> dict[str, str]:
    reasons = {}
    for name, side in systems.items():
        try:
            scored(gold, {name: side}, prepared, "total", engine)
        except EvenhandError as error:
            reasons[name] = str(error)
    return reasons


def notes_on_skipped(skipped: Mapping[str, str], ranked: int) -> tuple[str, ...]:
    """A warning that systems are missing, and why each of them is."""
    if not skipped:
        return ()
    verb = "is" if len(skipped) == 1 else "are"
    warning = f"{WARNING}{len(skipped)} of {len(skipped) + ranked} systems {verb} not ranked; the notes say why."
    return (warning, *(f"not ranked: {name}: {reason}" for name, reason in skipped.items()))


SHOWN = ("leaked",)
"""What can be listed beside scores."""
_MODEL = "leak"


def scored_with_leaks(gold: Input, systems: Systems, prepared: RunConfig, groups: Groups, limit: int | None) -> Results:
    """The results, each with the gold spans that are not covered, or the first ones; in this process."""
    from evenhand.tasks.spans.leakage import LeakWatch

    if _MODEL not in prepared.settings.match:
        raise SettingError("Spans that leak are those of the match model leak; score with it, too.")
    watch = LeakWatch(None if limit is None else check_whole_number("limit", limit, 0))

    def watched(work: Job) -> Run:
        run = work.run([watch])
        run.settle_groups(work.groups)
        return run

    results = scored(gold, systems, prepared, groups, watched)
    return Results({name: _with_spans(result, watch.found.get(name, [])) for name, result in results.items()})


def _with_spans(result: Result, leaked: Sequence[LeakedSpan]) -> Result:
    score = result[_MODEL].adding("leaked", {"spans": [asdict(each) for each in leaked]})
    return replace(result, scores={**result.scores, _MODEL: score})


@overload
def score(gold: Input, systems: Input | None = None, **options: Any) -> Result: ...
@overload
def score(gold: Input, systems: Sequence[Input] | Mapping[str, Input], **options: Any) -> Results: ...
@checked_arguments(known_options)
def score(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input] | None = None,
    *,
    match: str | Sequence[str] | None = None,
    task: str | None = None,
    labels: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    map: Mapping[str, str] | Sequence[str] = (),
    align: Align | None = None,
    beta: float = 1.0,
    format: Choice = None,
    column: ColumnChoice = None,
    encoding: Choice = None,
    repair: Repair = "begin",
    offsets: Choice = None,
    functions: bool = False,
    annotator: Choice = None,
    groups: Groups = "total",
    jobs: int | None = None,
    engine: Engine | None = None,
    show: str | None = None,
    limit: int | None = None,
    **parameters: Any,
) -> Result | Results:
    """Score systems against a gold standard; files are read in bounded memory.

    With one system the answer is a `Result`, with a list or a mapping of systems a `Results`. Without any, `gold` is
    a column file whose last two columns are gold and prediction, as conlleval takes them (`column` names others:
    {"gold": 3, "system": 4}).

    task       what is scored; without it, files in CoNLL-U are scored as trees, those with coreference as chains,
               bracketed trees as constituents, others as spans
    match      match models, by name or by the name of a family ("semeval", "conll18", "arcs")
    labels     only these labels; exclude: all but these; both after `map`
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    align      "strict": identical tokens; "position": same number of tokens; "characters": same text, any tokenisation;
               without it, "characters" for words in CoNLL-U, "position" for chains in other formats than CorefUD
               (words that differ are counted and reported), else "strict"
    beta       the weight of recall in F-beta
    groups     what the tallies keep apart: "total", "document", "sentence", or "finest" (documents, or sentences where
               there is one document; then close and missed spans are not counted)
    jobs       among how many processes large files and folders are divided; 0: as many as there are cores
    engine     where the work is done instead: `eh.engines.dask(client)`, a cluster; see `eh.engines`
    show       "leaked", with the match model leak: keep the gold spans that are not covered, or the first ones of each
               system (`limit`): `result["leak"].further["leaked"]["spans"]`

    For `format`, `column`, `encoding`, `repair`, `offsets`, `functions` and `annotator` see `read`. Where one side
    counts in characters (texts with offsets), all do. Tasks and match models have parameters of their own:
    """
    check_choice("groups", groups, get_args(Groups))
    check_choice("show", show, SHOWN, optional=True)
    gold, sides = sides_of(gold, systems)
    options: dict[str, Any] = {
        "match": match,
        "task": task,
        "labels": labels,
        "exclude": exclude,
        "map": map,
        "align": align,
        "beta": beta,
        "format": format,
        "column": column,
        "encoding": encoding,
        "repair": repair,
        "offsets": offsets,
        "functions": functions,
        "annotator": annotator,
        **parameters,
    }
    prepared, engine = prepare(gold, sides, options), chosen_engine(engine, jobs)
    if show is None and limit is not None:
        raise SettingError("A limit is one of spans; say which ones with show.")
    if show is None:
        results = scored(gold, sides, prepared, groups, engine)
    else:
        results = scored_with_leaks(gold, sides, prepared, groups, limit)
    return next(iter(results.values())) if systems is None or is_single_system(systems) else results


def chosen_engine(engine: Engine | None, jobs: int | None) -> Engine:
    """Where work runs: in this process unless somebody says."""
    if jobs is None:
        return engine or serial
    if engine is not None:
        raise SettingError("jobs and engine both say where the work is done; give one of them.")
    from evenhand.engines.processes import processes  # takes a while to load

    return processes(jobs)


def _parameters() -> str:
    """The parameters of all tasks, as a docstring lists them."""
    lines = []
    for task in TASKS.values():
        lines += ["", f"    {task.name}: match models {', '.join(model.name for model in models_of(task.name))}"]
        for parameter in parameters_of(task.name):
            lines.append(f"    {parameter.name}")
            lines += [f"        {line}" for line in wrap(help_of(parameter), 100)]
    return "\n".join(lines) + "\n    "


score.__doc__ = (score.__doc__ or "") + _parameters()
