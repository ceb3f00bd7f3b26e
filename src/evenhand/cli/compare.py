"""`evenhand compare`, `evenhand report` and `evenhand plot`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import COMPARING, LISTING, SCORING, STATISTICS, WRITING, Command, Group, option, with_options
from evenhand.cli.options import (
    INPUT,
    INTERVAL_NAMES,
    OUTPUT,
    OUTPUT_OR_FOLDER,
    STANDARD_OUTPUT,
    STATISTICS_NAMES,
    Choice,
    by_option,
    comparison_options,
    input_arguments,
    interval_options,
    pair_options,
    reading_options,
    score_options,
    scoring_options,
    seed_option,
    sides,
    skip_option,
    slice_keywords,
    slice_options,
    statistics_options,
    task_file_options,
    units_option,
)
from evenhand.cli.output import (
    check_suffix,
    emit,
    emit_sections,
    form_option,
    output_option,
    quiet_option,
    say_notes,
    table_options,
    table_style,
)
from evenhand.cli.power import power_of, power_options
from evenhand.cli.suspects import voting_options
from evenhand.errors import counted
from evenhand.tasks.registry import TASKS

if TYPE_CHECKING:
    from evenhand.results.causes import Causes
    from evenhand.results.comparison import Comparison, Ranking
    from evenhand.results.confidence import Confidence
    from evenhand.results.power import Power
    from evenhand.results.result import Result, Results
    from evenhand.results.suspects import Suspects


@click.command(cls=Command)
@input_arguments()
@option(
    WRITING,
    "-o",
    "--output",
    type=OUTPUT_OR_FOLDER,
    metavar="FILE",
    required=True,
    help="Write the page to FILE; for the data sets of a --task-file, also a folder.",
)
@option(WRITING, "--title", metavar="TEXT", help="Title of the page [the names of the files].")
@option(WRITING, "--limit", type=int, default=50_000, help="Maximum number of units on the page.")
@by_option
@statistics_options
@reading_options(sided=True)
@scoring_options(effects=("scores", "labels", "gold", "systems"))
@slice_options(SCORING)
@skip_option()
@task_file_options()
@quiet_option
def report(output: Path, quiet: bool, **options: Any) -> None:
    """Write a page on SYSTEM files: scores, differences, and every error in its sentence.

    The page is one file that needs no network. Counts link to their units.

    \b
    Examples:
      evenhand report gold.conll old.conll new.conll -o report.html
      evenhand report gold.conllu parser.conllu -o parser.html --by uas
      evenhand report --task-file task.toml -o pages/
    """
    import evenhand
    from evenhand.cli.process import say
    from evenhand.files import check_target, write_file

    check_suffix(output, "html")
    is_page = options["task_file"] is None or bool(output.suffix) or output == STANDARD_OUTPUT
    if is_page:
        check_target(output)
    if options["task_file"] is not None and options["team"] is not None:
        from evenhand.cli.shared_task import report_task

        feedback = report_task(options)
        if feedback is not None:
            page_text, summary = feedback
            write_file(output, page_text)
            if not quiet:
                say(f"{output}: {summary}")
            return
    chosen = score_options(options, "title", "by", "limit", "skip_broken", *STATISTICS_NAMES) | slice_keywords(options)
    if options["task_file"] is not None:
        _report_task(output, options, chosen, is_page=is_page, quiet=quiet)
        return
    page = evenhand.report(*sides(options), **chosen)
    write_file(output, page.to_html())
    if not quiet:
        say_notes(page.notes)
        say(f"{output}: {page.units.included:,} of {counted(page.units.total, 'unit')}.")


def _report_task(
    output: Path, options: Mapping[str, Any], chosen: Mapping[str, Any], *, is_page: bool, quiet: bool
) -> None:
    """Write a page, or a folder with one page for each data set."""
    import evenhand
    from evenhand.cli.process import say
    from evenhand.cli.shared_task import sides_of_task
    from evenhand.files import whole_folder, write_file
    from evenhand.report.html.leaderboard import slugs

    by_data = sides_of_task(options, least=1)
    if len(by_data) > 1 and is_page:
        remedy = "choose one with --data, or let -o name a folder, which gets a page for each"
        raise click.UsageError(f"There are several data sets ({', '.join(by_data)}); {remedy}")
    given = {name: value for name, value in chosen.items() if value is not None}
    pages = dict[str, str]()
    for name, each in by_data.items():
        from_task = {"title": each.title, "match": each.match or None}
        page = evenhand.report(each.gold, each.systems, **{**from_task, **given, **each.options})
        pages[name] = page.to_html()
        if not quiet:
            say_notes(page.notes)
            say(f"{name}: {page.units.included:,} of {counted(page.units.total, 'unit')}.")
    if is_page:
        write_file(output, *pages.values())
        return
    names = slugs(pages)
    with whole_folder(output) as write:
        for name, text in pages.items():
            write(f"{names[name]}.html", text)


COMPARE_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html", "jsonl")
SHOWN = ("correction", "new_error", "changed_error", "unsolved", "solved_once")
_CONFUSED = [task.name for task in TASKS.values() if task.display.confusion is not None]
"""Tasks whose labels can be confused."""
figure_options = with_options(
    option(
        WRITING,
        "-o",
        "--output",
        required=True,
        type=OUTPUT,
        metavar="FILE",
        help="Write the figure to FILE, which ends with .svg, .pdf or .png.",
    ),
    option(WRITING, "--width", type=float, metavar="INCHES", help="Width of the figure [6.3]."),
    option(WRITING, "--height", type=float, metavar="INCHES", help="Height of the figure [depends on the content]."),
    quiet_option,
)
"""Output file and size of a figure."""


@click.group(cls=Group, no_args_is_help=False, subcommand_metavar="KIND GOLD SYSTEM...")
def plot() -> None:
    """Draw a figure for a paper, as SVG, PDF or PNG.

    \b
    Examples:
      evenhand plot errors gold.conll flair.conll elmo.conll -o errors.pdf
      evenhand plot confusion gold.conll flair.conll -o confusion.svg
      evenhand plot comparison gold.conll old.conll new.conll -o comparison.pdf
      evenhand plot ranks gold.conll systems/*.conll -o ranks.pdf
      evenhand plot causes gold.conll flair.conll -o causes.pdf
      evenhand plot pr gold.jsonl crf.jsonl -o curve.svg
      evenhand plot power gold.conll old.conll new.conll -o power.svg
    """


@plot.command(cls=Command)
@input_arguments("[SYSTEM]...")
@option(WRITING, "--counts", is_flag=True, help="Draw error counts, not shares.")
@figure_options
@skip_option()
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold", "systems"), without=("beta",))
def errors(counts: bool, **options: Any) -> None:
    """Kinds of errors of each system.

    Spans: the error types of fair evaluation, and the FN and FP of exact match. Tags: the tags with the most errors.
    Trees: wrong heads and relations. Chains: wrong, missing and spurious antecedents.
    """
    import evenhand

    check(options)
    gold, systems = sides(options, least=0)
    results = evenhand.score(gold, systems or None, layer=None, **score_options(options, "skip_broken"))
    write_figure(results, "errors", options, counts=counts)


@plot.command(cls=Command)
@input_arguments("[SYSTEM]...")
@option(WRITING, "--system", "chosen", multiple=True, metavar="NAME", help="Draw only this system. Repeatable.")
@option(WRITING, "--correct", is_flag=True, help="Show the correct units, too, on the diagonal.")
@figure_options
@skip_option()
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold", "systems"), without=("beta",), tasks=_CONFUSED)
def confusion(chosen: tuple[str, ...], correct: bool, **options: Any) -> None:
    """Labels that are confused with each other.

    One heat map for each of up to four systems, with the 15 labels that have the most errors.
    """
    import evenhand

    check(options)
    gold, systems = sides(options, least=0)
    results = evenhand.score(gold, systems or None, layer=None, **score_options(options, "skip_broken"))
    write_figure(results, "confusion", options, systems=chosen, correct=correct)


@plot.command(cls=Command)
@input_arguments("SYSTEM SYSTEM...")
@pair_options
@figure_options
@skip_option()
@statistics_options
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold", "systems"))
def comparison(**options: Any) -> None:
    """Changes between systems.

    For each pair of systems: corrections, new errors, changed errors, and the change of the score.
    """
    import evenhand

    check(options)
    chosen = score_options(options, "skip_broken", "by", "baseline", "sequence", *STATISTICS_NAMES)
    write_figure(evenhand.compare(*sides(options), **chosen), "comparison", options)


@plot.command(cls=Command)
@input_arguments()
@interval_options
@figure_options
@skip_option()
@reading_options(sided=True)
@scoring_options(effects=("scores", "gold", "systems"))
def ranks(**options: Any) -> None:
    """Scores with intervals and ranks under several measures."""
    import evenhand

    check(options)
    chosen = score_options(options, "skip_broken", *INTERVAL_NAMES)
    write_figure(evenhand.rank(*sides(options), trials=0, **chosen), "ranks", options)


def _confidence_figure(kind: str, options: dict[str, Any]) -> None:
    import evenhand

    check(options)
    chosen = score_options(options, "bins", "seed")
    gold, systems = sides(options)
    if options["skip_broken"]:
        systems = _valid_systems(gold, systems, options)
    write_figure(evenhand.confidence(gold, systems, **chosen), kind, options)


def _valid_systems(gold: Any, systems: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The systems that can be scored; the others are listed."""
    from evenhand import score
    from evenhand.pipeline.inputs import systems_by_name
    from evenhand.results.signature import notes_on_skipped

    named = systems_by_name(systems) or {}
    results = score(gold, named, skip_broken=True, **score_options(options))
    if not options["quiet"]:
        say_notes(notes_on_skipped(results.skipped, len(results)))
    return {name: side for name, side in named.items() if name in results}


bins_option = option(
    STATISTICS,
    "--bins",
    default="15",
    metavar="NUMBER|width:NUMBER",
    help="Bins of calibration, of equal mass or of equal width.",
)
_with_confidences = with_options(
    input_arguments(), figure_options, skip_option(), seed_option, reading_options(sided=True), scoring_options()
)


@plot.command(cls=Command)
@_with_confidences
def pr(**options: Any) -> None:
    """Precision and recall at every threshold of confidence, with the best threshold."""
    _confidence_figure("pr", {**options, "bins": "15"})


@plot.command(cls=Command)
@_with_confidences
def threshold(**options: Any) -> None:
    """F1, or F-beta, by threshold of confidence."""
    _confidence_figure("threshold", {**options, "bins": "15"})


@plot.command(cls=Command)
@bins_option
@_with_confidences
def calibration(**options: Any) -> None:
    """Calibration: the share of correct units by their confidence."""
    _confidence_figure("calibration", options)


@plot.command(cls=Command)
@_with_confidences
def risk(**options: Any) -> None:
    """Selective prediction: the share of wrong units among the most confident ones."""
    _confidence_figure("risk", {**options, "bins": "15"})


@plot.command(cls=Command)
@input_arguments()
@by_option
@units_option
@slice_options(LISTING)
@figure_options
@seed_option
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold", "systems"))
def causes(**options: Any) -> None:
    """Errors by slice.

    One system: its error rate in each slice, with intervals. Two systems: the change of each rate. More systems: a heat
    map of the differences between the score on each slice and the score on all units.
    """
    import evenhand

    check(options)
    gold, systems = sides(options)
    slicing = slice_keywords(options)
    if len(systems) > 2:
        from evenhand.api.causes import scored_slices

        chosen = score_options(options)
        results = evenhand.score(gold, systems, **chosen, **scored_slices(gold, options["by"], chosen, slicing))
        write_figure(results, "slices", options)
    else:
        result = evenhand.causes(gold, systems, **score_options(options, "by", "units", "seed"), **slicing)
        write_figure(result, None, options)


@plot.command(cls=Command)
@input_arguments()
@voting_options
@option(SCORING, "--truth", type=INPUT, required=True, metavar="CORRECTED", help="A corrected gold standard.")
@figure_options
@reading_options(sided=True)
@scoring_options(without=("match", "beta"))
def suspects(**options: Any) -> None:
    """Errors of the gold standard found by the share reviewed, given a corrected gold standard."""
    import evenhand

    check(options)
    chosen = score_options(options, "rule", "truth", "leave_out")
    write_figure(evenhand.suspects(*sides(options), **chosen), None, options)


@plot.command(cls=Command)
@input_arguments()
@power_options
@figure_options
def power(**options: Any) -> None:
    """Power by the size of the test set and by the difference.

    Two systems, or one and --delta. The present size and the detectable difference are marked.
    """
    check(options)
    write_figure(power_of(options), None, options)


def check(options: dict[str, Any]) -> None:
    """Refuse figures that cannot be drawn or written, before files are read."""
    from evenhand.report.figures.canvas import Size, check_matplotlib, form_of

    form_of(options["output"])
    Size(options["width"], options["height"])
    check_matplotlib()


def write_figure(
    result: Result | Results | Comparison | Ranking | Confidence | Causes | Power | Suspects,
    kind: str | None,
    options: dict[str, Any],
    **choices: Any,
) -> None:
    """Draw and write a figure; notes go to standard error."""
    from evenhand.files import write_file
    from evenhand.report.figures.canvas import form_of, render

    choices |= {} if kind is None else {"kind": kind}
    figure = result.plot(width=options["width"], height=options["height"], **choices)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        content = render(figure, form_of(options["output"]), result.signature)
    write_file(options["output"], content)
    if not options["quiet"]:
        say_notes((*result.notes, *(str(warning.message) for warning in caught)))


@click.command(cls=Command)
@input_arguments("SYSTEM SYSTEM...", rare=True)
@pair_options
@slice_options(COMPARING)
@comparison_options
@reading_options(sided=True)
@scoring_options(with_match=False)
@skip_option()
@task_file_options()
@form_option(COMPARE_OUTPUTS)
@option(
    WRITING,
    "--show",
    type=Choice(SHOWN),
    metavar="CLASS",
    help=f"List units with their sentences: {', '.join(SHOWN)}.",
)
@option(WRITING, "--limit", type=int, help="Maximum number of units in --show [all].")
@option(WRITING, "--top", type=int, default=5, help="Transitions to list for each class.", rare=True)
@option(
    WRITING,
    "--sort",
    type=Choice(["frequency", "gain"]),
    metavar="ORDER",
    help="Order of labels: frequency or gain [frequency for the oracle, size of the difference for pairs].",
    rare=True,
)
@table_options(rare=True)
@output_option
@quiet_option
def compare(**options: Any) -> None:
    """Compare SYSTEM files on the GOLD standard.

    Every difference between two systems is a correction, a new error or a changed error. With --show, JSON lines and
    CSV contain the units themselves.

    \b
    Examples:
      evenhand compare gold.conll old.conll new.conll
      evenhand compare gold.conll old.conll new.conll --show new_error
      evenhand compare key.conll old.conll new.conll --by mela
      evenhand compare key.conll old.conll new.conll --by arcs_nom
      evenhand compare gold.conllu v1.conllu v2.conllu --sequence --by uas
      evenhand compare gold.conll systems/*.conll --baseline crf --as json
      evenhand compare gold.conll a.conll b.conll --show unsolved --as jsonl
    """
    import evenhand

    style = table_style(options)
    if options["form"] == "jsonl" and options["show"] is None:
        raise click.UsageError("JSON lines contain units; add --show")
    plain = ("skip_broken", "by", "baseline", "sequence", "top", "sort", "show", "limit", *STATISTICS_NAMES)
    chosen = score_options(options, *plain) | slice_keywords(options)
    if options["task_file"] is not None:
        from evenhand.cli.shared_task import sides_of_task

        comparisons = {
            name: evenhand.compare(each.gold, each.systems, **{**chosen, **each.options})
            for name, each in sides_of_task(options, least=2).items()
        }
        if len(comparisons) > 1:
            emit_sections("data_sets", comparisons, options["form"], options["output"], style=style)
            return
        (comparison,) = comparisons.values()
    else:
        comparison = evenhand.compare(*sides(options), **chosen)
    emit(comparison, options["form"], options["output"], quiet=options["quiet"], style=style)
