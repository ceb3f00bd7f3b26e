"""Reports on agreement and adjudication, as tables; and all figures of an agreement as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from evenhand.agreement.disagreements import Answer
from evenhand.data.overrides import VERDICTS
from evenhand.errors import counted
from evenhand.report.document import ReportDocument, Section
from evenhand.results.agreement import Adjudication, Agreement, PairAgreement
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, TableStyle
from evenhand.tasks.registry import TASKS

NOTHING = "–"
MAX_CODES = 12
"""Maximum size of a confusion matrix."""
MAX_REASONS = 4
"""Maximum number of reasons for undefined figures below a table."""
_ATOMS = {"all": "all", "any": "labeled by any", "every": "labeled by every"}
COEFFICIENTS = {"observed": "observed", "kappa": "kappa", "fleiss": "Fleiss", "alpha": "alpha", "ac1": "AC1"}
UNITIZING = {"u_alpha": "u-alpha", "u_alpha_binary": "|u-alpha", "cu_alpha": "cu-alpha"}


def agreement_document(agreement: Agreement, style: TableStyle) -> ReportDocument:
    documents = sum(agreement.coverage.by_number.values())
    opening = f"{counted(len(agreement.annotators), 'annotator')} on {counted(documents, 'document')}"
    section = Section("", list(summary_of_agreement(agreement, style)))
    return ReportDocument(opening, [section], agreement.notes, agreement.signature, agreement_verdict(agreement))


def agreement_verdict(agreement: Agreement) -> list[str]:
    """The mean score of pairs under the first measure with its interval, alpha, and the pair that agrees least."""
    names, (measure, f1) = agreement.annotators, next(iter(agreement.f1.items()))
    if f1.mean is None:
        return []
    who = (
        f"{names[0]} and {names[1]} have"
        if len(names) == 2
        else f"{counted(len(names), 'annotator')} have, on average,"
    )
    interval, level = agreement.intervals.get(f"f1.{measure}.mean"), 100 * agreement.figures.resampling.level
    bounds = (
        "" if interval is None else f" ({level:g} % interval {100 * interval.low:.2f} to {100 * interval.high:.2f})"
    )
    title = measure if _score_name(agreement) == "agreement" else f"{measure} F1"
    alpha = "" if agreement.alpha is None else f"; Krippendorff's alpha of their codes is {agreement.alpha:.2f}"
    sentences = [f"{who} {100 * f1.mean:.2f} {title}{bounds}{alpha}."]
    scored = {pair: score for pair, figures in agreement.pairs.items() if (score := figures.f1[measure]) is not None}
    if len(scored) > 1:
        (a, b), lowest = min(scored.items(), key=lambda item: item[1])
        sentences.append(f"{a} and {b} agree least: {100 * lowest:.2f}.")
    return [" ".join(sentences)]


def adjudication_document(adjudication: Adjudication, style: TableStyle) -> ReportDocument:
    """The numbers of spans by label before the overrides, by verdict, and after the overrides."""
    number = counted(len(adjudication.overrides), "override")
    files = ", ".join(file.name for file in adjudication.files)
    opening = f"{number} of the gold standard {adjudication.gold} ({files})"
    before, after = adjudication.before, adjudication.after
    columns = [Column("overrides", "text"), *(Column(name, "count") for name in ("before", *VERDICTS, "after"))]
    rows: list[list[Cell]] = [
        [label, before.get(label, 0), *verdicts.values(), after.get(label, 0)]
        for label, verdicts in adjudication.labels.items()
    ]
    rows.append(["overall", sum(before.values()), *adjudication.verdicts.values(), sum(after.values())])
    section = Section("", [DisplayTable("overrides", columns, rows, 1)])
    return ReportDocument(opening, [section], adjudication.notes, adjudication.signature)


def summary_of_agreement(agreement: Agreement, style: TableStyle = PLAIN) -> Iterator[DisplayTable]:
    """Coverage, coefficients, F1, units, labels, pairs; documents and disagreements if requested."""
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
    """Coefficients are not percentages."""
    return NOTHING if value is None else f"{value:.{4 if style.decimals is None else style.decimals}f}"


def _score(value: float | None) -> Cell:
    return NOTHING if value is None else value


def _why(agreement: Agreement, paths: Iterable[str]) -> str:
    """The reasons for undefined figures, without repetitions."""
    reasons = list(dict.fromkeys(agreement.undefined[path] for path in paths if path in agreement.undefined))
    if len(reasons) > MAX_REASONS:
        reasons[MAX_REASONS:] = ["the JSON has further reasons"]
    return f"{NOTHING}: {'; '.join(reasons)}." if reasons else ""


def _coverage(agreement: Agreement) -> DisplayTable:
    unit = TASKS[agreement.figures.task].unit
    columns = [Column("annotator", "text"), Column("documents", "count"), Column(f"{unit}s", "count")]
    rows: list[list[Cell]] = [
        [annotator.name, annotator.documents, annotator.units] for annotator in agreement.figures.annotators
    ]
    numbers = [(number, count) for number, count in agreement.coverage.by_number.items() if count]
    remark = ", ".join(f"{count:,} by {number}" for number, count in numbers)
    return DisplayTable("", columns, rows, remark=f"Documents by number of annotators: {remark}.")


def _codes(agreement: Agreement, style: TableStyle) -> DisplayTable:
    columns = [Column("atoms", "text"), Column("number", "count")]
    columns += [Column(title, "label") for title in COEFFICIENTS.values()]
    rows: list[list[Cell]] = [
        [_ATOMS[name], code.atoms, *(_coefficient(getattr(code, coefficient), style) for coefficient in COEFFICIENTS)]
        for name, code in agreement.codes.items()
    ]
    paths = [f"codes.{name}.{coefficient}" for name in agreement.codes for coefficient in COEFFICIENTS]
    return DisplayTable("codes of atoms", columns, rows, remark=_why(agreement, paths))


def _f1(agreement: Agreement) -> DisplayTable:
    columns = [Column(f"{_score_name(agreement)} of pairs", "text"), Column("mean", "percent"), Column("SD", "percent")]
    rows: list[list[Cell]] = [[name, _score(f1.mean), _score(f1.sd)] for name, f1 in agreement.f1.items()]
    return DisplayTable("", columns, rows, remark=_why(agreement, [f"f1.{name}.mean" for name in agreement.f1]))


def _score_name(agreement: Agreement) -> str:
    """The name of the scores of pairs: F1, or agreement as the share of equal codes."""
    return "F1" if agreement.is_unitized or not agreement.codes else "agreement"


def _units(agreement: Agreement, style: TableStyle) -> DisplayTable:
    figures = agreement.unitizing
    titles = {name: title for name, title in UNITIZING.items() if len(agreement.pairs) == 1 or name != "cu_alpha"}
    titles |= {
        name: title
        for name, title in {"alpha_u": "alpha_U", "gamma": "gamma", "gamma_pairs": "gamma of pairs"}.items()
        if getattr(figures, name) is not None or _unitizing_path(name) in agreement.undefined
    }
    columns = [Column("units", "text"), Column("atoms", "count")]
    columns += [Column(title, "label") for title in titles.values()]
    row: list[Cell] = ["all", figures.atoms, *(_coefficient(getattr(figures, name), style) for name in titles)]
    return DisplayTable("", columns, [row], remark=_why(agreement, map(_unitizing_path, titles)))


def _unitizing_path(name: str) -> str:
    return f"unitizing.{'alpha_U' if name == 'alpha_u' else name}"


def _intervals(agreement: Agreement, style: TableStyle) -> DisplayTable:
    """The intervals of coefficients over all atoms, and of F1."""
    resampling, level = agreement.figures.resampling, 100 * agreement.figures.resampling.level
    titles = {f"codes.all.{name}": title for name, title in COEFFICIENTS.items()}
    titles |= {f"unitizing.{name}": title for name, title in UNITIZING.items()}
    rows: list[list[Cell]] = []
    for path, interval in agreement.intervals.items():
        if path in titles:
            bounds = (_coefficient(bound, style) for bound in (interval.low, interval.high))
            rows.append([titles[path], " – ".join(bounds)])
        elif path.startswith("f1."):
            name = f"{_score_name(agreement)} {path.split('.')[1]}"
            rows.append([name, style.interval((interval.low, interval.high))])
    remark = f"From {counted(resampling.resamples, 'resample')} of the {resampling.of}, seed {resampling.seed}."
    return DisplayTable(f"{level:g}% intervals", [Column("figure", "text"), Column("", "label")], rows, remark=remark)


def _labels(agreement: Agreement, style: TableStyle) -> DisplayTable:
    columns = [Column("label", "text"), *(Column(COEFFICIENTS[name], "label") for name in ("kappa", "fleiss", "alpha"))]
    columns += [Column("F1", "percent"), Column("SD", "percent")]
    rows: list[list[Cell]] = []
    for name, label in agreement.labels.items():
        values = [_coefficient(value, style) for value in (label.kappa, label.fleiss, label.alpha)]
        rows.append([name, *values, _score(label.f1.mean), _score(label.f1.sd)])
    paths = [path for path in agreement.undefined if path.startswith("labels.")]
    weights = [
        sum(annotator.labels.get(name, 0) for annotator in agreement.figures.annotators) for name in agreement.labels
    ]
    return DisplayTable("labels", columns, rows, remark=_why(agreement, paths), weights=weights).folded()


def _pairs(agreement: Agreement, style: TableStyle) -> DisplayTable:
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
    paths = [f"pairs.{a}.{b}.{name}" for a, b in agreement.pairs for name in names]
    return DisplayTable("pairs", columns, rows, remark=_why(agreement, paths))


def _documents(agreement: Agreement, style: TableStyle) -> DisplayTable:
    columns = [Column("document", "text"), Column("annotators", "count"), Column(_score_name(agreement), "percent")]
    columns += [Column("alpha", "label")] if agreement.codes else []
    rows: list[list[Cell]] = []
    for document in agreement.documents.values():
        alpha = [_coefficient(document.alpha, style)] if agreement.codes else []
        rows.append([document.name, document.annotators, _score(document.exact), *alpha])
    endings = (".exact", ".alpha") if agreement.codes else (".exact",)
    paths = [path for path in agreement.undefined if path.startswith("documents.") and path.endswith(endings)]
    return DisplayTable("documents", columns, rows, remark=_why(agreement, paths))


def _disagreements(agreement: Agreement) -> DisplayTable:
    columns = [Column("disagreement", "text"), Column("text", "text")]
    columns += [Column(name, "text") for name in (*agreement.annotators, "accepted")]
    rows: list[list[Cell]] = []
    for conflict in agreement.listed:
        spans = [_spans(conflict.answers[name]) if name in conflict.answers else "" for name in agreement.annotators]
        location = f"{conflict.document}:{conflict.sentence}:{conflict.start}"
        rows.append([location, conflict.text or "", *spans, _spans(conflict.accepted)])
    position = "character" if any(conflict.positions == "characters" for conflict in agreement.listed) else "token"
    remark = f"Document, sentence and first {position}; {NOTHING}: no span; blank: no such document."
    return DisplayTable("", columns, rows, remark=remark)


def _spans(spans: Sequence[Answer]) -> str:
    """Labels and bounds; for spans with gaps, the bounds of all parts."""
    bounds = [span[3] if len(span) > 3 else (span[:2],) for span in spans]
    parts = ["+".join(f"{start}-{end}" for start, end in span_bounds) for span_bounds in bounds]
    return ", ".join(f"{span[2]} {part}" for span, part in zip(spans, parts, strict=True)) or NOTHING


def _confusion(pair: PairAgreement) -> Iterator[DisplayTable]:
    names = sorted({*pair.confusion, *(name for row in pair.confusion.values() for name in row)})
    if not 1 < len(names) <= MAX_CODES:
        return
    columns = [Column("", "text"), *(Column(name or NOTHING, "count") for name in names)]
    rows: list[list[Cell]] = [
        [name or NOTHING, *(pair.confusion.get(name, {}).get(other, 0) for other in names)] for name in names
    ]
    yield DisplayTable("codes", columns, rows, remark=f"Atoms: rows {pair.a}, columns {pair.b}.", shaded=True)


def _verdicts(agreement: Agreement) -> DisplayTable:
    """The error types of pairs, with the first annotator as the reference."""
    pairs = [(pair, pair.verdicts) for pair in agreement.pairs.values() if pair.verdicts is not None]
    columns = [Column("verdicts", "text"), *(Column(kind, "count") for kind in pairs[0][1].counts)]
    rows: list[list[Cell]] = [[f"{pair.a} – {pair.b}", *verdicts.counts.values()] for pair, verdicts in pairs]
    return DisplayTable("", columns, rows, remark="FN: only the first of the two has the span; FP: only the second.")


# Figures as rows


Row = list[str | float | None]
COLUMNS = ("scope", "a", "b", "name", "figure", "value", "low", "high", "undefined")
"""`scope` is all, label, pair or document; `name` is the label or document; `figure` is the path in the JSON."""
_COUNTS = ("atoms", "documents", "annotators")


def agreement_rows(agreement: Agreement) -> Iterator[Row]:
    """All figures, in the order of the JSON."""
    figures = agreement.figures
    overall = {"codes": figures.codes, "f1": figures.f1, "unitizing": figures.unitizing}
    yield from _rows(agreement, overall, ["all", None, None, None], "")
    for label, label_figures in figures.labels.items():
        yield from _rows(agreement, label_figures, ["label", None, None, label], f"labels.{label}.")
    for pair in figures.pairs:
        pair_figures = {"f1": pair.f1, "labels": pair.labels, "codes": pair.codes, "unitizing": pair.unitizing}
        yield from _rows(agreement, pair_figures, ["pair", pair.a, pair.b, None], f"pairs.{pair.a}.{pair.b}.")
    for document in figures.documents:
        yield from _rows(agreement, document, ["document", None, None, document.name], f"documents.{document.name}.")


def _rows(agreement: Agreement, figures: object, keys: Row, prefix: str) -> Iterator[Row]:
    """The numbers of nested figures, without counts and without figures that do not apply."""
    for path, value in _flat(msgspec.to_builtins(figures), ""):
        if path.rpartition(".")[2] in _COUNTS:
            continue
        interval, reason = agreement.intervals.get(prefix + path), agreement.undefined.get(prefix + path)
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        if value is not None or reason is not None:
            yield [*keys, path, value, low, high, reason if value is None else None]


def _flat(figures: object, prefix: str) -> Iterator[tuple[str, float | None]]:
    if isinstance(figures, dict):
        for name, value in figures.items():
            yield from _flat(value, f"{prefix}.{name}" if prefix else name)
    elif figures is None or isinstance(figures, int | float):
        yield prefix, figures
