"""The names of a file's documents, by which the two sides of a comparison are matched."""

from __future__ import annotations

from evenhand.formats.source import Source


class DocumentNames:
    """All names so far, with their lines; each may stand once only."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def once(self, name: str, line: int) -> str:
        """The name, if it is new; else that is a problem, and it gets the line behind it."""
        if name in self._lines:
            finding = f"the document {name} began in line {self._lines[name]} already"
            self._source.report(line, finding, "give every document a name of its own", "document")
            name = f"{name} in line {line}"
        self._lines[name] = line
        return name
