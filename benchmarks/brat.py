"""Folders of brat's documents: made ones, and a plain loop that reads them."""

from __future__ import annotations

import random
import re
from pathlib import Path
from time import process_time

from corpus import SYLLABLES

DOCUMENTS = 2_000
_LABELS = ("Concept", "Action", "Predicate", "Reference")
_LINE = re.compile(r"(T\S+)\t(\S+) ([0-9 ;]+)\t(.*)")


def write_documents(folder: Path, documents: int = DOCUMENTS, seed: int = 1) -> Path:
    """A folder with so many documents of eight sentences, and 15 spans in each; made once."""
    target = folder / f"brat-{documents}"
    if (target / f"{documents - 1:05}.ann").exists():
        return target
    target.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices([*SYLLABLES, "né"], k=chance.choice((1, 2, 2, 3)))) for _ in range(20_000)]
    for number in range(documents):
        text, lines = _document(chance, words)
        (target / f"{number:05}.txt").write_text(text, encoding="utf-8")
        (target / f"{number:05}.ann").write_text(lines, encoding="utf-8")
    return target


def _document(chance: random.Random, words: list[str]) -> tuple[str, str]:
    text, lines = "", list[str]()
    for _ in range(8):
        for _ in range(chance.randint(6, 25)):
            word = chance.choice(words)
            if chance.random() < 0.12:
                label, start = chance.choice(_LABELS), len(text)
                lines.append(f"T{len(lines) + 1}\t{label} {start} {start + len(word)}\t{word}\n")
            text += f"{word} "
        text = f"{text[:-1]}\n"
    return text, "".join(lines)


def plain_brat(folder: str, _: str) -> tuple[float, float]:
    """CPU seconds, and the number of spans, each of which must quote its text: a plain loop over lines."""
    begin = process_time()
    items = []
    for path in sorted(Path(folder).glob("*.ann")):
        text = path.with_suffix(".txt").read_text(encoding="utf-8")
        for line in path.read_text(encoding="utf-8").splitlines():
            match = _LINE.fullmatch(line)
            assert match is not None
            parts = [tuple(map(int, part.split())) for part in match[3].split(";")]
            assert " ".join(text[start:end] for start, end in parts) == match[4]
            items.append((path.stem, match[1], match[2], parts))
    return process_time() - begin, len(items)
