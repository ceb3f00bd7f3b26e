"""Cases: a mutated file and a command that reads it, both told by the seed of a run and a number."""

from __future__ import annotations

import bz2
import gzip
import lzma
from contextlib import suppress
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

from fuzz.mutations import mutate
from fuzz.seeds import MANIFESTS, NAMED_TASKS, SUITE, WEIGHTS, Seed, companions, saved_results, seeds

ITSELF = "itself"
"""No command, but that a file scored against itself has no errors."""
COMMANDS = (
    *("score",) * 6,
    *("check",) * 5,
    *("convert",) * 5,
    *("compare",) * 2,
    *("rank",) * 2,
    *("gate",) * 2,
    *("report", "germeval", "two columns"),
    *(ITSELF,) * 2,
)
SETTINGS = ("manifest", "suite", "weights", "saved")
"""What else than annotations is read."""
TARGETS = ("conll", "germeval", "spans", "jsonl", "label-studio", "brackets", "brat", "parquet", "arrow")
RELATION_TARGETS = ("spert", "dygie", "relation-jsonl", "brat")
LINK_TARGETS = ("jsonl", "brat", "hipe", "neleval")
WORD_TARGETS, CHAIN_TARGETS = ("conllu", "conllx", "conll"), ("conll2012", "corefud", "coref-jsonl")
QUICK = ("--resamples", "10")
OPTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "spans": (
        *(("--align", each) for each in ("position", "characters")),
        *(("--repair", each) for each in ("discard", "error")),
        ("--offsets", "utf16"),
        ("--task", "tags"),
        ("--column", "1"),
        ("--column", "-2"),
        ("--encoding", "bioes"),
        ("--functions",),
    ),
    "tags": (("--task", "tags"), ("--align", "position"), ("--column", "1")),
    "trees": (
        ("--align", "strict"),
        ("--task", "tags"),
        ("--task", "tags", "--column", "feats"),
        ("--repair", "error"),
    ),
    "chains": (("--align", "strict"), ("--column", "pos=5"), ("--task", "spans")),
    "relations": (
        ("--align", "characters"),
        ("--task", "spans"),
        ("--task", "relations", "--sentences", "lines"),
        ("--task", "relations", "--newlines", "one", "--quotes", "note"),
        ("--task", "relations", "--offsets", "utf16"),
        ("--task", "relations", "--column", "predicted_relations"),
        (),
    ),
    "links": (("--align", "characters"), ("--align", "position"), ("--task", "spans"), ("--column", "2,3"), ()),
    "records": (
        ("--preset", "relaxed"),
        ("--empty", "strict"),
        ("--unknown-fields", "drop"),
        ("--preset", "triples"),
        (),
    ),
}
SCORED: dict[str, tuple[tuple[str, ...], ...]] = {
    "spans": (
        ("--match", "ts,t,overlap,contain,constrained,iou,semeval,accuracy,weighted"),
        ("--supertag", "ALL", "--levels", "separate"),
        ("--map", "PER=LOC", "--exclude", "X"),
        ("--as", "csv"),
        ("--as", "latex"),
        ("--as", "conlleval"),
    ),
    "tags": (("--punctuation", "form"),),
    "trees": (("--punctuation", "relation", "--subtypes"), ("--match", "conll18")),
    "chains": (("--no-singletons",), ("--match", "mela,arcs_any")),
    "relations": (
        ("--match", "ehealthkd,dygie,boundaries,relaxed"),
        ("--symmetric", "left,In", "--unannotated", "skip"),
        ("--map", "PER=LOC", "--exclude", "left"),
        ("--as", "csv"),
    ),
    "links": (("--match", "hipe@3,entities,weak_all@2,typed_all"), ("--nil-labels", "PER"), ("--as", "csv")),
    "records": (
        ("--match", "exact,soft,anls-star,word-set,word-list", "--root", "name"),
        ("--as", "csv"),
        ("--at", "items"),
    ),
}


class Case(NamedTuple):
    """A command, or the class that loads a saved result, and the files that it takes."""

    number: int
    arguments: tuple[str, ...]
    files: dict[str, bytes]
    loads: str | None = None


