"""Names of files for documents: their own names where these fit and are met once, else numbers."""

from __future__ import annotations

import re

_FITTING = re.compile(r"[\w-][\w. -]*")


class FileNames:
    """Gives each document a name of its own."""

    def __init__(self, spare: str = "{:05}") -> None:
        """`spare` is the name of a document whose own one does not fit, with a place for its number."""
        self._spare, self._used = spare, set[str]()

    def of(self, document: str) -> str:
        """The name for the next document, whose own may be a path in a folder, or empty."""
        fits = all(map(_FITTING.fullmatch, document.split("/")))
        number, name = len(self._used) + 1, document if fits else self._spare.format(len(self._used) + 1)
        while name.lower() in self._used:
            name, number = self._spare.format(number), number + 1
        self._used.add(name.lower())
        return name
