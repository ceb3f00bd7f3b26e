"""`evenhand completion`: the script with which a shell completes commands, options and names of models and formats."""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class
from click.shell_completion import split_arg_string as split_line

from evenhand.cli.choices import Choice
from evenhand.cli.help import Command

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
        found = super().get_completions(args, incomplete)
        kept = max(map(incomplete.rfind, _BREAKS)) + 1
        for item in found:
            if item.value.startswith(incomplete[:kept]):
                item.value = item.value[kept:]
        return found


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
