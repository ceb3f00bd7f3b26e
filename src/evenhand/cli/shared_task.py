"""`evenhand leaderboard` and `evenhand bundle`, and the other commands with `--task-file`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from evenhand.cli.help import SCORING, STATISTICS, WRITING, Command, option
from evenhand.cli.options import (
    INPUT,
    OUTPUT,
    OUTPUT_OR_FOLDER,
    Choice,
    note_inputs,
    numbers_option,
    seed_option,
    task_file_options,
)
from evenhand.cli.output import emit, quiet_option, say_notes
from evenhand.cli.process import SKIPPABLE, say
from evenhand.errors import counted
from evenhand.formats.storage import AnyPath

if TYPE_CHECKING:
    from evenhand.api.shared_task import DataSides
    from evenhand.results.leaderboard import Leaderboard
    from evenhand.tables import TableStyle

TASK_PART = ("task_file", "team", "data", "track")
"""The names of the options that choose a part of a shared task."""
_USED = frozenset(
    [
        *(*TASK_PART, "resamples", "trials", "level", "seed", "skip_broken"),
        *("date", "history", "rescore", "withdraw"),
        *("form", "output", "quiet", "verbose", "percent", "decimals", "show_columns", "signature"),
        *("caption", "latex_label", "page_columns"),
    ]
)
"""The names of options of commands that a leaderboard uses."""
BOARD_FORMS = ("text", "json", "markdown", "latex", "html")


def board(options: Mapping[str, Any], **others: Any) -> Leaderboard:
    """The leaderboard of the options of a command; options of files and scores are in the task file."""
    import evenhand

    if options.get("gold") is not None or options.get("manifest") is not None:
        raise click.UsageError("Specify GOLD and SYSTEM files or a --task-file, but not both")
    refuse_unused(_USED)
    names = ("team", "data", "track", "resamples", "trials", "level", "seed", "skip_broken", "date")
    chosen = {name: options[name] for name in names if options.get(name) is not None}
    return evenhand.leaderboard(options["task_file"], **{**chosen, **others})


def refuse_unused(used: Collection[str]) -> None:
    """Refuse options of the command that are not used: the task file states how files are read and scored."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name not in used and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[-1]} has no effect with a --task-file; set it in that file")


def emit_board(made: Leaderboard, options: Mapping[str, Any], style: TableStyle) -> None:
    if options["form"] not in BOARD_FORMS:
        raise click.UsageError(f"The output formats of a --task-file are {', '.join(BOARD_FORMS)}")
    emit(made, options["form"], options["output"], quiet=options["quiet"], style=style)


def score_task(options: Mapping[str, Any], style: TableStyle) -> None:
    """Score the submissions of a task file, and append them to a history."""
    from evenhand.api.shared_task import record

    history = options["history"]
    made = board(options, resamples=0, trials=0, history=history)
    if history is not None:
        added = record(made, history, rescore=options["rescore"], withdraw=options["withdraw"])
        if not options["quiet"]:
            say(f"{history}: {counted(len(added), 'new line')}.")
    elif options["rescore"] or options["withdraw"]:
        raise click.UsageError("--rescore and --withdraw need a --history")
    emit_board(made, options, style)


def sides_of_task(options: Mapping[str, Any], least: int) -> dict[str, DataSides]:
    """Gold standard, systems and reading options of each data set of a task file that has enough systems."""
    from evenhand.api.shared_task import sides_by_data

    if options.get("gold") is not None or options.get("manifest") is not None:
        raise click.UsageError("Specify GOLD and SYSTEM files or a --task-file, but not both")
    part = (options["task_file"], options["team"], options["data"], options["track"])
    sides, notes = sides_by_data(*part, least=least, skip_broken=options["skip_broken"])
    say_notes(notes)
    note_inputs([path for each in sides.values() for path in (each.gold, *each.systems.values())])
    if not options["skip_broken"]:
        systems = [str(path) for each in sides.values() for path in each.systems.values()]
        click.get_current_context().meta[SKIPPABLE] = systems
    return sides


@click.command(cls=Command)
@task_file_options(required=True)
@option(WRITING, "-o", "--output", type=OUTPUT_OR_FOLDER, metavar="FOLDER", required=True, help="Write to FOLDER.")
@option(SCORING, "--history", type=INPUT, metavar="FILE", help="History of the submissions, for dates and withdrawals.")
@option(STATISTICS, "--resamples", type=int, default=1_000, help="Bootstrap resamples for intervals; 0: no intervals.")
@option(STATISTICS, "--trials", type=int, help="Trials of each test for the clusters [10,000 or more].")
@option(STATISTICS, "--level", type=float, default=0.95, help="Confidence level of intervals.")
@seed_option
@numbers_option
@quiet_option
def leaderboard(output: Path, history: AnyPath | None, **options: Any) -> None:
    """Write the leaderboard of a shared task: static pages that need no network.

    FOLDER gets index.html with the standings of each track, a page for each data set and each system, board.json,
    board.csv, history.csv and about.html. Submissions that cannot be scored are left out and listed. A leaderboard that
    is in FOLDER is replaced.

    \b
    Examples:
      evenhand leaderboard --task-file task.toml -o board/ --history history.jsonl
      evenhand leaderboard --task-file task.toml -o board/ --track closed
    """
    from evenhand.files import whole_folder
    from evenhand.report.html.leaderboard import write_board

    made = board(options, history=history)
    with whole_folder(output, replacing="board.json") as write:
        write_board(made, write)
    if not options["quiet"]:
        say_notes(made.notes)
        systems = {name for results in made.results.values() for name in results}
        say(f"{output}: {counted(len(systems), 'system')} on {counted(len(made.results), 'data set')}.")


def report_task(options: Mapping[str, Any]) -> tuple[str, str] | None:
    """The feedback page for a team and what to say; None if the page has units, as `feedback = "full"` allows."""
    from evenhand.api.shared_task import feedback_page

    feedback = feedback_page(options["task_file"], options["team"], options["data"], options["track"])
    if feedback is not None:
        refuse_unused((*TASK_PART, "output", "quiet"))
    return feedback


@click.command(cls=Command)
@option(SCORING, "--task-file", type=INPUT, metavar="FILE", required=True, help="The task file.")
@option(
    WRITING, "-o", "--output", type=OUTPUT, metavar="FILE", required=True, help="Write to FILE, which ends with .zip."
)
@option(
    WRITING,
    "--for",
    "platform",
    type=Choice(["codabench", "evalai", "kaggle"]),
    metavar="NAME",
    default="codabench",
    help="The platform: codabench, evalai or kaggle.",
)
@quiet_option
def bundle(task_file: AnyPath, output: Path, platform: str, quiet: bool) -> None:
    """Write the scoring bundle of a shared task for Codabench, EvalAI or Kaggle.

    The bundle has the gold standards: upload it, but do not publish it.

    \b
    Examples:
      evenhand bundle --task-file task.toml -o bundle.zip
      evenhand bundle --task-file task.toml --for evalai -o evalai.zip
    """
    from evenhand.api.shared_task import shared_task
    from evenhand.files import write_file
    from evenhand.integrations.bundles import bundle as bundled

    files, notes = bundled(shared_task(task_file), platform)
    write_file(output, files)
    if not quiet:
        say_notes(notes)
