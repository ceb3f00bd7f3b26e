"""`evenhand convert IN -`: the new file on standard output, in every format but brat's folders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arrow_files import pyarrow
from conftest import EXAMPLE

EVENHAND = str(Path(sys.executable).with_name("evenhand"))
GOLD = str(EXAMPLE / "gold.conll")


def convert(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([EVENHAND, "convert", *arguments], capture_output=True, check=False)


@pytest.mark.parametrize(
    "form", ["conll", "germeval", "spans", "jsonl", "label-studio", "brackets", "parquet", "arrow"]
)
def test_standard_output_has_what_a_file_has(form: str, tmp_path: Path) -> None:
    if form in ("parquet", "arrow"):
        pyarrow()
    file = tmp_path / "file"
    written = convert(GOLD, str(file), "--to", form, "--lossy")
    shown = convert(GOLD, "-", "--to", form, "--lossy")
    assert (written.returncode, shown.returncode, shown.stderr) == (0, 0, written.stderr)
    assert len(shown.stdout) > 1000
    assert shown.stdout == file.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Standard output has no name that shows a format; give one with --to; see evenhand convert --help."),
        (("--to", "brat"), "brat takes several files; name a folder for them; see evenhand convert --help."),
    ],
)
def test_what_standard_output_cannot_be(arguments: tuple[str, ...], sentence: str) -> None:
    done = convert(GOLD, "-", *arguments)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"evenhand: {sentence}\n")


def test_from_standard_input_to_standard_output() -> None:
    texts = convert(GOLD, "-", "--to", "jsonl", "-q").stdout
    command = [EVENHAND, "convert", "-", "-", "--to", "conll", "--stacked", "-q"]
    done = subprocess.run(command, input=texts, capture_output=True, check=True)
    assert done.stdout.startswith(b"Silver\tB-MISC\nGannet\tI-MISC\n")
