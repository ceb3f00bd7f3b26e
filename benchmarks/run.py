"""`make bench`: Evenhand side by side with its peers, on the same files, as ratios in one run.

Machines are noisy, so absolute times mean little; contenders take turns, and the ratio of medians is what counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import chains
import corpus
import report_page

HERE = Path(__file__).parent
ROUNDS = 3


@dataclass(frozen=True)
class Promise:
    """A ratio that Evenhand promises: `slow` takes at least (or at most) so many times what `fast` takes."""

    what: str
    slow: str
    fast: str
    floor: float | None = None
    ceiling: float | None = None
    times: float = 1.0
    """By how much more text `slow` has."""


PROMISES = (
    Promise("file to report, seqeval : exact + fair", "seqeval", "evenhand", floor=40),
    Promise("file to report, nervaluate : exact + fair", "nervaluate", "evenhand", floor=25),
    Promise("file to report, seqscore : exact + fair", "seqscore", "evenhand"),
    Promise("file to report, conlleval loop : exact", "conlleval-loop", "evenhand-exact", floor=5),
    Promise("lists to report, seqeval : exact + fair", "seqeval-lists", "evenhand-lists", floor=15),
    Promise("JSON lines to layer, json.loads : Evenhand", "json-loads", "evenhand-jsonl", floor=3),
    Promise("rank of 16 systems, 1,000 resamples : score of one", "evenhand-rank", "evenhand-four", ceiling=12),
    Promise("CPU per token, 10 million : 1 million", "evenhand-10M", "evenhand", ceiling=1.25, times=10),
    Promise("13 metrics of CoNLL 2018, udtools : Evenhand", "udtools", "evenhand-conll18", floor=10),
    Promise(
        "the same, CPU per word, 4 million : 1 million",
        "evenhand-conll18-4M",
        "evenhand-conll18",
        ceiling=1.25,
        times=189 / 47,
    ),
    Promise("all scores of 1,000 documents' chains : plain loop", "evenhand-chains", "plain-chains", ceiling=2.5),
    Promise("the same of ECB+, one document : plain loop", "evenhand-ecbp", "plain-ecbp", ceiling=10),
    Promise(
        "the same, CPU per token, 4,000 documents : 1,000",
        "evenhand-chains-4k",
        "evenhand-chains",
        ceiling=1.25,
        times=4,
    ),
    Promise("all 120 pairs of 16 systems : score of one", "evenhand-compare", "evenhand-one", ceiling=40),
    Promise("10,000 trials and resamples : score of one", "evenhand-tests", "evenhand-100k", ceiling=3),
    Promise("time of `evenhand --help` : `import click`", "help", "import-click", ceiling=2),
)
SAME = (
    ("evenhand", "evenhand-exact", "evenhand-lists", "conlleval-loop", "seqscore", "nervaluate", "seqeval"),
    ("evenhand-jsonl", "json-loads"),
    ("evenhand-conll18", "udtools"),
)
"""Contenders that must have done the same work: the same F1, or as many spans."""


@dataclass
class Bench:
    """What was measured so far."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    answers: dict[str, float] = field(default_factory=dict)
    peak: dict[str, float] = field(default_factory=dict)

    def run(self, name: str, *files: Path, repeat: int = 1, contender: str | None = None) -> None:
        """Run a contender, under its own name or another."""
        print(f"  {name} ...", file=sys.stderr)
        command = [sys.executable, str(HERE / "contenders.py"), contender or name, *map(str, files), str(repeat)]
        found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        # The first repetition warms caches up and is dropped where there are others.
        self.seconds.setdefault(name, []).extend(found["seconds"][1:] or found["seconds"])
        self.peak[name] = max(found["peak_mb"], self.peak.get(name, 0))
        self.answers[name] = found["f1"]

    def medians(self) -> dict[str, float]:
        return {name: median(times) for name, times in self.seconds.items()}


def main() -> None:
    data = HERE / "data"
    published = Path(os.environ.get("EVENHAND_DATA", HERE.parent.parent / "shared" / "data"))
    print("making the corpora ...", file=sys.stderr)
    million, ten_million = corpus.write(data, 1_000_000), corpus.write(data, 10_000_000)
    json_lines, pair = corpus.write_json_lines(data, 50_000), corpus.write_pair(data, 100_000)
    repeated = corpus.write_repeated(data, published)
    coreference = [chains.write_chains(data, documents) for documents in (1000, 4000)]
    treebanks = [corpus.write_treebank(data, published, times) for times in (47, 189)]
    bench = Bench()
    for turn in range(ROUNDS):
        _spans(bench, million, ten_million, turn)
        for name in ("evenhand-jsonl", "json-loads") * 3:
            bench.run(name, json_lines, json_lines, repeat=7)
        bench.run("evenhand-100k", pair[0], pair[1] / "a.conll", repeat=4, contender="evenhand")
        bench.run("evenhand-tests", *pair, repeat=3)
        if repeated is not None:
            _many_systems(bench, *repeated, turn)
        _treebanks(bench, treebanks, turn)
        _coreference(bench, coreference, published / "coref_ecbp")
        _start_up(bench)
    _check_same(bench.answers)
    print("  a page with 50,000 units ...", file=sys.stderr)
    page = report_page.measure(data)
    if page is None:
        print("without playwright and chromium, the page of a report is not measured", file=sys.stderr)
    _report(bench, page or [])


