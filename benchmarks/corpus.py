"""A synthetic corpus of any size: running text with entities, and a system that errs like a real one."""

from __future__ import annotations

import json
import random
from pathlib import Path

LABELS = ("PER", "ORG", "LOC", "MISC")
SYLLABLES = [c + v + e for c in "bdfgklmnprstvz" for v in "aeiou" for e in ("", "n", "r", "st")]


def write(folder: Path, tokens: int, seed: int = 1) -> tuple[Path, Path]:
    """Gold and system files with about this many tokens, one eighth of them inside entities; made once.

    A piece of about a million tokens is made once and repeated, so that large corpora take no longer than writing them.
    """
    gold_path, system_path = folder / f"gold-{tokens}.conll", folder / f"system-{tokens}.conll"
    if gold_path.exists() and system_path.exists():
        return gold_path, system_path
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 1, 2, 2, 3)))) for _ in range(20_000)]
    sentences = [_sentence(chance, words) for _ in range(min(tokens // 14, 70_000) + 1)]
    times, rest = divmod(tokens, sum(len(text) for text, _, _ in sentences))
    last = 0
    while rest > 0:
        rest -= len(sentences[last][0])
        last += 1
    for side, path in ((1, gold_path), (2, system_path)):
        pieces = [_lines(sentence[0], sentence[side]) for sentence in sentences]
        whole = "".join(pieces)
        with path.open("w") as file:
            for _ in range(times):
                file.write(whole)
            file.write("".join(pieces[:last]))
    return gold_path, system_path


def _lines(text: list[str], tags: list[str]) -> str:
    return "".join(f"{word} {tag}\n" for word, tag in zip(text, tags, strict=True)) + "\n"


def write_pair(folder: Path, sentences: int, seed: int = 1) -> tuple[Path, Path]:
    """Gold standard and, in a folder, two systems that err alike but not in the same places; made once."""
    gold_path, systems = folder / f"pair-{sentences}" / "gold.conll", folder / f"pair-{sentences}" / "systems"
    if gold_path.exists():
        return gold_path, systems
    systems.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 1, 2, 2, 3)))) for _ in range(20_000)]
    files = [path.open("w") for path in (systems / "a.conll", systems / "b.conll", gold_path)]
    for _ in range(sentences):
        text, spans = _text(chance, words)
        sides = [_tags(len(text), predict(chance, spans, len(text))) for _ in range(2)]
        for file, tags in zip(files, [*sides, _tags(len(text), spans)], strict=True):
            file.write(_lines(text, tags))
    for file in files:
        file.close()
    return gold_path, systems


def write_json_lines(folder: Path, records: int, seed: int = 1) -> Path:
    """Texts of about 20 words with about 3 spans by character offsets, in the shape of Prodigy's exports."""
    path = folder / f"spans-{records}.jsonl"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 2, 2, 3)))) for _ in range(20_000)]
    with path.open("w") as file:
        for _ in range(records):
            text, spans, position = chance.choices(words, k=20), [], 0
            for word in text:
                if chance.random() < 0.15:
                    spans.append({"start": position, "end": position + len(word), "label": chance.choice(LABELS)})
                position += len(word) + 1
            file.write(json.dumps({"text": " ".join(text), "spans": spans, "answer": "accept"}) + "\n")
    return path


def write_answers(folder: Path, documents: int, noise: bool, seed: int = 1) -> tuple[Path, Path]:
    """Texts of about 100 words, and answers with ten strings of each; with `noise`, one in eight is not verbatim."""
    gold, system = (
        folder / f"{side}-{documents}-{'noise' if noise else 'plain'}.jsonl" for side in ("texts", "answers")
    )
    if system.exists():
        return gold, system
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 2, 2, 3)))) for _ in range(20_000)]
    with gold.open("w") as texts, system.open("w") as answers:
        for number in range(documents):
            text, items = chance.choices(words, k=100), []
            for place in sorted(chance.sample(range(97), 10)):
                string = " ".join(text[place : place + chance.randint(1, 3)])
                string = _changed(string, chance) if noise and chance.random() < 0.125 else string
                items.append({"text": string, "label": chance.choice(LABELS)})
            texts.write(json.dumps({"id": number, "text": " ".join(text), "spans": []}) + "\n")
            answers.write(json.dumps({"id": number, "entities": items}) + "\n")
    return gold, system


def _changed(string: str, chance: random.Random) -> str:
    """A string as a model may change it: in capitals, with other spaces, with a slip, or invented."""
    slip = chance.randrange(len(string))
    return chance.choice(
        (
            string.upper(),
            string.replace(" ", "  ") if " " in string else f"{string}.",
            f"{string[:slip]}x{string[slip + 1 :]}",
            f"no such {string[::-1]}",
        )
    )


