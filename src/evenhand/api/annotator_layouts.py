"""One input that holds several annotators: a folder with a folder or a file for each, or a file with a field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evenhand.formats.adoption import Adopted
from evenhand.formats.folders import FileList
from evenhand.pipeline.inputs import Input, name_of, opened, place_of, unique_names
from evenhand.problems import InputError, SettingError
from evenhand.settings import PickedAnnotator, ReadSettings
from evenhand.text.annotation import Annotation

TWO = "Agreement takes two annotators at least."
_LAYOUTS = "name a file or folder for each annotator, or the field that names them with --annotator"
_ABOUT = frozenset(name + suffix for name in ("readme", "license") for suffix in ("", ".md", ".txt", ".rst"))
"""Files about a folder, in lower case, which are nobody's annotation."""
Sides = tuple[dict[str, Input], Mapping[str, PickedAnnotator]]
"""The annotators by name, and who is picked of files with several."""


def annotators_in(side: Input, settings: ReadSettings, field: str | None) -> Sides:
    """The annotators of one input."""
    if isinstance(side, Annotation | Adopted | FileList):
        raise SettingError(TWO)
    where = place_of(side)
    if isinstance(where, Path) and where.is_dir():
        return _of_folder(where), {}
    file = opened(side, settings).first
    if file.format.annotators is None:
        raise SettingError(f"{TWO} {name_of(side)} is read as {file.format.name}, which names none.")
    found = file.format.annotators(file.source, field)
    if found is None or len(found[1]) < 2:
        nobody = "names no annotators" if field is None else f"no record has the field {field!r}"
        finding = nobody if found is None else f"has one annotator only, {found[1][0]}"
        raise InputError(file.source.shown, None, finding, _LAYOUTS)
    field, names = found
    return dict.fromkeys(names, side), {name: PickedAnnotator(field, name) for name in names}


def _of_folder(folder: Path) -> dict[str, Input]:
    """A folder for each annotator (brat), or a file (doccano)."""
    shown = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    folders = [each for each in shown if each.is_dir()]
    files = [each for each in shown if each.is_file() and each.name.lower() not in _ABOUT]
    if len(folders) > 1:
        annotated = [each for each in folders if any(each.rglob("*.ann"))]
        without = [each for each in folders if each not in annotated and any(each.rglob("*.txt"))]
        if annotated and without:
            finding = f"has texts and no annotations (.ann), which {annotated[0].name} has"
            raise InputError(str(without[0]), None, finding, "leave this folder out: name those of the others")
        return {each.name: each for each in folders}
    if len(files) < 2 or any(each.suffix == ".ann" for each in files):
        raise InputError(str(folder), None, "has neither a folder nor a file for each annotator", _LAYOUTS)
    sides: list[Input] = list(files)
    return dict(zip(unique_names(sides), sides, strict=True))
