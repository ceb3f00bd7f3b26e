"""Work divided among processes: the same results, the same messages, and nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing import active_children
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

import evenhand as eh
from conftest import EXAMPLE
from divided import write
from evenhand.engines.processes import WorkerError, Workers, _PartQueue, cores, may_fork, processes
from evenhand.pipeline.run import Job

SMALLEST = 4000
TIMES = 4


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    names = ("gold", "crf", "tagger")
    return {name: write(folder, f"{name}.conll", lines(name), "") for name in names}


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.conll").read_text().splitlines(keepends=True) * TIMES


def watch(monkeypatch: pytest.MonkeyPatch, then: Callable[[int], None] = lambda number: None) -> list[int]:
    """The numbers of parts that processes get; `then` is called behind each."""
    submit, numbers = Workers.submit, list[int]()

    def submitted(workers: Workers, part: Any) -> Future[Any]:
        future = submit(workers, part)
        numbers.append(len(numbers) + 1)
        then(len(numbers))
        return future

    monkeypatch.setattr(Workers, "submit", submitted)
    return numbers


def kill_workers() -> None:
    for process in active_children():
        process.kill()


@pytest.mark.parametrize("groups", ["total", "finest"])
def test_the_result_is_that_of_one_process(
    files: dict[str, Path], groups: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = watch(monkeypatch)
    systems = {name: files[name] for name in ("crf", "tagger")}
    options: Any = {"groups": groups, "match": "exact,fair,ts,semeval"}
    result = eh.score(files["gold"], systems, **options, engine=processes(2, SMALLEST))
    expected = eh.score(files["gold"], systems, **options)
    assert result.to_json() == expected.to_json()
    assert all(result[name].tallies == expected[name].tallies for name in systems)
    assert len(numbers) >= 2  # the first ones are always handed out, of the others this process takes some
    assert not active_children()


@pytest.fixture
def others_do_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process takes no parts, so that it does not depend on the machine who gets how many."""
    monkeypatch.setattr(_PartQueue, "_take_one", lambda tasks: False)


