"""A document with three entities and their mentions, and files in which these are in any chains."""

from __future__ import annotations

from pathlib import Path

WORDS = [
    "Ada",
    "Lovelace",
    "wrote",
    ".",
    "She",
    "met",
    "Charles",
    "Babbage",
    ".",
    "He",
    "admired",
    "her",
    "work",
    "and",
    "his",
    "machine",
    ".",
]
TAGS = ["NNP", "NNP", "VBD", ".", "PRP", "VBD", "NNP", "NNP", ".", "PRP", "VBD", "PRP$", "NN", "CC", "PRP$", "NN", "."]
Mention = tuple[int, int]
ADA, SHE, HER = (0, 2), (4, 5), (11, 12)
CHARLES, BABBAGE, HE, HIS = (6, 8), (7, 8), (9, 10), (14, 15)
WORK, MACHINE = (11, 13), (14, 16)
KEY = [[ADA, SHE, HER], [CHARLES, HE, HIS], [WORK, MACHINE]]


def document(path: Path, chains: list[list[Mention]]) -> Path:
    """A file in CoNLL-2012 with these chains; sentences end at full stops."""
    cells: list[list[str]] = [[] for _ in WORDS]
    for number, chain in enumerate(chains):
        for start, end in chain:
            if end - start == 1:
                cells[start].append(f"({number})")
            else:
                cells[start].append(f"({number}")
                cells[end - 1].append(f"{number})")
    lines = ["#begin document (a); part 000"]
    for at, (word, tag) in enumerate(zip(WORDS, TAGS, strict=True)):
        lines.append(f"a 0 {at} {word} {tag} * - - - - * {'|'.join(cells[at]) or '-'}")
        lines += [""] if word == "." else []
    path.write_text("\n".join([*lines, "#end document", ""]))
    return path
