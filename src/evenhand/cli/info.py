"""`evenhand models`: the match models with their definitions, those of plug-ins too."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class
from click.shell_completion import split_arg_string as split_line

from evenhand.api.suites import cite as entries
from evenhand.cli.help import SCORING, Command, option, write_rows
from evenhand.cli.options import Choice, Names
from evenhand.cli.output import form_option, show
from evenhand.formats.format import Format
from evenhand.formats.registry import FORMATS
from evenhand.scoring.measure import Measure
from evenhand.tasks.registry import TASKS, models_of, summary_of

# == cli/listing.py: Lists of what there is: rows in two columns that fit the ter


Rows = Sequence[tuple[str, str]]


def show_list(sections: Mapping[str, Rows], records: Sequence[Mapping[str, Any]], form: str) -> None:
    """The rows under their headings; as JSON, the records."""
    if form == "json":
        import msgspec

        text = msgspec.json.format(msgspec.json.encode(records), indent=2).decode() + "\n"
    else:
        formatter = click.get_current_context().make_formatter()
        for heading, rows in sections.items():
            write_rows(formatter, heading, list(rows))
        text = formatter.getvalue().lstrip("\n")
    show(text, form)


# == cli/models.py (primary)


@click.command(cls=Command)
@option(SCORING, "--task", type=Choice(list(TASKS)), metavar="NAME", help="List only the models of this task [all].")
@form_option(("text", "json"))
def models(task: str | None, form: str) -> None:
    """List the match models by task: their definitions in one line, and other names.

    The names are those of --match; letter case, hyphens and blanks do not matter.
    docs/reference/definitions.md has the formulas and their sources.
    """
    tasks = [task] if task else list(TASKS)
    rows = {f"Match models of {name}": [(model.name, _line(model)) for model in models_of(name)] for name in tasks}
    records = [
        {
            "name": model.name,
            "task": model.task,
            "summary": summary_of(model),
            "title": model.title or model.name,
            "family": model.family,
            "aliases": list(model.aliases),
            "parameters": [parameter.name for parameter in model.parameters],
            "is_ranked": model.scorer.is_ranked,
        }
        for name in tasks
        for model in models_of(name)
    ]
    show_list(rows, records, form)


def _line(model: Measure) -> str:
    """The definition, whether a model can look at several answers, its other names, and its family."""
    ranked = f"{model.name}@3: one of the first three answers." if model.scorer.is_ranked else ""
    others = f"Also: {', '.join(model.aliases)}." if model.aliases else ""
    family = f"One of {model.family}." if model.family else ""
    return " ".join(filter(None, (summary_of(model), ranked, others, family)))


# == cli/formats.py: `evenhand formats`: the formats of files, those of plug-ins


@click.command(cls=Command)
@form_option(("text", "json"))
def formats(form: str) -> None:
    """List the formats of files: what they hold, and how their names end.

    The names are those of --format and --to. A format is recognised from the content of a file.
    """
    rows = [(each.name, _line_formats(each)) for each in FORMATS.values()]
    records = [
        {
            "name": each.name,
            "help": each.summary,
            "reads": list(each.tasks),
            "writes": list(each.writers),
            "suffixes": list(each.suffixes),
        }
        for each in FORMATS.values()
    ]
    show_list({"Formats": rows}, records, form)


def _line_formats(format: Format) -> str:
    """What a format is, the tasks that it is read and written for, and its endings."""
    read, written = ", ".join(format.tasks), ", ".join(format.writers)
    uses = f"read and written for {read}" if read == written else f"read for {read}"
    uses += "" if read == written else f"; written for {written}" if written else "; not written"
    return f"{format.summary}; {uses}{'; ' if format.suffixes else ''}{', '.join(format.suffixes)}"


# == cli/cite.py: `evenhand cite`: the papers behind scores, as BibTeX.


@click.command(cls=Command)
@option(SCORING, "--match", type=Names(), default=(), metavar="NAME,...", help="The match models that you report.")
@option(SCORING, "--task", type=Choice(list(TASKS)), metavar="NAME", help="Their task [the first with such a model].")
def cite(match: tuple[str, ...], task: str | None) -> None:
    """Print what to cite, as BibTeX: Evenhand, and the papers behind match models.

    \b
    evenhand cite --match fair,lea >> paper.bib
    """
    click.echo(entries(match, task=task), nl=False)


# == cli/completion.py: `evenhand completion`: the script with which a shell complet


SHELLS = ("bash", "zsh", "fish")
_BREAKS = ":="
"""Where bash begins a new word, so that it replaces only what follows."""
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


class Bash(BashComplete):
    """Completion in bash of words with a colon or an equals sign, too, such as gold:conll."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
        words = split_line(line)[1:]
        return (words, "") if line[-1:].isspace() or not words else (words[:-1], words[-1])

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """What stands behind the last colon or equals sign: bash keeps the rest."""
        completions = super().get_completions(args, incomplete)
        kept = max(map(incomplete.rfind, _BREAKS)) + 1
        for item in completions:
            if item.value.startswith(incomplete[:kept]):
                item.value = item.value[kept:]
        return completions


def prepare_completion() -> None:
    """Let click complete for bash in this way."""
    add_completion_class(Bash)


@click.command(cls=Command)
@click.argument("shell", type=Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script with which bash, zsh or fish completes evenhand.

    With it, the tab key completes commands, options, files, and what --match, --format, --task and others can name.
    Put the line for your shell into its start-up file:

    \b
      ~/.bashrc                   eval "$(evenhand completion bash)"
      ~/.zshrc                    eval "$(evenhand completion zsh)"
      ~/.config/fish/config.fish  evenhand completion fish | source
    """
    from evenhand.cli.main import COMPLETION, main

    prepare_completion()
    found: Any = get_completion_class(shell)
    click.echo(found(main, {}, "evenhand", COMPLETION).source())
