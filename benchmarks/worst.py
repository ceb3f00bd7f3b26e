"""The worst cases: what doubling an input costs, in CPU time and in memory.

Run as `python worst.py [CASE...]`: prints a table. Each measurement is a process of its own, which reads the two files
and makes the report as text, several times, of which the best counts. Both sizes take turns; the ratio is the median of
those of the turns, so that a machine that becomes faster or slower in between does no harm.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import chains
import worst_inputs as inputs
from peak import peak_mb
from promises import bounded

HERE = Path(__file__).parent
TURNS, RUNS, ENOUGH = 3, 2, 1.0
"""How many turns both sizes take, how often a case is run in each at least, and after how many seconds not again."""
CEILING = 2.4
"""How many times as long twice the input may take, in the cases that are promised; the others are shown."""
PROMISED = ("one sentence", "one document", "crossing", "crossing on both sides", "labels", "labels, JSON")
Measured = dict[str, float]
"""Seconds and megabytes."""
ALL = "exact,fair,weighted,ts,t,overlap,contain,constrained,iou,semeval"


@dataclass(frozen=True)
class Case:
    """An input of any size, and what is asked of it."""

    make: Callable[[Path, int], inputs.Pair]
    size: int
    options: Mapping[str, Any] = field(default_factory=dict)
    ask: str = "score"


def one_chain_document(folder: Path, tokens: int) -> inputs.Pair:
    """One coreference document."""
    place = folder / f"worst-chains-{tokens}"
    return chains.write_chains(place, 1, tokens, tokens // 10)


def with_labels(folder: Path, labels: int) -> inputs.Pair:
    """Ten spans of each label."""
    return inputs.columns(folder, labels * 45, sentence=20, labels=labels)


def with_tags(folder: Path, labels: int) -> inputs.Pair:
    return inputs.tag_columns(folder, labels * 40, labels)


HALF = 500_000
CASES: dict[str, Case] = {
    "one sentence": Case(partial(inputs.columns, sentence=0), HALF),
    "one sentence, all models": Case(partial(inputs.columns, sentence=0), HALF, {"match": ALL}),
    "one document": Case(partial(inputs.columns, sentence=15, mark=True), HALF),
    "one document, rank": Case(partial(inputs.columns, sentence=15, mark=True), HALF, {"resamples": 100}, "rank"),
    "one sentence of other tokens": Case(inputs.other_tokens, HALF, {"align": "characters"}),
    "one text, JSON lines": Case(partial(inputs.text_with_offsets, suffix=".jsonl"), HALF),
    "one text, brat": Case(partial(inputs.text_with_offsets, suffix=".ann"), HALF),
    "one document, CoNLL-U": Case(partial(inputs.treebank, sentence=15), HALF),
    "one sentence, CoNLL-U": Case(partial(inputs.treebank, sentence=10**9), HALF),
    "one document, coreference": Case(one_chain_document, HALF),
    "one flat tree": Case(partial(inputs.bracketed, deep=False), HALF // 2, {"match": ALL, "format": "brackets"}),
    "one deep tree": Case(partial(inputs.bracketed, deep=True), HALF // 8, {"format": "brackets"}),
    "one deep tree, separate levels": Case(
        partial(inputs.bracketed, deep=True), HALF // 8, {"levels": "separate", "format": "brackets"}
    ),
    "crossing": Case(inputs.crossing, 50_000, {"match": ALL}),
    "crossing on both sides": Case(inputs.crossing_all, 25_000, {"match": ALL}),
    "crossing on both sides, rank": Case(inputs.crossing_all, 50_000, {"resamples": 100}, "rank"),
    "crossing, compare": Case(inputs.crossing, 50_000, {"trials": 100, "resamples": 100}, "compare"),
    "crossing with gaps": Case(inputs.gaps, 25_000, {"match": ALL}),
    "star": Case(inputs.star, 50_000, {"match": ALL}),
    "same bounds": Case(inputs.same_bounds, 20_000),
    "nested": Case(inputs.nested, 700, {"match": ALL}),
    "labels": Case(with_labels, 10_000, {"match": ALL}),
    "labels, JSON": Case(with_labels, 10_000, {"match": ALL}, "json"),
    "labels, supertags": Case(with_labels, 10_000, {"supertag": ["ANY"]}),
    "labels, rank": Case(with_labels, 10_000, {"resamples": 100}, "rank"),
    "labels, compare": Case(with_labels, 10_000, {"trials": 100, "resamples": 100}, "compare"),
    "tags": Case(with_tags, 10_000, {"task": "tags"}),
    "tags, compare": Case(with_tags, 10_000, {"task": "tags", "trials": 100, "resamples": 100}, "compare"),
}


def measure(folder: Path, names: list[str] | None = None, part: int = 1) -> list[dict[str, Any]]:
    """For each case the ratio of twice the input to the input, beside its bound; inputs are smaller by `part`."""
    return list(rows(folder, names or list(CASES), part))


def rows(folder: Path, names: list[str], part: int = 1) -> Iterator[dict[str, Any]]:
    """The same, one by one."""
    for name in names:
        print(f"  {name} ...", file=sys.stderr)
        size = CASES[name].size // part
        turns = [[_measured(folder, name, size * times) for times in (1, 2)] for _ in range(TURNS)]
        turns.sort(key=lambda turn: turn[1]["seconds"] / turn[0]["seconds"])
        once, twice = turns[TURNS // 2]
        ratio = twice["seconds"] / once["seconds"]
        row = bounded(f"twice the input: {name}", ratio, ceiling=CEILING if name in PROMISED else None)
        yield row | {what: [once[what], twice[what]] for what in ("seconds", "peak_mb")}


def _measured(folder: Path, name: str, size: int) -> Measured:
    CASES[name].make(folder, size)
    command = [sys.executable, __file__, "--run", name, str(size), str(folder)]
    found: Measured = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _run(name: str, size: int, folder: Path) -> Measured:
    """The best of several runs of one case, in this process."""
    gold, system = CASES[name].make(folder, size)
    seconds: list[float] = []
    while len(seconds) < RUNS or (sum(seconds) < ENOUGH and len(seconds) < 3 * RUNS):
        begin = process_time()
        _ask(CASES[name], gold, system)
        seconds.append(process_time() - begin)
    return {"seconds": min(seconds), "peak_mb": peak_mb()}


def _ask(case: Case, gold: Path, system: Path) -> None:
    import evenhand as eh
    from evenhand.report.text import render

    if case.ask == "compare":
        render(eh.compare(gold, {"a": system, "b": gold}, **case.options))
    elif case.ask == "rank":
        render(eh.rank(gold, [system], **case.options))
    elif case.ask == "json":
        eh.score(gold, [system], **case.options).to_json()
    else:
        render(eh.score(gold, [system], **case.options))


def main(names: list[str]) -> None:
    print(f"{'case':<34} {'n s':>8} {'2n s':>8} {'ratio':>6} {'n MB':>7} {'2n MB':>7}")
    for row in rows(HERE / "data", names or list(CASES)):
        once, twice = row["seconds"]
        mark = "" if row["kept"] else "  MISSED"
        case = row["what"].removeprefix("twice the input: ")
        peaks = f"{row['peak_mb'][0]:>7.0f} {row['peak_mb'][1]:>7.0f}"
        print(f"{case:<34} {once:>8.2f} {twice:>8.2f} {row['value']:>6.2f} {peaks}{mark}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        print(json.dumps(_run(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))))
    else:
        main(sys.argv[1:])
