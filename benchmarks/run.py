"""`make bench`: Evenhand side by side with its peers, on the same files, as ratios in one run.

Machines are noisy, so absolute times mean little; contenders take turns, and the ratio of medians is what counts.
`make bench-short` is for continuous integration: it takes two minutes, needs no peers, and its bounds leave room for
noise; it fails when a ratio is beyond them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import brackets
import brat
import chains
import confidences
import corefud
import corpus
import links
import records
import relations
import report_page
import scale
import shapes
import start
import worst
from promises import PROMISES, SAME, bounded

HERE = Path(__file__).parent
ROUNDS = 3
SLACK = 1.5
"""By how much the short form lets a ratio miss its bound: it is there to find mistakes, not to measure."""
SHORT_ROUNDS = 2
SHORT_WORST = ("one sentence", "crossing", "labels")
SHORT_PART = 4
"""By how much the short form's worst cases are smaller."""


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
        data: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        # The first repetition warms caches up and is dropped where there are others.
        self.seconds.setdefault(name, []).extend(data["seconds"][1:] or data["seconds"])
        self.peak[name] = max(data["peak_mb"], self.peak.get(name, 0))
        self.answers[name] = data["f1"]

    def medians(self) -> dict[str, float]:
        return {name: median(times) for name, times in self.seconds.items()}


def main() -> None:
    data = HERE / "data"
    bench = Bench()
    if "--short" in sys.argv[1:]:
        further = _short(bench, data)
        _report(bench, further, "bench-short.json", slack=SLACK)
    else:
        further = _full(bench, data)
        _report(bench, further, "bench.json")


def _full(bench: Bench, data: Path) -> list[dict[str, Any]]:
    """Everything; what is no ratio of two contenders is returned."""
    published = Path(os.environ.get("EVENHAND_DATA", HERE.parent.parent / "shared" / "data"))
    print("making the corpora ...", file=sys.stderr)
    million, ten_million = corpus.write(data, 1_000_000), corpus.write(data, 10_000_000)
    json_lines, pair = corpus.write_json_lines(data, 50_000), corpus.write_pair(data, 100_000)
    repeated = corpus.write_repeated(data, published)
    masked = corpus.write_masked(data, published)
    coreference = [chains.write_chains(data, documents) for documents in (1000, 4000)]
    linked, gum = links.write_links(data), corefud.write_gum(data, published)
    treebanks = [corpus.write_treebank(data, published, times) for times in (47, 189)]
    for turn in range(ROUNDS):
        _spans(bench, million, ten_million, turn)
        _layers(bench, data, json_lines, million[0])
        _confidences(bench, data)
        _answers(bench, data)
        bench.run("evenhand-100k", pair[0], pair[1] / "a.conll", repeat=4, contender="evenhand")
        bench.run("evenhand-tests", *pair, repeat=3)
        if repeated is not None:
            _many_systems(bench, *repeated, turn)
        _suspects(bench, masked)
        _treebanks(bench, treebanks, turn)
        _coreference(bench, coreference, published / "coref_ecbp")
        _corefud(bench, gum, turn)
        _relations(bench, published)
        _links(bench, linked)
        _records(bench, data)
        _constituents(bench, data, 40_000)
        _start_up(bench, data)
    further = _large(bench, data) + confidences.exact_curve() + scale.processes(data) + worst.measure(data)
    further += shapes.measurements(shapes.measure(data, published, shapes.TURNS))
    print("  a page with 50,000 units ...", file=sys.stderr)
    further += report_page.beside_compare(data)
    page = report_page.measure(data)
    if page is None:
        print("without playwright and chromium, the page of a report is not measured", file=sys.stderr)
    return further + (page or [])


