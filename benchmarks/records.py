"""Records: synthetic JSON in memory, and who scores it: Evenhand (exact and fair), stickler-eval, anls-star.

Three sets: lists of 20 and of 100 records with four fields, and flat documents with eight fields. 15 % of the system's
values are wrong, its lists are shuffled, and one record of each is missing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from corpus import SYLLABLES

SETS = {"20": (40, 20), "100": (4, 100), "flat": (1_000, 0)}
"""Number of documents, and of records in each; 0: flat documents."""
ITEM, FLAT = ("name", "city", "price", "code"), tuple("abcdefgh")
_WRONG = 0.15


def write_records(folder: Path, name: str, seed: int = 1) -> tuple[Path, Path]:
    """Gold standard and system of a set, one value per line; made once."""
    paths = folder / f"records-gold-{name}.jsonl", folder / f"records-system-{name}.jsonl"
    if all(path.exists() for path in paths):
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 2, 3)))) for _ in range(400)]
    documents, size = SETS[name]

    def value() -> str:
        return " ".join(chance.choices(words, k=chance.choice((1, 2, 3))))

    def changed(record: dict[str, str]) -> dict[str, str]:
        return {key: value() if chance.random() < _WRONG else text for key, text in record.items()}

    with paths[0].open("w", encoding="utf-8") as gold_file, paths[1].open("w", encoding="utf-8") as system_file:
        for _ in range(documents):
            gold: Any = {key: value() for key in FLAT}
            system: Any = changed(gold)
            if size:
                items = [{**dict.fromkeys(ITEM, ""), **{key: value() for key in ITEM}} for _ in range(size)]
                items = [{**item, "city": chance.choice(words[:12])} for item in items]
                others = [changed(item) for item in items]
                chance.shuffle(others)
                gold, system = {"items": items}, {"items": others[1:]}
            gold_file.write(json.dumps(gold) + "\n")
            system_file.write(json.dumps(system) + "\n")
    return paths


def _timed(gold: str, system: str, score: Callable[[list[Any], list[Any]], float]) -> tuple[float, float]:
    sides = [[json.loads(line) for line in Path(path).read_text().split("\n") if line] for path in (gold, system)]
    begin = process_time()
    result = score(*sides)
    return process_time() - begin, result


def evenhand_records(gold: str, system: str) -> tuple[float, float]:
    import evenhand as eh

    return _timed(gold, system, lambda *sides: eh.score(*map(eh.records, sides), match="exact,fair")["exact"].f1)


def anls_star(gold: str, system: str) -> tuple[float, float]:
    from anls_star import anls_score

    return _timed(gold, system, lambda *sides: sum(map(anls_score, *sides)) / len(sides[0]))


def stickler(gold: str, system: str) -> tuple[float, float]:
    from stickler import ComparableField, StructuredModel
    from stickler.comparators import ExactComparator

    def model(name: str, fields: tuple[str, ...], **others: Any) -> Any:
        values = {key: ComparableField(comparator=ExactComparator(), default=None) for key in fields}
        annotations: dict[str, Any] = dict.fromkeys(fields, str | None)
        return type(name, (StructuredModel,), {"__annotations__": annotations, **values, **others})

    item, flat = model("Item", ITEM, match_threshold=0.5), model("Flat", FLAT)
    listed = type(
        "Listed", (StructuredModel,), {"__annotations__": {"items": list[item]}, "items": ComparableField(weight=1.0)}
    )

    def score(golds: list[Any], systems: list[Any]) -> float:
        kind = listed if "items" in golds[0] else flat
        compared = [
            kind(**one).compare_with(kind(**other), include_confusion_matrix=True)
            for one, other in zip(golds, systems, strict=True)
        ]
        return sum(result["overall_score"] for result in compared) / len(compared)

    return _timed(gold, system, score)
