"""Where results go: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.problems import InputError

if TYPE_CHECKING:
    from evenhand.result.comparison import Comparison
    from evenhand.result.gate import Gate
    from evenhand.result.ranking import Ranking
    from evenhand.result.result import Results

OUTPUTS = ("text", "json", "csv", "markdown", "latex", "value", "conlleval")


def emit(results: Results | Ranking | Comparison | Gate, form: str, path: Path | None, *, quiet: bool) -> None:
    """Render the results and write them; notes that a form has no place for go to standard error."""
    text: str = import_module(f"evenhand.report.{form}").render(results)
    if form in ("csv", "jsonl", "value", "conlleval") and not quiet:
        for note in results.notes:
            click.echo(f"Note: {note}", err=True)
    if path is None:
        click.echo(text, nl=False)
    else:
        write(path, text)


def say_readings(results: Results) -> None:
    """Say on standard error what each file was taken for."""
    for name, reading in [(results.gold.name, results.gold.reading)] + [(r.name, r.reading) for r in results.values()]:
        click.echo(f"{name}: {reading}", err=True)


def write(path: Path, text: str) -> None:
    """Write through a temporary file in the same folder, so that nobody ever sees half a file."""
    import tempfile  # slow to load, and most commands print

    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(str(path), None, f"cannot be written ({reason})", "check the folder") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(str(path), None, f"cannot be written ({reason})", "choose another place") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
