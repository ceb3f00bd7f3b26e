"""A quick way to know that a long text does not hold a string."""

from __future__ import annotations

SIZE = 4
OFTEN = 300
"""To collect the runs of a text takes as long as some hundred searches."""


class Grams:
    """The runs of four characters of a text, collected as soon as the text has been searched often."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._searches = 0
        self._grams: set[str] | None = None

    def may_hold(self, string: str) -> bool:
        """False if the text surely does not hold a string, as some run of the string is not in it."""
        if self._grams is None:
            self._searches += 1
            if self._searches <= OFTEN:
                return True
            self._grams = {self._text[at : at + SIZE] for at in range(len(self._text) - SIZE + 1)}
        grams = self._grams
        return all(string[at : at + SIZE] in grams for at in range(len(string) - SIZE + 1))
