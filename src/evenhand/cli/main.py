"""The command `evenhand`."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from evenhand import __version__
from evenhand.cli.help import Group, sentence
from evenhand.cli.process import SKIPPABLE, orderly, say, steady_streams
from evenhand.errors import EvenhandError, EvenhandWarning, InputError, brief
from evenhand.files import keep_freed_memory, search_seldom, start_no_threads
from evenhand.registry import load

COMMANDS = {
    "score": ("score", "Score systems and count their error types."),
    "errors": ("errors", "List the errors of systems, as a table or a spreadsheet."),
    "merge": ("score", "Merge the saved counts of several parts."),
    "rank": ("score", "Rank systems under several measures."),
    "compare": ("compare", "Compare systems: corrections, new errors, tests."),
    "agree": ("agree", "Measure the agreement of annotators."),
    "adjudicate": ("agree", "Check, merge and apply corrections of a gold standard."),
    "report": ("compare", "Write a page with scores, differences and errors."),
    "plot": ("compare", "Draw figures for papers."),
    "gate": ("gate", "Check whether a candidate is good enough."),
    "confidence": ("confidence", "Choose thresholds of confidence; check calibration."),
    "accept": ("confidence", "Find a threshold with a guarantee."),
    "causes": ("causes", "Find slices with significantly more errors."),
    "power": ("power", "Estimate what a test set can show."),
    "leaderboard": ("shared_task", "Write the leaderboard of a shared task."),
    "bundle": ("shared_task", "Write a scoring bundle for Codabench, EvalAI or Kaggle."),
    "suspects": ("suspects", "Find probable errors of a gold standard."),
    "germeval": ("score", "Score with the metrics of GermEval 2014."),
    "check": ("files", "List every problem of files, with line and remedy."),
    "convert": ("files", "Convert between formats and encodings."),
    "ground": ("files", "Find the strings of a language model in the text."),
    "formats": ("info", "List the formats of files."),
    "models": ("info", "List the measures, with definitions."),
    "cite": ("info", "Print what to cite with a score, as BibTeX."),
    "completion": ("info", "Print the completion script for a shell."),
    "demo": ("score", "Score the systems of a bundled example."),
    "help": ("info", "Show the help of a command."),
}
"""The module of each command, which is loaded when the command runs, and its summary."""
COMPLETION = "_EVENHAND_COMPLETE"
"""The environment variable by which a shell requests completions."""


class Commands(Group):
    """Commands that are imported lazily. Errors are sentences on standard error, with exit status 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = load(f"evenhand.cli.{COMMANDS[cmd_name][0]}:{cmd_name}")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def main(self, *arguments: Any, **further: Any) -> Any:
        steady_streams()
        if COMPLETION in os.environ:
            from evenhand.cli.info import prepare_completion

            prepare_completion()
        return super().main(*arguments, **further)

    def make_context(self, *arguments: Any, **further: Any) -> click.Context:
        with orderly():
            try:
                return super().make_context(*arguments, **further)
            except click.NoSuchOption as error:
                _refuse(sentence(error))

    def invoke(self, ctx: click.Context) -> object:
        keep_freed_memory()
        search_seldom()
        start_no_threads()
        with orderly(), _plain_warnings():
            try:
                return super().invoke(ctx)
            except EvenhandError as error:
                _refuse(f"{error}{_hint(ctx, error)}", error.exit_status)
            except click.UsageError as error:
                _refuse(sentence(error))


def _hint(ctx: click.Context, error: EvenhandError) -> str:
    """The option that leaves out a broken system, if the command has it."""
    systems = ctx.meta.get(SKIPPABLE, ())
    source = error.problem.source if isinstance(error, InputError) else ""
    is_system = any(source == name or source.startswith((f"{name}/", f"{name}!")) for name in systems)
    return " Use --skip-broken to skip it." if is_system and len(systems) > 1 else ""


def _refuse(message: str, status: int = 2) -> NoReturn:
    say(f"evenhand: {brief(message)}")
    sys.exit(status)


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show warnings about plug-ins as one line; warnings about results are among their notes."""
    from evenhand.registry import PluginWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenhandWarning)
        warnings.simplefilter("always", PluginWarning)
        show = warnings.showwarning

        def show_plainly(message: Warning | str, category: type[Warning], *location: Any, **further: Any) -> None:
            if issubclass(category, PluginWarning):
                say(f"evenhand: {brief(' '.join(str(message).split()))}")
            else:
                show(message, category, *location, **further)

        warnings.showwarning = show_plainly
        yield


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, "-V", "--version", message="evenhand %(version)s")
def main() -> None:
    """Evaluate and compare systems that annotate text.

    \b
    A first look:    evenhand demo
    A first score:   evenhand score gold.conll system.conll
    """
