"""Coreference: synthetic documents in the columns of CoNLL-2012, a resolver that errs, and who scores it."""

from __future__ import annotations

import random
from pathlib import Path
from time import process_time

from corpus import SYLLABLES

_TAGS = ("NN", "NNP", "VBD", "IN", "DT", "JJ", "NNS", "RB", ".", ",")
_PRONOUNS = (("he", "PRP"), ("she", "PRP"), ("it", "PRP"), ("his", "PRP$"), ("her", "PRP$"), ("its", "PRP$"))
Mention = tuple[int, int, int]
"""First token, last token, chain."""


def write_chains(
    folder: Path, documents: int, tokens: int = 500, mentions: int = 48, seed: int = 1
) -> tuple[Path, Path]:
    """Key and response with so many documents, of about so many tokens and mentions each; made once."""
    key_path, response_path = folder / f"key-{documents}.conll", folder / f"response-{documents}.conll"
    if key_path.exists() and response_path.exists():
        return key_path, response_path
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 1, 2, 2, 3)))) for _ in range(20_000)]
    with key_path.open("w") as key_file, response_path.open("w") as response_file:
        for number in range(documents):
            text, key = _document(chance, words, tokens, mentions)
            response = _resolved(chance, key, len(text))
            name = f"bn/made/{number:06}"
            key_file.write(_columns(name, text, key, _sentences(len(text))))
            response_file.write(_columns(name, text, response, _sentences(len(text))))
    return key_path, response_path


def _document(
    chance: random.Random, words: list[str], tokens: int, mentions: int
) -> tuple[list[tuple[str, str]], list[Mention]]:
    """Words with their tags, and mentions that do not cross each other."""
    text = [(chance.choice(words), chance.choice(_TAGS)) for _ in range(tokens)]
    chains = max(2, mentions // 4)
    items: list[Mention] = []
    step = tokens / mentions
    for number in range(mentions):
        start = int(number * step)
        size = min(chance.choice((1, 1, 1, 1, 2, 2, 3, 4)), max(1, int(step) - 1))
        chain = min(int(chance.expovariate(4 / chains)), chains - 1)
        if size == 1 and chance.random() < 0.6:
            text[start] = chance.choice(_PRONOUNS)
        items.append((start, start + size - 1, chain))
        if size > 2:  # a possessive within
            text[start] = chance.choice(_PRONOUNS[3:])
            items.append((start, start, chance.randrange(chains)))
    return text, items


def _resolved(chance: random.Random, key: list[Mention], tokens: int) -> list[Mention]:
    """A response: some mentions missing or with other bounds, some in other chains, some spurious."""
    by_name: dict[tuple[int, int], int] = {}
    chains = max(chain for _, _, chain in key) + 1
    for start, end, chain in key:
        error = chance.random()
        if error < 0.12:
            continue
        if error < 0.17:
            end = min(end + 1, tokens - 1)
        if error > 0.85:
            chain = chance.randrange(chains + 3)
        by_name.setdefault((start, end), chain)
    for _ in range(len(key) // 10):
        start = chance.randrange(tokens)
        by_name.setdefault((start, start), chance.randrange(chains + 3))
    return [(start, end, chain) for (start, end), chain in by_name.items()]


def _sentences(tokens: int) -> set[int]:
    """Behind which tokens sentences end."""
    return {*range(19, tokens, 20), tokens - 1}


def _columns(name: str, text: list[tuple[str, str]], mentions: list[Mention], ends: set[int]) -> str:
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    for start, end, chain in sorted(mentions, key=lambda mention: (mention[0], -mention[1])):
        if start == end:
            opening.setdefault(start, []).append(f"({chain})")
        else:
            opening.setdefault(start, []).append(f"({chain}")
            closing.setdefault(end, []).insert(0, f"{chain})")
    lines, position = [f"#begin document ({name}); part 000"], 0
    for token, (word, tag) in enumerate(text):
        cell = "|".join([*opening.get(token, ()), *closing.get(token, ())]) or "-"
        lines.append(f"{name} 0 {position:>2} {word:>10} {tag:>4}  *  -  -  -  -  *  {cell:>8}")
        position += 1
        if token in ends:
            lines.append("")
            position = 0
    return "\n".join([*lines, "#end document", ""])


def evenhand_chains(key: str, response: str) -> tuple[float, float]:
    """All scores of coreference chains."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    results = eh.score(key, [response])
    render(results)
    return process_time() - begin, next(iter(results.values()))["mela"].f1


def evenhand_entities(key: str, response: str) -> tuple[float, float]:
    """All scores, and errors by entity with the gains of repairs."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    result = eh.score(key, response, entities=True)
    render(eh.Results({result.name: result}))
    return process_time() - begin, result["mela"].f1


def plain_loop(key: str, response: str) -> tuple[float, float]:
    """What any Python program needs at least: to read and split the lines of both files."""
    begin = process_time()
    cells = 0
    for path in (key, response):
        with open(path, encoding="utf-8") as file:
            for line in file:
                cells += len(line.split())
    return process_time() - begin, cells
