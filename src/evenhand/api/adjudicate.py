"""`adjudicate`: a gold standard and files of overrides in, these checked, merged and applied out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from evenhand.agreement.documents import Naming
from evenhand.arguments import checked_arguments, shown
from evenhand.formats.convert import conversion_of
from evenhand.formats.override_lines import read_overrides
from evenhand.pipeline.inputs import Input, folder_of, name_of, open_sides, side_of
from evenhand.pipeline.options import READING, prepare
from evenhand.problems import InputError, SettingError
from evenhand.result.adjudication import Adjudication
from evenhand.tasks.side_count import SideCount
from evenhand.text.annotation import Annotation
from evenhand.text.characters import peeked
from evenhand.text.labels import Vocabulary
from evenhand.text.overridden import AS_READ, OverriddenGold
from evenhand.text.overrides import Overrides
from evenhand.version import __version__

_LAYER = "spans"
File = str | PathLike[str]
Opened = Callable[[], Iterator[Annotation]]


@checked_arguments(lambda: READING, inputs=("gold", "overrides"))
def adjudicate(gold: Input, overrides: File | Sequence[File], **options: Any) -> Adjudication:
    """Check overrides of a gold standard: whether each fits it, and none says something else than another one.

    overrides  a file of overrides, or several; what two of them say alike counts once

    The other keywords say how the gold standard is read, as those of `score` do: format, column, encoding, repair,
    offsets, functions and annotator. Problems are listed, not raised. If there are none, `merge` writes the overrides
    as one file, and `apply` the corrected gold standard.
    """
    side = side_of(gold)
    prepared = prepare(side, {}, {**options, "task": "spans"})
    paths: list[Any] = list(overrides) if isinstance(overrides, list | tuple) else [overrides]
    for each in paths:
        if not isinstance(each, str | PathLike):
            raise SettingError(f"overrides has {shown(each)}; give the path of a file, or a list of such paths.")
    if not paths:
        raise SettingError("There is no file of overrides; name one at least.")
    files = [read_overrides(path) for path in paths]

    def opened() -> Iterator[Annotation]:
        return open_sides(side, {}, prepared.task, prepared.read_as, Vocabulary(), prepared.content.files).gold()

    return _checked(side, opened, files)


def _checked(side: Input, opened: Opened, files: Sequence[Overrides]) -> Adjudication:
    """One pass over the gold standard."""
    errors: list[InputError] = []
    lines = [line for file in files for line in file.lines]
    merged = Overrides("+".join(file.name for file in files), "+".join(file.sha256 for file in files), lines)
    gold, before, after, reading = OverriddenGold(merged, _LAYER, refuse=errors.append), SideCount(), SideCount(), ""
    for batch in gold(opened()):
        reading = reading or str(batch.readings[_LAYER].format)
        for count, layer in ((before, AS_READ), (after, _LAYER)):
            spans = batch.spans(layer)
            count.add(spans.label, spans.vocabulary.labels.values)
    return Adjudication(
        gold=name_of(side),
        files=files,
        overrides=gold.applied,
        problems=[error.problem for error in errors],
        before=dict(sorted(before.labels.items())),
        after=dict(sorted(after.labels.items())),
        signature=f"evenhand:{__version__}|task:spans|gold:{reading}|overrides:{merged}",
        writer=lambda path, *how: _write(lambda: _corrected(opened, merged, folder_of(side)), path, *how),
    )


def _corrected(opened: Opened, overrides: Overrides, folder: str | None) -> Iterator[Annotation]:
    """The batches of the gold standard with its overrides, and nothing else; documents are called as their files."""
    naming = Naming(folder)
    for batch in OverriddenGold(overrides, _LAYER)(opened()):
        names = None if folder is None else naming.names(batch)
        corpus = replace(batch.corpus, names=tuple(names), unnamed=False) if names else batch.corpus
        yield replace(
            batch, corpus=corpus, layers={_LAYER: batch.spans(_LAYER)}, readings={_LAYER: batch.readings[_LAYER]}
        )


def _write(batches: Opened, path: Path, format: str | None, encoding: str | None) -> None:
    """As `convert` does; tags keep their encoding unless another one is named."""
    first, _ = peeked(batches())
    assert first is not None  # a reader yields one batch at least, or raises
    target = conversion_of(first, path, format, _LAYER)
    own = first.readings[_LAYER].encoding if target.carry.tags else None
    conversion_of(first, path, format, _LAYER, encoding=encoding or own, lossy=None).write(path, batches)
