"""`evenhand demo`: the main job on the bundled example."""

from __future__ import annotations

from typing import Any

import click

from evenhand.tasks.registry import TASKS


@click.command
@click.option("--task", type=click.Choice(list(TASKS)), default="spans", show_default=True, help="Which example.")
def demo(task: Any) -> None:
    """Score three systems on a bundled example: nested named entities, tags, trees, or coreference chains."""
    from importlib.resources import as_file, files

    import evenhand
    from evenhand.cli.output import emit

    example = TASKS[task].example
    gold, systems = example.gold, example.systems
    with as_file(files(example.package) / "examples" / example.folder) as folder:
        results = evenhand.score(folder / gold, [folder / system for system in systems], task=task)
        emit(results, "text", None, quiet=False)
        click.echo()
        click.echo("The same for one system, on these files, as a command:")
        click.echo(f"  evenhand score {folder}/{gold} {folder}/{systems[-1]} {example.options}".rstrip())
