"""Frozen figures: every figure of the commands in `cases.toml`, compared exactly.

`pytest tests/frozen --renew-golden` writes the figures of new cases. It refuses to change other figures unless the
numbers version was raised, and `NUMBERS.md` describes the change.
"""

from __future__ import annotations

import csv
import inspect
import json
import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from divided import small_blocks
from evenhand import versions
from evenhand.alignment.parts import Alignment
from evenhand.cli import main
from evenhand.errors import counted

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
    """The arguments of a command. `-` and names that begin with `-.` are files in a folder."""
    name, *others = shlex.split(command)
    form = FORMS.get(name, ["--quiet"] if "--as" in others else ["--quiet", "--as", "json"])
    found = [re.sub("(^|=)examples/", rf"\1{EXAMPLES}", word) for word in (name, *others, *form)]
    return [str(folder / word) if word == "-" or word.startswith("-.") else word for word in found]


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
    return re.sub(r"(^|,\"?)evenhand:[^|]+\|numbers:\d+\|", r"\1", value)


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
    """The exit status of a command and what it prints; an error has no figures.

    Commands joined by `&&` share a folder of files; only the last one has figures.
    """
    for ending in {re.sub(r".*[./]", "", word) for word in command.split()} & PACKAGES.keys():
        pytest.importorskip(PACKAGES[ending])
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.chdir(FOLDER / "inputs")
        *earlier, command = command.split(" && ")
        for each in earlier:
            assert CliRunner().invoke(main, words(each, Path(name))).exit_code == 0, each
        known = set(Path(name).iterdir())
        done = CliRunner().invoke(main, words(command, Path(name)))
        printed = "".join(map(content, {*Path(name).iterdir()} - known)) or done.stdout
    assert done.exception is None or isinstance(done.exception, SystemExit), command
    printed = printed.replace(EXAMPLES, "examples/")
    found = parsed(printed) if done.exit_code < 2 else None
    return {"exit": done.exit_code, "output": None if done.exit_code and is_text(found) else frozen(found)}


def is_text(found: Any) -> bool:
    return isinstance(found, list) and any(isinstance(line, str) for line in found)


@cache
def saved(group: str) -> tuple[int, dict[str, Any]]:
    """The numbers version with which figures of these cases were last changed, and the figures by case."""
    path = FOLDER / "figures" / f"{group}.jsonl"
    if not path.exists():
        return versions.NUMBERS, {}
    header, *lines = map(json.loads, path.read_bytes().splitlines())
    return header["numbers"], {each.pop("case"): each for each in lines}


def figures(group: str) -> dict[str, Any]:
    return saved(group)[1]


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
        renewed = {name: run(command) for name, command in CASES[group].items()}
        numbers = renewed_numbers(group, *saved(group), renewed, LOG.read_text(encoding="utf-8"))
        lines = [{"numbers": numbers}, *({"case": name, **each} for name, each in renewed.items())]
        text = "".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in lines)
        (FOLDER / "figures" / f"{group}.jsonl").write_text(text, encoding="utf-8", newline="\n")
        saved.cache_clear()
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
    "cache caption columns counts decimals engine fractions help help-all jobs latex latex-label numbers output page "
    "percent plot quiet scheduler signature show-columns date history rescore withdraw"
)
"""Options that no figure of a case depends on: those of output, of histories, of where a command runs, and `--numbers`."""
COMMANDS = (
    "score errors merge rank compare agree adjudicate gate confidence accept causes power suspects germeval check "
    "convert ground"
)


