"""Mutation testing of the rooms that compute figures (`make mutants N=1000 SEED=0`).

Mutants are made by the operators of cosmic-ray in all modules of the judged rooms (`rooms.py`). Annotations are not
mutated, because they have no effect. A seed shuffles them, and the first N are tested, so a larger N extends a sample.

The tests that execute the mutated line run in a forked process, fastest first, until one fails. Modules are loaded from
the repository, the mutated one from memory. A mutant is killed if a test fails that passes alone without the mutant,
if the tests take far more time than before, or if they end the process. If only the import of the module executes the
line, the tests of the whole module run. Tests in other processes than pytest's cannot kill a mutant.

build/mutants has the recorded lines and times of the tests and one line per tested mutant, so an interrupted run
continues. If a module changes, its mutants are tested again. `--again` records the tests anew and repeats survivors.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]  # as `python -m pytest` in the repository

from quality.rooms import SOURCE, judged_modules  # noqa: E402

FOLDER = ROOT / "build" / "mutants"
RECORDED, TIMES, RESULTS, LOG = (FOLDER / name for name in ("lines", "times.json", "results.jsonl", "output.txt"))
TESTS = (
    *("agreement", "alignment", "api", "cli", "comparison", "conformance", "data", "formats", "frozen", "grounding"),
    *("results", "scoring", "statistics", "tasks"),
)
"""Folders of tests that can kill mutants, by default."""
SELECTED = (
    *("-m", "not long and not heavy", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # modules are loaded before processes are forked
)
MOST_SECONDS = 20.0
"""Recorded time of the tests of a mutant; slower ones are left out."""
MIN_SECONDS, TIMES_SLOWER = 20, 5
"""Time limit of a mutant's tests: their recorded time by the factor, and a minimum for loading modules."""
MOST_BYTES = 4 << 30


class Mutant(NamedTuple):
    """One change of a module, in one line."""

    path: str
    digest: str
    operator: str
    occurrence: int
    line: int

    @property
    def key(self) -> str:
        return f"{self.path} {self.digest} {self.operator} {self.occurrence}"


class Outcome(NamedTuple):
    """Whether a mutant was killed, by which test or end, and how many tests ran at most."""

    is_killed: bool
    by: str
    tests: int


# Recording


class Recorder:
    """Names the running test as the context of coverage, and takes its time."""

    def __init__(self, switch: Callable[[str], None]) -> None:
        self._switch = switch
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._switch(item.nodeid)
        started = time.process_time()
        result = yield
        self.seconds.setdefault(item.nodeid, time.process_time() - started)
        self._switch("")
        return result  # type: ignore[return-value]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.seconds[report.nodeid] = float("inf")  # skipped or failed: never selected


def record(tests: Sequence[str]) -> int:
    """Run tests once, and write which lines each executes and how long it takes."""
    from coverage import Coverage

    coverage = Coverage(data_file=str(RECORDED), source=[str(SOURCE)], config_file=False)
    coverage.start()
    recorder = Recorder(coverage.switch_context)
    status = pytest.main(["-q", *SELECTED, *tests], plugins=[recorder])
    coverage.stop()
    coverage.save()
    if status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        TIMES.write_text(json.dumps(recorder.seconds))
    return 0 if TIMES.exists() else int(status)


class Recording:
    """Which tests execute a line, fastest first."""

    def __init__(self) -> None:
        from coverage import CoverageData

        self._data = CoverageData(str(RECORDED))
        self._data.read()
        self.seconds: dict[str, float] = json.loads(TIMES.read_text())

    @cache  # noqa: B019
    def lines(self, path: str) -> dict[int, list[str]]:
        return self._data.contexts_by_lineno(str(ROOT / path))

    def tests_of(self, path: str, line: int) -> list[str]:
        """Return the tests of a line within the limit; those of the module if only its import executes the line."""
        lines = self.lines(path)
        tests = {test for test in lines.get(line, []) if test}
        if not tests and line in lines:
            tests = {test for each in lines.values() for test in each if test}
        selected = list[str]()
        total = 0.0
        for test in sorted(tests, key=lambda test: (self.seconds.get(test, float("inf")), test)):
            total += self.seconds.get(test, float("inf"))
            if (total > MOST_SECONDS and selected) or total == float("inf"):
                break
            selected.append(test)
        return selected


# Mutants


