"""Coverage-guided fuzzing (`make fuzz MINUTES=30 TARGET=reader-conll`): every target for some minutes, one after another.

Targets are the recognition of formats, the readers of each format family, answers of language models, weight formulas,
overrides and saved results. Atheris (libFuzzer) mutates the seeds, in half of the cases with the mutations of
`mutations.py`, and keeps inputs that reach new code. Any result but success and a documented error of one sentence is a
finding: another exception, more than 20 seconds, or 1 GB of memory.

build/fuzz has the corpus, the log and the findings of each target. A finding is an input with a text beside it: the
traceback and the command that repeats it, which needs no atheris: `python tests/fuzz/guided.py --target T --input FILE`.
An input on which the process ends is a finding only if it also fails alone.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, get_args

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
FOLDER = ROOT / "build" / "fuzz"
SECONDS, MEGABYTES = 20, 1024
MOST_BYTES = 20_000
_MOST_MEMORY = 8 << 30
"""Address space of a process, so one input cannot take all memory of the machine."""
_FRAME = re.compile(r'^  File ".*/(?:evenhand|tests)/(.+)", line (\d+)', re.MULTILINE)


Run = Callable[[bytes], None]
"""Reads an input; an exception is a finding."""
INPUTS = ROOT / "tests" / "frozen" / "inputs"
FORMULAS = (
    "fair",
    "as-fp",
    "LE = 0.5 FP + 0.5 FN",
    "LE = 0.5 FP + 0.5 FN  # Ortmann 2022\nBE = 0.5 TP + 0.25 * FP + .25 FN; LBE = FN\n",
    "LE=TP,BES=3 TP",
)


def targets() -> dict[str, Callable[[], Run]]:
    """Return functions that prepare the targets, by name. One module of readers is one target."""
    readers = {f"reader-{family}": partial(reading, names) for family, names in families().items()}
    others = {"grounding": grounding, "weights": weighing, "overrides": overriding, "saved": loading}
    return {"recognition": recognition, **readers, **others}


def families() -> dict[str, list[str]]:
    """Return the names of all formats by the module that declares them."""
    from evenhand.formats.format import _BUILT_IN

    names: dict[str, list[str]] = {}
    for name, address in _BUILT_IN.items():
        names.setdefault(address.partition(":")[0].rpartition(".")[2], []).append(name)
    return names


def seeds_of_targets() -> dict[str, list[bytes]]:
    """Return valid inputs of every target, which mutations start from."""
    from fuzz.seeds import saved_results

    files = seed_files()
    readers = {
        f"reader-{family}": [content for name in names for content in files.get(name, [])]
        for family, names in families().items()
    }
    return {
        "recognition": [content for each in files.values() for content in each],
        **readers,
        "grounding": answers(),
        "weights": [formula.encode() for formula in FORMULAS],
        "overrides": [(INPUTS / "spans" / f"{name}.jsonl").read_bytes() for name in ("overrides", "proposals")],
        "saved": [text.encode() for text in saved_results().values()],
    }


def seed_files() -> dict[str, list[bytes]]:
    """Return small files by the format that recognition finds: seeds, bundled examples and inputs of frozen cases."""
    import evenhand as eh
    from evenhand.formats.read import recognise
    from evenhand.formats.source import Source
    from fuzz.seeds import SEEDS_READ_AS, seeds

    files: dict[str, list[bytes]] = {}
    for name, seed in seeds().items():
        if name in SEEDS_READ_AS:  # not the other files of a folder
            files.setdefault(SEEDS_READ_AS[name], []).append(seed.files[name])
    examples = ROOT / "src" / "evenhand" / "examples"
    for path in sorted([*examples.rglob("*.*"), *INPUTS.rglob("*.*")]):
        if path.is_file() and path.stat().st_size <= MOST_BYTES:
            with suppress(eh.EvenhandError):
                files.setdefault(recognise(Source(path), None)[0].name, []).append(path.read_bytes())
    return files


# Targets


def accepted(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or None if it raises a documented error; its message must be one sentence."""
    import evenhand as eh
    from fuzz.worker import problem_of_message

    try:
        return call()
    except eh.EvenhandError as error:
        problem = problem_of_message(str(error))
        assert problem is None, problem
        return None


