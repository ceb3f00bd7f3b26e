"""Files that a user names: inputs, as paths or addresses or in a manifest, and outputs, which are none of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import SCORING, option
from evenhand.files import check_target
from evenhand.formats.addresses import Place, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evenhand.formats.folders import FileList
    from evenhand.pipeline.inputs import Input

STANDARD_OUTPUT = Path("/dev/stdout")
_INPUTS, _OUTPUTS = "evenhand.inputs", "evenhand.outputs"
"""Where a context notes the files that the command reads and writes."""


class FileOrAddress(click.Path):
    """A path, or an address such as s3://bucket/gold.conll, whose slashes a path would not keep."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = place(os.fsdecode(super().convert(value, param, ctx)))
        if ctx is not None:
            note_inputs([found], ctx)
        return found


class OutputFile(click.Path):
    """A path to write to, or `-` for standard output. It must be none of the command's inputs and other outputs.

    A file that cannot be written is refused before anything is read.
    """

    def __init__(self, *, may_be_folder: bool = False) -> None:
        super().__init__()
        self.may_be_folder = may_be_folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        given = os.fsdecode(super().convert(value, param, ctx))
        found = STANDARD_OUTPUT if given == "-" else Path(given)
        if not self.may_be_folder:
            check_target(found)
        if ctx is not None:
            _note_output(found, ctx)
        return found


INPUT = FileOrAddress()
OUTPUT = OutputFile()
OUTPUT_OR_FOLDER = OutputFile(may_be_folder=True)
"""Where annotations are written; some formats are folders, which are made."""
manifest_option = option(
    SCORING,
    "--manifest",
    type=INPUT,
    metavar="FILE",
    help="Table of files instead of GOLD and SYSTEM: a column gold, and one for each system.",
)


def note_inputs(inputs: Iterable[Place | FileList], ctx: click.Context | None = None) -> None:
    """Raise an error if an output of the command is one of these files that it reads."""
    meta = (ctx or click.get_current_context()).meta
    added = list(inputs)
    meta[_INPUTS] = [*meta.get(_INPUTS, ()), *added]
    for output in meta.get(_OUTPUTS, ()):
        _refuse_overwriting(output, added)


def noted_inputs() -> list[Place | FileList]:
    """The inputs of the command that runs."""
    found: list[Place | FileList] = click.get_current_context().meta.get(_INPUTS, [])
    return found


def _note_output(output: Path, ctx: click.Context) -> None:
    from evenhand.problems import InputError

    others: list[Path] = ctx.meta.setdefault(_OUTPUTS, [])
    if any(os.path.realpath(output) == os.path.realpath(other) for other in others) and not _is_device(output):
        raise InputError(str(output), None, "is named for two outputs", "give each a file of its own")
    others.append(output)
    _refuse_overwriting(output, ctx.meta.get(_INPUTS, ()))


def _refuse_overwriting(output: Path, inputs: Sequence[Place | FileList]) -> None:
    if not output.is_file():  # then nothing is overwritten, and nothing need be loaded
        return
    from evenhand.formats.overwriting import refuse_overwriting

    refuse_overwriting(output, inputs)


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def sides(
    gold: Place | None, systems: Sequence[Place], manifest: Place | None
) -> tuple[Input, Sequence[Input] | Mapping[str, Input]]:
    """The gold standard and the systems, as the Python functions take them."""
    if manifest is not None:
        if gold is not None:
            raise click.UsageError("Name GOLD and SYSTEM files, or a --manifest, but not both")
        from evenhand.formats.manifest import manifest as read_manifest

        found = read_manifest(manifest)
        note_inputs([found.gold, *found.systems.values()])
        return found
    if gold is None:
        raise click.UsageError("Name a GOLD file, or a --manifest")
    return gold, systems
