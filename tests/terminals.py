"""A terminal on which a command runs."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import pytest


def on_a_terminal(columns: int, *arguments: object, **environment: str) -> str:
    """What a terminal of this width gets."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    settings = os.environ | {"COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8", "TERM": "xterm"} | environment
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", *map(str, arguments)]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=settings) as process:
        os.close(theirs)
        total = b""
        with suppress(OSError):  # how Linux says that the other side is closed
            while part := os.read(ours, 65536):
                total += part
        process.wait()
    os.close(ours)
    return total.decode("utf-8").replace("\r\n", "\n")
