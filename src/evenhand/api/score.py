"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, get_args, overload

from evenhand.api.leaks import SHOWN, scored_with_leaks
from evenhand.api.results import scored
from evenhand.arguments import checked_arguments
from evenhand.pipeline.inputs import Input, is_one, sides_of
from evenhand.pipeline.options import Choice, ColumnChoice, known_options, prepare
from evenhand.pipeline.work import Engine, serial
from evenhand.problems import SettingError
from evenhand.result.result import Result, Results
from evenhand.settings import Align, Groups, Repair, choose
from evenhand.tasks.registry import TASKS, help_of, models_of, parameters_of


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
    choose("groups", groups, get_args(Groups))
    choose("show", show, SHOWN, optional=True)
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
    return next(iter(results.values())) if systems is None or is_one(systems) else results


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
        for each in parameters_of(task.name):
            lines.append(f"    {each.name}")
            lines += [f"        {line}" for line in wrap(help_of(each), 100)]
    return "\n".join(lines) + "\n    "


score.__doc__ = (score.__doc__ or "") + _parameters()
