"""Figures as files: the same figure is the same bytes, whenever it is written."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.report.figures.canvas import clean, lacking, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMS = ("svg", "pdf", "png")
_DOTS_PER_INCH = 300
_DESCRIBED = {
    "svg": ("Description", {"Date": None}),
    "pdf": ("Subject", {"CreationDate": None}),
    "png": ("Description", {}),
}
"""Where a file's metadata have a place for the signature, and what must not be there, as it changes with time."""


def form_of(path: str | Path) -> str:
    """The format that a file's name asks for."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise SettingError(f"{path} is no name for a figure; let it end with .svg, .pdf or .png.")
    return form


def render(figure: Figure, form: str, signature: str) -> bytes:
    """The file's content; fonts are embedded in PDF, texts stay texts in SVG, and the signature is in the metadata."""
    place, timeless = _DESCRIBED[form]
    metadata = {**timeless, "Title": "Evenhand", place: clean(signature)}
    buffer = BytesIO()
    with style():
        figure.savefig(buffer, format=form, dpi=_DOTS_PER_INCH, metadata=metadata)
    unknown = "" if form == "svg" else "".join(sorted(lacking(figure)))
    if unknown:
        warnings.warn(
            f"No installed font has the characters {unknown}; install one (such as Noto Sans CJK), or write .svg.",
            stacklevel=2,
        )
    return buffer.getvalue()
