"""Spans with confidences, and the curves of precision and recall."""

from __future__ import annotations

import json
import random
from pathlib import Path
from time import process_time
from typing import Any

from promises import bounded

LABELS = ("PER", "LOC", "ORG", "MISC")
_PER_SENTENCE = 10


def write_scored(folder: Path, spans: int) -> tuple[Path, Path]:
    """A gold standard, and a system with a confidence for each span: 70 % correct, 20 % near, 10 % elsewhere."""
    gold, system = folder / f"confidences-{spans}.jsonl", folder / f"confidences-{spans}-system.jsonl"
    if gold.exists() and system.exists():
        return gold, system
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(38)
    tokens = [f"w{number}" for number in range(6 * _PER_SENTENCE)]
    with gold.open("w") as of_gold, system.open("w") as of_system:
        for _ in range(spans // _PER_SENTENCE):
            expected, found = [], []
            for start in range(0, len(tokens), 6):
                end, label, luck = start + chance.randint(1, 4), chance.choice(LABELS), chance.random()
                near = (start, end + 1, label) if luck < 0.8 else (start, end, chance.choice(LABELS))
                place = (start, end, label) if luck < 0.7 else near if luck < 0.9 else (start + 4, start + 5, label)
                expected.append({"start": start, "end": end, "label": label})
                found.append(dict(zip(("start", "end", "label"), place, strict=True), score=chance.random()))
            of_gold.write(json.dumps({"tokens": tokens, "spans": expected}) + "\n")
            of_system.write(json.dumps({"tokens": tokens, "spans": found}) + "\n")
    return gold, system


def fair_curve(gold: str, system: str) -> tuple[float, float]:
    """All points of the curve under fair match, from files; F1 of the last one."""
    import evenhand as eh

    begin = process_time()
    curve = eh.confidence(gold, system, match="fair", resamples=0).curve
    return process_time() - begin, float(curve.f1[-1])


def fair_score(gold: str, system: str) -> tuple[float, float]:
    """The score of the same files."""
    import evenhand as eh

    begin = process_time()
    result = eh.score(gold, system, match="fair")
    assert isinstance(result, eh.Result)
    return process_time() - begin, result["fair"].f1


def exact_curve(units: int = 1_000_000) -> list[dict[str, Any]]:
    """The curve of exact match with its average precision and best threshold, from units in memory."""
    import numpy as np

    from evenhand.statistics.precision_recall import Changes

    chance = np.random.default_rng(38)
    score, group = chance.random(units), np.zeros(units, dtype=np.int64)
    hit = chance.random(units) < score
    change = np.stack((hit, np.ones(units), np.zeros(units)), axis=-1)
    base = np.array([[0.0, 0.0, float(units)]])
    times = []
    for _ in range(5):
        begin = process_time()
        curve = Changes.of(score, group, change, base).curve()
        assert 0 < curve.ap < 1
        curve.best(1.0)
        times.append(process_time() - begin)
    return [bounded(f"exact curve of {units:,} units", sorted(times)[2], ceiling=1.5, unit="s")]