def _spans(bench: Bench, million: tuple[Path, Path], ten_million: tuple[Path, Path], turn: int) -> None:
    for name in ("evenhand", "evenhand-exact", "evenhand-lists", "conlleval-loop"):
        bench.run(name, *million, repeat=3)
    for name in ("seqscore", "nervaluate", "seqeval", "seqeval-lists") if turn == 0 else ():
        bench.run(name, *million)
    bench.run("evenhand-10M", *ten_million, contender="evenhand")


def _many_systems(bench: Bench, gold: Path, systems: list[Path], turn: int) -> None:
    for system in systems[turn * 5 : turn * 5 + 5]:
        bench.run("evenhand-four", gold, system, repeat=3)
        bench.run("evenhand-one", gold, system, repeat=3, contender="evenhand")
    bench.run("evenhand-rank", gold, gold.parent, repeat=2)
    bench.run("evenhand-compare", gold, gold.parent, repeat=2)


def _treebanks(bench: Bench, treebanks: list[tuple[Path, Path] | None], turn: int) -> None:
    for name, treebank in zip(("evenhand-conll18", "evenhand-conll18-4M"), treebanks, strict=True):
        if treebank is not None:
            bench.run(name, *treebank, repeat=3, contender="evenhand-conll18")
    if turn == 0 and treebanks[0] is not None:
        bench.run("udtools", *treebanks[0])


def _coreference(bench: Bench, files: list[tuple[Path, Path]], published: Path) -> None:
    small, large = files
    for _ in range(2):
        bench.run("evenhand-chains", *small, repeat=3)
        bench.run("plain-chains", *small, repeat=3, contender="plain-loop")
    bench.run("evenhand-chains-4k", *large, contender="evenhand-chains")
    if published.is_dir():
        pair = published / "key.conll", published / "gg-closure.conll"
        bench.run("evenhand-ecbp", *pair, repeat=9, contender="evenhand-chains")
        bench.run("plain-ecbp", *pair, repeat=9, contender="plain-loop")


def _start_up(bench: Bench, times: int = 10) -> None:
    commands = {
        "import-click": [sys.executable, "-c", "import click"],
        "help": [str(Path(sys.executable).with_name("evenhand")), "--help"],
    }
    for _ in range(times):
        for name, command in commands.items():
            begin = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            bench.seconds.setdefault(name, []).append(perf_counter() - begin)


def _check_same(answers: dict[str, float]) -> None:
    for names in SAME:
        found = {name: answers[name] for name in names if name in answers}
        if found and max(found.values()) - min(found.values()) > 1e-5:
            sys.exit(f"the contenders disagree: {found}")


def _report(bench: Bench, page: list[dict[str, Any]]) -> None:
    seconds = bench.medians()
    measured = [promise for promise in PROMISES if promise.slow in seconds]
    if len(measured) < len(PROMISES):
        print("without the published data (EVENHAND_DATA), some ratios are not measured", file=sys.stderr)
    table = [_row(promise, seconds) for promise in measured]
    print(f"{'contender':<20} {'CPU s':>8} {'peak MB':>8}")
    for name, value in sorted(seconds.items(), key=lambda item: item[1]):
        if name in bench.peak:
            print(f"{name:<20} {value:>8.3f} {bench.peak[name]:>8.0f}")
    print()
    print(f"{'ratio':<52} {'measured':>9} {'wanted':>8}")
    for row in table:
        mark = "" if row["kept"] else "  MISSED"
        print(f"{row['what']:<52} {row['ratio']:>9.2f} {row['wanted']:>8}{mark}")
    for row in page:
        mark = "" if row["kept"] else "  MISSED"
        print(f"{row['what']:<52} {row['value']:>9.2f} {row['wanted']:>8}{mark}")
    (HERE / "results").mkdir(exist_ok=True)
    saved = {"seconds": seconds, "peak_mb": bench.peak, "ratios": table, "page": page}
    (HERE / "results" / "bench.json").write_text(json.dumps(saved, indent=2) + "\n")
    if not all(row["kept"] for row in [*table, *page]):
        sys.exit(1)


def _row(promise: Promise, seconds: dict[str, float]) -> dict[str, Any]:
    ratio = seconds[promise.slow] / seconds[promise.fast] / promise.times
    kept = ratio >= (promise.floor or 0) and ratio <= (promise.ceiling or float("inf"))
    wanted = f">= {promise.floor}" if promise.floor else f"<= {promise.ceiling}" if promise.ceiling else ""
    return {"what": promise.what, "ratio": ratio, "wanted": wanted, "kept": kept}


if __name__ == "__main__":
    main()
