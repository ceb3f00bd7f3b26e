"""`score`: the results of systems against a gold standard."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isnan
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, get_args, overload

from evenhand.data.annotation import ReadInfo
from evenhand.errors import WARNING, EvenhandError, NoSystemLeftError, SettingError, Skipped, counted, warn_caller
from evenhand.parameters import TRAIN, check_choice, check_whole_number, checked_arguments
from evenhand.pipeline.inputs import (
    Choice,
    ColumnChoice,
    Input,
    RunConfig,
    ScoredInputs,
    Side,
    is_single_system,
    known_options,
    layers_of,
    name_of,
    prepare,
    sides_of,
)
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.results.result import Layers, Result, Results
from evenhand.results.signature import notes_on_confidences, notes_on_gold, notes_on_settings, signature
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import MeasureScore, SystemScores
from evenhand.settings import Align, Groups, Repair
from evenhand.tasks.evaluation import UncorrectedScores
from evenhand.tasks.registry import model, model_title, parameters_of

if TYPE_CHECKING:
    from evenhand.api.slices import TrainingFiles
    from evenhand.comparison.slices import Slices
    from evenhand.keywords import LayerKeywords, Match, ScoreKeywords, TaskKeywords
    from evenhand.tasks.spans.leakage import LeakedSpan


Systems = Mapping[str, Input] | None
T = TypeVar("T")
SHOWN = ("leaked",)
"""Lists that can be added to scores."""
_LEAK = "leak"


def score_inputs(
    gold: Input, systems: Systems, prepared: RunConfig, groups: Groups, engine: Engine = serial
) -> Results:
    """Read, evaluate and score, on an engine."""
    inputs = ScoredInputs.of(gold, systems, prepared)
    run = engine(Job(gold, systems, prepared, prepared.settings.match, groups))
    return results_of(name_of(gold), run, prepared, groups, inputs)


def results_of(
    gold_name: str, run: Run, prepared: RunConfig, groups: Groups, inputs: ScoredInputs | None = None
) -> Results:
    """The results of a run; `inputs` are read again for units."""
    settings, task = prepared.settings, prepared.task
    models, read_as = shown_models(prepared.models, groups), prepared.read_as["gold"]
    gold = run.figures(gold_name, groups=groups)
    on_settings = notes_on_settings(settings, run.labels, run.systems)
    general = notes_on_gold(gold, task.unit), on_settings, task.rules.notes(settings), prepared.content.notes
    results = {}
    for name, side in run.systems.items():
        tallies, reading = run.tallies[name], side.reading or ReadInfo()
        notes = task.evaluation.notes(
            gold, run.gold, name, side, read_as, identical=task.evaluation.is_perfect(tallies)
        )
        if side.grounding is not None and side.grounding.has_nothing:
            warn_caller(next(note for note in notes if note.startswith(WARNING)).removeprefix(WARNING))
        lacking = lacking_layers(task.name, settings.match, side.annotated)
        scores = SystemScores(
            *(models, tallies, run.supertags[name], run.levels[name], gold.labels, settings),
            is_empty=not gold.units,
            other_units=task.other_units,
            lacking=lacking,
            units=gold.units,
        )
        on_confidences = notes_on_confidences(settings, run.gold, name, side, task.unit)
        notes = (*notes, *on_confidences, *notes_on_lacking(task.name, name, lacking, scores))
        results[name] = Result(
            name=name,
            gold=gold,
            predicted=side.units,
            predicted_labels=dict(sorted(side.labels.items())),
            scores=dict(scores) if groups == "total" else scores,  # computed lazily if only tallies may be needed
            signature=signature(settings, read_as, run.atoms, gold.reading, reading),
            settings=settings,
            reading=reading,
            notes=tuple(note for part in (*general, notes) for note in part),
            tallies=tallies,
            models=tuple(models),
            chains=side.chains,
            grounding=side.grounding,
            facts=task.evaluation.facts(tallies),
            groups=run.kept_apart(groups),
            before=_uncorrected(run.before, name, groups),
            sentence_tallies=run.sentence_tallies.get(name, {}),
            lacking=tuple(lacking),
            inputs=inputs,
        )
    return Results(results)


def lacking_layers(task: str, measures: Sequence[str], annotated: Collection[str]) -> dict[str, str]:
    """The measures of an optional layer that a system does not have, and the first such layer."""
    layers = {name: [layer for layer in model(task, name).annotation if layer not in annotated] for name in measures}
    return {name: lacking[0] for name, lacking in layers.items() if lacking}


def notes_on_lacking(
    task: str, name: str, lacking: Mapping[str, str], scores: Mapping[str, MeasureScore]
) -> Iterator[str]:
    """A note for each layer that a system lacks, with the measures that are undefined without it."""
    by_layer: dict[str, list[str]] = {}
    for measure, layer in lacking.items():
        if isnan(scores[measure].headline):
            by_layer.setdefault(layer, []).append(model_title(task, measure))
    for layer, titles in by_layer.items():
        verb = "is" if len(titles) == 1 else "are"
        yield f"system {name}: has no {layer.upper()}, so {' and '.join(titles)} {verb} undefined."


def _uncorrected(before: UncorrectedScores | None, name: str, groups: Groups) -> Mapping[str, MeasureScore]:
    """The scores of a system on the gold standard without overrides, if it has overrides."""
    if before is None:
        return {}
    settings = before.settings
    models = shown_models([model(settings.task, match).prepare(settings) for match in settings.match], groups)
    gold, tallies, levels = before.gold, before.tallies[name], before.levels[name]
    sizes: dict[str, Any] = {"is_empty": not gold.units, "units": gold.units}
    return SystemScores(models, tallies, {}, levels, gold.labels, settings, **sizes)


def shown_models(models: Sequence[Formula], groups: Groups) -> Sequence[Formula]:
    """The measures without counts that only totals have, if groups are kept apart."""
    return [measure.without("close", "missed") for measure in models] if groups == "finest" else models


def totals_of(gold_name: str, run: Run, prepared: RunConfig, inputs: ScoredInputs | None = None) -> Results:
    """The total results of a run that keeps groups apart."""
    totals = {
        name: {scorer: tally.total() for scorer, tally in tallies.items()} for name, tallies in run.tallies.items()
    }
    return results_of(gold_name, replace(run, tallies=totals), prepared, "total", inputs)


def skipping_broken(
    gold: Input,
    systems: Mapping[str, Input],
    prepared: RunConfig,
    compute: Callable[[Mapping[str, Input]], T],
    *,
    engine: Engine = serial,
    least: int = 1,
) -> tuple[T, dict[str, Skipped]]:
    """The result of the systems that can be scored, and the problem of each of the others.

    If all can be scored, they are read once. If not, each is read alone to find the broken ones, and then the others
    are read together. Errors that no system has alone, and errors that all systems have, are raised. So is an error if
    fewer than `least` systems are left.
    """
    try:
        return compute(systems), {}
    except EvenhandError as error:
        skipped = {}
        for name, side in systems.items():
            try:
                score_inputs(gold, {name: side}, prepared, "total", engine)
            except EvenhandError as reason:
                skipped[name] = Skipped.of(reason)
        reasons = set(map(str, skipped.values()))
        is_alike = len(systems) > 1 and reasons == {str(error)} and len(skipped) == len(systems)
        if not skipped or is_alike or {problem.file for problem in skipped.values()} == {str(gold)}:
            raise
    left = len(systems) - len(skipped)
    if left < least:
        listed = " ".join(f"{name}: {reason}" for name, reason in skipped.items())
        subject = f"{f'Only {left:,}' if left else 'None'} of the {counted(len(systems), 'system')} can"
        subject = "The system cannot" if len(systems) == 1 else subject
        raise NoSystemLeftError(f"{subject} be scored. {listed}", left)
    return compute({name: side for name, side in systems.items() if name not in skipped}), skipped


def score_with_leaks(gold: Input, systems: Systems, prepared: RunConfig, groups: Groups, limit: int | None) -> Results:
    """Score in this process; each result has the gold spans that are not covered, at most `limit`."""
    from evenhand.tasks.spans.leakage import LeakObserver

    if _LEAK not in prepared.settings.match:
        raise SettingError("show='leaked' needs the measure leak; add it to match.")
    watch = LeakObserver(None if limit is None else check_whole_number("limit", limit, 0))
    results = score_inputs(gold, systems, prepared, groups, partial(serial, observers=[watch]))
    return Results({name: _with_spans(result, watch.spans.get(name, [])) for name, result in results.items()})


def score_with_entities(gold: Input, systems: Systems, prepared: RunConfig, groups: Groups, *, shares: bool) -> Results:
    """Score in this process; each result has the errors by entity."""
    make = prepared.task.evaluation.entities
    if make is None:
        raise SettingError(f"Errors by entity are for coreference chains, got {prepared.task.name}; remove entities.")
    observer = make(shares=shares)
    return with_entities(score_inputs(gold, systems, prepared, groups, partial(serial, observers=[observer])), observer)


def with_entities(results: Results, observer: Any) -> Results:
    """The results with what an observer of entities has found."""
    return Results(
        {
            name: replace(
                result,
                facts={**result.facts, **observer.facts(name)},
                notes=tuple(dict.fromkeys((*result.notes, *observer.notes()))),
            )
            for name, result in results.items()
        }
    )


def _check_effects(prepared: RunConfig, *, entities: bool) -> None:
    """Refuse parameters that only change listed errors if none are listed."""
    for parameter in parameters_of(prepared.task.name):
        is_set = prepared.settings[parameter.name] != parameter.default
        if parameter.effect.on == "errors" and is_set and not entities:
            raise SettingError(f"{parameter.name} needs entities.")


def _with_spans(result: Result, leaked: Sequence[LeakedSpan]) -> Result:
    score = result[_LEAK].adding("leaked", {"spans": [asdict(span) for span in leaked]})
    return replace(result, scores={**result.scores, _LEAK: score})


@overload
def score(  # type: ignore[overload-overlap]  # the layer decides
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side] | None = None,
    *,
    layer: Literal["all"],
    **options: Unpack[LayerKeywords],
) -> Layers: ...
@overload
def score(  # type: ignore[overload-overlap]  # a text is a sequence of texts, too
    gold: Side, systems: Side | None = None, **options: Unpack[ScoreKeywords]
) -> Result: ...
@overload
def score(gold: Side, systems: Sequence[Side] | Mapping[str, Side], **options: Unpack[ScoreKeywords]) -> Results: ...
@checked_arguments(known_options)
def score(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side] | None = None,
    *,
    match: Match = None,
    task: str | None = None,
    labels: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    map: Mapping[str, str] | Sequence[str] = (),
    align: Align | None = None,
    format: Choice = None,
    column: ColumnChoice = None,
    layer: Choice = None,
    encoding: Choice = None,
    repair: Repair = "begin",
    beta: float = 1.0,
    offsets: Choice = None,
    functions: bool = False,
    annotator: Choice = None,
    groups: Groups = "total",
    jobs: int | None = None,
    engine: Engine | None = None,
    show: str | None = None,
    limit: int | None = None,
    entities: bool = False,
    shares: bool = False,
    slices: Slices = (),
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    skip_broken: bool = False,
    train: TrainingFiles = None,
    drop_leaked: bool = False,
    numbers: int | None = None,
    **parameters: Unpack[TaskKeywords],
) -> Result | Results | Layers:
    """Score systems against a gold standard; files are read in bounded memory.

    Returns a `Result` for one system, and `Results` for a list or mapping of systems. Without systems, `gold` is a
    column file whose last two columns are gold and prediction, as for conlleval (`column` names others: {"gold": 3,
    "system": 4}).

    match      measures, by name or by the name of a family ("exact", "fair", "semeval"; `eh.models()` lists them), or
               functions of a gold span and a system span that return True, False or a number from 0 to 1
    task       what is scored ("spans" or "ner", "tags" or "pos", …); without it, files in CoNLL-U are scored as trees,
               those with coreference as chains, bracketed trees as constituents, others as spans
    labels     only these labels; both this and `exclude` after `map`
    exclude    all labels but these
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    align      "strict": identical tokens; "position": same number of tokens; "characters": same text, any tokenisation;
               "overlap": as spaCy aligns tokens, texts may differ in case;
               without it, "characters" for words in CoNLL-U, "position" for chains in other formats than CorefUD
               (words that differ are counted and reported), else "strict"
    format     of the files ("conll", "jsonl", …; `eh.formats()` lists them), or by side: {"gold": …, "system": …}
    column     of the tags: a number (1 is the first, -1 the last) or a name; several are levels of nesting
    layer      of spaCy's documents: "ents", "spans:KEY", "links", "tag", "pos", "lemma", "morph", "trees" or "sents",
               for both sides, or one per side: {"gold": …, "system": …}; "all": the results of all common layers
    encoding   of the tags: "iob2" (also "BIO"), "bioes", "bilou", …; recognised without it
    repair     ill-formed tags: "begin" a span as conlleval does, "discard" it, or raise an "error"

    Further keywords:

    beta       the weight of recall in F-beta
    offsets    the unit of offsets; functions: keep the functions in labels of brackets; annotator: read the records of
               one annotator; see `read`
    groups     what the tallies keep apart: "total", "document", "sentence", or "finest" (documents, or sentences if
               there is one document; then close and missed spans are not counted)
    jobs       number of processes for large files and folders; 0: one per core
    engine     another engine, such as `eh.engines.dask(client)` for a cluster; see `eh.engines`
    show       "leaked", with the measure leak: keep the gold spans that are not covered, at most `limit` per system:
               `result["leak"].further["leaked"]["spans"]`
    entities   for chains: also count errors by entity, with their cost, in `result.entities`; `shares` adds the mean
               gain over all orders of repair
    slices     also score slices of the units, in `result.slices`: names ("length", "sentence-length", "document",
               "vocabulary", a column or a JSON field of the gold standard), with bins if needed ("length=1,2,3,4+",
               "year=q4"); metadata of documents or sentences by id, as a table (a path to CSV, TSV or JSON lines, a
               data frame) or as mappings ({"genre": {"doc1": "news"}}); or a list of these
    vocabulary a file with one word or phrase per line, or a list of these, for the slice "vocabulary"
    skip_broken
               score the systems that can be read; `results.skipped` has the problem of each of the others
    train      the training data of the systems, a file or a list, for the slices "seen", "oov", "consistency", …; the
               notes report sentences that occur in it, and `map` renames its labels: {"train:PERSON": "PER"}
    drop_leaked
               leave out test sentences that occur in the training data with the same words
    numbers    the numbers version that the figures must have, as in the signature

    Tasks and measures have parameters, too, such as `iou` and `punctuation`: `evenhand score --help-all` lists them by
    task. If one side counts in characters (texts with offsets), all do.
    """
    check_choice("groups", groups, get_args(Groups))
    check_choice("show", show, SHOWN, optional=True)
    given: tuple[Any, Any] = (gold, systems)
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
        "layer": layer,
        "encoding": encoding,
        "repair": repair,
        "offsets": offsets,
        "functions": functions,
        "annotator": annotator,
        TRAIN: train,
        **parameters,
    }
    if layer == "all":
        if match is not None or column is not None:
            raise SettingError('layer="all" scores layers of several tasks; remove match and column.')
        kept = {name: value for name, value in options.items() if value is not None and name != "layer"}
        kept |= {"groups": groups, "jobs": jobs, "engine": engine, "show": show, "limit": limit, "slices": slices}
        kept |= {"skip_broken": skip_broken, "entities": entities, "shares": shares, "drop_leaked": drop_leaked}
        layers, notes = layers_of(gold, options, sides)
        named: dict[str, Any] = {name: (name, "all") for name in layers}  # no notes on layers that are scored, too
        by_layer = {name: score(*given, layer=one, vocabulary=vocabulary, **kept) for name, one in named.items()}
        return Layers(by_layer, notes)
    prepared, engine = prepare(gold, sides, options), chosen_engine(engine, jobs)
    if show is None and limit is not None:
        raise SettingError("limit needs show.")
    if shares and not entities:
        raise SettingError("shares needs entities.")
    _check_effects(prepared, entities=entities)
    if entities and (show is not None or not is_nothing(slices) or train is not None or engine is not serial):
        raise SettingError("Errors by entity are counted in one process, without show and slices; remove these.")
    if not is_nothing(slices) or train is not None:
        from evenhand.api.slices import SliceOptions, score_with_slices  # rare

        if show is not None or engine is not serial:
            what = "Slices are counted" if train is None else "Training data are read"
            raise SettingError(f"{what} in one process, without show; remove show, jobs, cache and engine.")
        of_slices = SliceOptions.of(slices, vocabulary, train, drop_leaked)

        def compute(valid: Systems) -> Results:
            return score_with_slices(gold, valid, prepared, groups, of_slices)

    elif vocabulary is not None:
        raise SettingError("A word list is for the slice 'vocabulary'; add that slice.")
    elif drop_leaked:
        raise SettingError("drop_leaked needs training data. Specify it with train.")
    elif entities:

        def compute(valid: Systems) -> Results:
            return score_with_entities(gold, valid, prepared, groups, shares=shares)

    elif show is None:

        def compute(valid: Systems) -> Results:
            return score_inputs(gold, valid, prepared, groups, engine)

    else:

        def compute(valid: Systems) -> Results:
            return score_with_leaks(gold, valid, prepared, groups, limit)

    if skip_broken and sides is not None:
        results, skipped = skipping_broken(gold, sides, prepared, compute, engine=engine)
        results = Results(results, skipped)
    else:
        results = compute(sides)
    is_single = systems is None or (is_single_system(systems) and len(results) == 1)  # a folder may have several
    return next(iter(results.values())) if is_single else results


def is_nothing(slices: Any) -> bool:
    """Whether no slices are requested."""
    return slices is None or (isinstance(slices, str | Sequence | Mapping) and not slices)


def chosen_engine(engine: Engine | None, jobs: int | None) -> Engine:
    """The engine of a job: this process by default."""
    if jobs is None:
        return engine or serial
    if engine is not None:
        raise SettingError("Specify jobs or engine, but not both.")
    from evenhand.engines.processes import processes  # takes a while to load

    return processes(jobs)
