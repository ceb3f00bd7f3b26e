"""Frozen figures: every figure of the commands in `cases.toml`, compared exactly.

`pytest tests/frozen --renew-golden` writes the figures anew. Read the diff before you commit it.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from divided import small_blocks
from evenhand.alignment.parts import Alignment
from evenhand.cli import main

FOLDER = ROOT / "tests" / "frozen"
CASES: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))
EXAMPLES = "../../../src/evenhand/examples/"
"""The bundled examples, as seen from the folder of inputs."""
UNFROZEN = frozenset({"evenhand", "notes", "finding", "remedy", "reason", "problem"})
"""Keys of versions and messages."""
REASONS = {"undefined": lambda reason: None, "left_out": lambda reason: reason.partition(":")[0]}
"""Keys of objects whose values are reasons, and what is frozen of a reason: `error` of `error: not all brackets are closed`."""
FORMS = {"check": ["--as", "jsonl"], "convert": ["--quiet"], "ground": ["--quiet", "--output", "-"]}
"""Options of commands that do not print JSON."""
PACKAGES = {"parquet": "pyarrow", "arrow": "pyarrow", "dataset": "pyarrow", "spacy": "spacy"}
"""Packages that files with these endings need."""


def words(command: str, folder: Path) -> list[str]:
    """The arguments of a command. `-` and `-.parquet` are files in a folder."""
    name, *others = shlex.split(command)
    form = FORMS.get(name, ["--quiet"] if "--as" in others else ["--quiet", "--as", "json"])
    found = [re.sub("^examples/", EXAMPLES, word) for word in (name, *others, *form)]
    return [str(folder / word) if word in ("-", "-.parquet") else word for word in found]


def parsed(text: str) -> Any:
    """JSON, JSON lines, or lines of text."""
    for parse in (json.loads, lambda text: [json.loads(line) for line in text.splitlines()], str.splitlines):
        try:
            return parse(text)
        except ValueError:
            continue
    raise AssertionError("lines cannot fail")


def frozen(value: Any, key: str = "") -> Any:
    """A value without versions and messages. The keys of reasons are kept."""
    if isinstance(value, dict):
        inner = key if key in REASONS else ""
        kept = {name: item for name, item in value.items() if name not in UNFROZEN and not is_message(name, item)}
        return {name: frozen(item, inner or name) for name, item in kept.items()}
    if isinstance(value, list):
        return [frozen(item, key) for item in value]
    if not isinstance(value, str):
        return value
    if key in REASONS:
        return REASONS[key](value)
    return re.sub(r"(^|,\"?)evenhand:[^|]+\|", r"\1", value)


def is_message(name: str, value: Any) -> bool:
    """Whether a value is a sentence about a figure. Units have the number of their sentence under this name."""
    return name == "sentence" and isinstance(value, str)


def content(path: Path) -> str:
    """The text of a file, or the rows of a table as JSON lines."""
    if path.suffix != ".parquet":
        return path.read_text(encoding="utf-8")
    rows = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def run(command: str) -> dict[str, Any]:
    """The exit status of a command and what it prints; an error has no figures."""
    for ending in {re.sub(r".*[./]", "", word) for word in command.split()} & PACKAGES.keys():
        pytest.importorskip(PACKAGES[ending])
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.chdir(FOLDER / "inputs")
        done = CliRunner().invoke(main, words(command, Path(name)))
        printed = "".join(map(content, Path(name).iterdir())) or done.stdout
    assert done.exception is None or isinstance(done.exception, SystemExit), command
    printed = printed.replace(EXAMPLES, "examples/")
    found = parsed(printed) if done.exit_code < 2 else None
    return {"exit": done.exit_code, "output": None if done.exit_code and is_text(found) else frozen(found)}


def is_text(found: Any) -> bool:
    return isinstance(found, list) and any(isinstance(line, str) for line in found)


@cache
def figures(group: str) -> dict[str, Any]:
    lines = (FOLDER / "figures" / f"{group}.jsonl").read_bytes().splitlines()
    return {each.pop("case"): each for each in map(json.loads, lines)}


def flat(value: Any, path: str = "") -> dict[str, str]:
    """All values as JSON, by their paths."""
    if isinstance(value, dict) and value:
        return {key: each for name in value for key, each in flat(value[name], f"{path}.{name}").items()}
    if isinstance(value, list) and value:
        return {key: each for place, part in enumerate(value) for key, each in flat(part, f"{path}[{place}]").items()}
    return {path: json.dumps(value, ensure_ascii=False)}


@pytest.mark.parametrize("group", CASES)
def test_every_case_has_figures(group: str, renews: bool) -> None:
    if renews:
        found = [{"case": name, **run(command)} for name, command in CASES[group].items()]
        text = "".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in found)
        (FOLDER / "figures" / f"{group}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    assert list(figures(group)) == list(CASES[group])


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in CASES for name in CASES[group]])
def test_figures_do_not_change(group: str, name: str) -> None:
    expected, actual = figures(group)[name], run(CASES[group][name])
    before, after = flat(expected), flat(actual)
    changed = {key: (before.get(key), after.get(key)) for key in {**before, **after}}
    assert {key: values for key, values in changed.items() if values[0] != values[1]} == {}
    assert json.dumps(actual) == json.dumps(expected), "the order of keys differs"


@contextmanager
def small_parts(size: int) -> Iterator[None]:
    """Read files in blocks of this many bytes, and evaluate every batch as soon as the sides end a sentence together."""
    parts = Alignment.parts

    def each_batch(alignment: Alignment) -> Any:
        alignment.is_full = lambda batches: True
        return parts(alignment)

    with small_blocks(size) as patch:
        patch.setattr(Alignment, "parts", each_batch)
        yield


def check_in_parts(group: str, name: str, size: int) -> None:
    """The figures of a case are the frozen ones. Tables of units and counts may have their rows in another order."""
    with small_parts(size):
        outcome = run(CASES[group][name])
    expected = figures(group)[name]
    if isinstance(outcome["output"], list) and "-.parquet" in CASES[group][name]:
        assert sorted(map(json.dumps, outcome["output"])) == sorted(map(json.dumps, expected["output"]))
    elif CASES[group][name].startswith("agree"):  # sums of floating-point numbers depend on their order
        assert outcome == approximately(expected)
    else:
        assert flat(outcome) == flat(expected)


def approximately(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: approximately(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(approximately, value))
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in CASES for name in CASES[group]])
def test_figures_do_not_depend_on_parts(group: str, name: str) -> None:
    check_in_parts(group, name, 100 + crc32(name.encode()) % 200)


@pytest.mark.property
@given(st.sampled_from([(group, name) for group in CASES for name in CASES[group]]), st.integers(100, 2000))
def test_figures_do_not_depend_on_where_parts_end(case: tuple[str, str], size: int) -> None:
    check_in_parts(*case, size)


def listed(command: str) -> list[dict[str, Any]]:
    """What `models` or `formats` list."""
    found: list[dict[str, Any]] = json.loads(CliRunner().invoke(main, [command, "--as", "json"]).stdout)
    return found


def scored() -> list[dict[str, Any]]:
    """All that `score` printed as JSON."""
    found = [case["output"] for group in CASES for case in figures(group).values()]
    return [each for each in found if isinstance(each, dict) and each.get("command") == "score"]


def test_every_task_and_measure_has_a_case() -> None:
    used = {(each["task"], name) for each in scored() for system in each["systems"] for name in system["scores"]}
    assert {(each["task"], each["name"]) for each in listed("models")} - used == set()


def test_every_format_has_a_case_for_every_task_that_reads_it() -> None:
    used = {(each["task"], side["format"]) for each in scored() for side in (each["gold"], *each["systems"])}
    assert {(task, each["name"]) for each in listed("formats") for task in each["reads"]} - used == set()


DISPLAY = (
    "cache caption columns counts decimals engine fractions help help-all jobs latex latex-label output page percent "
    "quiet scheduler signature show-columns date history rescore withdraw"
)
"""Options that no figure of a case depends on: those of output, of histories, and of where a command runs."""


@pytest.mark.parametrize("command", ["score", "rank", "compare", "gate", "agree", "germeval", "check"])
def test_every_option_that_can_change_figures_has_a_case(command: str) -> None:
    text = CliRunner().invoke(main, [command, "--help" if command == "germeval" else "--help-all"]).stdout
    options = set(re.findall(r"^  (?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE)) - set(DISPLAY.split())
    assert options
    used = {word for cases in CASES.values() for case in cases.values() for word in shlex.split(case)}
    assert {option for option in options if f"--{option}" not in used} == set()
