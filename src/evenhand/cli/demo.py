"""`evenhand demo`: the main job on the bundled example."""

from __future__ import annotations

from typing import Any

import click

EXAMPLES = {
    "spans": ("ner", "gold.conll", ("gazetteer.conll", "crf.conll", "tagger.conll")),
    "tags": ("tags", "gold.tsv", ("lexicon.tsv", "hmm.tsv", "neural.tsv")),
    "trees": ("trees", "gold.conllu", ("rules.conllu", "transition.conllu", "neural.conllu")),
    "chains": ("chains", "gold.conll", ("rules.conll", "pairs.conll", "neural.conll")),
}
"""For each task a folder, the gold standard in it, and three systems."""


@click.command
@click.option("--task", type=click.Choice(list(EXAMPLES)), default="spans", show_default=True, help="Which example.")
def demo(task: Any) -> None:
    """Score three systems on a bundled example: nested named entities, tags, trees, or coreference chains."""
    from importlib.resources import as_file, files

    import evenhand
    from evenhand.cli.output import emit

    name, gold, systems = EXAMPLES[task]
    with as_file(files("evenhand") / "examples" / name) as folder:
        results = evenhand.score(folder / gold, [folder / system for system in systems], task=task)
        emit(results, "text", None, quiet=False)
        click.echo()
        click.echo("The same for one system, on these files, as a command:")
        option = " --task tags" if task == "tags" else ""
        click.echo(f"  evenhand score {folder}/{gold} {folder}/{systems[-1]}{option}")