def in_folder(name: str, companions: dict[str, bytes] | None = None) -> Callable[[bytes], Path]:
    """Return a function that writes an input to a file, which has other files beside it."""
    from fuzz.seeds import write

    folder = Path(tempfile.mkdtemp(prefix="evenhand-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write(folder, companions or {})
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)

    def written(data: bytes) -> Path:
        path.write_bytes(data)
        return path

    return written


def recognition() -> Run:
    from evenhand.formats.read import recognise
    from evenhand.formats.source import Source

    written = in_folder("input")

    def run(data: bytes) -> None:
        accepted(lambda: recognise(Source(written(data)), None))

    return run


def reading(names: Sequence[str]) -> Run:
    """Return a function that reads an input in some formats."""
    readers = [reader(name) for name in names]

    def run(data: bytes) -> None:
        for read in readers:
            read(data)

    return run


def reader(name: str) -> Run:
    """Return a function that reads an input for every task of a format, and scores it against itself."""
    import evenhand as eh
    from evenhand.formats.format import FORMATS
    from fuzz.seeds import SEEDS_READ_AS, seeds

    known = seeds()
    first = next((file for file, format in SEEDS_READ_AS.items() if format == name and file in known), "input")
    written = in_folder(first, known[first].files if first in known else None)
    tasks = list(FORMATS[name].readers)

    def run(data: bytes) -> None:
        path = written(data)
        path = path.parent if "/" in first else path  # a dataset is a folder
        for task in tasks:
            annotation = accepted(partial(eh.read, path, format=name, task=task))
            if annotation is not None:
                accepted(partial(eh.score, annotation, annotation, task=task))

    return run


def grounding() -> Run:
    """Return a function that finds the items of an answer in a text, for every layout of answers."""
    import evenhand as eh
    from evenhand.grounding.items import Shape
    from fuzz.seeds import TEXT

    choices = [(shape, which) for shape in (None, *get_args(Shape)) for which in ("in-order", "first", "all")]

    def run(data: bytes) -> None:
        answer = data.decode(errors="replace")
        text = f"{TEXT} {answer[:200]}"
        for shape, which in choices:
            accepted(partial(eh.ground, text, answer, labels=["PER", "LOC"], shape=shape, occurrences=which))

    return run


def answers() -> list[bytes]:
    """Return answers of language models in all layouts."""
    cases = json.loads((ROOT / "tests" / "grounding" / "data" / "cases.json").read_text(encoding="utf-8"))
    outputs = [case["output"] for case in cases]
    for path in sorted(INPUTS.glob("spans/answers*.jsonl")):
        outputs += [json.loads(line).get("output") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)).encode() for each in outputs]


def weighing() -> Run:
    """Return a function that scores under a formula of weights."""
    import evenhand as eh

    gold = eh.tags([["B-PER", "I-PER", "O", "B-LOC"]], encoding="iob2")
    system = eh.tags([["B-PER", "O", "O", "B-PER"]], encoding="iob2")

    def run(data: bytes) -> None:
        text = data.decode(errors="replace")
        accepted(lambda: repr(eh.score(gold, system, match="weighted", weights=text)))

    return run


def overriding() -> Run:
    """Return a function that scores with overrides."""
    import evenhand as eh

    gold, system = (eh.read(INPUTS / "spans" / name) for name in ("gold.conll", "anna.conll"))
    written = in_folder("overrides.jsonl")

    def run(data: bytes) -> None:
        path = written(data)
        accepted(lambda: str(eh.score(gold, system, overrides=path, accept_proposed=True)))

    return run


def load(kind: Any, path: Path) -> str:
    return str(kind.from_json(path))


def loading() -> Run:
    """Return a function that loads a saved result as every class, and shows it."""
    import evenhand as eh
    from fuzz.seeds import saved_results

    written = in_folder("saved.json")
    names = tuple(saved_results())

    def run(data: bytes) -> None:
        path = written(data)
        for name in names:
            accepted(partial(load, getattr(eh, name), path))

    return run


# Running


