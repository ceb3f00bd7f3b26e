"""The power of a test set, in sentences and a table."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.errors import counted
from evenhand.report.document import ReportDocument, Section
from evenhand.results.power import MOST, ExpectedPower, PairPower, Power
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, TableStyle

NO_EVIDENCE = "Power at the observed difference is not evidence about the systems: it only restates the p-value."


def power_document(power: Power, style: TableStyle) -> ReportDocument:
    """One pair or one system in sentences; several pairs as a table."""
    if power.system is not None:
        return _document(power, _planned(power), [_expected_table(power)])
    if len(power.pairs) == 1:
        return _document(power, _pair_sentences(power, power.pair), [])
    level = f"Each test has alpha = {power.alpha:.2g}, the share of one of {len(power.pairs)} pairs."
    return _document(power, iter([f"{_size(power)}, compared by {power.by}", level, NO_EVIDENCE]), [_pair_table(power)])


def _document(power: Power, sentences: Iterator[str], tables: list[DisplayTable]) -> ReportDocument:
    opening, *others = sentences
    if power.is_rough:
        others.append(f"With {_size(power)}, every figure is rough.")
    sections = [Section(" ".join(others), [])] if others else []
    return ReportDocument(
        opening, [*sections, *([Section("", tables)] if tables else [])], power.notes, power.signature
    )


def _size(power: Power) -> str:
    return counted(power.groups, power.of.removesuffix("s"))


def points(value: float, sign: str = "") -> str:
    """A fraction in points, with two digits below one point and one above."""
    number = 100 * value
    return f"{number:{sign}.{2 if abs(number) < 1 else 1}f}"


def detectable_sentence(detectable: float | None, power: Power) -> str:
    """A sentence with the smallest difference that the test set can show."""
    if detectable is None:
        return f"No difference is detectable with {_size(power)}."
    return f"It can detect differences of about {points(detectable)} points or more ({100 * power.target:g} % power)."


def _pair_sentences(power: Power, pair: PairPower) -> Iterator[str]:
    first, second = (
        f"{name} {100 * score:.2f}" for name, score in zip((pair.before, pair.after), pair.scores, strict=True)
    )
    interval = ""
    if pair.interval is not None:
        low, high = (points(bound, "+") for bound in pair.interval)
        interval = f" [{low}, {high}]"
    yield f"{first}, {second}: {points(pair.observed, '+')} points{interval}, {_size(power)}"
    if pair.power is None:
        yield "The two outputs are identical, so there is nothing to detect."
        return
    delta = points(abs(pair.delta))
    size = "this test set" if power.planned == power.groups else counted(power.planned, power.of.removesuffix("s"))
    yield f"With {size}, a true difference of {delta} points would be significant {100 * pair.power:.0f} times in 100."
    yield detectable_sentence(pair.detectable, power)
    yield from _needed(power, pair, delta)
    if pair.by_sentence is not None and pair.detectable is not None:
        yield (
            f"Sentences treated as independent would suggest {points(pair.by_sentence)} points, "
            f"{'too optimistic' if pair.by_sentence < pair.detectable else 'which is not more optimistic'}."
        )
    if pair.mcnemar is not None:
        yield f"McNemar's test of independent units would have {100 * pair.mcnemar:.0f} % power."
    if pair.simulated is not None:
        yield f"In full simulations, {100 * pair.simulated:.0f} of 100 tests were significant."
    if pair.exaggeration is not None:
        wrong = f"{100 * pair.exaggeration.wrong_sign:.1f} %"
        yield (
            f"Of significant results with this power, the difference is {pair.exaggeration.factor:.1f} times the true "
            f"one on average, and {wrong} have the wrong sign."
        )
    if power.delta is None:
        yield NO_EVIDENCE


def _needed(power: Power, pair: PairPower, delta: str) -> Iterator[str]:
    unit, parts = power.of.removesuffix("s"), []
    if pair.needed_groups is not None:
        times = pair.needed_groups / power.groups
        parts.append(
            f"Detecting {delta} points would take about {_rounded(pair.needed_groups)} {unit}s ({times:.2g} x)"
        )
    elif pair.delta:
        parts.append(f"Detecting {delta} points would take more than {MOST * power.groups:,} {unit}s; this is a guess")
    for number in power.needed_for_width.values():
        assert power.width is not None
        beginning = "an" if parts else "An"
        parts.append(f"{beginning} interval of ± {points(power.width)} points would take about {_rounded(number)}")
    if parts:
        yield "; ".join(parts) + "."


def _rounded(number: int) -> str:
    """A number with two significant digits, because the estimate is not more precise."""
    digits = max(0, len(str(number)) - 2)
    return f"{round(number, -digits):,}"


def _planned(power: Power) -> Iterator[str]:
    assert power.delta is not None
    assert power.half_width is not None
    yield f"{power.system} on {_size(power)}: its score is known to ± {points(power.half_width)} points"
    yield "How far another system must be ahead depends on how alike their errors are."
    yield f"The power below is for a difference of {points(power.delta)} points."
    for number in power.needed_for_width.values():
        assert power.width is not None
        width = points(power.width)
        yield f"An interval of ± {width} points would take about {_rounded(number)} {power.of}."


def _expected_table(power: Power) -> DisplayTable:
    columns = [
        Column("the other system", "text"),
        Column("correlation", "label"),
        Column("detectable", "label"),
        Column("power", "share"),
        Column(f"{power.of} needed", "label"),
    ]
    rows = [_expected_row(row, power) for row in power.expected]
    return DisplayTable("", columns, rows, remark="Detectable: points. Power: %.")


def _expected_row(row: ExpectedPower, power: Power) -> list[Cell]:
    size = f"> {MOST * power.groups:,}" if row.needed_groups is None else _rounded(row.needed_groups)
    detectable = UNDEFINED if row.detectable is None else points(row.detectable)
    return [row.reason, f"{row.correlation:.2g}", detectable, row.power, size]


def _pair_table(power: Power) -> DisplayTable:
    columns = [
        Column("from", "text"),
        Column("to", "text"),
        Column("difference", "label"),
        Column("power", "share"),
        Column("detectable", "label"),
        Column(f"{power.of} needed", "label"),
    ]
    rows: list[list[Cell]] = []
    for pair in power.pairs.values():
        size = UNDEFINED if not pair.delta else f"> {MOST * power.groups:,}"
        rows.append(
            [
                pair.before,
                pair.after,
                points(pair.observed, "+"),
                pair.power,
                UNDEFINED if pair.detectable is None else points(pair.detectable),
                size if pair.needed_groups is None else _rounded(pair.needed_groups),
            ]
        )
    return DisplayTable("", columns, rows, remark="Difference and detectable: points. Power: %.")
