"""Several files as one text: a folder, or a pattern such as `parts/*.conll`, in the order of their names."""

from __future__ import annotations

from glob import glob
from pathlib import Path

from evenhand.problems import InputError

_PATTERN = frozenset("*?[")


def files_of(path: Path) -> list[Path] | None:
    """The files that a folder or pattern stands for; None for a single file. A brat folder stands for its `.ann`."""
    if path.is_dir() and not any((path / name).exists() for name in ("dataset_info.json", "dataset_dict.json")):
        files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
        annotations = [each for each in files if each.suffix == ".ann"]
        found = annotations or files
    elif not path.exists() and _PATTERN & set(str(path)):
        found = sorted(Path(each) for each in glob(str(path)))
    else:
        return None
    if not found:
        raise InputError(str(path), None, "there is no file in it", "check the path")
    return found


def check_same_names(gold: Path, system: Path) -> None:
    """Raise an error unless two folders or patterns stand for files with the same names."""
    mine, theirs = files_of(gold), files_of(system)
    if mine is None or theirs is None:
        return
    names, others = {each.name for each in mine}, {each.name for each in theirs}
    for missing in sorted(names - others):
        raise InputError(str(system), None, f"there is no file {missing!r}, which {gold} has", _REMEDY)
    for extra in sorted(others - names):
        raise InputError(str(system), None, f"found the file {extra!r}, which {gold} does not have", _REMEDY)


_REMEDY = "both sides must have files with the same names"
