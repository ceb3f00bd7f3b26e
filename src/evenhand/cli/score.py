"""`evenhand score`: scores and error types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.engine import chosen_engine, engine_options
from evenhand.cli.help import WRITING, Command, option
from evenhand.cli.inputs import INPUT, manifest_option, sides
from evenhand.cli.options import by_side, reading_options, score_options, scoring_options
from evenhand.cli.output import (
    OUTPUTS,
    emit,
    form_option,
    output_option,
    quiet_option,
    say_readings,
    table_options,
    table_style,
)
from evenhand.cli.tables import query_choices, query_options
from evenhand.formats.addresses import Place

if TYPE_CHECKING:
    from evenhand.pipeline.run import Run
    from evenhand.pipeline.work import Engine, Work


@click.command(cls=Command, says_readings=True)
@click.argument("gold", required=False, type=INPUT)
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM]...")
@reading_options(sided=True)
@scoring_options()
@manifest_option
@engine_options
@form_option(OUTPUTS)
@option(
    *(WRITING, "--show"),
    type=Choice(["leaked"]),
    metavar="leaked",
    help="List gold spans that are not covered, with --match leak.",
    rare=True,
)
@option(WRITING, "--limit", type=int, help="Most spans of each system that --show lists [all].", rare=True)
@query_options
@table_options()
@output_option
@quiet_option
def score(gold: Place | None, systems: tuple[Place, ...], manifest: Place | None, **options: Any) -> None:
    """Score SYSTEM files against the GOLD standard.

    Files are CoNLL-style columns (one token per line, tags in the last column),
    span tables, CoNLL-U, and many others; see --help-all. With GOLD alone, its
    last two columns are gold standard and prediction, as in conlleval.

    \b
    Examples:
      evenhand score gold.conll flair.conll elmo.conll
      evenhand score gold.conll flair.conll --match fair --as value
      evenhand score both.conll -o scores.json
      evenhand score both.conll --as conlleval
      evenhand score gold.conll flair.conll --as latex --caption "Scores"
      evenhand score gold.conll flair.conll --match ts,t,semeval --baselines
      evenhand score gold.conllu parser.conllu
      evenhand score gold.conllu parser.conllu --match las --punctuation form
      evenhand score gold.tsv tagger.tsv --task tags
      evenhand score key.conll response.conll --match mela --no-singletons
      evenhand score gold.conll flair.conll --verdicts verdicts.parquet
      evenhand score gold.conll redacted.conll --match leak --show leaked
      evenhand score --manifest pairs.tsv --engine dask
    """
    import evenhand

    form, style, quiet = options["form"], table_style(options), options["quiet"]
    with chosen_engine(options, (gold, *systems)) as engine:
        key, named = sides(gold, systems, manifest)
        if form == "conlleval":
            options |= _conlleval(key, options)
        chosen = score_options(options, "show", "limit") | query_choices(options, engine)
        if form == "value":
            chosen["engine"] = _of_one_model(engine if chosen.get("engine") is None else chosen["engine"])
        results = evenhand.score(key, named or None, **chosen)
    if isinstance(results, evenhand.Result):
        results = evenhand.Results({results.name: results})
    if options["tallies"] is not None:
        results.tallies_to_parquet(options["tallies"])
    if not quiet:
        say_readings(results)
    emit(results, form, options["output"], quiet=quiet, style=style)


def _of_one_model(engine: Engine | None) -> Engine:
    """An engine that refuses work under several match models, before it reads the files."""
    from evenhand.pipeline.work import serial
    from evenhand.report.value import check_models

    def run(work: Work) -> Run:
        check_models(work.models)
        return (engine or serial)(work)

    return run


def _conlleval(gold: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The task and the match models of the layout of conlleval; an error if the task does not have it."""
    from evenhand.pipeline.inputs import content_of
    from evenhand.tasks.registry import TASKS

    given, formats = options["task"], by_side(options["formats"]) or {}
    task = TASKS[given or content_of(gold, formats.get("gold"), None).task]
    if task.display.conlleval is not None:
        return {"match": task.display.conlleval, "task": task.name}
    names = " or ".join(name for name in TASKS if TASKS[name].display.conlleval is not None)
    finding = f"the task is {given}" if given else f"the gold standard has {task.name}"
    remedy = "choose another --as" + ("" if given else f", or name --task {names} and the --column of the tags")
    raise click.UsageError(f"The layout of conlleval is for {names}, but {finding}; {remedy}")
