"""`evenhand score`, `evenhand merge`, `evenhand rank`, `evenhand demo` and `evenhand germeval`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import READING, SCORING, WRITING, Command, option, with_options
from evenhand.cli.options import (
    INPUT,
    INTERVAL_NAMES,
    OUTPUT,
    Choice,
    by_side,
    history_options,
    input_arguments,
    interval_options,
    note_inputs,
    numbers_option,
    query_choices,
    query_options,
    rank_by_option,
    reading_options,
    repair_option,
    score_options,
    scoring_options,
    sides,
    skip_option,
    slice_keywords,
    slice_options,
    task_choice,
    task_file_options,
    trials_option,
)
from evenhand.cli.output import (
    OUTPUTS,
    check_suffix,
    chosen_engine,
    emit,
    emit_sections,
    engine_options,
    form_option,
    output_option,
    quiet_option,
    report_readings,
    say_notes,
    table_options,
    table_style,
    write,
)
from evenhand.errors import NoSystemLeftError
from evenhand.formats.storage import AnyPath
from evenhand.tasks.registry import TASKS

if TYPE_CHECKING:
    from evenhand.pipeline.run import Engine, Job, Run
    from evenhand.results.result import Result, Results
    from evenhand.results.summary import Summary


summary_options = with_options(
    option(
        WRITING,
        "--summary/--full",
        default=None,
        help="Several systems: one table with intervals and tests, or all tables of each system [summary].",
    ),
    option(
        WRITING,
        "--against",
        metavar="NAME",
        help="Test the systems of a summary against this one: best, first, or its name [best].",
        rare=True,
    ),
)
RANK_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html")


@click.command(cls=Command)
@input_arguments()
@trials_option("for the clusters (0: no clusters) [10,000; more for more than 125 pairs]", rare=True)
@interval_options
@reading_options(sided=True)
@scoring_options(effects=("scores", "labels", "gold", "systems"))
@rank_by_option
@option(SCORING, "--suite", type=INPUT, metavar="FILE", help="TOML file that lists several data sets to rank on.")
@task_file_options()
@skip_option(rare=False)
@engine_options
@form_option(RANK_OUTPUTS)
@table_options()
@output_option
@quiet_option
def rank(suite: AnyPath | None, **options: Any) -> None:
    """Rank SYSTEM files by their scores under several measures.

    Intervals come from resampling documents, or sentences if there is one document. Systems that share a letter are not
    significantly worse than the best of them under the first measure. --suite ranks systems on several data sets and on
    average; its file has a table for each data set:

    \b
      [[data]]
      name = "english"
      gold = "english/gold.conll"
      systems = "english/systems/*.conll"

    \b
    Examples:
      evenhand rank gold.conll systems/*.conll
      evenhand rank gold.conll a.conll b.conll --match fair,semeval --as latex
      evenhand rank gold.conll submissions/*.conll --skip-broken
      evenhand rank --suite suite.toml -o ranking.json
      evenhand rank --manifest pairs.tsv --engine dask
    """
    import evenhand

    style = table_style(options)
    if options["task_file"] is not None:
        from evenhand.cli.shared_task import board, emit_board

        if options["by"] is not None:
            raise click.UsageError("A task file sets the measure to rank by; remove --by")
        emit_board(board(options), options, style)
        return
    chosen = score_options(options, "by", "trials", "skip_broken", *INTERVAL_NAMES)
    if suite is not None and (options["gold"] is not None or options["manifest"] is not None):
        raise click.UsageError("Specify only one of these: GOLD and SYSTEM files, a --manifest, a --suite")
    if suite is None and options["manifest"] is None and not (options["systems"] or options["submissions"]):
        raise click.UsageError("Specify a GOLD file and SYSTEM files, a --manifest or a --suite")
    with chosen_engine(options) as engine:
        if suite is not None:
            note_inputs(_files(suite))
            ranking = evenhand.rank_suite(suite, **chosen, engine=engine)
        else:
            ranking = evenhand.rank(*sides(options), **chosen, engine=engine)
    emit(ranking, options["form"], options["output"], quiet=options["quiet"], style=style)


def _files(suite: AnyPath) -> list[AnyPath]:
    from evenhand.api.suites import suite as read_suite

    return [file for data_set in read_suite(suite) for file in (data_set.gold, *data_set.systems.values())]


@click.command(cls=Command, reports_readings=True)
@click.argument("parts", nargs=-1, required=True, type=INPUT, metavar="PART...")
@trials_option("(0: no tests) [10,000; more for more than 125 pairs]")
@interval_options
@numbers_option
@form_option(OUTPUTS)
@summary_options
@table_options()
@output_option
@quiet_option
def merge(parts: tuple[AnyPath, ...], **options: Any) -> None:
    """Merge the counts of parts that `score --counts` saved, on one machine or on several.

    The result is what one score of the files of all parts prints, to the last bit, with intervals and tests. Parts are
    merged in the order of their names here. They need the same settings, system names and version of Evenhand.

    \b
    Examples:
      evenhand score part1/gold.conll crf=part1/crf.conll --counts part1.json
      evenhand score part2/gold.conll crf=part2/crf.conll --counts part2.json
      evenhand merge part1.json part2.json
      evenhand merge counts/ -o scores.json
    """
    import evenhand

    style, form, wants, against = table_style(options), options["form"], options["summary"], options["against"]
    chosen = {name: options[name] for name in ("trials", *INTERVAL_NAMES)}
    merged = evenhand.merge(parts, against=against or "best", **chosen)
    if isinstance(merged, evenhand.Result):
        if wants or against:
            raise click.UsageError("--summary and --against need several systems")
        results, shown = evenhand.Results({merged.name: merged}), None
    else:
        results, shown = merged.results, merged if _is_summarized(form, wants, against) else None
    if not options["quiet"]:
        report_readings(results)
    emit(shown or results, form, options["output"], quiet=options["quiet"], style=style)


@click.command(cls=Command)
@option(SCORING, "--task", type=task_choice(), metavar="NAME", default=next(iter(TASKS)), help="Which example.")
def demo(task: str) -> None:
    """Score the systems of a bundled example; every task has one."""
    from importlib.resources import as_file, files

    import evenhand

    example = TASKS[task].example
    gold, systems = example.gold, example.systems
    with as_file(files(example.package) / "examples" / example.folder) as folder:
        summary = evenhand.summarize(folder / gold, [folder / name for name in systems], task=task)
        emit(summary, "text", None, quiet=False)
        click.echo()
        click.echo("Try next, in the folder of these files:")
        click.echo(f"  cd {folder}")
        one, two = systems[-2:]
        for command in (
            f"evenhand report {gold} {' '.join(systems)} {example.options} -o report.html",
            f"evenhand compare {gold} {one} {two} {example.options}",
            f"evenhand errors {gold} {two} {example.options} -o errors.csv",
        ):
            click.echo(f"  {' '.join(command.split())}")


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("prediction", required=False, type=INPUT)
@option(SCORING, "--as-script", is_flag=True, help="Reproduce the task's own script, with its known defects.")
@numbers_option
@option(READING, "-d", "--delimiter", metavar="TEXT", help="Column separator [tab].")
@repair_option("Entities that begin with I-: keep them (begin), drop them (discard), or stop (error).")
@form_option(("text", "json", "latex"))
@option(WRITING, "-l", "--latex", is_flag=True, help="The same as --as latex.")
@option(WRITING, "-v", "--verbose", is_flag=True, help="Also count entities by label and level.")
@output_option
@quiet_option
def germeval(gold: AnyPath, prediction: AnyPath | None, form: str, output: Path | None, **options: Any) -> None:
    """Score a PREDICTION with the metrics of GermEval 2014.

    GOLD alone has six columns: index, token, gold outer and inner tag, predicted outer and inner tag. With a
    PREDICTION, both files have four. Ill-formed files are errors: exit status 2 and no scores.

    \b
    Examples:
      evenhand germeval both.tsv
      evenhand germeval gold.tsv prediction.tsv -o scores.json
    """
    import evenhand
    from evenhand.cli.process import say
    from evenhand.integrations import germeval as report

    if options["latex"] and form == "json":
        raise click.UsageError("--latex and --as json cannot be combined")
    form = "latex" if options["latex"] else form
    if output is not None:
        check_suffix(output, form)
    delimiter = options["delimiter"] and options["delimiter"].replace(r"\t", "\t")
    settings = {"repair": options["repair"], "as_script": options["as_script"]}
    result = evenhand.germeval(gold, prediction, delimiter=delimiter, **settings)
    if form == "json":
        text = result.to_json()
    else:
        text = (report.latex if form == "latex" else report.text)(result, verbose=options["verbose"])
    if form == "latex" and not options["quiet"]:
        for line in report.remarks(result):
            say(line)
    write(text, form, output)


@click.command(cls=Command, reports_readings=True)
@input_arguments("[SYSTEM]...")
@reading_options(sided=True)
@scoring_options(effects=("scores", "labels", "rows", "errors", "gold", "systems"))
@slice_options(SCORING)
@skip_option()
@task_file_options()
@history_options
@engine_options
@form_option(OUTPUTS)
@option(
    WRITING,
    "--show",
    type=Choice(["leaked"]),
    metavar="leaked",
    help="With --match leak: list gold spans that are not covered.",
    rare=True,
)
@option(WRITING, "--limit", type=int, help="Maximum number of spans in --show, per system [all].", rare=True)
@option(
    SCORING,
    "--entities",
    is_flag=True,
    help="Chains: also list errors by entity, and the points gained by repairing each type and each entity.",
    rare=True,
)
@option(SCORING, "--shares", is_flag=True, help="With --entities: the mean gain over all orders of repair.", rare=True)
@summary_options
@query_options
@option(
    WRITING,
    "--counts",
    type=OUTPUT,
    metavar="FILE",
    help="Save the counts to FILE (.json or .parquet) for evenhand merge.",
    rare=True,
)
@table_options()
@output_option
@quiet_option
def score(**options: Any) -> None:
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
      evenhand score key.conll response.conll --match mela --entities
      evenhand score gold.conll flair.conll --verdicts verdicts.parquet
      evenhand score gold.conll redacted.conll --match leak --show leaked
      evenhand score gold.conll flair.conll --slices metadata.csv --slice length
      evenhand score --manifest pairs.tsv --engine dask
      evenhand score gold.conll crf=crf.conll --counts part1.json
      evenhand score gold/ crf/ --cache ~/.cache/evenhand
    """
    import evenhand
    from evenhand.pipeline.inputs import has_layers

    form, style, quiet = options["form"], table_style(options), options["quiet"]
    if options["task_file"] is not None:
        from evenhand.cli.shared_task import score_task

        score_task(options, style)
        return
    if any(options[name] for name in ("history", "rescore", "withdraw", "date", "team", "data", "track")):
        raise click.UsageError(
            "--history, --rescore, --withdraw, --date, --team, --data and --track need a --task-file"
        )
    with chosen_engine(options) as engine:
        key, named = sides(options, least=0)
        if form == "conlleval":
            options |= _conlleval(key, options)
        chosen = (
            score_options(options, "show", "limit", "entities", "shares", "skip_broken")
            | query_choices(options, engine)
            | slice_keywords(options)
        )
        if form == "value":
            chosen["engine"] = _with_one_measure(engine if chosen.get("engine") is None else chosen["engine"])
        chosen |= _counting(chosen, options)
        if chosen["column"] == {"gold": "all", "system": "all"} and has_layers(key):
            used = {name: value for name, value in chosen.items() if name != "column"}
            layers = evenhand.score(key, named or None, layer="all", **used)
            emit_sections("layers", _several(layers), form, options["output"], style=style)
            say_notes(layers.notes)
            return
        summary = _summary(key, named, chosen, options)
        results = evenhand.score(key, named or None, layer=None, **chosen) if summary is None else summary.results
    (results,) = _several({"": results}).values()
    if options["tallies"] is not None:
        results.tallies_to_parquet(options["tallies"])
    if not quiet:
        report_readings(results)
    emit(results if summary is None else summary, form, options["output"], quiet=quiet, style=style)


def _several(results: Mapping[str, Result | Results]) -> dict[str, Results]:
    """The results of one system, as those of several."""
    import evenhand

    return {
        name: evenhand.Results({each.name: each}) if isinstance(each, evenhand.Result) else each
        for name, each in results.items()
    }


def _counting(chosen: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The engine that also saves the counts, if requested."""
    for name in ("counts", "cache"):
        others = ["--show"] * bool(chosen["show"]) + ["--entities"] * bool(chosen["entities"])
        others += ["--slice"] * bool(chosen.get("slices")) + ["--train"] * bool(chosen.get("train"))
        others += ["--verdicts"] * bool(options["verdicts"])
        if options[name] is not None and others:
            raise click.UsageError(f"--{name} cannot be combined with {others[0]}")
    if options["counts"] is None:
        return {}
    from evenhand.api.merge import recording_counts

    return {"engine": recording_counts(options["counts"], chosen.get("engine"))}


SUMMARY_OUTPUTS = ("text", "csv", "markdown", "latex", "html")
"""Forms in which several systems have a summary unless a user asks for --full."""


def _summary(gold: Any, systems: Any, chosen: Mapping[str, Any], options: Mapping[str, Any]) -> Summary | None:
    """The summary of several systems; None if all tables are requested, or the output has no summary."""
    wants, against, form = options["summary"], options["against"], options["form"]
    is_plain = not any(chosen.get(name) for name in ("show", "slices", "vocabulary", "train", "entities"))
    is_possible = len(systems) > 1 and is_plain and chosen.get("groups", "total") == "total"
    if (wants or against) and (not is_possible or form not in (*SUMMARY_OUTPUTS, "json")):
        forms = f"as {', '.join(SUMMARY_OUTPUTS)} or json"
        without = "without --show, --slice, --train, --entities and --groups"
        raise click.UsageError(f"--summary and --against need several systems, {forms}, {without}")
    if not is_possible or not _is_summarized(form, wants, against):
        return None
    import evenhand

    unused = ("show", "limit", "groups", "slices", "vocabulary", "entities", "shares")
    others = {name: value for name, value in chosen.items() if name not in unused}
    resamples = 1_000 if wants or against else None  # None: no intervals for large files
    try:
        return evenhand.summarize(gold, systems, against=against or "best", resamples=resamples, **others)
    except NoSystemLeftError as error:
        if error.left:  # one system has no summary
            return None
        raise


def _is_summarized(form: str, wants: bool | None, against: str | None) -> bool:
    """Whether to show a summary of several systems; by default, if the form of output has one."""
    if against and wants is False:
        raise click.UsageError("--against is for a summary, not for --full")
    return wants is not False and bool(wants or against or form in SUMMARY_OUTPUTS)


def _with_one_measure(engine: Engine | None) -> Engine:
    """An engine that refuses jobs with several measures, before it reads the files."""
    from evenhand.pipeline.run import serial
    from evenhand.report.text import check_models

    def run(job: Job) -> Run:
        check_models(job.models)
        return (engine or serial)(job)

    return run


def _conlleval(gold: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The task and the measures of the conlleval layout; an error if the task does not support it."""
    from evenhand.pipeline.inputs import content_of
    from evenhand.tasks.registry import TASKS

    name, formats = options["task"], by_side(options["formats"]) or {}
    task = TASKS[name or content_of(gold, formats.get("gold"), None).task]
    if task.display.conlleval is not None:
        return {"match": task.display.conlleval, "task": task.name}
    names = " or ".join(other for other in TASKS if TASKS[other].display.conlleval is not None)
    finding = f"the task is {name}" if name else f"the gold standard has {task.name}"
    remedy = "choose another --as" + ("" if name else f", or specify --task {names} and the --column of the tags")
    raise click.UsageError(f"The conlleval layout is for {names}, but {finding}; {remedy}")
