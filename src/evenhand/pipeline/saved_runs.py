"""Runs that are kept: as JSON, with the groups that they are asked for, and by the digests of their files.

A run is kept before its groups are settled, so runs of consecutive parts still add up (`pipeline.partition`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_origin

import msgspec
import numpy as np

from evenhand.errors import InputError
from evenhand.formats.paths import FileList, files_of
from evenhand.formats.storage import is_pipe
from evenhand.pipeline.inputs import Input, paths_of
from evenhand.pipeline.run import Run
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups

T = TypeVar("T")
Tallies = dict[str, dict[str, Tally]]


def encode(value: Any) -> bytes:
    """JSON of a run, or of anything that contains runs and settings."""
    return msgspec.json.encode(value, enc_hook=_plain)


def identity(value: Any) -> bytes:
    """The same for comparisons: equal values are equal bytes in any order of sets and mappings."""
    return msgspec.json.encode(value, enc_hook=_plain, order="deterministic")


def decode(data: bytes | Any, kind: type[T]) -> T:
    """The inverse of `encode`, from JSON or from its plain values; raises `msgspec.ValidationError`."""
    if isinstance(data, bytes):
        return msgspec.json.decode(data, type=kind, dec_hook=_typed)
    return msgspec.convert(data, kind, dec_hook=_typed, str_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be saved")


def _typed(kind: Any, value: Any) -> Any:
    origin = get_origin(kind) or kind
    if origin is Counter:
        return Counter(value)
    array = np.array(value)
    if origin is not np.ndarray or array.ndim != 1 or array.dtype.kind not in "if":
        raise ValueError("expected a list of numbers")
    return array if array.size else array.astype(np.int64)


def unsettled(run: Run) -> Run:
    """A run of finest groups before it was known whether they are documents or sentences."""
    for side in (run.gold, *run.systems.values()):
        side.labels  # noqa: B018  # counts by name, which can be saved
    return replace(run, tallies=run.sentence_tallies, sentence_tallies={}) if run.sentence_tallies else run


def copy_of(run: Run) -> Run:
    """A copy that can be added to; tallies never change."""
    return replace(
        run,
        gold=deepcopy(run.gold),
        systems=deepcopy(run.systems),
        levels=dict(run.levels),
        names=dict(run.names),
        document_of=list(run.document_of),
        document_names=list(run.document_names),
    )


def in_groups(run: Run, groups: Groups) -> Run:
    """A run whose groups are not settled, with the groups of a result."""
    run = copy_of(run)
    if groups == "total":
        run.tallies = {name: _totals(tallies) for name, tallies in run.tallies.items()}
        run.supertags = {
            name: {tag: _totals(tallies) for tag, tallies in by_tag.items()} for name, by_tag in run.supertags.items()
        }
    elif groups == "document":
        run.tallies = run.by_document(run.tallies)
    run.settle_groups(groups)
    return run


def _totals(tallies: Mapping[str, Tally]) -> dict[str, Tally]:
    return {scorer: tally.total() for scorer, tally in tallies.items()}


def digests(side: Input) -> tuple[str, ...] | None:
    """The SHA-256 of each local file of a side; None if it is not a local file, or only a part of one."""
    place = next(iter(paths_of([side])), None)
    if place is None or (isinstance(place, FileList) and (place.part is not None or place.base is not None)):
        return None
    files = files_of(place) or (() if isinstance(place, FileList) else (place,))
    if not all(isinstance(file, Path) and not is_pipe(file) for file in files):
        return None
    return tuple(_digest(Path(str(file))) for file in files)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(str(path), None, f"cannot be read ({reason})", "check the path and the permissions") from None
