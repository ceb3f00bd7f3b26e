"""`evenhand models`: the match models with their definitions, those of plug-ins too."""

from __future__ import annotations

import click

from evenhand.cli.choices import Choice
from evenhand.cli.help import SCORING, Command, option
from evenhand.cli.listing import show_list
from evenhand.cli.output import form_option
from evenhand.scores.model import Model
from evenhand.tasks.registry import TASKS, models_of, summary_of


@click.command(cls=Command)
@option(SCORING, "--task", type=Choice(list(TASKS)), metavar="NAME", help="List only the models of this task [all].")
@form_option(("text", "json"))
def models(task: str | None, form: str) -> None:
    """List the match models by task: their definitions in one line, and other names.

    The names are those of --match; letter case, hyphens and blanks do not matter.
    docs/reference/definitions.md has the formulas and their sources.
    """
    tasks = [task] if task else list(TASKS)
    rows = {f"Match models of {name}": [(each.name, _line(each)) for each in models_of(name)] for name in tasks}
    records = [
        {
            "name": each.name,
            "task": each.task,
            "summary": summary_of(each),
            "title": each.title or each.name,
            "family": each.family,
            "aliases": list(each.aliases),
            "parameters": [parameter.name for parameter in each.parameters],
            "is_ranked": each.is_ranked,
        }
        for name in tasks
        for each in models_of(name)
    ]
    show_list(rows, records, form)


def _line(model: Model) -> str:
    """The definition, whether a model can look at several answers, its other names, and its family."""
    ranked = f"{model.name}@3: one of the first three answers." if model.is_ranked else ""
    others = f"Also: {', '.join(model.aliases)}." if model.aliases else ""
    family = f"One of {model.family}." if model.family else ""
    return " ".join(filter(None, (summary_of(model), ranked, others, family)))
