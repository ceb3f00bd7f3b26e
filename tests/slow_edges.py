"""Enhanced edges, written down slowly: one word after the other, of two files with the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

Word = list[str]
Edge = tuple[int, str]


def counts(gold: str, system: str, digits: str = "0") -> dict[str, tuple[int, int, int]]:
    """Correct edges, edges of the gold standard and edges of the system, under ELAS and EULAS."""
    all_counts = {"elas": [0, 0, 0], "eulas": [0, 0, 0]}
    for mine, theirs in zip(sentences(gold), sentences(system), strict=True):
        words, others = without_empty_nodes(mine), without_empty_nodes(theirs)
        for at in range(len(words)):
            one, other = edges(words, at, digits), edges(others, at, digits)
            for name, spell in (("elas", str), ("eulas", universal)):
                left, right = (Counter((head, spell(label)) for head, label in side) for side in (one, other))
                for place, number in enumerate(((left & right).total(), len(one), len(other))):
                    all_counts[name][place] += number
    return {name: (numbers[0], numbers[1], numbers[2]) for name, numbers in all_counts.items()}


def sentences(text: str) -> Iterator[list[Word]]:
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        yield [row for row in rows if "-" not in row[0]]


def without_empty_nodes(rows: list[Word]) -> list[Word]:
    """The words of a sentence, with paths over empty nodes in DEPS; words without such edges stay as they are."""
    empty = {row[0]: parts(row[8]) for row in rows if "." in row[0]}
    words = [row for row in rows if "." not in row[0]]
    all_nodes = []
    for row in words:
        if not any("." in head for head, _ in parts(row[8])):
            all_nodes.append(row)
            continue
        paths = [path for head, label in parts(row[8]) for path in above(head, [label], empty, set())]
        all_nodes.append([*row[:8], "|".join(dict.fromkeys(paths)) or "_", *row[9:]])
    return all_nodes


def parts(cell: str) -> list[tuple[str, str]]:
    pairs = [edge.partition(":") for edge in cell.split("|")] if cell != "_" else []
    return [(head, label) for head, _, label in pairs]


def above(head: str, labels: list[str], empty: Mapping[str, list[tuple[str, str]]], seen: set[str]) -> Iterator[str]:
    if "." not in head:
        yield f"{head}:{'>'.join(labels)}"
    elif head not in seen:
        for parent, label in empty.get(head, []):
            yield from above(parent, [label, *labels], empty, seen | {head})


def universal(label: str) -> str:
    return ">".join(step.partition(":")[0] for step in label.split(">"))


def edges(words: list[Word], at: int, digits: str) -> list[Edge]:
    """The edges of a word, as the enhancements leave them."""
    row = words[at]
    basic = int(row[6]), row[7].partition(":")[0]
    ordered = sorted((int(head), label) for head, label in parts(row[8]))
    if "1" in digits:
        ordered = [basic if ">" in label else (head, label) for head, label in ordered]
    if "2" in digits:
        conjuncts = [edge for edge in ordered if edge[1].startswith("conj") and ">" not in edge[1]]
        ordered = conjuncts[-1:] or ordered
    if "4" in digits:
        ordered = [
            edge for edge in ordered if not (_has_subject(edge[1]) and edge[0] and words[edge[0] - 1][7] == "xcomp")
        ]
    if "5" in digits:
        ordered = [edge for edge in ordered if edge[1] == "ref" or not _from_clause(words, edge[0], at)]
        ordered = [basic if label == "ref" else (head, label) for head, label in ordered]
    if "6" in digits:
        ordered = [(head, ">".join(map(_without_case, label.split(">")))) for head, label in ordered]
    return ordered


def _has_subject(label: str) -> bool:
    return any(step.startswith("nsubj") for step in label.split(">"))


def _from_clause(words: list[Word], head: int, at: int) -> bool:
    """Whether the parent is a clause whose head is the word before."""
    if head == 0:
        return False
    parent = words[head - 1]
    return parent[7].startswith("acl") and int(parent[6]) == at > 0


def _without_case(step: str) -> str:
    cells = step.split(":")
    is_case = len(cells) == 2 and cells[0] in ("obl", "nmod", "conj", "advcl")
    return cells[0] if is_case and cells[1] not in ("pass", "relcl", "xsubj") else step
