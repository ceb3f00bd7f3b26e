"""The tables of an agreement, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from evenhand.agreement.disagreements import Answer
from evenhand.errors import counted
from evenhand.results.agreement import Agreement, Coefficients, PairAgreement
from evenhand.tables import PLAIN, Cell, Column, Table, TableStyle
from evenhand.tasks.registry import TASKS

# == report/agreement_rows.py: An agreement as rows: a figure each, with what it is about,


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


# == report/agreement_tables.py (primary)


NOTHING = "–"
MOST_CODES = 12
"""How many codes a confusion matrix shows."""
MOST_REASONS = 4
"""How many reasons for undefined figures a table has below."""
_ATOMS = {"all": "all", "any": "labeled by any", "every": "labeled by every"}
COEFFICIENTS = {"observed": "observed", "kappa": "kappa", "fleiss": "Fleiss", "alpha": "alpha", "ac1": "AC1"}
UNITIZING = {"u_alpha": "u-alpha", "u_alpha_binary": "|u-alpha", "cu_alpha": "cu-alpha"}


def summary_of_agreement(agreement: Agreement, style: TableStyle = PLAIN) -> Iterator[Table]:
    """Coverage, coefficients, F1, units, labels, pairs, and documents where somebody asks."""
    yield _coverage(agreement)
    if agreement.codes:
        yield _codes(agreement, style)
    yield _f1(agreement)
    if agreement.is_unitized:
        yield _units(agreement, style)
    if agreement.intervals:
        yield _intervals(agreement, style)
    if agreement.labels:
        yield _labels(agreement, style)
    yield _pairs(agreement, style)
    if agreement.by is not None and agreement.documents:
        yield _documents(agreement, style)
    if agreement.listed:
        yield _disagreements(agreement)
    if any(pair.verdicts for pair in agreement.pairs.values()):
        yield _verdicts(agreement)
    if len(agreement.pairs) == 1:
        yield from _confusion(next(iter(agreement.pairs.values())))


def _coefficient(value: float | None, style: TableStyle) -> str:
    """A coefficient, which is no percentage."""
    return NOTHING if value is None else f"{value:.{4 if style.decimals is None else style.decimals}f}"


def _score(value: float | None) -> Cell:
    return NOTHING if value is None else value


def _why(agreement: Agreement, paths: Iterable[str]) -> str:
    """The reasons for what is undefined, each once."""
    reasons = list(dict.fromkeys(agreement.undefined[path] for path in paths if path in agreement.undefined))
    if len(reasons) > MOST_REASONS:
        reasons[MOST_REASONS:] = ["the JSON has further reasons"]
    return f"{NOTHING}: {'; '.join(reasons)}." if reasons else ""


def _coverage(agreement: Agreement) -> Table:
    unit = TASKS[agreement.figures.task].unit
    columns = [Column("annotator", "text"), Column("documents", "count"), Column(f"{unit}s", "count")]
    rows: list[list[Cell]] = [
        [annotator.name, annotator.documents, annotator.units] for annotator in agreement.figures.annotators
    ]
    numbers = [(number, count) for number, count in agreement.coverage.by_number.items() if count]
    remark = ", ".join(f"{count:,} by {number}" for number, count in numbers)
    return Table("", columns, rows, remark=f"Documents by number of annotators: {remark}.")


def _codes(agreement: Agreement, style: TableStyle) -> Table:
    columns = [Column("atoms", "text"), Column("number", "count")]
    columns += [Column(title, "label") for title in COEFFICIENTS.values()]
    rows = [_coefficients(_ATOMS[name], code, style) for name, code in agreement.codes.items()]
    paths = [f"codes.{name}.{coefficient}" for name in agreement.codes for coefficient in COEFFICIENTS]
    return Table("codes of atoms", columns, rows, remark=_why(agreement, paths))


def _coefficients(name: str, found: Coefficients, style: TableStyle) -> list[Cell]:
    return [name, found.atoms, *(_coefficient(getattr(found, coefficient), style) for coefficient in COEFFICIENTS)]


def _f1(agreement: Agreement) -> Table:
    columns = [Column(f"{_score_name(agreement)} of pairs", "text"), Column("mean", "percent"), Column("SD", "percent")]
    rows: list[list[Cell]] = [[name, _score(each.mean), _score(each.sd)] for name, each in agreement.f1.items()]
    return Table("", columns, rows, remark=_why(agreement, [f"f1.{name}.mean" for name in agreement.f1]))


def _score_name(agreement: Agreement) -> str:
    """What scores of pairs are: F1, or the share of equal codes."""
    return "F1" if agreement.is_unitized or not agreement.codes else "agreement"


def _units(agreement: Agreement, style: TableStyle) -> Table:
    found = agreement.unitizing
    shown = {name: title for name, title in UNITIZING.items() if len(agreement.pairs) == 1 or name != "cu_alpha"}
    asked = {"alpha_u": "alpha_U", "gamma": "gamma", "gamma_pairs": "gamma of pairs"}
    shown |= {name: title for name, title in asked.items() if _is_asked(agreement, name)}
    columns = [Column("units", "text"), Column("atoms", "count"), *(Column(title, "label") for title in shown.values())]
    row: list[Cell] = ["all", found.atoms, *(_coefficient(getattr(found, name), style) for name in shown)]
    paths = [f"unitizing.{'alpha_U' if name == 'alpha_u' else name}" for name in shown]
    return Table("", columns, [row], remark=_why(agreement, paths))


def _is_asked(agreement: Agreement, name: str) -> bool:
    """Whether somebody asked for a figure that is not always there."""
    path = f"unitizing.{'alpha_U' if name == 'alpha_u' else name}"
    return getattr(agreement.unitizing, name) is not None or path in agreement.undefined


def _intervals(agreement: Agreement, style: TableStyle) -> Table:
    """The intervals of what is computed over all atoms, and of F1."""
    made = agreement.figures.resampling
    titles = {f"codes.all.{name}": title for name, title in COEFFICIENTS.items()}
    titles |= {f"unitizing.{name}": title for name, title in UNITIZING.items()}
    rows: list[list[Cell]] = []
    for path, interval in agreement.intervals.items():
        if path in titles:
            bounds = (_coefficient(bound, style) for bound in (interval.low, interval.high))
            rows.append([titles[path], " – ".join(bounds)])
        elif path.startswith("f1."):
            rows.append(
                [f"{_score_name(agreement)} {path.split('.')[1]}", style.interval((interval.low, interval.high))]
            )
    remark = f"From {counted(made.resamples, 'resample')} of the {made.of}, seed {made.seed}."
    return Table(
        f"{100 * made.level:g}% intervals", [Column("figure", "text"), Column("", "label")], rows, remark=remark
    )


def _labels(agreement: Agreement, style: TableStyle) -> Table:
    columns = [Column("label", "text"), *(Column(COEFFICIENTS[each], "label") for each in ("kappa", "fleiss", "alpha"))]
    columns += [Column("F1", "percent"), Column("SD", "percent")]
    rows: list[list[Cell]] = []
    for name, label in agreement.labels.items():
        values = [_coefficient(value, style) for value in (label.kappa, label.fleiss, label.alpha)]
        rows.append([name, *values, _score(label.f1.mean), _score(label.f1.sd)])
    paths = [path for path in agreement.undefined if path.startswith("labels.")]
    weights = [
        sum(annotator.labels.get(name, 0) for annotator in agreement.figures.annotators) for name in agreement.labels
    ]
    return Table("labels", columns, rows, remark=_why(agreement, paths), weights=weights).folded()


def _pairs(agreement: Agreement, style: TableStyle) -> Table:
    columns = [Column("pair", "text"), Column("documents", "count")]
    columns += [Column(name, "percent") for name in agreement.f1]
    over_codes = ("kappa", "alpha", "ac1") if agreement.codes else ()
    over_units = ("u_alpha", "cu_alpha") if agreement.is_unitized else ()
    columns += [Column((COEFFICIENTS | UNITIZING)[name], "label") for name in (*over_codes, *over_units)]
    rows: list[list[Cell]] = []
    for pair in agreement.pairs.values():
        values = [getattr(pair.codes["all"], name) for name in over_codes]
        values += [getattr(pair.unitizing, name) for name in over_units]
        figures = [_coefficient(value, style) for value in values]
        rows.append([f"{pair.a} – {pair.b}", pair.documents, *map(_score, pair.f1.values()), *figures])
    names = [f"f1.{name}" for name in agreement.f1]
    names += [f"codes.all.{name}" for name in over_codes] + [f"unitizing.{name}" for name in over_units]
    paths = [f"pairs.{each.a}.{each.b}.{name}" for each in agreement.pairs.values() for name in names]
    return Table("pairs", columns, rows, remark=_why(agreement, paths))


def _documents(agreement: Agreement, style: TableStyle) -> Table:
    columns = [Column("document", "text"), Column("annotators", "count"), Column(_score_name(agreement), "percent")]
    columns += [Column("alpha", "label")] if agreement.codes else []
    rows: list[list[Cell]] = []
    for document in agreement.documents.values():
        alpha = [_coefficient(document.alpha, style)] if agreement.codes else []
        rows.append([document.name, document.annotators, _score(document.exact), *alpha])
    shown = (".exact", ".alpha") if agreement.codes else (".exact",)
    paths = [path for path in agreement.undefined if path.startswith("documents.") and path.endswith(shown)]
    return Table("documents", columns, rows, remark=_why(agreement, paths))


def _disagreements(agreement: Agreement) -> Table:
    """Places where annotators do not have the same spans, and what each has there."""
    columns = [Column("disagreement", "text"), Column("text", "text")]
    columns += [Column(name, "text") for name in (*agreement.annotators, "accepted")]
    rows: list[list[Cell]] = []
    for place in agreement.listed:
        answers = [_answers(place.answers[name]) if name in place.answers else "" for name in agreement.annotators]
        where = f"{place.document}:{place.sentence}:{place.start}"
        rows.append([where, place.text or "", *answers, _answers(place.accepted)])
    counted = "character" if any(place.positions == "characters" for place in agreement.listed) else "token"
    remark = f"Document, sentence and first {counted}; {NOTHING}: no span; nothing: the annotator lacks the document."
    return Table("", columns, rows, remark=remark)


def _answers(spans: Sequence[Answer]) -> str:
    """Labels and bounds; of spans with gaps, the bounds of all parts."""
    bounds = [span[3] if len(span) > 3 else (span[:2],) for span in spans]
    parts = ["+".join(f"{start}-{end}" for start, end in each) for each in bounds]
    return ", ".join(f"{span[2]} {part}" for span, part in zip(spans, parts, strict=True)) or NOTHING


def _confusion(pair: PairAgreement) -> Iterator[Table]:
    """The codes of two annotators, if these are few."""
    names = _codes_met(pair.confusion)
    if not 1 < len(names) <= MOST_CODES:
        return
    columns = [Column("", "text"), *(Column(name or NOTHING, "count") for name in names)]
    rows: list[list[Cell]] = [
        [name or NOTHING, *(pair.confusion.get(name, {}).get(other, 0) for other in names)] for name in names
    ]
    yield Table("codes", columns, rows, remark=f"Atoms: rows {pair.a}, columns {pair.b}.", shaded=True)


def _verdicts(agreement: Agreement) -> Table:
    """How the units of pairs go together, by verdict."""
    pairs = [(pair, pair.verdicts) for pair in agreement.pairs.values() if pair.verdicts is not None]
    kinds = list(pairs[0][1].counts)
    columns = [Column("verdicts", "text"), *(Column(kind, "count") for kind in kinds)]
    rows: list[list[Cell]] = [[f"{each.a} – {each.b}", *found.counts.values()] for each, found in pairs]
    remark = "FN: only the first of the two has the span; FP: only the second."
    return Table("", columns, rows, remark=remark)


def _codes_met(confusion: Mapping[str, Mapping[str, int]]) -> Sequence[str]:
    return sorted({*confusion, *(name for row in confusion.values() for name in row)})