def options_of(command: str) -> set[str]:
    text = CliRunner().invoke(main, [command, "--help-all"]).stdout
    return set(re.findall(r"^  (?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE)) - set(DISPLAY.split())


@pytest.mark.parametrize("command", COMMANDS.split())
def test_every_option_that_can_change_figures_has_a_case(command: str) -> None:
    """Options that `score` has, too, may have their case under another command."""
    commands = [shlex.split(each) for cases in CASES.values() for case in cases.values() for each in case.split(" && ")]
    used = {word for words in commands for word in words}
    by_command = {word for name, *words in commands if name == command for word in words}
    options, shared = options_of(command), options_of("score")
    assert options
    unused = {option for option in options if f"--{option}" not in (used if option in shared else by_command)}
    assert unused == set()


# The numbers version


LOG = ROOT / "NUMBERS.md"
PARTS = ("What changed", "Why", "By how much", "Frozen figures")
"""The paragraphs of the section of a numbers version in `NUMBERS.md`. The last one names the groups of cases."""


def changes(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The paths of the figures that changed.

    A key that is added to an object is not a change. A key that is missing is one, and so is another length of a list.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key in after:
                yield from changes(value, after[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, pair in enumerate(zip(before, after, strict=True)):
            yield from changes(*pair, f"{path}[{place}]")
    elif path.endswith(".signature") and isinstance(before, str) and isinstance(after, str):
        yield from changes(*(dict(pair.split(":", 1) for pair in each.split("|")) for each in (before, after)), path)
    elif json.dumps(before) != json.dumps(after):
        yield path


def changed_figures(command: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The paths of the figures of a case that changed. A command that was refused (2) had no figures."""
    if before["exit"] == 2:
        return []
    if "--as csv" in command and before["output"] and after["output"]:
        before, after = ({**each, "output": list(csv.DictReader(each["output"]))} for each in (before, after))
    return list(changes(before, after))


def renewed_numbers(group: str, numbers: int, before: Mapping[str, Any], after: Mapping[str, Any], log: str) -> int:
    """The numbers version of the renewed figures of a group, which were last changed with version `numbers`.

    Raise an AssertionError if a figure changes, or the figures of a case disappear, without a new and described version.
    """
    changed = {
        name: changed_figures(CASES.get(group, {}).get(name, ""), before[name], after[name]) if name in after else [""]
        for name in before
    }
    changed = {name: paths for name, paths in changed.items() if paths}
    if not changed:
        return numbers
    name, paths = next(iter(changed.items()))
    finding = f"{group}: {counted(len(changed), 'case')} would change or lose figures, first {name}{paths[0]}"
    assert numbers < versions.NUMBERS, (
        f"{finding}, but their numbers version is still {numbers}; undo the change, or raise NUMBERS in "
        "src/evenhand/versions.py and describe the change in NUMBERS.md"
    )
    check_described(group, versions.NUMBERS, log)
    return versions.NUMBERS


def check_described(group: str, numbers: int, log: str) -> None:
    """Raise an AssertionError unless the section of a numbers version has all paragraphs and names the group of cases."""
    sections = re.split(r"^## Version (\d+).*\n", log, flags=re.MULTILINE)
    section = dict(zip(sections[1::2], sections[2::2], strict=True)).get(str(numbers), "")
    found = dict(re.findall(r"^\*\*([^*]+)\.\*\* (\S[^\n]*(?:\n\S[^\n]*)*)", section, re.MULTILINE))
    missing = [part for part in PARTS if part not in found]
    assert not missing, f"NUMBERS.md: the section 'Version {numbers}' lacks **{'.**, **'.join(missing)}.**"
    listed = re.findall(r"`([a-z]+)`", found[PARTS[-1]])
    assert group in listed, f"NUMBERS.md: name `{group}` under **{PARTS[-1]}.** of version {numbers}"


@pytest.mark.parametrize("group", CASES)
def test_changed_figures_are_described(group: str) -> None:
    numbers, _ = saved(group)
    assert 1 <= numbers <= versions.NUMBERS
    if numbers > 1:
        check_described(group, numbers, LOG.read_text(encoding="utf-8"))


def test_every_numbers_version_has_a_section() -> None:
    listed = re.findall(r"^## Version (\d+) \(Evenhand ([\d.]+)\)$", LOG.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == [(str(number), versions.FIRST_RELEASES[number]) for number in range(versions.NUMBERS, 0, -1)]


BEFORE = {"a": {"exit": 0, "output": {"f1": 0.5, "signature": "task:spans|beta:1", "units": [1, 2]}}}
DESCRIBED = """# Numbers

## Version 2 (Evenhand 0.2.0)

**What changed.** F1 of spans.

**Why.** The paper says so.

**By how much.** At most 0.1 points
on the examples.

**Frozen figures.** `spans`, `tags`.

## Version 1 (Evenhand 0.1.0)
"""


def changed(**figures: Any) -> dict[str, Any]:
    return {"a": {"exit": 0, "output": {**BEFORE["a"]["output"], **figures}}}


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        changed(f2=0.4),
        changed(signature="task:spans|new:none|beta:1"),
        {**BEFORE, "b": {"exit": 0, "output": {}}},
    ],
    ids=["nothing", "an added key", "an added setting", "a new case"],
)
def test_new_figures_need_no_new_numbers_version(after: dict[str, Any]) -> None:
    assert renewed_numbers("spans", 1, BEFORE, after, "") == 1


def test_a_refused_case_has_no_figures() -> None:
    refused = {"a": {"exit": 2, "output": None}}
    assert renewed_numbers("spans", 1, refused, BEFORE, "") == 1
    with pytest.raises(AssertionError, match=r"first a\.exit"):
        renewed_numbers("spans", 1, BEFORE, refused, "")


CHANGED = {
    "a value": (changed(f1=0.6), r"a\.output\.f1"),
    "the type of a number": (changed(units=[1, 2.0]), r"a\.output\.units\[1\]"),
    "a longer list": (changed(units=[1, 2, 3]), r"a\.output\.units"),
    "a setting": (changed(signature="task:spans|beta:2"), r"a\.output\.signature\.beta"),
    "a missing key": ({"a": {"exit": 0, "output": {"f1": 0.5}}}, r"a\.output\.signature"),
    "an exit status": ({"a": {**BEFORE["a"], "exit": 1}}, r"a\.exit"),
    "a missing case": ({}, "a"),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_a_changed_figure_needs_a_described_numbers_version(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    after, path = CHANGED[kind]
    with pytest.raises(AssertionError, match=f"spans: 1 case would change or lose figures, first {path}, but"):
        renewed_numbers("spans", versions.NUMBERS, BEFORE, after, DESCRIBED)
    monkeypatch.setattr(versions, "NUMBERS", 2)
    assert renewed_numbers("spans", 1, BEFORE, after, DESCRIBED) == 2
    with pytest.raises(AssertionError, match=r"NUMBERS\.md: name `trees` under \*\*Frozen figures\.\*\* of version 2"):
        renewed_numbers("trees", 1, BEFORE, after, DESCRIBED)
    with pytest.raises(AssertionError, match=r"lacks \*\*Why\.\*\*"):
        renewed_numbers("spans", 1, BEFORE, after, DESCRIBED.replace("**Why.** The paper says so.", "**Why.**"))
    with pytest.raises(AssertionError, match=r"'Version 2' lacks \*\*What changed\.\*\*, "):
        renewed_numbers("spans", 1, BEFORE, after, "## Version 1 (Evenhand 0.1.0)\n")


def test_a_new_column_of_csv_is_not_a_changed_figure() -> None:
    before, after = ({"exit": 0, "output": ["name,f1", "crf,0.5"]}, {"exit": 0, "output": ["name,tp,f1", "crf,3,0.5"]})
    assert changed_figures("score a b --as csv", before, after) == []
    assert changed_figures("score a b --as csv", after, before) == [".output[0].tp"]


DELIBERATE = {
    "F-beta": (
        "scoring.prf:f_beta",
        "weight * expected + predicted",
        "expected + weight * predicted",
        "spans/beta-two",
    ),
    "macro average": ("scoring.scores:averages", "[1] * len(names)", "[*range(len(names))]", "spans/columns"),
    "type of a boundary error": (
        *("tasks.spans.matching:Matching.boundary_kind", "BEL, BEO)", "BEO, BEL)"),
        "spans/all-models",
    ),
    "separators of ts": ("tasks.spans.token_separator:all_units", '(part == "separator")', "0", "spans/all-models"),
    "similarity of CEAF": (
        "tasks.chains.measures:count_ceaf_e",
        "2 * overlap.common / (overlap.key_size + overlap.response_size)",
        "overlap.common / np.maximum(overlap.key_size, overlap.response_size)",
        "chains/all-models",
    ),
    "importance in LEA": ("tasks.chains.measures:count_lea", "size * shared", "shared", "chains/all-models"),
    "missing words under LAS": (
        *("tasks.words.measures:by_label", '**on("gold.", kinds), MISSING: 1.0}', '**on("gold.", kinds)}'),
        "trees/all-models",
    ),
    "expected agreement of kappa": (
        *("agreement.coefficients:kappa_expected", "first * second", "((first + second) / 2) ** 2"),
        "spans/agree",
    ),
    "percentile interval": ("statistics.bootstrap:interval", "(1 - level) / 2,", "1 - level,", "spans/rank"),
    "Holm's correction": ("statistics.significance:holm", "np.arange(len(p), 0, -1)", "len(p)", "spans/compare-four"),
    "p-value of randomization": (
        *("statistics.significance:randomization", "(reached + 1) / (ways + 1)", "reached / ways"),
        "spans/compare-news",
    ),
    "deleted words of EVALB": (
        *("tasks.constituents.evalb:Selection.keeps_words", "self._deleted_tag(forest.tag) == 0", "forest.tag >= 0"),
        "constituents/defaults",
    ),
    "threshold of ANLS": (
        *("tasks.records.peers:_anls_star", "similarity >= 0.5", "similarity >= 0.75"),
        "records/similar",
    ),
    "weight of a partial match": (
        *("tasks.relations.task:_ehealthkd", 'total("partial", 0.5)', 'total("partial", 1.0)'),
        "relations/ehealthkd",
    ),
}
"""Changes of the source that change figures: the function, the text and its replacement, and a case that shows it."""


@pytest.mark.parametrize("name", DELIBERATE)
def test_a_deliberate_change_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address, text, replacement, case = DELIBERATE[name]
    function = resolve_name(f"evenhand.{address}")
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(text) == 1
    namespace = dict(function.__globals__)
    exec(compile(f"from __future__ import annotations\n{source.replace(text, replacement)}", name, "exec"), namespace)
    monkeypatch.setattr(function, "__code__", namespace[function.__name__].__code__)
    group, _, name = case.partition("/")
    outcome = run(CASES[group][name])
    assert changed_figures(CASES[group][name], figures(group)[name], outcome)
    with pytest.raises(AssertionError, match="1 case would change or lose figures"):
        renewed_numbers(group, versions.NUMBERS, {name: figures(group)[name]}, {name: outcome}, DESCRIBED)
