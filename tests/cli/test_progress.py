"""The line that counts: on a terminal only, and only for work that takes a while."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from evenhand.cli import main
from evenhand.cli import output as progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False, patience: float = 0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setattr(progress, "_PAUSE", 0)
    with progress.counter("file pairs", quiet=quiet) as count:
        if count is not None:
            count(999, 1000)
            count(1000, 1000)
    return stream.getvalue()


def test_the_line_is_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    wiped = " " * len("1,000 of 1,000 file pairs")
    expected = f"\r999 of 1,000 file pairs\r1,000 of 1,000 file pairs\r{wiped}\r"
    assert shown(Terminal(), monkeypatch) == expected


def test_nothing_is_shown_where_it_would_be_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), monkeypatch) == ""
    assert shown(Terminal(), monkeypatch, quiet=True) == ""
    assert shown(Terminal(), monkeypatch, patience=1000) == ""


def watched(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> str:
    """What a command shows on standard error, without patience."""
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setattr(progress, "_PAUSE", 0)
    shown: list[str] = []
    monkeypatch.setattr(progress.Line, "_write", lambda line, text: shown.append(text))
    monkeypatch.setattr(progress, "sys", type("streams", (), {"stderr": stream, "stdout": sys.stdout}))
    result = CliRunner().invoke(main, [str(each) for each in arguments], prog_name="evenhand")
    assert result.exit_code == 0
    return "".join(shown)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_bytes_of_all_files_as_they_are_on_the_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str
) -> None:
    files = [tmp_path / f"{name}.conll{ending}" for name in ("gold", "system")]
    for file in files:
        data = b"a\tO\nb\tB-PER\n\n" * 200_000
        file.write_bytes(gzip.compress(data) if ending else data)
    size = f"{sum(file.stat().st_size for file in files) / 1e6:,.1f}"
    shown = watched(Terminal(), monkeypatch, "score", *files)
    assert f"\r[{'#' * 30}] {size} of {size} MB read" in shown
    assert shown.endswith("\r")
    assert watched(Terminal(), monkeypatch, "score", *files, "--quiet") == ""
    assert watched(io.StringIO(), monkeypatch, "score", *files) == ""


def test_what_files_are_taken_for_is_said_before_the_work(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("a\tO\n\n" * 200_000)
    system.write_text("a\tO\n\n" * 199_999 + "b\tO\n")
    result = CliRunner().invoke(main, ["score", str(gold), str(system)], prog_name="evenhand")
    assert result.exit_code == 2
    said, taken, error = result.stderr.splitlines()
    assert (said, taken) == ("gold: conll, tags in IOB2, column 2", "system: conll, tags in IOB2, column 2")
    assert error.startswith("evenhand: ")
