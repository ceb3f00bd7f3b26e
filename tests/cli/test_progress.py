"""The line that counts: on a terminal only, and only for work that takes a while."""

from __future__ import annotations

import io
import sys

import pytest

from evenhand.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False, patience: float = 0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
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
