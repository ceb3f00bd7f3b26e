"""Results of the bundled examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import evenhand as eh
from conftest import ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
FILES = {
    "spans": ("ner", "conll", ("crf", "gazetteer", "tagger")),
    "tags": ("tags", "tsv", ("hmm", "lexicon", "neural")),
    "trees": ("trees", "conllu", ("neural", "rules", "transition")),
    "chains": ("chains", "conll", ("rules", "pairs", "neural")),
}
FEW = {"trials": 20, "resamples": 20}


def files(task: str, systems: int = 2) -> tuple[Path, list[Path]]:
    folder, ending, names = FILES[task]
    return EXAMPLES / folder / f"gold.{ending}", [EXAMPLES / folder / f"{name}.{ending}" for name in names[:systems]]


def scored(task: str, systems: int = 2, **options: Any) -> eh.Results:
    return eh.score(*files(task, systems), task=task, **options)


def compared(task: str, systems: int = 2, **options: Any) -> eh.Comparison:
    return eh.compare(*files(task, systems), task=task, **{**FEW, **options})
