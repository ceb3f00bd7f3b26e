"""Inputs that are as bad as they get: documents of a million tokens, spans that cross, 10,000 labels; made once."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from corpus import SYLLABLES

Span = tuple[str, int, int]
"""Label, first token, and the token behind the last one."""
Pair = tuple[Path, Path]
LABELS = ("PER", "ORG", "LOC")


def made(folder: Path, name: str, suffix: str, write: Callable[[Path, Path], None]) -> Pair:
    """A gold standard and a system under this name, made if they are not there."""
    gold, system = folder / f"worst-{name}-gold{suffix}", folder / f"worst-{name}-system{suffix}"
    if not (gold.exists() and system.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        write(gold, system)
    return gold, system


def words(count: int) -> list[str]:
    chance = random.Random(1)
    known = ["".join(chance.choices(SYLLABLES, k=2)) for _ in range(20_000)]
    return chance.choices(known, k=count)


def flat_spans(tokens: int, labels: int = 3) -> tuple[list[Span], list[Span]]:
    """Spans of one to three tokens with gaps between them; a system that errs in label or bounds each fourth time."""
    chance, gold, system, position = random.Random(2), [], [], 0
    names = LABELS if labels == 3 else tuple(f"L{number}" for number in range(labels))
    while position + 6 < tokens:
        label, size = names[len(gold) % labels], chance.randrange(1, 4)
        gold.append((label, position, position + size))
        error = chance.randrange(12)
        other = chance.choice(names) if error == 0 else label
        if error != 1:
            system.append((other, position, position + size + (error == 2)))
        position += size + chance.randrange(1, 5)
    return gold, system


def tags(tokens: int, spans: list[Span]) -> list[str]:
    all_tags = ["O"] * tokens
    for label, start, end in spans:
        all_tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return all_tags


def columns(folder: Path, tokens: int, *, sentence: int, labels: int = 3, mark: bool = False) -> Pair:
    """A token a line, in sentences of so many tokens (0: in a single one), maybe below one mark of a document."""

    def write(gold: Path, system: Path) -> None:
        text = words(tokens)
        for path, spans in zip((gold, system), flat_spans(tokens, labels), strict=True):
            rows = [f"{word} {tag}\n" for word, tag in zip(text, tags(tokens, spans), strict=True)]
            for begin in range(0, tokens, sentence or tokens):
                rows[begin] = "\n" + rows[begin].replace(" I-", " B-")
            path.write_text(("-DOCSTART- O\n" if mark else "") + "".join(rows))

    return made(folder, f"lines-{tokens}-{sentence}-{labels}-{mark:d}", ".conll", write)


def other_tokens(folder: Path, tokens: int) -> Pair:
    """One sentence, whose system has cut each fifth token in two, for an alignment by characters."""

    def write(gold: Path, system: Path) -> None:
        text = words(tokens)
        sides = [tags(tokens, spans) for spans in flat_spans(tokens)]
        gold.write_text("".join(f"{word} {tag}\n" for word, tag in zip(text, sides[0], strict=True)))
        with system.open("w") as file:
            for number, (word, tag) in enumerate(zip(text, sides[1], strict=True)):
                inside = tag.replace("B-", "I-")
                file.write(f"{word[:1]} {tag}\n{word[1:]} {inside}\n" if number % 5 == 0 else f"{word} {tag}\n")

    return made(folder, f"characters-{tokens}", ".conll", write)


def tag_columns(folder: Path, tokens: int, labels: int) -> Pair:
    """A tag a token, of so many tags."""

    def write(gold: Path, system: Path) -> None:
        chance, text = random.Random(3), words(tokens)
        right = [f"T{number % labels}" for number in range(tokens)]
        wrong = [f"T{chance.randrange(labels)}" if chance.random() < 0.1 else tag for tag in right]
        for path, side in ((gold, right), (system, wrong)):
            rows = (f"{word}\t{tag}\n" for word, tag in zip(text, side, strict=True))
            path.write_text("".join(row + "\n" if number % 20 == 19 else row for number, row in enumerate(rows)))

    return made(folder, f"tags-{tokens}-{labels}", ".tsv", write)


def text_with_offsets(folder: Path, tokens: int, suffix: str) -> Pair:
    """One text with spans by offsets of characters: JSON lines with a single record, or brat."""

    def write(gold: Path, system: Path) -> None:
        text = words(tokens)
        starts = [0]
        for word in text:
            starts.append(starts[-1] + len(word) + 1)
        for path, spans in zip((gold, system), flat_spans(tokens), strict=True):
            items = [(label, starts[start], starts[end] - 1) for label, start, end in spans]
            whole = " ".join(text)
            if suffix == ".ann":
                path.with_suffix(".txt").write_text(whole)
                rows = (f"T{n}\t{label} {a} {b}\t{whole[a:b]}\n" for n, (label, a, b) in enumerate(items, 1))
                path.write_text("".join(rows))
            else:
                shown = [{"start": a, "end": b, "label": label} for label, a, b in items]
                path.write_text(json.dumps({"text": whole, "spans": shown}) + "\n")

    return made(folder, f"text-{tokens}", suffix, write)


def treebank(folder: Path, tokens: int, *, sentence: int) -> Pair:
    """CoNLL-U, one document, in sentences of so many words; each word depends on the one before it, or on the next."""

    def write(gold: Path, system: Path) -> None:
        chance, text = random.Random(4), words(tokens)
        for path, wrong in ((gold, 0.0), (system, 0.1)):
            with path.open("w") as file:
                file.write("# newdoc id = one\n")
                for begin in range(0, tokens, sentence):
                    for number, word in enumerate(text[begin : begin + sentence], 1):
                        head = number - 1 if number < 3 or chance.random() >= wrong else number - 2
                        relation = "root" if head == 0 else "dep"
                        file.write(f"{number}\t{word}\t{word}\tNOUN\tNN\t_\t{head}\t{relation}\t_\t_\n")
                    file.write("\n")

    return made(folder, f"treebank-{tokens}-{sentence}", ".conllu", write)


def bracketed(folder: Path, tokens: int, *, deep: bool) -> Pair:
    """One tree: each word a branch of the one before it, or phrases of three words side by side."""

    def write(gold: Path, system: Path) -> None:
        chance, text = random.Random(5), words(tokens)
        for path, wrong in ((gold, 0.0), (system, 0.1)):
            labels = [chance.choice(LABELS) if chance.random() < wrong else LABELS[n % 3] for n in range(tokens)]
            named = zip(labels, text, strict=True)
            if deep:
                path.write_text("(S " + " ".join(f"({label} (NN {word})" for label, word in named) + ")" * tokens + ")")
            else:
                rows = (f"({label} (NN {word}) (NN {word}))" for label, word in named)
                path.write_text("(S " + " ".join(rows) + ")\n")

    return made(folder, f"tree-{tokens}-{deep:d}", ".mrg", write)


def table(folder: Path, name: str, gold_spans: Iterator[Span], system_spans: Iterator[Span]) -> Pair:
    """A span table of one sentence; its numbers count from 1, and the last one is that of the last token."""

    def write(gold: Path, system: Path) -> None:
        for path, spans in ((gold, gold_spans), (system, system_spans)):
            path.write_text("".join(f"{label}\t{start + 1}\t{end}\n" for label, start, end in spans))

    return made(folder, name, ".tsv", write)


def crossing(folder: Path, spans: int) -> Pair:
    """Each gold span crosses two of the system, and each of these two gold spans."""
    gold = ((LABELS[n % 3], 4 * n, 4 * n + 3) for n in range(spans))
    system = ((LABELS[n * 2 // 3 % 3], 4 * n + 2, 4 * n + 5) for n in range(spans))
    return table(folder, f"crossing-{spans}", gold, system)


def crossing_all(folder: Path, spans: int) -> Pair:
    """Each span crosses its neighbours on both sides."""
    gold = ((LABELS[n % 3], 2 * n, 2 * n + 5) for n in range(spans))
    system = ((LABELS[n * 2 // 3 % 3], 2 * n + 1, 2 * n + 7) for n in range(spans))
    return table(folder, f"crossing-all-{spans}", gold, system)


def star(folder: Path, spans: int) -> Pair:
    """One gold span over all the system's, which cross each other."""
    gold = ((LABELS[n], 0, 2 * spans + 2) for n in range(1))
    system = ((LABELS[n % 3], 2 * n, 2 * n + 3) for n in range(spans))
    return table(folder, f"star-{spans}", gold, system)


