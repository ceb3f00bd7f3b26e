"""Files that a user names: paths or addresses, one by one or in a manifest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from evenhand.formats.addresses import Place, place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenhand.engines.inputs import Side


class FileOrAddress(click.Path):
    """A path, or an address such as s3://bucket/gold.conll, whose slashes a path would not keep."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return place(os.fsdecode(super().convert(value, param, ctx)))


INPUT = FileOrAddress()
manifest_option = click.option(
    "--manifest",
    type=INPUT,
    metavar="FILE",
    help="A table of file pairs instead of GOLD and SYSTEM: a column gold, and one for each system.",
)


def sides(
    gold: Place | None, systems: Sequence[Place], manifest: Place | None
) -> tuple[Side, Sequence[Side] | Mapping[str, Side]]:
    """The gold standard and the systems, as the Python functions take them."""
    from evenhand.formats.manifest import manifest as read_manifest

    if manifest is not None:
        if gold is not None:
            raise click.UsageError("Name GOLD and SYSTEM files, or a --manifest, but not both")
        return read_manifest(manifest)
    if gold is None:
        raise click.UsageError("Name a GOLD file, or a --manifest")
    return gold, systems
