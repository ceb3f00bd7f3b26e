"""How tests are run: with which examples, where they find the published data, and what is said of those skipped."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

FIXED, FRESH = "fixed", "fresh"
"""Profiles of property tests: the same examples in every run, or random ones (`--hypothesis-profile=fresh`)."""
MORE, FEWER = 5, 0.5
"""Factors for the examples of a property test: where they are fresh, and where every run takes the same ones."""

_COMMON: Any = {"deadline": None, "max_examples": 30, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile(FIXED, derandomize=True, database=None, **_COMMON)
settings.register_profile(FRESH, database=None, print_blob=True, **_COMMON)
settings.load_profile(FIXED)
for wish in ("NO_COLOR", "FORCE_COLOR"):  # of whoever runs the tests
    os.environ.pop(wish, None)

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "src" / "evenhand" / "examples" / "ner"
GOLDEN = ROOT / "tests" / "report" / "golden"
"""Rendered output that somebody has read and approved."""
Golden = Callable[[str, str], None]
"""Compares a text with the golden file of that name."""

posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of processes are those of POSIX")
has_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this machine has no /dev/full")

SLOW = frozenset(
    [
        "agreement/test_portions",
        "alignment/test_documents",
        "api/test_chains",
        "api/test_compare",
        "api/test_compare_chains",
        "api/test_germeval",
        "api/test_keywords",
        "api/test_resampling",
        "api/test_score",
        "browser",
        "cli/test_chains",
        "cli/test_completion",
        "cli/test_files",
        "cli/test_ground",
        "cli/test_jobs",
        "cli/test_output",
        "cli/test_process",
        "cli/test_rank",
        "cli/test_tasks",
        "comparison/test_units",
        "conformance/test_agreement",
        "conformance/test_annotators",
        "conformance/test_coreference",
        "conformance/test_enhanced",
        "conformance/test_extractions",
        "conformance/test_germeval",
        "conformance/test_hipe_2022",
        "conformance/test_leakage",
        "conformance/test_overrides",
        "data/test_structures",
        "engines/test_partition",
        "formats/test_arrow",
        "formats/test_conll",
        "formats/test_conll2012",
        "formats/test_conllu",
        "formats/test_convert",
        "formats/test_convert_chains",
        "formats/test_read",
        "formats/test_source",
        "frozen",
        "fuzz",
        "grounding/test_answers",
        "odd_files",
        "plugin",
        "report/test_html",
        "report/test_notebook",
        "report/test_text",
        "results/test_containers",
        "results/test_load",
        "statistics/test_bootstrap",
        "statistics/test_null",
        "tasks/test_chains",
        "tasks/test_matching",
        "tasks/test_token_separator",
        "test_addresses",
        "test_ci_files",
        "test_combinations",
        "test_dask",
        "test_dask_here",
        "test_ehealthkd",
        "test_errors",
        "test_figures",
        "test_fragment",
        "test_guest",
        "test_long_texts",
        "test_odd_conversions",
        "test_pipes",
        "test_plot",
        "test_project",
        "test_pytest_plugin",
        "test_snippets",
    ]
)
"""Folders and files of slow tests, which `--fast` leaves out: a name, or the end of a path."""


def forget_local_constants() -> None:
    """Let no example come from the literals of modules that happen to be loaded: these change with the order of tests."""
    providers._get_local_constants = lambda: providers._local_constants  # type: ignore[attr-defined]


def pytest_addoption(parser: pytest.Parser) -> None:
    renew = "write golden files, frozen figures and the output that pages of the documentation show anew; then read the diff"
    parser.addoption("--renew-golden", action="store_true", help=renew)
    parser.addoption(
        "--fast", action="store_true", help="leave out files of tests that take long (SLOW in conftest.py)"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--fast"):
        return None
    path = collection_path.with_suffix("")
    return True if SLOW & {path.name, f"{path.parent.name}/{path.name}"} else None


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--hypothesis-profile") != FRESH:
        forget_local_constants()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Mark property tests, and scale the number of their examples."""
    if config.getoption("--renew-golden"):
        config.hook.pytest_deselected(items=[item for item in items if "renews" not in item.fixturenames])
        items[:] = [item for item in items if "renews" in item.fixturenames]
    is_fresh = config.getoption("--hypothesis-profile") == FRESH
    scaled = set()
    for item in items:
        test = getattr(item, "obj", None)
        if test is None or not is_hypothesis_test(test):
            continue
        item.add_marker("property")
        if test not in scaled:
            scaled.add(test)
            own = test._hypothesis_internal_use_settings
            examples = max(1, round(own.max_examples * (MORE if is_fresh else FEWER)))
            test._hypothesis_internal_use_settings = settings(own, max_examples=examples)


