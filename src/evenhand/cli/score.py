"""`evenhand score`: scores and error types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from evenhand.cli.engine import chosen_engine, engine_options
from evenhand.cli.inputs import INPUT, OUTPUT, manifest_option, sides
from evenhand.cli.options import by_side, reading_options, score_options, scoring_options
from evenhand.cli.output import OUTPUTS, emit, say_readings
from evenhand.cli.style import table_options, table_style
from evenhand.cli.tables import query_choices, query_options
from evenhand.formats.addresses import Place


@click.command
@click.argument("gold", required=False, type=INPUT)
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM]...")
@manifest_option
@scoring_options()
@reading_options(sided=True)
@engine_options
@click.option("--as", "form", type=click.Choice(OUTPUTS), default="text", show_default=True, help="Form of the output.")
@table_options
@query_options
@click.option("-o", "--output", type=OUTPUT, help="Write to this file instead.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def score(gold: Place | None, systems: tuple[Place, ...], manifest: Place | None, **options: Any) -> None:
    """Score SYSTEM files against the GOLD standard.

    Files are CoNLL-style columns (a token a line, tags in the last column), span tables, CoNLL-U, and many others.
    With GOLD alone, its last two columns are gold and prediction, as conlleval takes them.

    \b
    evenhand score gold.conll flair.conll elmo.conll
    evenhand score gold.conll flair.conll --match fair --as value
    evenhand score both.conll --as json -o scores.json
    evenhand score both.conll --as conlleval
    evenhand score gold.conll flair.conll elmo.conll --as latex --caption "Scores" --show-columns model,F1
    evenhand score gold.conll flair.conll --match ts,t,overlap,semeval --supertag ENTITY --baselines
    evenhand score gold.conllu parser.conllu
    evenhand score gold.conllu parser.conllu --match las --punctuation relation --as value
    evenhand score gold.tsv tagger.tsv --task tags
    evenhand score key.conll response.conll --no-singletons
    evenhand score key.conll response.conll --match mela --as value
    evenhand score gold.conll flair.conll --verdicts verdicts.parquet --tallies counts.parquet --groups document
    evenhand score --manifest pairs.tsv --engine dask --scheduler tcp://10.0.0.1:8786
    """
    import evenhand

    form, style, quiet = options["form"], table_style(options), options["quiet"]
    with chosen_engine(options, (gold, *systems)) as engine:
        key, named = sides(gold, systems, manifest)
        if form == "conlleval":
            options |= _conlleval(key, options)
        chosen = score_options(options) | query_choices(options, engine)
        results = evenhand.score(key, named or None, **chosen)
    if isinstance(results, evenhand.Result):
        results = evenhand.Results({results.name: results})
    if options["tallies"] is not None:
        results.tallies_to_parquet(options["tallies"])
    if not quiet:
        say_readings(results)
    emit(results, form, options["output"], quiet=quiet, style=style)


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