@cache
def operators() -> dict[str, Any]:
    """Return the operators of cosmic-ray that need no arguments."""
    from cosmic_ray.plugins import get_operator, operator_names

    classes = {name: get_operator(name) for name in operator_names()}
    return {name: operator() for name, operator in classes.items() if not operator.arguments()}


def mutants_of(path: Path) -> list[Mutant]:
    """Return the mutants of a module, except changes of annotations."""
    from cosmic_ray.ast import ast_nodes, get_ast

    source = path.read_text(encoding="utf-8")
    digest = hashlib.sha256(source.encode()).hexdigest()[:12]
    nodes = list(ast_nodes(get_ast(source)))
    ignored = without_effect(source)
    mutants = list[Mutant]()
    for name, operator in operators().items():
        positions = (position for node in nodes for position in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(positions):
            if not any(first <= start and end <= last for first, last in ignored):
                mutants.append(Mutant(path.relative_to(ROOT).as_posix(), digest, name, occurrence, start[0]))
    return mutants


def without_effect(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the positions of annotations, of aliases of types, and of blocks for type checkers."""
    nodes = list[ast.AST]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            nodes.append(node)
        annotations = (getattr(node, "annotation", None), getattr(node, "returns", None))
        nodes += (annotation for annotation in annotations if annotation is not None)
    lines = source.splitlines()

    def characters(line: int, column: int) -> tuple[int, int]:  # ast counts bytes, parso characters
        return line, len(lines[line - 1].encode()[:column].decode())

    spans = [(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) for node in nodes]  # type: ignore[attr-defined]
    return [(characters(*span[:2]), characters(*span[2:])) for span in spans]


def all_mutants() -> list[Mutant]:
    """Return all mutants of the judged rooms. Those of unchanged modules are read from build/mutants."""
    store = FOLDER / "mutants.json"
    known: dict[str, list[list[Any]]] = json.loads(store.read_text()) if store.exists() else {}
    modules = dict[str, list[Mutant]]()
    for path in judged_modules():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        modules[digest] = [Mutant(*each) for each in known[digest]] if digest in known else mutants_of(path)
    store.write_text(json.dumps(modules))
    return [mutant for mutants in modules.values() for mutant in mutants]


def mutated(mutant: Mutant) -> str:
    """Return the source of a mutant."""
    from cosmic_ray.mutating import mutate_code

    source = (ROOT / mutant.path).read_text(encoding="utf-8")
    code = mutate_code(source, operators()[mutant.operator], mutant.occurrence)
    assert code is not None
    return str(code)


def difference(mutant: Mutant) -> str:
    lines = (text.splitlines() for text in ((ROOT / mutant.path).read_text(encoding="utf-8"), mutated(mutant)))
    return "\n".join(list(difflib.unified_diff(*lines, lineterm="", n=1))[2:])


class MutatedModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from another source than its file."""

    def __init__(self, mutant: Mutant) -> None:
        self._path, self._source = ROOT / mutant.path, mutated(mutant)
        self.name = ".".join(Path(mutant.path).relative_to("src").with_suffix("").parts).removesuffix(".__init__")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=self)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, self._path, "exec"), module.__dict__)


# Testing


class Selection:
    """Runs some tests in their order, and names the first that fails."""

    def __init__(self, tests: Sequence[str], answer: int) -> None:
        self._places = {test: place for place, test in enumerate(tests)}
        self._answer = answer

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._places), key=lambda item: self._places[item.nodeid]
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._answer, report.nodeid.encode())


