"""Entity links: a synthetic table of HIPE, a linker that errs, and who scores it.

HIPE-scorer is in no package registry, so a plain loop stands in for it, which does what HIPE-scorer's figures take: an
object a token with all columns; for one, three and five candidates, the links of each document, each of which is
compared with those of the gold standard from left to right; and counts and scores under four schemes for every
segment, every document and all of them, and in each for every identifier.
"""

from __future__ import annotations

import csv
import json
import random
import re
import subprocess
import sys
from collections import defaultdict
from copy import deepcopy
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from corpus import SYLLABLES

TOKENS = 99_710
"""As many as the test data of NewsEye in German has."""
HEADER = ["TOKEN", "NE-COARSE-LIT", "NE-COARSE-METO", "NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED"]
HEADER += ["NEL-LIT", "NEL-METO", "MISC"]
MODELS = "hipe@1,hipe@3,hipe@5"
_TYPES = ("PER", "LOC", "ORG", "HumanProd")
Row = tuple[str, str, str]
"""Token, tag and identifiers."""


def write_links(folder: Path, tokens: int = TOKENS, seed: int = 1) -> tuple[Path, Path]:
    """Gold standard and response with so many tokens; made once."""
    gold_path, system_path = folder / f"links-gold-{tokens}.tsv", folder / f"links-system-{tokens}.tsv"
    if gold_path.exists() and system_path.exists():
        return gold_path, system_path
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 2, 2, 3)))) for _ in range(20_000)]
    gold, system = _rows(chance, words, tokens)
    for path, rows in ((gold_path, gold), (system_path, system)):
        with path.open("w", encoding="utf-8") as file:
            file.write("\t".join(HEADER) + "\n")
            for number, (token, tag, link) in enumerate(rows):
                if number % 8_000 == 0:
                    file.write(f"# hipe2022:document_id = made-{number}\n# hipe2022:language = de\n")
                file.write(f"{token}\t{tag}\tO\tO\tO\tO\tO\t{link}\t_\t_\n")
    return gold_path, system_path


def _rows(chance: random.Random, words: list[str], tokens: int) -> tuple[list[Row], list[Row]]:
    gold: list[Row] = []
    system: list[Row] = []
    while len(gold) < tokens:
        size = min(chance.choice((1, 1, 1, 2, 2, 3)), tokens - len(gold))
        span = [chance.choice(words) for _ in range(size)]
        if chance.random() > 0.06:
            gold += [(word, "O", "_") for word in span]
            system += [(word, "O", "_") for word in span]
            continue
        label, name = chance.choice(_TYPES), f"Q{chance.randrange(5000)}" if chance.random() < 0.6 else "NIL"
        others = [f"Q{chance.randrange(5000)}" for _ in range(4)]
        others.insert(min(int(chance.expovariate(0.8)), 4), name)
        gold += _tagged(span, label, name)
        system += _tagged(span, label if chance.random() < 0.9 else "LOC", "|".join(others))
    return gold, system


def _tagged(words: list[str], label: str, link: str) -> list[Row]:
    return [(word, f"{'I' if at else 'B'}-{label}", link) for at, word in enumerate(words)]


def timed_links(gold: str, system: str) -> tuple[float, float]:
    """CPU time of the command with its start, and the F1 under strict bounds."""
    command = [
        str(Path(sys.executable).with_name("evenhand")),
        "score",
        gold,
        system,
        "--match",
        MODELS,
        "--as",
        "json",
    ]
    before = getrusage(RUSAGE_CHILDREN)
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    spent = _spent(before)
    return spent, 100 * json.loads(shown)["systems"][0]["scores"]["hipe-strict"]["headline"]


def timed_loop(gold: str, system: str) -> tuple[float, float]:
    """The same of the plain loop, which is a program of its own."""
    before = getrusage(RUSAGE_CHILDREN)
    found = subprocess.run([sys.executable, __file__, gold, system], check=True, capture_output=True, text=True).stdout
    return _spent(before), float(found)


