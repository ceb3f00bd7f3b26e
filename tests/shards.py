"""The bundled example of every task, cut into files of whole sentences or documents."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.formats.paths import FileList
from evenhand.tasks.registry import TASKS

Sides = tuple[Any, dict[str, Any]]
"""A gold standard, and systems by name."""


class Shards(NamedTuple):
    """The files of all parts, and what one run over all of them scores."""

    parts: list[Sides]
    whole: Sides


def cut_example(task: str, folder: Path, seed: int, cuts: int = 2) -> Shards:
    """The example of a task, cut at random places."""
    example = TASKS[task].example
    source = Path(str(files(example.package))) / "examples" / example.folder
    gold = source / example.gold
    size = len(units(gold))
    # The system that segments the raw text differently cannot be cut where the gold standard is.
    systems = [path for name in example.systems if len(units(path := source / name)) == size]
    return cut(gold, systems, folder, seed, cuts)


def cut(gold: Path, systems: list[Path], folder: Path, seed: int, cuts: int = 2) -> Shards:
    sides = {path: units(path) for path in (gold, *systems)}
    size = len(sides[gold])
    assert {len(listed) for listed in sides.values()} == {size}
    edges = [0, *sorted(random.Random(seed).sample(range(1, size), cuts)), size]
    written: dict[Path, list[Path]] = {path: [] for path in sides}
    for path, listed in sides.items():
        (folder / path.stem).mkdir(parents=True)
        for number, (begin, end) in enumerate(pairwise(edges)):
            file = folder / path.stem / f"{number}{path.suffix}"
            file.write_text("".join(listed[begin:end]))
            written[path].append(file)
    parts = [(row[0], named(systems, row[1:])) for row in zip(*written.values(), strict=True)]
    # A list of JSON files may mean one document per file, and JSON lines are documents in any case.
    lists = [path if path.suffix == ".jsonl" else FileList("0", tuple(row)) for path, row in written.items()]
    return Shards(parts, (lists[0], named(systems, lists[1:])))


def named(systems: list[Path], sides: Any) -> dict[str, Any]:
    return {path.stem: side for path, side in zip(systems, sides, strict=True)}


def units(path: Path) -> list[str]:
    """The documents of a file where all sides mark them, otherwise its sentences."""
    text = path.read_text()
    if path.suffix in (".jsonl", ".mrg"):
        return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
    if "#begin document" in text:
        return re.findall(r"#begin document.*?#end document\n", text, re.DOTALL)
    blocks = [f"{block.strip()}\n\n" for block in re.split(r"\n\s*\n", text)]
    return [block for block in blocks if re.search(r"^[^#\s]", block, re.MULTILINE)]


def same(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Whether two plain values are equal; numbers may differ by the tolerance."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key], tolerance) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(*pair, tolerance) for pair in zip(one, other, strict=True))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= tolerance
    return bool(one == other)
