"""`evenhand demo`: the main job on the bundled example."""

from __future__ import annotations

import click

from evenhand.cli.choices import Choice
from evenhand.cli.help import SCORING, Command, option
from evenhand.cli.output import emit
from evenhand.tasks.registry import TASKS


@click.command(cls=Command)
@option(SCORING, "--task", type=Choice(list(TASKS)), default=next(iter(TASKS)), help="Which example.")
def demo(task: str) -> None:
    """Score the systems of a bundled example; every task has one."""
    from importlib.resources import as_file, files

    import evenhand

    example = TASKS[task].example
    gold, systems = example.gold, example.systems
    with as_file(files(example.package) / "examples" / example.folder) as folder:
        results = evenhand.score(folder / gold, [folder / system for system in systems], task=task)
        emit(results, "text", None, quiet=False)
        click.echo()
        click.echo("The same for one system, on these files, as a command:")
        click.echo(f"  evenhand score {folder}/{gold} {folder}/{systems[-1]} {example.options}".rstrip())
