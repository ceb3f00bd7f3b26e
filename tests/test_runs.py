"""How these tests are run: property tests with the same examples every time, and a line for each kind of skipped ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

EXAMPLES = """
import sys

from hypothesis import given
from hypothesis import strategies as st

for name in sys.argv[2:]:
    __import__(name)
sys.path.insert(0, sys.argv[1])
import conftest
conftest.forget_local_constants()
found = []

@given(st.text(max_size=20), st.integers(), st.sets(st.text(max_size=3)))
def collect(text, number, words):
    found.append((text, number, *sorted(words)))

collect()
print(ascii(found))
"""
SKIPPING = """
import pytest

@pytest.mark.skipif(True, reason="no browser is installed")
@pytest.mark.parametrize("number", range(3))
def test_pages(number):
    pass

def test_data():
    pytest.skip("the published data is absent")

def test_more():
    pytest.skip("the published data is absent")
"""


def examples(folder: Path, hash_seed: str, *loaded: str) -> str:
    script = folder / "examples.py"
    script.write_text(EXAMPLES)
    command = [sys.executable, str(script), str(ROOT / "tests"), *loaded]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_examples_do_not_depend_on_hashes_or_on_what_is_loaded(tmp_path: Path) -> None:
    once = examples(tmp_path, "1")
    assert len(once) > 2000
    assert once == examples(tmp_path, "2", "evenhand.formats.conllu", "evenhand.report.latex", "evenhand.settings")


@pytest.mark.parametrize(
    "processes",
    [pytest.param((), id="one process"), pytest.param(("-n", "2"), id="two processes", marks=pytest.mark.long)],
)
def test_what_is_skipped_is_said_in_one_line_a_reason(tmp_path: Path, processes: tuple[str, ...]) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(SKIPPING)
    (tmp_path / "test_whole.py").write_text('import pytest\npytest.importorskip("absent", reason="no absent")\n')
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *processes, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith(("Skipped", "SKIPPED"))] == [
        "Skipped 1 file: no absent",
        "Skipped 3 tests: no browser is installed",
        "Skipped 2 tests: the published data is absent",
    ]