_FILES: dict[str, str] = {}
"""Files that were skipped as a whole, and why."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than there are cores, because many tests wait for a browser or another process.

    Fast tests do not wait, and each process takes seconds to collect them.
    """
    return (os.cpu_count() or 1) + (not config.getoption("--fast"))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _FILES[report.nodeid] = _reason(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a process of several found out, for the one that sums up."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["files"] = _FILES


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _FILES.update(getattr(node, "workeroutput", {}).get("files", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many tests were skipped and why, in one line a reason."""
    skipped = [each for each in terminalreporter.stats.get("skipped", []) if isinstance(each, pytest.TestReport)]
    counts = {"test": Counter(map(_reason, skipped)), "file": Counter(_FILES.values())}
    for reason in sorted({*counts["test"], *counts["file"]}):
        found = [(count[reason], what) for what, count in counts.items() if count[reason]]
        number = " and ".join(f"{count} {what}{'s' * (count > 1)}" for count, what in found)
        terminalreporter.write_line(f"Skipped {number}: {reason}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    shown = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return shown.removeprefix("Skipped: ")


DATA = Path(os.environ.get("EVENHAND_DATA", ROOT.parent / "shared" / "data"))
"""The folder of published gold standards and system outputs."""


class DataPath(type(Path())):  # type: ignore[misc]
    """A path in the published data. A test that joins the path of a folder that does not exist is skipped."""

    def __truediv__(self, name: str | os.PathLike[str]) -> DataPath:
        path: DataPath = super().__truediv__(name)
        folder = path.parent if path.suffix else path
        if not folder.exists():
            name = os.path.relpath(folder, DATA)
            pytest.skip(f"the published data lacks {name}; see docs/how-to/conformance-data.md")
        return path


@pytest.fixture(scope="session")
def data() -> Path:
    """The published data; tests that need it are skipped if it is not there."""
    if not DATA.is_dir():
        pytest.skip(f"no published data in {DATA}; see docs/how-to/conformance-data.md")
    return DataPath(DATA)


ZSTD = ("compression.zstd", "backports.zstd")
"""Modules for zstd: in the standard library from Python 3.14 on, before that the extra `zstd`."""


def zstd_module() -> Any:
    """Return the module for zstd; skip the test if there is none."""
    for name in ZSTD:
        with suppress(ImportError):
            return import_module(name)
    pytest.skip("the extra `zstd` is not installed")


@pytest.fixture
def example() -> Path:
    return EXAMPLE


@pytest.fixture
def renews(pytestconfig: pytest.Config) -> bool:
    """Whether expected output is written anew. A test that takes this is run by `--renew-golden`, and no other."""
    return bool(pytestconfig.getoption("--renew-golden"))


@pytest.fixture
def golden(renews: bool) -> Golden:
    """Compares a text with a golden file; with `--renew-golden` the file gets the text first (`make golden`)."""

    def compare(text: str, name: str) -> None:
        if renews:
            (GOLDEN / name).write_text(text, encoding="utf-8", newline="\n")
        assert text == (GOLDEN / name).read_text(encoding="utf-8")

    return compare