def write_parquet(folder: Path, columns: Path) -> Path | None:
    """The tokens and tags of a column file as lists in a Parquet file; None where pyarrow is absent."""
    path = folder / f"{columns.stem}.parquet"
    if path.exists():
        return path
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        return None
    sentences = [[line.split() for line in text.splitlines()] for text in columns.read_text().split("\n\n") if text]
    lists = {
        name: [[row[place] for row in rows] for rows in sentences] for place, name in enumerate(("tokens", "tags"))
    }
    parquet.write_table(arrow.table(lists), path)
    return path


def write_repeated(folder: Path, data: Path, times: int = 20) -> tuple[Path, list[Path]] | None:
    """Gold standard and the 16 systems of CoNLL 2003, each so many times over; None where the data is absent."""
    directory = data / "conll2003"
    if not directory.is_dir():
        return None
    target = folder / f"conll2003-{times}"
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for path in (directory / "gold.testb.tags", *sorted((directory / "systems").glob("*.tags"))):
        written.append(target / path.name)
        if not written[-1].exists():
            written[-1].write_bytes(path.read_bytes() * times)
    return written[0], written[1:]


def write_masked(folder: Path, data: Path, times: int = 20) -> Path | None:
    """The same with masked words and marks of documents, as `*.conll`; returns the gold standard."""
    masked = data / "gold_errors" / "testb.masked.conll"
    if not masked.is_file() or not (data / "conll2003").is_dir():
        return None
    target = folder / f"masked-{times}"
    target.mkdir(parents=True, exist_ok=True)
    words = [line.partition(" ")[0] for line in masked.read_text().split("\n")]
    directory = data / "conll2003"
    for path in (directory / "gold.testb.tags", *sorted((directory / "systems").glob("*.tags"))):
        written = target / f"{path.name.split('.')[0]}.conll"
        if not written.exists():
            rows = zip(words, path.read_text().split("\n"), strict=False)
            written.write_text("\n".join(f"{word} {tag}" if word else "" for word, tag in rows) * times)
    return target / "gold.conll"


def write_treebank(folder: Path, data: Path, times: int) -> tuple[Path, Path] | None:
    """Gold standard and a parser's output of the English PUD treebank, each so many times over (21,176 words)."""
    directory = data / "ud_en_pud"
    if not directory.is_dir():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for path in (directory / "gold.conllu", directory / "systems" / "Stanford-18.conllu"):
        written.append(folder / f"pud-{times}-{path.name}")
        if not written[-1].exists():
            with written[-1].open("wb") as file:
                for _ in range(times):
                    file.write(path.read_bytes())
    return written[0], written[1]


def _sentence(chance: random.Random, words: list[str]) -> tuple[list[str], list[str], list[str]]:
    text, spans = _text(chance, words)
    return text, _tags(len(text), spans), _tags(len(text), predict(chance, spans, len(text)))


def _text(chance: random.Random, words: list[str]) -> tuple[list[str], list[tuple[int, int, str]]]:
    """The words of a sentence, and its entities."""
    length = chance.randint(3, 26)
    text = chance.choices(words, k=length)
    spans, position = [], 0
    while position < length:
        if chance.random() < 0.12:
            size = min(chance.choice((1, 1, 1, 2, 2, 3)), length - position)
            spans.append((position, position + size, chance.choice(LABELS)))
            position += size
        position += 1
    return text, spans


def predict(chance: random.Random, spans: list[tuple[int, int, str]], length: int) -> list[tuple[int, int, str]]:
    """A flat prediction: 82 % right, the rest wrong labels, wrong bounds, both, missing; and some spurious ones."""
    items: list[tuple[int, int, str]] = []
    for start, end, label in spans:
        error = chance.random()
        if error > 0.93:
            continue
        if error > 0.87:
            label = chance.choice(LABELS)
        if error > 0.82 and error < 0.90:
            start, end = chance.choice(((start, end + 1), (start + 1, end + 1), (start - 1, end), (start, end - 1)))
        behind = items[-1][1] if items else 0
        start, end = max(start, behind), min(end, length)
        if start < end:
            items.append((start, end, label))
    if chance.random() < 0.06:
        place = chance.randrange(length)
        if all(end <= place or start > place for start, end, _ in items):
            items = sorted([*items, (place, place + 1, chance.choice(LABELS))])
    return items


def _tags(length: int, spans: list[tuple[int, int, str]]) -> list[str]:
    tags = ["O"] * length
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return tags
