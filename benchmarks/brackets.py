"""Bracketed trees: synthetic ones, a parser that errs, and who reads or scores them."""

from __future__ import annotations

import random
from pathlib import Path
from time import process_time

from corpus import SYLLABLES

_LABELS = ("NP", "VP", "PP", "S", "SBAR", "ADJP", "ADVP-TMP", "NP-SBJ")
_TAGS = ("NN", "NNP", "VBD", "IN", "DT", "JJ", "NNS", "RB", ".", ",")


def write_trees(folder: Path, sentences: int, seed: int = 1) -> tuple[Path, Path]:
    """Gold standard and system with so many trees of 5 to 40 words; made once."""
    gold_path, system_path = folder / f"trees-{sentences}.mrg", folder / f"parsed-{sentences}.mrg"
    if gold_path.exists() and system_path.exists():
        return gold_path, system_path
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 1, 2, 2, 3)))) for _ in range(20_000)]
    with gold_path.open("w") as gold, system_path.open("w") as system:
        for _ in range(sentences):
            leaves = [f"({chance.choice(_TAGS)} {chance.choice(words)})" for _ in range(chance.randint(5, 40))]
            shape = random.Random(chance.random())
            state = shape.getstate()
            gold.write(f"(TOP {_tree(leaves, shape, None)})\n")
            shape.setstate(state)
            system.write(f"(TOP {_tree(leaves, shape, chance)})\n")
    return gold_path, system_path


def _tree(leaves: list[str], shape: random.Random, errors: random.Random | None) -> str:
    """A tree over some words; a system leaves some brackets out and has other labels for some."""
    label = shape.choice(_LABELS)
    if len(leaves) < 3:
        inner = " ".join(leaves)
    else:
        cut = shape.randint(1, len(leaves) - 1)
        inner = f"{_tree(leaves[:cut], shape, errors)} {_tree(leaves[cut:], shape, errors)}"
    if errors is not None and errors.random() < 0.1:
        return inner if errors.random() < 0.7 else f"({errors.choice(_LABELS)} {inner})"
    return f"({label} {inner})"


def evenhand_constituents(gold: str, system: str) -> tuple[float, float]:
    """All figures of EVALB, of all and of short sentences, as a report."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    results = eh.score(gold, [system], task="constituents")
    render(results)
    return process_time() - begin, next(iter(results.values()))["labeled"].f1


def plain_brackets(gold: str, system: str) -> tuple[float, float]:
    """The reader that one writes first: labels and bounds of brackets, from a stack."""
    begin = process_time()
    found = len(_brackets(gold)) + len(_brackets(system))
    return process_time() - begin, found


def _brackets(path: str) -> list[list[tuple[str, int, int]]]:
    trees = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack: list[tuple[str, int]] = []
            brackets: list[tuple[str, int, int]] = []
            words, is_label = 0, False
            for sign in line.replace("(", " ( ").replace(")", " ) ").split():
                if sign == "(":
                    is_label = True
                elif sign == ")":
                    label, start = stack.pop()
                    brackets.append((label, start, words))
                elif is_label:
                    stack.append((sign, words))
                    is_label = False
                else:
                    words += 1
            trees.append(brackets)
    return trees
