"""`evenhand cite`: the papers behind scores, as BibTeX."""

from __future__ import annotations

import click

from evenhand.api.cite import cite as entries
from evenhand.cli.choices import Choice, Names
from evenhand.cli.help import SCORING, Command, option
from evenhand.tasks.registry import TASKS


@click.command(cls=Command)
@option(SCORING, "--match", type=Names(), default=(), metavar="NAME,...", help="The match models that you report.")
@option(SCORING, "--task", type=Choice(list(TASKS)), metavar="NAME", help="Their task [the first with such a model].")
def cite(match: tuple[str, ...], task: str | None) -> None:
    """Print what to cite, as BibTeX: Evenhand, and the papers behind match models.

    \b
    evenhand cite --match fair,lea >> paper.bib
    """
    click.echo(entries(match, task=task), nl=False)
