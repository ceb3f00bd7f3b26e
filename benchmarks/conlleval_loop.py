"""A plain loop over lines that counts exact matches as conlleval does: what any Python program of its kind needs."""

from __future__ import annotations

from collections import defaultdict
from time import process_time

from shape_contenders import Timed


def conlleval_loop(gold: str, system: str) -> Timed:
    """The counting of conlleval as a plain Python loop over both files: chunks by label and token accuracy."""
    begin = process_time()
    correct: dict[str, int] = defaultdict(int)
    in_gold: dict[str, int] = defaultdict(int)
    in_system: dict[str, int] = defaultdict(int)
    tokens = right_tokens = 0
    both_open = False
    gold_before = system_before = ("O", "")
    with open(gold, encoding="utf-8") as gold_file, open(system, encoding="utf-8") as system_file:
        for number, (gold_line, system_line) in enumerate(zip(gold_file, system_file, strict=True), 1):
            gold_cells, system_cells = gold_line.split(), system_line.split()
            if len(gold_cells) != len(system_cells) or gold_cells[:1] != system_cells[:1]:
                raise ValueError(f"different tokens in line {number}")
            gold_here = _parse(gold_cells[-1]) if gold_cells else ("O", "")
            system_here = _parse(system_cells[-1]) if system_cells else ("O", "")
            if both_open:
                gold_ends, system_ends = _ends(gold_before, gold_here), _ends(system_before, system_here)
                if gold_ends and system_ends:
                    correct[gold_before[1]] += 1
                if gold_ends or system_ends or gold_here[1] != system_here[1]:
                    both_open = False
            gold_starts, system_starts = _starts(gold_before, gold_here), _starts(system_before, system_here)
            if gold_starts and system_starts and gold_here[1] == system_here[1]:
                both_open = True
            if gold_starts:
                in_gold[gold_here[1]] += 1
            if system_starts:
                in_system[system_here[1]] += 1
            if gold_cells:
                tokens += 1
                right_tokens += gold_here == system_here
            gold_before, system_before = gold_here, system_here
    if both_open:
        correct[gold_before[1]] += 1
    lines = [f"accuracy: {right_tokens / tokens:.2%}"]
    for label in sorted({*in_gold, *in_system}):
        precision, recall = correct[label] / max(in_system[label], 1), correct[label] / max(in_gold[label], 1)
        lines.append(f"{label}: precision: {precision:.2%}; recall: {recall:.2%}; {in_system[label]}")
    "\n".join(lines)
    f1 = 2 * sum(correct.values()) / (sum(in_gold.values()) + sum(in_system.values()))
    return process_time() - begin, f1


def _parse(tag: str) -> tuple[str, str]:
    prefix, _, label = tag.partition("-")
    return prefix, label


def _ends(before: tuple[str, str], here: tuple[str, str]) -> bool:
    """Whether a chunk ends before this tag."""
    if before[0] == "O":
        return False
    return here[0] in ("B", "S", "O") or before[0] in ("E", "S") or before[1] != here[1]


def _starts(before: tuple[str, str], here: tuple[str, str]) -> bool:
    """Whether a chunk starts with this tag."""
    if here[0] == "O":
        return False
    return here[0] in ("B", "S") or before[0] in ("O", "E", "S") or before[1] != here[1]
