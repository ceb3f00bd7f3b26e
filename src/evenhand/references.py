"""The literature behind the numbers: `references.bib`, which definitions name as "Ortmann 2022"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from evenhand.dataclass import dataclass

_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)


@dataclass(frozen=True)
class Reference:
    """One entry of the bibliography."""

    key: str
    fields: Mapping[str, str]
    bibtex: str
    """The entry as it stands in the file."""

    @property
    def authors(self) -> list[str]:
        """As the entry has them: last names first."""
        return [name.strip("{}") for name in self.fields["author"].split(" and ")]

    @property
    def label(self) -> str:
        """What definitions call it: "Ortmann 2022", "Efron and Tibshirani 1993", "Vilain et al. 1995"."""
        names = self._names
        return f"{names[0]} et al. {self.year}" if len(names) > 2 else self.full_label

    @property
    def full_label(self) -> str:
        """The same with all authors."""
        *others, last = self._names
        return f"{', '.join(others)} and {last} {self.year}" if others else f"{last} {self.year}"

    @property
    def year(self) -> str:
        return self.fields["year"]

    @property
    def _names(self) -> list[str]:
        return [name.partition(",")[0] for name in self.authors]

    @property
    def line(self) -> str:
        """The entry as a list of references shows it."""
        *others, last = self.authors
        authors = f"{', '.join(others)} and {last}" if others else last
        title = self.fields["title"] + ("" if self.fields["title"].endswith(("?", "!")) else ".")
        parts = [f"{authors} ({self.year}).", title, f"{where}." if (where := self._place()) else ""]
        return re.sub(r"[{}\\]", "", " ".join(filter(None, parts)).replace("--", "-"))

    def _place(self) -> str:
        """Where it was published."""
        fields = self.fields
        number = f"({fields['number']})" if "number" in fields else ""
        volume = f" {fields['volume']}{number}" if "volume" in fields else ""
        edition = f"{fields['edition']} edition, " if "edition" in fields else ""
        name = next((fields[key] for key in ("journal", "booktitle", "publisher", "howpublished") if key in fields), "")
        pages = f", {fields['pages']}" if "pages" in fields else ""
        note = f". {fields['note']}" if "note" in fields else ""
        return f"{edition}{name}{volume}{pages}{note}"


@cache
def references() -> tuple[Reference, ...]:
    """All entries, in alphabetical order."""
    text = files("evenhand").joinpath("references.bib").read_text(encoding="utf-8")
    return tuple(_reference(entry) for entry in text.strip().split("\n\n"))


def _reference(entry: str) -> Reference:
    return Reference(entry.partition("{")[2].partition(",")[0], dict(_FIELD.findall(entry)), entry)


def named_in(text: str) -> list[Reference]:
    """The entries that a text names, in alphabetical order."""
    plain, found = " ".join(text.split()), set()
    labels = {label: each.key for each in references() for label in (each.label, each.full_label)}
    for label in sorted(labels, key=len, reverse=True):  # "Sekine and Collins 1997" does not name "Collins 1997"
        plain, count = re.subn(rf"(?<!\w){re.escape(label)}(?!\d)", "", plain)
        found |= {labels[label]} if count else set()
    return [each for each in references() if each.key in found]