def _short(bench: Bench, data: Path) -> list[dict[str, Any]]:
    """What needs no peers and no published data, and takes about two minutes."""
    print("making the corpora ...", file=sys.stderr)
    million, json_lines = corpus.write(data, 1_000_000), corpus.write_json_lines(data, 50_000)
    documents = chains.write_chains(data, 250)
    for _ in range(SHORT_ROUNDS):
        for name in ("evenhand", "evenhand-exact", "evenhand-leak", "conlleval-loop"):
            bench.run(name, *million, repeat=3)
        _layers(bench, data, json_lines, million[0])
        _confidences(bench, data)
        _answers(bench, data)
        bench.run("evenhand-chains", *documents, repeat=3)
        bench.run("evenhand-entities", *documents, repeat=3)
        bench.run("plain-chains", *documents, repeat=3, contender="plain-loop")
        _constituents(bench, data, 10_000)
        _start_up(bench, data, times=5)
    doubled = worst.measure(data, list(SHORT_WORST), SHORT_PART)
    print("  a page ...", file=sys.stderr)
    pages = report_page.beside_compare(data, report_page.SHORT)
    return [bounded(row["what"], row["value"], ceiling=worst.CEILING * SLACK) for row in doubled] + pages


def _large(bench: Bench, data: Path) -> list[dict[str, Any]]:
    """A hundred million tokens: the files take 2 GB, and are removed."""
    files = corpus.write(data, 100_000_000)
    bench.run("evenhand-100M", *files, contender="evenhand")
    for path in files:
        path.unlink()
    return [bounded("peak memory with 100 million tokens", bench.peak["evenhand-100M"], ceiling=400, unit="MB")]


def _layers(bench: Bench, data: Path, json_lines: Path, columns: Path) -> None:
    """Reading alone, from several formats."""
    for name in ("evenhand-jsonl", "json-loads") * 3:
        bench.run(name, json_lines, json_lines, repeat=7)
    parquet = corpus.write_parquet(data, columns)
    if parquet is not None:
        bench.run("evenhand-parquet", parquet, parquet, repeat=5, contender="evenhand-read")
        bench.run("evenhand-columns", columns, columns, repeat=5, contender="evenhand-read")
    documents = brat.write_documents(data)
    bench.run("evenhand-brat", documents, documents, repeat=4, contender="evenhand-read")
    bench.run("plain-brat", documents, documents, repeat=4)


def _confidences(bench: Bench, data: Path) -> None:
    """Spans with confidences: all points of the curve beside one score."""
    files = confidences.write_scored(data, 100_000)
    for name in ("evenhand-fair", "evenhand-fair-curve") * 2:
        bench.run(name, *files, repeat=3)


def _answers(bench: Bench, data: Path) -> None:
    """Strings of a language model, most or all of them verbatim, beside a loop that only decodes them."""
    for suffix, noise in (("", True), ("-plain", False)):
        files = corpus.write_answers(data, 10_000, noise)
        for name, contender in (("evenhand-ground", "evenhand-ground"), ("answers-loop", "loop-over-answers")):
            bench.run(name + suffix, *files, repeat=4, contender=contender)


def _spans(bench: Bench, million: tuple[Path, Path], ten_million: tuple[Path, Path], turn: int) -> None:
    """Peers take minutes in all, in which a machine may become faster or slower: they take turns, too."""
    for peer in ("seqeval", "nervaluate", "conlleval-loop"):
        for name in ("evenhand", "evenhand-exact", "evenhand-leak"):
            bench.run(name, *million, repeat=4)
        bench.run(peer, *million)
    for _ in range(3):  # they take turns
        for name in ("evenhand-lists", "evenhand-metric"):
            bench.run(name, *million)
    bench.run("evenhand-drop-in", *million, repeat=3)
    for name in ("seqscore", "seqeval-lists") if turn == 0 else ():
        bench.run(name, *million)
    bench.run("evenhand-10M", *ten_million, contender="evenhand")


def _many_systems(bench: Bench, gold: Path, systems: list[Path], turn: int) -> None:
    for system in systems[turn * 5 : turn * 5 + 5]:
        bench.run("evenhand-four", gold, system, repeat=3)
        bench.run("evenhand-one", gold, system, repeat=3, contender="evenhand")
        bench.run("evenhand-causes", gold, system, repeat=3)
    bench.run("evenhand-rank", gold, gold.parent, repeat=2)
    bench.run("evenhand-pair", gold, gold.parent, repeat=3)
    bench.run("evenhand-power", gold, gold.parent, repeat=3)
    bench.run("evenhand-clusters", gold, gold.parent, repeat=2)
    bench.run("evenhand-compare", gold, gold.parent, repeat=2)