def _spent(before: object) -> float:
    after = getrusage(RUSAGE_CHILDREN)
    return sum(getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime"))


SCHEMES = ("strict", "fuzzy", "bounds", "overlap")
COUNTS = ("correct", "wrong", "missed", "spurious", "possible", "actual", "TP", "FP", "FN", "P", "R", "F1")
SCHEMA: dict[str, dict[str, float]] = {scheme: dict.fromkeys(COUNTS, 0.0) for scheme in SCHEMES}
_DISTANCE = re.compile(r"LED([0-9.]+)")


class Token:
    """A token with all of its columns."""

    def __init__(self, columns: dict[str, str]) -> None:
        for name, value in columns.items():
            setattr(self, name, value if name == "TOKEN" else value.upper())
        found = _DISTANCE.search(columns["MISC"])
        self.distance = float(found[1]) if found else None


class Link:
    """A span with its identifiers."""

    def __init__(self, start: int, label: str, names: list[str]) -> None:
        self.start, self.end, self.label, self.names, self.text = start, start, label, names, ""


def read(path: str) -> list[list[Token]]:
    """The tokens of each document."""
    documents: list[list[Token]] = []
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["TOKEN"].startswith("# hipe2022:document_id"):
                documents.append([])
            if not row["TOKEN"].startswith("#") and row["TOKEN"]:
                documents[-1].append(Token(row))
    return documents


def links(tokens: list[Token], *, is_response: bool) -> list[Link]:
    """The links of a document."""
    all_links: list[Link] = []
    link: Link | None = None
    last = ""
    for at, token in enumerate(tokens):
        tag, cell = getattr(token, "NE-COARSE-LIT"), getattr(token, "NEL-LIT")
        goes_on = tag[:1] in ("I", "E") and link is not None and link.label == tag[2:]
        if not goes_on or (is_response and cell != last):
            link = Link(at, tag[2:], cell.split("|")) if tag != "O" else None
            all_links += [link] if link is not None else []
        if link is not None:
            link.text += token.TOKEN  # type: ignore[attr-defined]
            link.end = at + 1
        last = cell
    return [each for each in all_links if each.names != ["_"]]


def compare(gold: list[Link], system: list[Link], depth: int) -> dict[str, dict[str, dict[str, float]]]:
    """The counts of a document under all schemes, for all links and for each identifier."""
    counts: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: deepcopy(SCHEMA))
    used: set[int] = set()
    for link in system:
        first = link.names[:depth]
        hits = dict.fromkeys(SCHEMES, False)
        for at, other in enumerate(gold):
            same = (other.start, other.end) == (link.start, link.end)
            if same and other.names[0] in first and other.text == link.text:
                hits = dict.fromkeys(SCHEMES, True)
                used.add(at)
                break
        else:
            for at, other in enumerate(gold):
                same = (other.start, other.end) == (link.start, link.end)
                near = not set(range(other.start, other.end)).isdisjoint(range(link.start, link.end))
                if (same and other.names[0] != link.names[0]) or (near and at not in used):
                    hits |= {"fuzzy": other.names[0] in first, "bounds": same, "overlap": True}
                    used.add(at)
                    break
        for scheme, is_right in hits.items():
            for name in ("", link.names[0]):
                counts[name][scheme]["actual"] += 1
                counts[name][scheme]["TP"] += is_right
    for link in gold:
        for name in ("", link.names[0]):
            for scheme in SCHEMES:
                counts[name][scheme]["possible"] += 1
    return counts


def score(counts: dict[str, dict[str, float]]) -> None:
    """Precision, recall and F1 under all schemes."""
    for row in counts.values():
        row["FP"], row["FN"] = row["actual"] - row["TP"], row["possible"] - row["TP"]
        row["P"] = row["TP"] / row["actual"] if row["actual"] else 0.0
        row["R"] = row["TP"] / row["possible"] if row["possible"] else 0.0
        row["F1"] = 2 * row["P"] * row["R"] / (row["P"] + row["R"]) if row["P"] + row["R"] else 0.0


def evaluate(gold: list[list[Token]], system: list[list[Token]], depth: int) -> float:
    """All scores with so many candidates, of which the strict F1 is returned."""
    total: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: deepcopy(SCHEMA))
    means: dict[str, list[float]] = defaultdict(list)
    for one, other in zip(gold, system, strict=True):
        comparison = compare(links(one, is_response=False), links(other, is_response=True), depth)
        document: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: deepcopy(SCHEMA))
        for into in (total, document):
            for name, counts in comparison.items():
                for scheme, row in counts.items():
                    for count, number in row.items():
                        into[name][scheme][count] += number
        for name in list(total):  # every identifier that was met so far, in this document
            score(document[name])
            means[name].append(document[name]["strict"]["F1"])
    for counts in total.values():
        score(counts)
    return 100 * total[""]["strict"]["F1"]


def main(gold_path: str, system_path: str) -> None:
    gold, system = read(gold_path), read(system_path)
    *_, found = (evaluate(gold, system, depth) for depth in (5, 3, 1))
    print(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
