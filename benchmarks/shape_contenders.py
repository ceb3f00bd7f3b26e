"""Contenders for shapes that are no column files: readers that users of list-based tools write for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

Lists = list[list[str]]
Timed = tuple[float, float]
"""CPU seconds, and F1 (or the number of spans) to see that all did the same work."""


def plain_reader(path: str) -> Lists:
    """The reader that users of list-based tools write: tags of the last column, a list a sentence."""
    sentences: Lists = []
    sentence: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            parts = line.split()
            if parts:
                sentence.append(parts[-1])
            elif sentence:
                sentences.append(sentence)
                sentence = []
    if sentence:
        sentences.append(sentence)
    return sentences


def report_of(read: Callable[[str], Lists], gold: str, system: str) -> Timed:
    """Read two files with a plain reader, and make seqeval's report."""
    from seqeval.metrics import classification_report

    begin = process_time()
    report = classification_report(read(gold), read(system), digits=6)
    seconds = process_time() - begin
    return seconds, f1_of(report)


def f1_of(report: str) -> float:
    """The micro average in a report of seqeval's."""
    line = next(line for line in report.splitlines() if "micro avg" in line)
    return float(line.split()[-2])


def _commented(path: str) -> Lists:
    """As the plain reader, without comments."""
    sentences: Lists = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            parts = line.split()
            if not parts:
                sentences.append([])
            elif parts[0] != "#":
                sentences[-1].append(parts[-1])
    return [sentence for sentence in sentences if sentence]


def _germeval(path: str) -> Lists:
    """The tags of both levels, each as sentences of their own."""
    actual: tuple[Lists, Lists] = ([[]], [[]])
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.split()
            for level, tags in enumerate(actual):
                if not cells:
                    tags.append([])
                elif cells[0] != "#":
                    tags[-1].append(cells[level + 2])
    return [sentence for tags in actual for sentence in tags if sentence]


def _json(path: str) -> Lists:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line)["tags"] for line in file]


def _parquet(path: str) -> Lists:
    from pyarrow import parquet

    found: Lists = parquet.read_table(path, columns=["tags"])["tags"].to_pylist()
    return found


def seqeval_comments(gold: str, system: str) -> Timed:
    return report_of(_commented, gold, system)


def seqeval_germeval(gold: str, system: str) -> Timed:
    return report_of(_germeval, gold, system)


def seqeval_json(gold: str, system: str) -> Timed:
    return report_of(_json, gold, system)


def seqeval_parquet(gold: str, system: str) -> Timed:
    return report_of(_parquet, gold, system)


def evenhand_levels(gold: str, system: str) -> Timed:
    """Spans of each level match those of the same level only, as where each level is scored by itself."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    results = eh.score(gold, system, levels="separate")
    render(results)
    return process_time() - begin, results["exact"].f1


def evenhand_ids(gold: str, system: str) -> Timed:
    """Tags as numbers in arrays that are padded, as models are trained on them."""
    import numpy as np

    import evenhand as eh
    from evenhand.report.text import render

    sides = [plain_reader(gold), plain_reader(system)]
    names = sorted({tag for side in sides for sentence in side for tag in sentence})
    number, width = {tag: place for place, tag in enumerate(names)}, max(map(len, sides[0]))
    arrays = [
        np.array([[number[tag] for tag in each] + [-100] * (width - len(each)) for each in side]) for side in sides
    ]
    begin = process_time()
    results = eh.score(*(eh.tags(ids, names=names) for ids in arrays))
    render(results)
    return process_time() - begin, results["exact"].f1


def evenhand_read_both(gold: str, system: str) -> Timed:
    """Two files to layers of spans."""
    import evenhand as eh

    begin = process_time()
    spans = sum(len(eh.read(path)["spans"]) for path in (gold, system))
    return process_time() - begin, spans


def json_loads_both(gold: str, system: str) -> Timed:
    """The standard library's json.loads, line by line."""
    begin = process_time()
    records = 0
    for path in (gold, system):
        with open(path, encoding="utf-8") as file:
            for line in file:
                records += len(json.loads(line))
    return process_time() - begin, records


def split_brat(gold: str, system: str) -> Timed:
    """What any Python program needs at least: to read all files of two folders, and split the lines with spans."""
    begin = process_time()
    cells = 0
    for folder in (gold, system):
        for path in sorted(Path(folder).glob("*.ann")):
            path.with_suffix(".txt").read_text(encoding="utf-8")
            with path.open(encoding="utf-8") as file:
                cells += sum(len(line.split()) for line in file)
    return process_time() - begin, cells


SHAPE_CONTENDERS: dict[str, Callable[[str, str], Any]] = {
    "seqeval-comments": seqeval_comments,
    "seqeval-germeval": seqeval_germeval,
    "seqeval-json": seqeval_json,
    "seqeval-parquet": seqeval_parquet,
    "evenhand-ids": evenhand_ids,
    "evenhand-levels": evenhand_levels,
    "evenhand-read-both": evenhand_read_both,
    "json-loads-both": json_loads_both,
    "split-brat": split_brat,
}