def _suspects(bench: Bench, gold: Path | None) -> None:
    if gold is not None:
        bench.run("evenhand-suspects", gold, gold.parent, repeat=2)


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
        bench.run("evenhand-entities", *small, repeat=3)
        bench.run("plain-chains", *small, repeat=3, contender="plain-loop")
    bench.run("evenhand-chains-4k", *large, contender="evenhand-chains")
    if published.is_dir():
        pair = published / "key.conll", published / "gg-closure.conll"
        bench.run("evenhand-ecbp", *pair, repeat=9, contender="evenhand-chains")
        bench.run("plain-ecbp", *pair, repeat=9, contender="plain-loop")


def _corefud(bench: Bench, files: tuple[Path, Path] | None, turn: int) -> None:
    """The scorer of CorefUD is in no registry, and a plain program by its definitions stands in for it."""
    if files is not None:
        bench.run("evenhand-corefud", *files, repeat=4)
        if turn == 0:
            bench.run("plain-corefud", *files)


def _relations(bench: Bench, published: Path, times: int = 5) -> None:
    for _ in range(times):
        for name, (seconds, f1) in (relations.measure(published) or {}).items():
            bench.seconds.setdefault(name, []).append(seconds)
            bench.answers[name] = f1


def _links(bench: Bench, files: tuple[Path, Path]) -> None:
    """With the start of each program; HIPE-scorer is in no registry, and a plain loop stands in for it."""
    for _ in range(2):
        bench.run("evenhand-links", *files, repeat=3)
        bench.run("plain-links", *files, repeat=2)


def _records(bench: Bench, data: Path) -> None:
    """Objects in memory, without the start of a program."""
    for name in records.SETS:
        files = records.write_records(data, name)
        for contender in ("evenhand-records", "stickler", "anls-star"):
            bench.run(f"{contender}-{name}", *files, repeat=1 + 2 * (contender != "anls-star"), contender=contender)


def _constituents(bench: Bench, data: Path, sentences: int) -> None:
    """All figures of EVALB beside a plain reader of the same files."""
    files = brackets.write_trees(data, sentences)
    for name in ("evenhand-constituents", "plain-brackets"):
        bench.run(name, *files, repeat=4)


def _start_up(bench: Bench, data: Path, times: int = 10) -> None:
    for _ in range(times):
        for name, seconds in start.measure(data).items():
            bench.seconds.setdefault(name, []).append(seconds)


def _check_same(answers: dict[str, float]) -> None:
    for names in SAME:
        found = {name: answers[name] for name in names if name in answers}
        if found and max(found.values()) - min(found.values()) > 1e-5:
            sys.exit(f"the contenders disagree: {found}")


def _report(bench: Bench, further: list[dict[str, Any]], name: str, slack: float = 1.0) -> None:
    """Print what was measured, save it, and fail where a bound was missed."""
    _check_same(bench.answers)
    seconds = bench.medians()
    promised = [promise for promise in PROMISES if promise.slow in seconds and promise.fast in seconds]
    if len(promised) < len(PROMISES) and slack == 1:
        print("without the published data (EVENHAND_DATA) or pyarrow, some ratios are not measured", file=sys.stderr)
    rows = [promise.row(seconds, slack) for promise in promised] + further
    print(f"{'contender':<22} {'CPU s':>8} {'peak MB':>8}")
    for contender, value in sorted(seconds.items(), key=lambda item: item[1]):
        if contender in bench.peak:
            print(f"{contender:<22} {value:>8.3f} {bench.peak[contender]:>8.0f}")
    print()
    print(f"{'measurement':<56} {'measured':>9} {'wanted':>8}")
    for row in rows:
        mark = "" if row["kept"] else "  MISSED"
        print(f"{row['what']:<56} {row['value']:>9.2f} {row['wanted']:>8}{mark}")
    (HERE / "results").mkdir(exist_ok=True)
    saved = {"seconds": seconds, "peak_mb": bench.peak, "measurements": rows}
    (HERE / "results" / name).write_text(json.dumps(saved, indent=2) + "\n")
    if not all(row["kept"] for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
