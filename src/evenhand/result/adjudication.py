"""An adjudication: overrides of a gold standard, checked against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.formats.override_lines import written
from evenhand.problems import InputError, Problem
from evenhand.result.display import Shown, Tabled
from evenhand.result.display import written as written_to
from evenhand.text.overrides import VERDICTS, Override, OverrideFile
from evenhand.version import __version__


@dataclass(frozen=True, repr=False)
class Adjudication(Shown, Tabled):
    """What files of overrides say of a gold standard: `adjudication.problems`, `adjudication.apply("better.conll")`."""

    gold: str
    """The name of the gold standard."""
    files: Sequence[OverrideFile]
    overrides: Sequence[Override]
    """All that fit, in the order of the text; what two files say alike is there once."""
    problems: Sequence[Problem]
    """What does not fit, in the order in which it was met."""
    before: Mapping[str, int]
    """How many spans of each label the gold standard has."""
    after: Mapping[str, int]
    """How many it has once it is corrected."""
    signature: str
    writer: Callable[[Path, str | None, str | None], None] = field(repr=False, compare=False)
    """Writes the corrected gold standard, given a path, a format and an encoding."""

    @property
    def verdicts(self) -> dict[str, int]:
        """How many spans have each verdict."""
        counted = Counter(each.verdict for each in self.overrides)
        return {verdict: counted[verdict] for verdict in VERDICTS}

    @property
    def labels(self) -> dict[str, dict[str, int]]:
        """For each label, how many spans have each verdict; missing ones count for the label that they should have."""
        names = sorted({*self.before, *self.after, *(each.subject.label for each in self.overrides)})
        counted = Counter((each.subject.label, each.verdict) for each in self.overrides)
        return {name: {verdict: counted[name, verdict] for verdict in VERDICTS} for name in names}

    @property
    def notes(self) -> tuple[str, ...]:
        unclear = self.verdicts["unclear"]
        if not unclear:
            return ()
        finding = f"{unclear:,} unclear span{'s are' if unclear > 1 else ' is'} not in the corrected gold standard"
        return (f"{finding}; only with --overrides, system spans that overlap unclear ones are left out, too.",)

    def merge(self, path: str | Path | None = None) -> str:
        """All overrides as one file, written to `path` too, where one is given."""
        self._refuse_problems()
        return written_to(written(self.overrides), path)

    def apply(self, path: str | Path, format: str | None = None, encoding: str | None = None) -> None:
        """Write the corrected gold standard, in the format that is named or that the path shows."""
        self._refuse_problems()
        self.writer(Path(path), format, encoding)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain Python, in the form of its JSON."""
        return {
            "evenhand": __version__,
            "command": "adjudicate",
            "task": "spans",
            "signature": self.signature,
            "notes": list(self.notes),
            "gold": self.gold,
            "files": [{"name": each.name, "sha256": each.sha256} for each in self.files],
            "verdicts": self.verdicts,
            "labels": self.labels,
            "before": dict(self.before),
            "after": dict(self.after),
            "problems": [{"place": each.place, "finding": each.finding} for each in self.problems],
        }

    def _refuse_problems(self) -> None:
        for each in self.problems:
            raise InputError(each.source, each.line, each.finding, each.remedy, each.kind)
