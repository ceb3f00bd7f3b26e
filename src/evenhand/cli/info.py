"""Commands about Evenhand itself: `models`, `formats`, `cite`, `completion` and `help`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class
from click.shell_completion import split_arg_string as split_line

from evenhand.api import lists
from evenhand.api.suites import cite as entries
from evenhand.cli.help import SCORING, Command, Group, option, write_rows
from evenhand.cli.options import INPUT, Choice, Names, task_choice
from evenhand.cli.output import form_option, show
from evenhand.formats.storage import AnyPath

Rows = Sequence[tuple[str, str]]
SHELLS = ("bash", "zsh", "fish")
_BREAKS = ":="
"""Characters after which bash begins a new word, so it replaces only what follows."""
_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' completion kind
    COMPREPLY=()
    while read -r completion; do
        kind="${completion%%%%,*}"
        if [[ $kind == dir || $kind == file ]]; then
            compopt -o default
        else
            [[ $completion == *: || $completion == *, ]] && compopt -o nospace
            COMPREPLY+=("${completion#*,}")
        fi
    done < <(COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


def show_list(sections: Mapping[str, Rows], records: Sequence[Mapping[str, Any]], form: str) -> None:
    """Show rows under their headings or, as JSON, the records."""
    if form == "json":
        import msgspec

        text = msgspec.json.format(msgspec.json.encode(records), indent=2).decode() + "\n"
    else:
        formatter = click.get_current_context().make_formatter()
        for heading, rows in sections.items():
            write_rows(formatter, heading, list(rows))
        text = formatter.getvalue().lstrip("\n")
    show(text, form)


@click.command(cls=Command)
@option(SCORING, "--task", type=task_choice(), metavar="NAME", help="List only the measures of this task [all].")
@form_option(("text", "json"))
def models(task: str | None, form: str) -> None:
    """List the measures by task: their definitions in one line, and other names.

    Use the names with --match; letter case, hyphens and blanks do not matter.
    docs/reference/definitions.md has the formulas and their sources.
    """
    listed = lists.models(task)
    rows: dict[str, list[tuple[str, str]]] = {}
    for measure in listed:
        rows.setdefault(f"Measures of {measure.task}", []).append((measure.name, _describe(measure)))
    show_list(rows, [measure._asdict() for measure in listed], form)


def _describe(measure: lists.ModelInfo) -> str:
    """The definition of a measure, its form for several ranked answers, its other names, and its family."""
    ranked = f"{measure.name}@3: one of the first three answers." if measure.is_ranked else ""
    others = f"Also: {', '.join(measure.aliases)}." if measure.aliases else ""
    family = f"One of {measure.family}." if measure.family else ""
    return " ".join(filter(None, (measure.summary, ranked, others, family)))


@click.command(cls=Command)
@form_option(("text", "json"))
def formats(form: str) -> None:
    """List the formats of files: their contents and suffixes.

    Use the names with --format and --to. A format is recognised from the content of a file.
    """
    listed = lists.formats()
    rows = [(format.name, _describe_format(format)) for format in listed]
    show_list({"Formats": rows}, [format._asdict() for format in listed], form)


def _describe_format(format: lists.FormatInfo) -> str:
    """The summary of a format, the tasks that it is read and written for, and its suffixes."""
    read, written = ", ".join(format.reads), ", ".join(format.writes)
    uses = f"read and written for {read}" if read == written else f"read for {read}"
    uses += "" if read == written else f"; written for {written}" if written else "; not written"
    return f"{format.help}; {uses}{'; ' if format.suffixes else ''}{', '.join(format.suffixes)}"


@click.command(cls=Command)
@option(SCORING, "--match", type=Names(), default=(), metavar="NAME,...", help="Measures that you report.")
@option(SCORING, "--task", type=task_choice(), metavar="NAME", help="Their task [the first with such a measure].")
@option(SCORING, "--methods", type=INPUT, metavar="FILE", help="Describe the methods of a saved result (JSON).")
def cite(match: tuple[str, ...], task: str | None, methods: AnyPath | None) -> None:
    """Print what to cite, as BibTeX: Evenhand, and the papers that define measures.

    With --methods, first print a paragraph for a paper: the measures, intervals, tests and corrections of a result of
    score, rank, compare or agree, with the keys of the BibTeX entries that follow.

    \b
    evenhand cite --match fair,lea >> paper.bib
    evenhand cite --methods comparison.json
    """
    if methods is None:
        click.echo(entries(match, task=task), nl=False)
        return
    if match or task:
        raise click.UsageError("--methods takes measures and task from the file; remove --match and --task")
    from evenhand.report.methods import methods as described
    from evenhand.results.json import checked_json

    click.echo(described(checked_json(Path(str(methods)))), nl=False)


class Bash(BashComplete):
    """Completion in bash that also handles words with a colon or an equals sign, such as gold:conll."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
        words = split_line(line)[1:]
        return (words, "") if line[-1:].isspace() or not words else (words[:-1], words[-1])

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """The part after the last colon or equals sign: bash keeps the part before it."""
        completions = super().get_completions(args, incomplete)
        kept = max(map(incomplete.rfind, _BREAKS)) + 1
        for item in completions:
            if item.value.startswith(incomplete[:kept]):
                item.value = item.value[kept:]
        return completions


def prepare_completion() -> None:
    """Register the completion of bash."""
    add_completion_class(Bash)


@click.command(cls=Command)
@click.argument("shell", type=Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script for bash, zsh or fish.

    With it, the tab key completes commands, options, files, and the values of --match, --format, --task and others.
    Put the line for your shell into its start-up file:

    \b
      ~/.bashrc                   eval "$(evenhand completion bash)"
      ~/.zshrc                    eval "$(evenhand completion zsh)"
      ~/.config/fish/config.fish  evenhand completion fish | source
    """
    from evenhand.cli.main import COMPLETION, main

    prepare_completion()
    completer: Any = get_completion_class(shell)
    click.echo(completer(main, {}, "evenhand", COMPLETION).source())


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
def help(names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, such as score or plot errors; without it, list all commands."""
    context = click.get_current_context()
    assert context.parent is not None
    shown = context.parent
    for name in names:
        if not isinstance(shown.command, Group):
            raise click.UsageError(f"{shown.command_path} has no command {name!r}")
        _, command, _ = shown.command.resolve_command(shown, [name])
        assert command is not None
        shown = click.Context(command, info_name=name, parent=shown)
    click.echo(shown.get_help())
