"""The same text and annotations in many shapes of files: what users write, not what is fastest to read.

Tokens are drawn by Zipf's law and have 1 to 12 letters, some of them not ASCII. One token in eight begins an entity;
in dense chunks every token has a tag. The system errs as a real one does. Files are made once.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import corpus

TOKENS = 400_000
_LETTERS = "eeeeeettttaaaoooiiinnnssshhrrddllcummwfgypbvk"
_OTHER_LETTERS = "äöüßéèçñøåčšžłđþ"
_PARTS = ("NN", "NNP", "VBD", "IN", "DT", "JJ", "NNS", "RB", ".", ",")
_CHUNKS = ("NP", "NP", "NP", "VP", "VP", "PP", "ADVP", "ADJP", "SBAR")

Span = tuple[int, int, str]


@dataclass(frozen=True)
class Sentence:
    """Words with the spans of the gold standard and of the system, in tokens."""

    words: list[str]
    gold: list[Span]
    system: list[Span]
    parts: list[str]
    """A part of speech for each word."""

    def spans(self, side: str) -> list[Span]:
        return self.gold if side == "gold" else self.system

    def tags(self, side: str, encoding: str = "iob2") -> list[str]:
        return spelled(len(self.words), self.spans(side), encoding)


def sentences(dense: bool = False, seed: int = 1) -> list[Sentence]:
    """About `TOKENS` tokens in sentences."""
    chance = random.Random(seed)
    words = list({_word(chance): None for _ in range(30_000)})
    words.sort(key=lambda word: len(word) + 12 * chance.random())
    weights = list(accumulate(1 / rank for rank in range(2, len(words) + 2)))
    all_sentences, left = [], TOKENS
    while left > 0:
        size = chance.randint(3, 40)
        text = chance.choices(words, cum_weights=weights, k=size)
        gold = _chunks(chance, size) if dense else _entities(chance, size)
        system = corpus.predict(chance, gold, size)
        all_sentences.append(Sentence(text, gold, system, chance.choices(_PARTS, k=size)))
        left -= size
    return all_sentences


def _word(chance: random.Random) -> str:
    letters = _LETTERS if chance.random() > 0.05 else _LETTERS + 2 * _OTHER_LETTERS
    return "".join(chance.choices(letters, k=min(1 + int(chance.expovariate(0.18)), 12)))


def _entities(chance: random.Random, size: int) -> list[Span]:
    spans, position = [], 0
    while position < size:
        if chance.random() < 0.15:
            end = min(position + chance.choice((1, 1, 1, 2, 2, 3)), size)
            spans.append((position, end, chance.choice(corpus.LABELS)))
            position = end
        else:
            position += 1
    return spans


def _chunks(chance: random.Random, size: int) -> list[Span]:
    """Spans without anything between."""
    spans, position = [], 0
    while position < size:
        end = min(position + chance.choice((1, 1, 2, 2, 3)), size)
        spans.append((position, end, chance.choice(_CHUNKS)))
        position = end
    return spans


def spelled(size: int, spans: list[Span], encoding: str) -> list[str]:
    """A tag a token, in IOB2 or BIOES."""
    tags = ["O"] * size
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        if encoding == "bioes":
            tags[end - 1] = f"{'S' if end - start == 1 else 'E'}-{label}"
    return tags


Rows = Callable[[Sentence, list[str]], Iterator[str]]
"""The lines of a sentence with these tags, in one shape."""


def separated(*columns: str, by: str = " ") -> Rows:
    """Columns with single separators between; the last one, which is not named, has the tags."""

    def rows(sentence: Sentence, tags: list[str]) -> Iterator[str]:
        for place, (word, part, tag) in enumerate(zip(sentence.words, sentence.parts, tags, strict=True), 1):
            cells = {"number": str(place), "word": word, "lemma": word.lower(), "part": part, "chunk": "I-NP"}
            yield by.join([*(cells[column] for column in columns), tag])

    return rows


def padded(sentence: Sentence, tags: list[str]) -> Iterator[str]:
    """Three columns that stand below each other, between runs of blanks."""
    for word, part, tag in zip(sentence.words, sentence.parts, tags, strict=True):
        yield f"{word:<14} {part:<4} {tag}"


@dataclass(frozen=True)
class Columns:
    """How a column file is written."""

    rows: Rows
    dense: bool = False
    encodings: tuple[str, str] = ("iob2", "iob2")
    """Those of the gold standard and of the system."""
    line_end: str = "\n"
    document: str = ""
    """The line that begins a document of twenty sentences, if any does."""

    def write(self, folder: Path, name: str) -> tuple[Path, Path]:
        name = name.replace(",", "").replace(" ", "-")
        paths = folder / f"shape-{name}-gold.conll", folder / f"shape-{name}-system.conll"
        if all(path.exists() for path in paths):
            return paths
        folder.mkdir(parents=True, exist_ok=True)
        text = sentences(self.dense)
        for side, encoding, path in zip(("gold", "system"), self.encodings, paths, strict=True):
            lines = []
            for number, sentence in enumerate(text):
                if self.document and number % 20 == 0:
                    lines += [self.document, ""]
                lines += [*self.rows(sentence, sentence.tags(side, encoding)), ""]
            path.write_text("".join(line + self.line_end for line in lines), encoding="utf-8", newline="")
        return paths


def germeval(sentence: Sentence, tags: list[str]) -> Iterator[str]:
    """Number, token, outer and inner tag; first words of long entities are entities themselves."""
    pairs = zip(tags, [*tags[1:], "O"], strict=True)
    inner = ["B-LOC" if pair == ("B-ORG", "I-ORG") else "O" for pair in pairs]
    yield "#\tmade.example"
    for place, (word, *both) in enumerate(zip(sentence.words, tags, inner, strict=True), 1):
        yield "\t".join([str(place), word, *both])


def commented(sentence: Sentence, tags: list[str]) -> Iterator[str]:
    """A comment, then token, two columns that say nothing, and tag."""
    yield "# id = made for example"
    yield from (f"{word} _ _ {tag}" for word, tag in zip(sentence.words, tags, strict=True))


COLUMNS = {
    "two columns": Columns(separated("word")),
    "three columns, tabs": Columns(separated("word", "part", by="\t")),
    "four columns": Columns(separated("word", "part", "chunk")),
    "five columns": Columns(separated("word", "lemma", "part", "chunk")),
    "numbered columns": Columns(separated("number", "word", by="\t")),
    "runs of blanks": Columns(padded),
    "dense chunks": Columns(separated("word"), dense=True),
    "dense chunks, part of speech": Columns(separated("word", "part"), dense=True),
    "BIOES": Columns(separated("word"), encodings=("bioes", "bioes")),
    "gold IOB2, system BIOES": Columns(separated("word"), encodings=("iob2", "bioes")),
    "CRLF": Columns(separated("word"), line_end="\r\n"),
    "document marks": Columns(separated("word"), document="-DOCSTART- O"),
}
GERMEVAL = Columns(germeval)
COMMENTED = Columns(commented)


def write_json(folder: Path, kind: str) -> tuple[Path, Path]:
    """JSON lines with `tags`, with `tokens` and spans of these, or with `text` and spans of characters."""
    paths = folder / f"shape-{kind}-gold.jsonl", folder / f"shape-{kind}-system.jsonl"
    if all(path.exists() for path in paths):
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    text = sentences()
    for side, path in zip(("gold", "system"), paths, strict=True):
        with path.open("w", encoding="utf-8") as file:
            for sentence in text:
                file.write(json.dumps(_record(sentence, side, kind), ensure_ascii=False) + "\n")
    return paths


def _record(sentence: Sentence, side: str, kind: str) -> dict[str, object]:
    words, spans = sentence.words, sentence.spans(side)
    if kind == "tags":
        return {"tokens": words, "tags": sentence.tags(side)}
    if kind == "tokens":
        return {"tokens": words, "spans": [{"start": start, "end": end, "label": label} for start, end, label in spans]}
    place = list(accumulate((len(word) + 1 for word in words), initial=0))
    marked = [{"start": place[start], "end": place[end] - 1, "label": label} for start, end, label in spans]
    return {"text": " ".join(words), "spans": marked}


def write_parquet(folder: Path) -> tuple[Path, Path] | None:
    """Lists of tokens and tags in Parquet files; None where pyarrow is absent."""
    found = [corpus.write_parquet(folder, path) for path in COLUMNS["two columns"].write(folder, "two columns")]
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def write_brat(folder: Path) -> tuple[Path, Path]:
    """Texts of twenty sentences with files of spans beside them, in two folders."""
    folders = folder / "shape-brat" / "gold", folder / "shape-brat" / "system"
    if all(item.exists() for item in folders):
        return folders
    text = sentences()
    for side, item in zip(("gold", "system"), folders, strict=True):
        item.mkdir(parents=True)
        for number in range(0, len(text), 20):
            words, lines = _brat(text[number : number + 20], side)
            (item / f"{number:06}.txt").write_text(words, encoding="utf-8")
            (item / f"{number:06}.ann").write_text(lines, encoding="utf-8")
    return folders


def _brat(text: list[Sentence], side: str) -> tuple[str, str]:
    lines, written = [], ""
    for sentence in text:
        items = list(accumulate((len(word) + 1 for word in sentence.words), initial=len(written)))
        written += " ".join(sentence.words) + "\n"
        for start, end, label in sentence.spans(side):
            first, behind = items[start], items[end] - 1
            lines.append(f"T{len(lines) + 1}\t{label} {first} {behind}\t{written[first:behind]}\n")
    return written, "".join(lines)
