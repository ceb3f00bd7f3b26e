"""What results have in common: they show themselves as text and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Shown:
    """A result that shows itself. The report is loaded when it is asked for, as it stands above in the house."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python, in the form of its JSON."""
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def to_json(self, path: str | Path | None = None) -> str:
        """The same as text; written to `path` too, where one is given."""
        from evenhand.report.json import render

        text = render(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def __str__(self) -> str:
        from evenhand.report.text import render

        return render(self)

    __repr__ = __str__
