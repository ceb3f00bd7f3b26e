"""`evenhand demo`: the main job on the bundled example."""

from __future__ import annotations

import click


@click.command
def demo() -> None:
    """Score three systems on the bundled example, a small corpus with nested named entities."""
    from importlib.resources import as_file, files

    import evenhand
    from evenhand.cli.output import emit

    with as_file(files("evenhand") / "examples" / "ner") as folder:
        systems = [folder / f"{name}.conll" for name in ("gazetteer", "crf", "tagger")]
        results = evenhand.score(folder / "gold.conll", systems)
        emit(results, "text", None, quiet=False)
        click.echo()
        click.echo("The same, on these files, as a command:")
        click.echo(f"  evenhand score {folder}/gold.conll {folder}/tagger.conll")