def nested(folder: Path, spans: int) -> Pair:
    """All spans around one token, each within the next larger one."""
    gold = ((LABELS[n % 3], n, 4 * spans - n) for n in range(spans))
    system = ((LABELS[n * 2 // 3 % 3], n, 4 * spans - n - (n % 2)) for n in range(spans))
    return table(folder, f"nested-{spans}", gold, system)


def same_bounds(folder: Path, spans: int) -> Pair:
    """All spans have the same bounds and each its own label, half of which both sides have."""
    gold = ((f"L{n}", 5, 8) for n in range(spans))
    system = ((f"L{n + spans // 2}", 5, 8) for n in range(spans))
    return table(folder, f"same-bounds-{spans}", gold, system)


def gaps(folder: Path, spans: int) -> Pair:
    """Each span has a gap, and each gold span crosses two of the system."""

    def write(gold: Path, system: Path) -> None:
        for path, shift in ((gold, 0), (system, 2)):
            with path.open("w") as file:
                for number in range(spans):
                    first = 6 * number + shift + 1
                    tokens = ",".join(map(str, (first, first + 1, first + 3, first + 4)))
                    file.write(f"{LABELS[number % 3]}\t{first}\t{first + 4}\t{tokens}\n")

    return made(folder, f"gaps-{spans}", ".tsv", write)