def run(tests: Sequence[str], seconds: float, mutant: Mutant | None) -> tuple[int, str]:
    """Run tests in a forked process until one fails; return its status and the name of the test."""
    reads, writes = os.pipe()
    process = os.fork()
    if not process:
        status = 70
        try:
            os.setpgid(0, 0)
            with LOG.open("wb") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            if mutant is not None:
                module = MutatedModule(mutant)
                sys.meta_path.insert(0, module)
                importlib.import_module(module.name)  # before pytest, which loads modules of plug-ins by itself
            files = list(dict.fromkeys(str(ROOT / test.partition("::")[0]) for test in tests))
            status = int(pytest.main(["-q", "-x", "--tb=line", *SELECTED, *files], plugins=[Selection(tests, writes)]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    os.close(writes)
    ended = _wait(process, 20 * seconds)
    with os.fdopen(reads, "rb") as answer:
        return ended, answer.read().decode()


def _wait(process: int, seconds: float) -> int:
    """Return the exit status of a process, or the negative number of the signal that ended it."""
    limit = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if not ended and time.monotonic() > limit:
            os.kill(process, signal.SIGKILL)
        if ended:
            with suppress(OSError):
                os.killpg(process, signal.SIGKILL)  # processes that its tests started
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)


@cache
def passes_alone(test: str, seconds: float) -> bool:
    """Whether a test passes without the others and without a mutant."""
    return run([test], MIN_SECONDS + TIMES_SLOWER * seconds, None)[0] == 0


def outcome_of(mutant: Mutant, recording: Recording) -> Outcome:
    tests = recording.tests_of(mutant.path, mutant.line)
    count = len(tests)
    while tests:
        total = sum(map(recording.seconds.__getitem__, tests))
        status, failed = run(tests, MIN_SECONDS + TIMES_SLOWER * total, mutant)
        if status < 0:
            name = "time limit" if -status in (signal.SIGXCPU, signal.SIGKILL) else signal.Signals(-status).name
            return Outcome(True, name, count)
        if status == 0:
            return Outcome(False, "", count)
        if not failed:
            if not passes_alone(tests[0], recording.seconds[tests[0]]):
                raise SystemExit(f"The tests do not start without a mutant; see {LOG.relative_to(ROOT)}.")
            return Outcome(True, "import", count)
        if passes_alone(failed, recording.seconds[failed]):
            return Outcome(True, failed, count)
        tests.remove(failed)  # it depends on other tests
    return Outcome(False, "no test", count)


def results() -> dict[str, dict[str, Any]]:
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return {row["key"]: row for row in map(json.loads, lines)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation testing of the rooms that compute figures.")
    parser.add_argument("--number", type=int, default=1000, help="mutants to test")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random sample")
    parser.add_argument("--again", action="store_true", help="record the tests anew and repeat survivors")
    parser.add_argument(
        "--tests", nargs="*", default=["tests"], help="files and folders of tests that can kill mutants"
    )
    parser.add_argument("--record", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.chdir(ROOT)
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.record:
        return record(options.tests)
    if options.again or not TIMES.exists():
        for path in (TIMES, RECORDED):
            path.unlink(missing_ok=True)
        print("recording which tests execute which lines ...", flush=True)
        subprocess.run([sys.executable, __file__, "--record", "--tests", *options.tests], check=True)
    known = results()
    if options.again:
        known = {key: row for key, row in known.items() if row["killed"]}
        RESULTS.write_text("".join(json.dumps(row) + "\n" for row in known.values()))
    mutants = all_mutants()
    random.Random(options.seed).shuffle(mutants)
    sample = mutants[: options.number]
    print(f"{len(sample):,} of {len(mutants):,} mutants, {sum(each.key in known for each in sample):,} tested before")
    _preload()
    recording = Recording()
    for number, mutant in enumerate(sample, 1):
        if mutant.key in known:
            continue
        started = time.monotonic()
        outcome = outcome_of(mutant, recording)
        row = {"key": mutant.key, "path": mutant.path, "line": mutant.line, "killed": outcome.is_killed}
        row |= {"by": outcome.by, "tests": outcome.tests, "diff": difference(mutant)}
        known[mutant.key] = row
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        state = f"killed ({outcome.by})" if outcome.is_killed else f"survived {outcome.tests} tests"
        print(f"{number}: {mutant.path}:{mutant.line}: {state}, {time.monotonic() - started:.0f} s", flush=True)
    rows = [known[mutant.key] for mutant in sample]
    for row in rows:
        if not row["killed"]:
            print(f"\n{row['path']}:{row['line']} survived {row['tests']} tests\n{row['diff']}")
    killed = sum(row["killed"] for row in rows)
    print(f"\nkilled {killed:,} of {len(rows):,} mutants ({killed / max(len(rows), 1):.1%})")
    return 0


def _preload() -> None:
    """Load modules that all tests need, so forked processes have them, but none of Evenhand."""
    for name in (
        "click.testing",
        "hypothesis.strategies",
        "hypothesis.extra.numpy",
        "jinja2",
        "msgspec",
        "numpy.testing",
    ):
        importlib.import_module(name)
    shutil.rmtree(FOLDER / "__pycache__", ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
