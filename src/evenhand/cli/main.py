"""The command `evenhand`."""

from __future__ import annotations

import sys

import click

from evenhand.cli.demo import demo
from evenhand.cli.score import score
from evenhand.problems import EvenhandError
from evenhand.version import __version__


class Commands(click.Group):
    """Commands whose errors are sentences on standard error, with exit status 2."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except EvenhandError as error:
            click.echo(f"evenhand: {error}", err=True)
            sys.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="evenhand %(version)s")
def main() -> None:
    """Evaluate and compare systems that annotate text.

    \b
    A first look:    evenhand demo
    A first score:   evenhand score gold.conll system.conll
    """


main.add_command(score)
main.add_command(demo)