@pytest.mark.usefixtures("others_do_all")
def test_a_process_that_is_killed_is_replaced(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = watch(monkeypatch)
    eh.score(files["gold"], files["crf"], engine=processes(2, SMALLEST))
    parts = len(numbers)
    numbers = watch(monkeypatch, lambda number: kill_workers() if number in (2, 9) else None)
    found = eh.score(files["gold"], files["crf"], engine=processes(2, SMALLEST))
    assert found.to_json() == eh.score(files["gold"], files["crf"]).to_json()
    assert parts < len(numbers) <= parts + 16  # what was done is not done again
    assert not active_children()


@pytest.mark.usefixtures("others_do_all")
def test_processes_that_always_die_are_an_error(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    watch(monkeypatch, lambda number: kill_workers())
    with pytest.raises(WorkerError, match=r"died 4 times; .* choose fewer --jobs\."):
        eh.score(files["gold"], files["crf"], engine=processes(2, SMALLEST))
    assert not active_children()


class Late(Future[Any]):
    """An answer that comes in just when somebody asks for the second time."""

    asked = 0

    def done(self) -> bool:
        self.asked += 1
        if self.asked == 2:
            self.set_result("the run")
        return super().done()


def test_an_answer_that_comes_in_meanwhile_is_no_death() -> None:
    class Others:
        def submit(self, part: Any) -> Late:
            return Late()

    tasks = _PartQueue(cast(Workers, Others()), 1)  # which cannot be replaced
    tasks.add(cast(Job, "a part"))
    assert cast(str, tasks.next_run()) == "the run"


BROKEN = {
    "columns": "a b c d e f\n",
    "token": "another O\n",
    "tag": "-DOCSTART- B\n",
    "bytes": "\udcff O\n",
    "sentence": "\n",
}


@pytest.mark.parametrize(
    ("side", "what"), [("gold", "columns"), ("crf", "token"), ("crf", "tag"), ("gold", "bytes"), ("crf", "sentence")]
)
def test_a_broken_line_has_the_message_of_one_process(
    files: dict[str, Path], tmp_path: Path, side: str, what: str
) -> None:
    """What is wrong stands in the middle, so that a part has it that is neither the first nor the last."""
    text = lines(side)
    place = next(at for at in range(len(text) // 2, len(text)) if text[at].strip() and text[at + 1].strip())
    text[place] = BROKEN[what]
    broken = tmp_path / f"{side}.conll"
    broken.write_bytes("".join(text).encode(errors="surrogateescape"))
    paths = {**files, side: broken}

    def outcome(engine: Any) -> str:
        try:
            return eh.score(paths["gold"], paths["crf"], engine=engine).to_json()
        except eh.InputError as error:
            return str(error)

    assert outcome(processes(2, SMALLEST)) == outcome(None)
    assert not active_children()


def test_an_interrupt_ends_all_processes(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    watch(monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        eh.score(files["gold"], files["crf"], engine=processes(2, SMALLEST))
    assert not active_children()


def test_a_script_need_not_know_that_there_are_processes(files: dict[str, Path], tmp_path: Path) -> None:
    """Unlike with others that are started in this way, it is not run again in each of them."""
    script = tmp_path / "script.py"
    script.write_text(
        "import evenhand as eh\n"
        f"engine = eh.engines.processes(2, {SMALLEST})\n"
        f"print(eh.score({str(files['gold'])!r}, {str(files['crf'])!r}, engine=engine)['fair'].f1)\n"
    )
    found = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert found.stdout == f"{eh.score(files['gold'], files['crf'])['fair'].f1}\n"
    assert found.stderr == ""


def test_another_thread_may_ask(files: dict[str, Path]) -> None:
    items = list[eh.Result]()

    def ask() -> None:
        items.append(eh.score(files["gold"], files["crf"], engine=processes(2, SMALLEST)))

    thread = Thread(target=ask)
    thread.start()
    thread.join()
    assert items[0].to_json() == eh.score(files["gold"], files["crf"]).to_json()


def test_what_is_small_is_done_here(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = watch(monkeypatch)
    for jobs in (0, 1, 2):
        eh.score(files["gold"], files["crf"], jobs=jobs)
    assert not numbers


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_copies_of_this_process_give_the_same_result(files: dict[str, Path]) -> None:
    """In a process without threads, as the command line is one."""
    code = (
        "import sys, evenhand as eh\n"
        "from evenhand.engines.processes import may_fork, processes\n"
        "assert may_fork()\n"
        f"engine = processes(2, {SMALLEST}, forks=True, report=lambda sentence: print(sentence, file=sys.stderr))\n"
        "print(eh.score(*sys.argv[1:], engine=engine).to_json())\n"
    )
    command = [sys.executable, "-c", code, str(files["gold"]), str(files["crf"])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == eh.score(files["gold"], files["crf"]).to_json().strip()
    assert re.fullmatch(r"2 processes: the input was divided into \d+ parts\.\n", done.stderr)


def test_small_input_is_reported(files: dict[str, Path]) -> None:
    sentences: list[str] = []
    eh.score(files["gold"], files["crf"], engine=processes(2, report=sentences.append))
    size = sum(files[side].stat().st_size for side in ("gold", "crf")) / 1e6
    assert sentences == [f"One process: the input has {size:.1f} MB, and dividing it pays off from 67 MB."]


def test_input_that_cannot_be_divided_is_reported(files: dict[str, Path]) -> None:
    sentences: list[str] = []
    eh.score(eh.read(files["gold"]), files["crf"], engine=processes(2, report=sentences.append))
    assert sentences == ["One process: this job cannot be divided."]


def test_there_are_cores() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)


def test_token_weights_are_not_divided(tmp_path: Path) -> None:
    """Sums of fractions depend on the order in which they are made."""
    gold = write(tmp_path, "gold.conll", ["a 0.1 B-X", "b 0.2 O", ""] * 50)
    options: Any = {"match": "ts", "token_weight": 2, "column": 3}
    with pytest.raises(eh.SettingError, match="depend on the order of additions; remove --jobs"):
        eh.score(gold, gold, **options, jobs=2)
    assert eh.score(gold, gold, **options, jobs=0)["ts"].f1 == 1


def test_settings_that_make_no_sense(files: dict[str, Path]) -> None:
    with pytest.raises(eh.SettingError, match="jobs is -1; use"):
        eh.score(files["gold"], files["crf"], jobs=-1)
    with pytest.raises(eh.SettingError, match="Specify jobs or engine, but not both"):
        eh.score(files["gold"], files["crf"], jobs=2, engine=eh.engines.serial)


# Windows and macOS, simulated


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_processes_are_copied_on_linux_only(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert not may_fork()


@pytest.mark.parametrize(("system", "processes_started"), [("win32", 61), ("linux", 99)])
def test_windows_has_at_most_61_processes(system: str, processes_started: int, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Pool:
        def __init__(self, number: int, *others: object) -> None:
            started.append(number)

        def shutdown(self, cancel_futures: bool) -> None:
            pass

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sys.modules[Workers.__module__], "ProcessPoolExecutor", Pool)
    with Workers(99):
        pass
    assert started == [processes_started]


def test_cores_where_processes_are_not_bound_to_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert cores() == 7


def test_processes_start_where_signals_cannot_be_blocked(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    result = eh.score(files["gold"], files["crf"], engine=processes(2, SMALLEST))
    assert result.to_json() == eh.score(files["gold"], files["crf"]).to_json()
