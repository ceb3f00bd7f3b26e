"""Confidences of systems and thresholds with a guarantee, in sentences, tables and rows."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.errors import counted, plural
from evenhand.report.comparison_tables import p_text
from evenhand.report.document import ReportDocument, Section
from evenhand.results.confidence import (
    SHOWN_PRECISIONS,
    Acceptance,
    BestThreshold,
    Calibration,
    Confidence,
    SystemConfidence,
)
from evenhand.results.table import Kind, Value
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, TableStyle

HOLDS_IF = (
    "The guarantee does not hold if future texts differ from these, or if the threshold was also tuned on them. "
    "Nor does it hold if the system has seen these texts, or if deviations from the gold standard are not real errors."
)


def confidence_document(confidence: Confidence, style: TableStyle) -> ReportDocument:
    """The summary of all systems, then sentences and tables of each."""
    gold = confidence.gold
    sizes = f"{counted(gold.units, confidence.unit)}, {counted(confidence.groups, confidence.of.removesuffix('s'))}"
    opening = f"gold standard {gold.name}: {sizes}; measure {confidence.match}"
    sections = [Section("", [_summary(confidence), *_differences(confidence, style)])]
    for system in confidence.systems.values():
        tables = [] if system.calibration is None else [_bins(system.calibration)]
        if confidence.by_label:
            tables.append(_labels(system))
        heading = f"{system.name}: {' '.join(sentences(system))}"
        sections.append(Section(heading, tables))
    return ReportDocument(opening, sections, confidence.notes, confidence.signature)


def f_name(beta: float) -> str:
    return "F1" if beta == 1 else f"F{beta:g}"


def sentences(system: SystemConfidence) -> Iterator[str]:
    """The result in sentences."""
    best = system.best_threshold
    if not system.units:
        yield "The system has no units."
        return
    if best.threshold is not None:
        yield best_sentence(best)
    elif system.scores is not None:
        yield f"All scores are {system.scores[0]:g}, so no threshold can be chosen."
    if system.recall_at(0.95):
        yield f"At 95 % precision, recall is {100 * system.recall_at(0.95):.1f} %."
    else:
        highest = 100 * float(system.curve.precision.max(initial=0.0))
        yield f"Precision does not reach 95 %; the highest is {highest:.1f} %."
    if system.calibration is not None:
        yield calibration_sentence(system.calibration)


def best_sentence(best: BestThreshold) -> str:
    name, score = f_name(best.beta), f"{100 * best.f:.1f}"
    if best.chosen_on is not None:
        return f"At threshold {best.threshold:.3g}, chosen on {best.chosen_on}, {name} is {score}{_interval(best)}."
    fitted = "" if best.cross_fitted is None else f" ({100 * best.cross_fitted:.1f} cross-fitted{_interval(best)})"
    return f"{name} is highest at threshold {best.threshold:.3g}: {score}{fitted}."


def _interval(best: BestThreshold) -> str:
    if best.interval is None:
        return ""
    low, high = best.interval
    return f" [{100 * low:.1f}, {100 * high:.1f}]"


def calibration_sentence(calibration: Calibration) -> str:
    """Whether confidences are too high, and ECE with its chance level."""
    points = 100 * calibration.overconfidence
    ece = f"ECE is {calibration.ece:.3f} (up to {calibration.by_chance:.3f} may be due to chance)"
    if abs(points) < 0.05:
        return f"Scores are right on average; {ece}."
    return f"Scores are {'over' if points > 0 else 'under'}confident by {abs(points):.1f} points; {ece}."


def _summary(confidence: Confidence) -> DisplayTable:
    systems = list(confidence.systems.values())
    name = f_name(systems[0].beta)
    recalls = [f"R at P ≥ {100 * at:g}" for at in SHOWN_PRECISIONS]
    columns = [
        Column("system", "text"),
        Column("AP", "percent"),
        Column("reach", "percent"),
        *([Column("macro AP", "percent")] if confidence.by_label else []),
        Column(f"best {name}", "percent"),
        Column("cross-fitted", "percent"),
        Column("threshold", "label"),
        *(Column(recall, "percent") for recall in recalls),
        Column("AURC", "percent", is_best_low=True),
        Column("E-AURC", "percent", is_best_low=True),
    ]
    rows: list[list[Cell]] = []
    for system in systems:
        best = system.best_threshold
        rows.append(
            [
                system.name,
                system.ap,
                system.reach,
                *([system.macro_ap] if confidence.by_label else []),
                best.f,
                best.cross_fitted,
                UNDEFINED if best.threshold is None else f"{best.threshold:.3g}",
                *(system.recall_at(at) for at in SHOWN_PRECISIONS),
                system.aurc,
                system.eaurc,
            ]
        )
    remark = "AP is at most reach, the recall of all units. R at P: the highest recall with at least this precision."
    return DisplayTable("", columns, rows, remark=remark)


def _differences(confidence: Confidence, style: TableStyle) -> Iterator[DisplayTable]:
    """The tested differences in AP, if there are several systems."""
    if confidence.differences:
        columns = [Column("from", "text"), Column("to", "text")]
        columns += [Column(name, "label") for name in ("AP difference", "p", "p (Holm)")]
        rows: list[list[Cell]] = [
            [one.first, one.second, style.score(one.difference, "+"), p_text(one.p), p_text(one.p_holm)]
            for one in confidence.differences
        ]
        remark = f"p: approximate randomization of {confidence.of} with their ranked confidences."
        yield DisplayTable("", columns, rows, remark=remark)


def _bins(calibration: Calibration) -> DisplayTable:
    columns = [
        Column("calibration", "text"),
        Column("units", "count"),
        Column("mean score", "percent"),
        Column("correct", "percent"),
    ]
    rows: list[list[Cell]] = [
        [f"bin {number}", units, mean, hits] for number, (units, mean, hits) in enumerate(calibration.bins, 1)
    ]
    rows.append(["all", calibration.units, calibration.mean, calibration.accuracy])
    figures = (
        f"ECE {calibration.ece:.4f} (over {calibration.over:.4f}, under {calibration.under:.4f}), "
        f"largest gap {calibration.mce:.4f}, Brier score {calibration.brier:.4f}."
    )
    return DisplayTable("", columns, rows, remark=figures)


def _labels(system: SystemConfidence) -> DisplayTable:
    columns = [
        Column("label", "text"),
        Column("gold", "count"),
        Column("units", "count"),
        Column("AP", "percent"),
        Column("reach", "percent"),
        Column(f"best {f_name(system.beta)}", "percent"),
        Column("cross-fitted", "percent"),
        Column("interval", "label"),
        Column("threshold", "label"),
        Column("ECE", "percent"),
        Column("by chance", "percent"),
        Column("overconfidence", "percent"),
    ]
    rows: list[list[Cell]] = [
        [
            *(name, label.gold, label.units, label.ap, label.reach, label.best_f, label.best_threshold.cross_fitted),
            _interval(label.best_threshold).strip() or UNDEFINED,
            "common" if label.shares_threshold else UNDEFINED if label.threshold is None else f"{label.threshold:.3g}",
            *(label.ece, None if label.calibration is None else label.calibration.by_chance, label.overconfidence),
        ]
        for name, label in system.labels.items()
    ]
    remark = (
        "Labels with fewer than 50 units use the common threshold. By chance: the ECE that perfect scores may have."
    )
    return DisplayTable("", columns, rows, remark=remark)


CONFIDENCE_COLUMNS: dict[str, Kind] = {
    **dict.fromkeys(("system", "row", "label"), "text"),
    **dict.fromkeys(("gold", "units", "ap", "reach", "f", "cross_fitted", "low", "high", "threshold"), "number"),
    **dict.fromkeys(("aurc", "eaurc", "ece", "overconfidence", "brier"), "number"),
    **dict.fromkeys(("precision", "recall", "f1", "confidence", "correct"), "number"),
}
"""The columns of CSV and data frames: rows `overall`, `label`, `point` (of the curve) and `bin`."""


def confidence_rows(confidence: Confidence) -> Iterator[list[Value]]:
    for system in confidence.systems.values():
        for row in _rows(system):
            yield [row.get(name) for name in CONFIDENCE_COLUMNS]


def _rows(system: SystemConfidence) -> Iterator[dict[str, Value]]:
    curve, calibration = system.curve, system.calibration
    yield {"system": system.name, "row": "overall", **_figures(system)}
    for name, label in system.labels.items():
        yield {"system": system.name, "row": "label", "label": name, **_figures(label)}
    columns = (curve.threshold, curve.predicted, curve.precision, curve.recall, curve.f1)
    for threshold, units, precision, recall, f1 in zip(*(column.tolist() for column in columns), strict=True):
        point = {"threshold": threshold, "units": units, "precision": precision, "recall": recall, "f1": f1}
        yield {"system": system.name, "row": "point", **point}
    for units, mean, hits in () if calibration is None else calibration.bins:
        yield {"system": system.name, "row": "bin", "units": float(units), "confidence": mean, "correct": hits}


def _figures(system: SystemConfidence) -> dict[str, Value]:
    """The figures of a system or a label."""
    best, calibration = system.best_threshold, system.calibration
    low, high = best.interval or (None, None)
    names = ("gold", "units", "ap", "reach", "threshold", "aurc", "eaurc")
    figures: dict[str, Value] = {name: getattr(system, name) for name in names}
    figures |= {"f": best.f, "cross_fitted": best.cross_fitted, "low": low, "high": high}
    return figures | {name: getattr(calibration, name, None) for name in ("ece", "overconfidence", "brier")}


def acceptance_document(acceptance: Acceptance, style: TableStyle) -> ReportDocument:
    """The guarantee in sentences."""
    gold, (opening, *others) = acceptance.gold, acceptance_sentences(acceptance)
    line = f"{acceptance.system} on {gold.name}: {opening}"
    return ReportDocument(line, [Section(" ".join(others), [])], acceptance.notes, acceptance.signature)


def acceptance_sentences(acceptance: Acceptance) -> Iterator[str]:
    level, unit, groups = f"{100 * acceptance.level:g} %", acceptance.unit, acceptance.of
    group = groups.removesuffix("s")
    if acceptance.threshold is None:
        yield "No threshold found."
    if acceptance.kind == "risk":
        sure = f"{100 * acceptance.confidence:g} %"
        if acceptance.threshold is None:
            yield (
                f"A risk of {level} at {sure} confidence needs at least {acceptance.needed:,} accepted units without "
                "an error."
            )
            return
        assert acceptance.wrong is not None
        yield f"Accept {plural(unit)} with a score of at least {acceptance.threshold:.6g}."
        yield f"With {sure} confidence, at most {level} of the accepted {plural(unit)} are wrong."
        share = acceptance.accepted / max(acceptance.units, 1)
        yield (
            f"Here, {acceptance.accepted:,} of {counted(acceptance.units, unit)} are accepted ({100 * share:.1f} %), "
            f"and {acceptance.wrong:,} are wrong ({100 * acceptance.wrong / max(acceptance.accepted, 1):.2f} %)."
        )
        if acceptance.independent:
            yield f"This is exact if units are independent; errors that cluster in {groups} break it."
        else:
            yield (
                f"Errors cluster in {groups} (design effect {acceptance.design_effect:.2f}), so this is an "
                "approximation; exact finite-sample validity holds for independent units only."
            )
    else:
        if acceptance.threshold is None:
            yield f"No threshold misses at most {level} of a {group}'s gold {plural(unit)} with this guarantee."
            return
        yield f"Keep {plural(unit)} with a score of at least {acceptance.threshold:.6g}."
        yield f"In expectation, at most {level} of a new {group}'s gold {plural(unit)} are missed."
        assert acceptance.missed is not None
        yield (
            f"Here, {100 * acceptance.missed:.1f} % are missed on average over {counted(acceptance.documents, group)}, "
            f"and {acceptance.accepted:,} of {counted(acceptance.units, unit)} are kept."
        )
        yield f"This needs exchangeable {groups} only."
    yield HOLDS_IF
