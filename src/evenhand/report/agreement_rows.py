"""An agreement as rows: a figure each, with what it is about, its interval, and why it is undefined."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from evenhand.result.agreement import Agreement

Row = list[str | float | None]
COLUMNS = ("scope", "a", "b", "name", "figure", "value", "low", "high", "undefined")
"""`scope` is all, label, pair or document; `name` the label or document; `figure` the path in the JSON."""
_COUNTS = ("atoms", "documents", "annotators")


def agreement_rows(agreement: Agreement) -> Iterator[Row]:
    """All figures, in the order of the JSON."""
    figures = agreement.figures
    overall = {"codes": figures.codes, "f1": figures.f1, "unitizing": figures.unitizing}
    yield from _rows(agreement, overall, ["all", None, None, None], "")
    for label, found in figures.labels.items():
        yield from _rows(agreement, found, ["label", None, None, label], f"labels.{label}.")
    for pair in figures.pairs:
        shown = {"f1": pair.f1, "labels": pair.labels, "codes": pair.codes, "unitizing": pair.unitizing}
        yield from _rows(agreement, shown, ["pair", pair.a, pair.b, None], f"pairs.{pair.a}.{pair.b}.")
    for document in figures.documents:
        yield from _rows(agreement, document, ["document", None, None, document.name], f"documents.{document.name}.")


def _rows(agreement: Agreement, figures: object, about: Row, before: str) -> Iterator[Row]:
    """The numbers of nested figures, without counts; what does not apply to so many annotators is left out."""
    for path, value in _flat(msgspec.to_builtins(figures), ""):
        if path.rpartition(".")[2] in _COUNTS:
            continue
        bounds = agreement.intervals.get(before + path)
        low, high = (None, None) if bounds is None else (bounds.low, bounds.high)
        if value is not None or before + path in agreement.undefined:
            reason = agreement.undefined.get(before + path) if value is None else None
            yield [*about, path, value, low, high, reason]


def _flat(figures: object, before: str) -> Iterator[tuple[str, float | None]]:
    if isinstance(figures, dict):
        for name, value in figures.items():
            yield from _flat(value, f"{before}.{name}" if before else name)
    elif figures is None or isinstance(figures, int | float):
        yield before, figures