def problem_of(run: Run, data: bytes) -> str | None:
    """Return the traceback of an input that raises anything but a documented error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run(data)
    except BaseException:
        return traceback.format_exc()
    return None


def note(name: str, data: bytes, problem: str) -> Path:
    """Write a finding, one file per place in the code."""
    frames = _FRAME.findall(problem)
    last = problem.strip().splitlines()[-1]
    place = hashlib.sha256(f"{frames[-1:]} {last.partition(':')[0]}".encode()).hexdigest()[:10]
    path = FOLDER / "findings" / name / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or len(path.read_bytes()) > len(data):
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(f"{_command(name, path)}\n\n{problem}", encoding="utf-8")
    return path


def _command(name: str, path: Path) -> str:
    return f"python tests/fuzz/guided.py --target {name} --input {path.relative_to(ROOT)}"


def fuzz_here(name: str, arguments: list[str]) -> None:
    """Run libFuzzer on a target in this process, which it ends."""
    import atheris  # type: ignore[import-not-found]

    from fuzz.mutations import mutate

    seeds = [path.read_bytes() for path in sorted((FOLDER / "seeds" / name).iterdir())]
    with atheris.instrument_imports(include=["evenhand"]):
        run = targets()[name]()
        for content in seeds:  # loads the modules that the target needs while they are instrumented
            problem_of(run, content)

    def test(data: bytes) -> None:
        problem = problem_of(run, data)
        if problem is not None:
            note(name, data, problem)

    def mutator(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return mutate(random, data, seeds or [data])[:most]

    atheris.Setup([sys.argv[0], *arguments], test, custom_mutator=mutator)
    atheris.Fuzz()


def fuzz(name: str, minutes: float, contents: Sequence[bytes]) -> list[Path]:
    """Fuzz a target for some minutes in processes that are started anew if they end; return its findings."""
    corpus, seeds, log = (FOLDER / folder / name for folder in ("corpus", "seeds", "log"))
    for folder in (corpus, seeds, log.parent, FOLDER / "findings" / name):
        folder.mkdir(parents=True, exist_ok=True)
    for content in contents:
        (seeds / hashlib.sha256(content).hexdigest()[:10]).write_bytes(content)
    ends = time.monotonic() + 60 * minutes
    executions = 0
    while (remaining := int(ends - time.monotonic())) > 0:
        artifacts = Path(tempfile.mkdtemp(prefix="evenhand-fuzz-"))
        limits = (f"-max_total_time={remaining}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}")
        others = (
            f"-max_len={max(MOST_BYTES, *map(len, contents))}",
            f"-artifact_prefix={artifacts}/",
            "-print_final_stats=1",
            "-reload=0",
        )
        command = [sys.executable, __file__, "--target", name, "--here", *limits, *others, str(corpus), str(seeds)]
        with log.open("wb") as output:
            subprocess.run(command, stdout=output, stderr=output, check=False)
        text = log.read_text(encoding="utf-8", errors="replace")
        units = re.findall(r"stat::number_of_executed_units: (\d+)|^#(\d+)", text, re.MULTILINE)
        executions += int("".join(units[-1])) if units else 0
        ended_by = [path for path in artifacts.iterdir() if path.name.startswith(("crash-", "oom-", "timeout-"))]
        for path in ended_by:
            problem = problem_alone(name, path)
            if problem is not None:
                note(name, path.read_bytes(), problem)
        shutil.rmtree(artifacts)
        if not units and not ended_by:
            raise SystemExit(f"{name}: the fuzzer did not start; see {log.relative_to(ROOT)}")
    findings = sorted((FOLDER / "findings" / name).glob("*.txt"))
    print(
        f"{name}: {executions:,} inputs, {len(list(corpus.iterdir())):,} in the corpus, {len(findings)} findings",
        flush=True,
    )
    for path in findings:
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        print(f"  {lines[0]}\n  {lines[-1][:200]}", flush=True)
    return findings


def problem_alone(name: str, path: Path) -> str | None:
    """Return what goes wrong if an input runs in a new process."""
    command = [sys.executable, __file__, "--target", name, "--input", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10 * SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {10 * SECONDS} s"
    if done.returncode < 0:
        return f"the process ended with signal {-done.returncode}\n{done.stderr[-3000:]}"
    return done.stderr[-3000:] if done.returncode else None


def run_input(name: str, path: Path) -> int:
    """Run one input; the exit status is 1 if it is a finding."""
    from peaks import peak

    run, data = targets()[name](), path.read_bytes()
    started = time.process_time()
    problem = problem_of(run, data)
    seconds = time.process_time() - started
    if problem is None and seconds > SECONDS:
        problem = f"{seconds:.0f} s"
    if problem is None and peak() > MEGABYTES:
        problem = f"{peak():.0f} MB"
    print(problem or "no finding", file=sys.stderr if problem else sys.stdout)
    return int(problem is not None)


def main() -> int:
    parser = argparse.ArgumentParser(description="Coverage-guided fuzzing.")
    parser.add_argument("--minutes", type=float, default=30, help="time per target")
    parser.add_argument("--target", help="one target (without, all)")
    parser.add_argument("--input", type=Path, help="run this input only, without atheris")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options, arguments = parser.parse_known_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.RLIM_INFINITY))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if options.here:
        fuzz_here(options.target, arguments)
        return 0
    if options.input:
        return run_input(options.target, options.input)
    names = list(targets())
    if options.target and options.target not in names:
        parser.error(f"expected one of {', '.join(names)} as target, got {options.target}")
    seeds = seeds_of_targets()
    chosen = [options.target] if options.target else names
    findings = [path for name in chosen for path in fuzz(name, options.minutes, seeds[name])]
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
