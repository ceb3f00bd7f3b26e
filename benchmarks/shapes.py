"""`make bench-shapes`: the same work on files of many shapes, side by side with other tools, as ratios in one run.

A shape is how a file is written. Each contender does whole work in a process of its own, from a file (or lists, or
arrays) to a report; imports and one run that warms up are not timed. Contenders take turns, and the ratio of the
medians of their CPU times is what counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import chains
import corpus
import shape_files
from promises import bounded

HERE = Path(__file__).parent
TURNS = 5
Files = tuple[Path, Path]
FLOORS = {"seqeval": 45.0, "nervaluate": 30.0, "conlleval": 6.0, "json.loads": 3.0, "udtools": 30.0, "split": 1 / 1.4}
"""How many times as long as Evenhand other tools must take at least; `split` only reads and splits lines."""
_OTHER_WORK = {"nervaluate", "split-brat", "plain-loop", "json-loads-both"}
"""Those that compute no F1, or another one: nervaluate ends spans elsewhere where tags are ill-formed."""
_COLUMN_TOOLS = {"seqeval": "seqeval", "nervaluate": "nervaluate", "conlleval": "conlleval-loop"}


@dataclass(frozen=True)
class Shape:
    """One way to write the same annotations, and who reads it."""

    name: str
    write: Callable[[Path], Files | None]
    tools: dict[str, str]
    """The contenders that are other tools, by the name of their column in the table."""
    own: str = "evenhand"
    """The contender that is Evenhand."""
    floors: dict[str, float] = field(default_factory=dict)
    """Bounds that are not those of all shapes."""


def shapes(published: Path) -> list[Shape]:
    """All shapes, those of column files first."""
    columns = [_columns(name, columns) for name, columns in shape_files.COLUMNS.items()]
    return [*columns, *_lists(), *_json_lines(), *_others(published)]


def _lists() -> list[Shape]:
    """What a program has in memory."""
    write = partial(shape_files.COLUMNS["two columns"].write, name="two columns")
    tools = {"seqeval": "seqeval-lists"}
    return [
        Shape("lists", write, tools, "evenhand-lists", {"seqeval": 60.0}),
        Shape("arrays of ids", write, tools, "evenhand-ids", {"seqeval": 100.0}),
    ]


def _json_lines() -> list[Shape]:
    tags, tokens, texts = (partial(shape_files.write_json, kind=kind) for kind in ("tags", "tokens", "text"))
    loads = {"json.loads": "json-loads-both"}
    return [
        Shape("JSON lines, tokens and tags", tags, {"seqeval": "seqeval-json"}),
        Shape("the same, reading alone", tags, loads, "evenhand-read-both"),
        Shape("JSON lines, tokens and spans, reading alone", tokens, loads, "evenhand-read-both"),
        Shape("JSON lines, texts and spans, reading alone", texts, loads, "evenhand-read-both"),
    ]


def _others(published: Path) -> list[Shape]:
    comments = partial(shape_files.COMMENTED.write, name="comments")
    germeval = partial(shape_files.GERMEVAL.write, name="germeval")
    treebank = partial(corpus.write_treebank, data=published, times=19)
    documents = partial(chains.write_chains, documents=800)
    return [
        Shape("comments before sentences", comments, {"seqeval": "seqeval-comments"}),
        Shape("GermEval, two levels", germeval, {"seqeval": "seqeval-germeval"}, "evenhand-levels"),
        Shape("Parquet", shape_files.write_parquet, {"seqeval": "seqeval-parquet"}),
        Shape("brat, 20 sentences a file", shape_files.write_brat, {"split": "split-brat"}, floors={"split": 0.0}),
        Shape("CoNLL-U, 13 metrics", treebank, {"udtools": "udtools"}, "evenhand-conll18"),
        Shape("CoNLL-2012, all scores of chains", documents, {"split": "plain-loop"}, "evenhand-chains"),
    ]


def _columns(name: str, columns: shape_files.Columns) -> Shape:
    reads_bioes = {tool: contender for tool, contender in _COLUMN_TOOLS.items() if tool != "nervaluate"}
    tools = reads_bioes if "bioes" in columns.encodings else _COLUMN_TOOLS
    return Shape(name, partial(columns.write, name=name), tools)


@dataclass(frozen=True)
class Row:
    """What was measured of a shape."""

    shape: str
    seconds: dict[str, float]
    """The medians of all contenders, that of Evenhand first."""
    ratios: dict[str, float]
    """How many times as long as Evenhand other tools take."""
    missed: list[str]
    """The tools with less than was promised."""

    def cell(self, tool: str, worst: float) -> str:
        """A ratio in a table, bold where it is the worst one of its column."""
        ratio = self.ratios.get(tool)
        if ratio is None:
            return ""
        text = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"
        text = f"**{text}**" if ratio == worst else text
        return f"{text} (missed)" if tool in self.missed else text


def measure(folder: Path, published: Path, turns: int, only: str = "") -> list[Row]:
    """A row for each shape, or for those with a word in their names."""
    rows = []
    for shape in shapes(published):
        if only not in shape.name:
            continue
        files = shape.write(folder)
        if files is None:
            print(f"without its data, {shape.name} is not measured", file=sys.stderr)
            continue
        print(f"  {shape.name} ...", file=sys.stderr)
        rows.append(_row(shape, files, turns))
    return rows


def _row(shape: Shape, files: Files, turns: int) -> Row:
    # A tool that counts exact matches only is compared with exact match alone.
    exact = {"conlleval": "evenhand-exact"} if "conlleval" in shape.tools else {}
    seconds: dict[str, list[float]] = {}
    for _ in range(turns):
        f1: dict[str, float] = {}
        for contender in dict.fromkeys([shape.own, *exact.values(), *shape.tools.values()]):
            times, f1[contender] = _run(contender, files, 3 if contender.startswith("evenhand") else 1)
            seconds.setdefault(contender, []).extend(times)
        _check_same(shape, {name: value for name, value in f1.items() if name not in _OTHER_WORK})
    medians = {contender: median(times) for contender, times in seconds.items()}
    ratios = {tool: medians[name] / medians[exact.get(tool, shape.own)] for tool, name in shape.tools.items()}
    missed = [tool for tool, ratio in ratios.items() if ratio < shape.floors.get(tool, FLOORS[tool])]
    return Row(shape.name, medians, ratios, missed)


def _run(contender: str, files: Files, repeat: int) -> tuple[list[float], float]:
    """The CPU seconds of each repetition but the first, if there are others, and the F1 that came out."""
    command = [sys.executable, str(HERE / "contenders.py"), contender, *map(str, files), str(repeat)]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return found["seconds"][1:] or found["seconds"], found["f1"]


def _check_same(shape: Shape, f1: dict[str, float]) -> None:
    """End with an error where contenders did not find the same."""
    if shape.own in f1 and max(f1.values()) - min(f1.values()) > 1e-5:
        sys.exit(f"{shape.name}: the contenders disagree: {f1}")


def measurements(rows: list[Row]) -> list[dict[str, Any]]:
    """All ratios beside their bounds, for the table of `make bench`."""
    floors = {shape.name: FLOORS | shape.floors for shape in shapes(Path())}
    return [
        bounded(f"{row.shape}, {tool} : Evenhand", ratio, floor=floors[row.shape][tool])
        for row in rows
        for tool, ratio in row.ratios.items()
    ]


def table(rows: list[Row]) -> str:
    """All ratios in Markdown."""
    tools = [tool for tool in FLOORS if any(tool in row.ratios for row in rows)]
    worst = {tool: min(row.ratios[tool] for row in rows if tool in row.ratios) for tool in tools}
    lines = [f"| shape | Evenhand, ms | {' | '.join(tools)} |", f"| --- | ---: |{' ---: |' * len(tools)}"]
    for row in rows:
        own = 1000 * next(iter(row.seconds.values()))
        lines.append(f"| {row.shape} | {own:.0f} | {' | '.join(row.cell(tool, worst[tool]) for tool in tools)} |")
    return "\n".join(lines)


def main() -> None:
    published = Path(os.environ.get("EVENHAND_DATA", HERE.parent.parent / "shared" / "data"))
    rows = measure(HERE / "data", published, TURNS, *sys.argv[1:2])
    print(table(rows))
    (HERE / "results").mkdir(exist_ok=True)
    saved = [asdict(row) for row in rows]
    (HERE / "results" / "shapes.json").write_text(json.dumps(saved, indent=2) + "\n")
    if any(row.missed for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