class Cases:
    """The cases of a run, by number. What they start from is made once."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._seeds = seeds()
        self._others = [each.files[each.name] for each in self._seeds.values()]
        self._results = {kind: text.encode() for kind, text in saved_results().items()}
        self._companions = companions()

    def __getitem__(self, number: int) -> Case:
        random = Random(f"{self._seed}:{number}")
        kinds = (*self._seeds, *SETTINGS)
        kind = kinds[number % len(kinds)]
        if kind in SETTINGS:
            return getattr(self, f"_{kind}")(random, number)  # type: ignore[no-any-return]
        return self._annotation(random, number, self._seeds[kind])

    def _annotation(self, random: Random, number: int, seed: Seed) -> Case:
        """A mutated file of annotations as one side of a command, beside the seed as it is."""
        mutated = mutate(random, seed.files[seed.name], self._others)
        name = seed.name
        if random.random() < 0.06 and "/" not in name:
            suffix, packed = _packed(random, mutated)
            name, mutated = name + suffix, packed
        files = {f"good/{each}": content for each, content in seed.files.items()}
        files |= {f"bad/{each}": content for each, content in seed.files.items() if each != seed.name}
        files[f"bad/{name}"] = mutated
        good, bad = f"good/{seed.name}", f"bad/{name}"
        if "/" in seed.name:  # the folder is what is named
            good, bad = "good/set", "bad/set"
        arguments = _arguments(random, seed, good, bad)
        return Case(number, arguments, files)

    def _manifest(self, random: Random, number: int) -> Case:
        name = random.choice(list(MANIFESTS))
        files = {**self._companions, name: mutate(random, MANIFESTS[name].encode(), self._others)}
        command = random.choice(("score", "rank"))
        return Case(number, (command, "--manifest", name, *(QUICK if command == "rank" else ())), files)

    def _suite(self, random: Random, number: int) -> Case:
        files = {**self._companions, "suite.toml": mutate(random, SUITE.encode(), self._others)}
        return Case(number, ("rank", "--suite", "suite.toml", *QUICK), files)

    def _weights(self, random: Random, number: int) -> Case:
        files = {**self._companions, "weights.txt": mutate(random, WEIGHTS.encode(), self._others)}
        return Case(number, ("score", "gold.conll", "crf.conll", "--weights", "weights.txt"), files)

    def _saved(self, random: Random, number: int) -> Case:
        kind = random.choice(list(self._results))
        return Case(number, (), {"saved.json": mutate(random, self._results[kind], self._others)}, loads=kind)


def _packed(random: Random, content: bytes) -> tuple[str, bytes]:
    """A compressed file, and what its name ends with; in half of the cases it is damaged."""
    pack: dict[str, Any] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    for module in ("backports.zstd", "compression.zstd"):
        with suppress(ImportError):
            pack[".zst"] = import_module(module).compress
    suffix = random.choice(list(pack))
    packed: bytes = pack[suffix](content)
    return suffix, mutate(random, packed, [content]) if random.random() < 0.5 else packed


def _arguments(random: Random, seed: Seed, good: str, bad: str) -> tuple[str, ...]:
    command = random.choice(COMMANDS)
    read: list[str] = ["--task", seed.task] if seed.task in NAMED_TASKS else []
    if seed.format is not None:
        read += ["--format", seed.format]
    if random.random() < 0.25:
        read = [*random.choice(OPTIONS[seed.task]), *(["--format", seed.format] if seed.format else [])]
    gold, system = (bad, good) if random.random() < 0.3 else (good, bad)
    scored = random.choice(SCORED[seed.task]) if random.random() < 0.2 else ()
    if command == "score":
        return ("score", gold, system, *read, *scored)
    if command == ITSELF:
        return (ITSELF, bad, seed.task, seed.format or "")
    if command == "two columns":
        return ("score", bad, *read)
    if command == "check":
        against = ("--against", good) if random.random() < 0.3 else ()
        return ("check", bad, *against, *read)
    if command == "convert":
        own = {"spans": TARGETS, "chains": CHAIN_TARGETS, "links": LINK_TARGETS, "relations": RELATION_TARGETS}
        targets = own.get(seed.task, WORD_TARGETS)
        lossy = ("--lossy",) if random.random() < 0.5 else ()
        return ("convert", bad, "new", "--to", random.choice(targets), *lossy, *read)
    if command == "germeval":
        return ("germeval", bad) if random.random() < 0.5 else ("germeval", gold, system)
    few = ("--trials", "10", *QUICK)
    if command == "compare":
        show = ("--show", "unsolved", "--as", "jsonl") if random.random() < 0.3 else ()
        return ("compare", gold, system, good, *few, *show, *read)
    if command == "rank":
        return ("rank", gold, system, good, *QUICK, *read)
    if command == "gate":
        return ("gate", gold, system, good, "--trials", "10", *read)
    return ("report", gold, system, "-o", "page.html", *few, *read)
