"""The power of a test set, in sentences and a table."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.errors import counted
from evenhand.report.document import ReportDocument, Section
from evenhand.report.verdict import points, points_alike
from evenhand.results.power import ExpectedPower, PairPower, Power, TextSize
from evenhand.statistics.power import FEWEST, MOST
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, TableStyle

NO_EVIDENCE = "Power at the observed difference is not evidence about the systems: it only restates the p-value."


def power_document(power: Power, style: TableStyle) -> ReportDocument:
    """One pair or one system in sentences; several pairs as a table."""
    if power.system is not None:
        return _document(power, _planned(power), [_expected_table(power)])
    if len(power.pairs) == 1:
        return _document(power, _pair_sentences(power, power.pair), [])
    number = len(power.pairs)
    holm = (
        f"Each test has alpha = {power.alpha:.2g}, that is {number * power.alpha:g} / {number} pairs, the first step "
        "of Holm's correction: the power after all of its steps is at least this."
    )
    return _document(power, iter([f"{_size(power)}, compared by {power.by}", holm, NO_EVIDENCE]), [_pair_table(power)])


def _document(power: Power, sentences: Iterator[str], tables: list[DisplayTable]) -> ReportDocument:
    opening, *others = sentences
    if power.is_rough:
        others.append(f"Rough: {_size(power)} are few, so treat every figure as a guess.")
    sections = [Section(" ".join(others), [])] if others else []
    return ReportDocument(
        opening, [*sections, *([Section("", tables)] if tables else [])], power.notes, power.signature
    )


def _size(power: Power) -> str:
    return counted(power.groups, power.of.removesuffix("s"))


def _planned_size(power: Power) -> str:
    return counted(power.planned, power.of.removesuffix("s"))


def _pair_sentences(power: Power, pair: PairPower) -> Iterator[str]:
    first, second = (
        f"{name} {100 * score:.2f}" for name, score in zip((pair.before, pair.after), pair.scores, strict=True)
    )
    interval = "" if pair.interval is None else f" [{', '.join(points_alike(pair.interval, '+'))}]"
    yield f"{first}, {second}: {points(pair.observed, '+')} points{interval}, {_size(power)}"
    if pair.power is None:
        yield "The two outputs are identical; there is no difference to detect."
        return
    delta = points(abs(pair.delta))
    size = "this test set" if power.planned == power.groups else _planned_size(power)
    if pair.delta:
        percent = f"{100 * pair.power:.0f}"
        yield f"With {size}, a true difference of {delta} points would be significant {percent} times in 100."
    else:
        yield f"The scores are equal, so a test is significant by chance only, {100 * pair.power:.2g} times in 100."
    yield _detectable_sentence(pair.detectable, power)
    yield from _needed(power, pair, delta)
    yield from _by_sentence(pair)
    if pair.mcnemar is not None:
        yield f"McNemar's test would have {100 * pair.mcnemar:.0f} % power if units were independent."
    if pair.simulated is not None:
        yield f"In full simulations, {100 * pair.simulated:.0f} of 100 tests were significant."
    if pair.exaggeration is not None:
        wrong = f"{100 * pair.exaggeration.wrong_sign:.1f} %"
        yield (
            f"With this power, significant differences are {pair.exaggeration.factor:.1f} times the true one on "
            f"average, and {wrong} have the wrong sign."
        )
    if power.delta is None:
        yield NO_EVIDENCE


def _detectable_sentence(detectable: float | None, power: Power) -> str:
    if detectable is None:
        return f"A difference is not detectable with {_planned_size(power)} ({100 * power.target:g} % power)."
    return f"It can detect differences of about {points(detectable)} points or more ({100 * power.target:g} % power)."


def _by_sentence(pair: PairPower) -> Iterator[str]:
    """What sentences would suggest, if documents are resampled."""
    sentences = pair.by_sentence
    if sentences is None or sentences.design_effect is None or sentences.detectable is None or pair.detectable is None:
        return
    is_optimistic = sentences.detectable < pair.detectable
    yield (
        f"Sentences treated as independent would suggest {points(sentences.detectable)} points, "
        f"{'too optimistic' if is_optimistic else 'which is not more optimistic'} (standard deviation "
        f"{points(pair.sd)} points by document, {points(sentences.sd)} by sentence; "
        f"design effect {sentences.design_effect:.1f})."
    )


def _needed(power: Power, pair: PairPower, delta: str) -> Iterator[str]:
    unit, parts = power.of.removesuffix("s"), []
    if pair.needed_size is not None:
        size = pair.needed_size
        times = f"{size.groups / power.groups:.2g} x"
        further = ", ".join(_amounts(size))
        parts.append(
            f"Detecting {delta} points would take {_least_size(size.groups)} {unit}s "
            f"({times}{f': {further}' if further else ''})"
        )
    elif pair.delta:
        guess = "treat this estimate as a guess"
        parts.append(f"Detecting {delta} points would take more than {MOST * power.groups:,} {unit}s; {guess}")
    for size in power.needed_for_width.values():
        assert power.width is not None
        beginning = "an" if parts else "An"
        parts.append(
            f"{beginning} interval of ± {points(power.width)} points would take about {_rounded(size.groups)} {unit}s"
        )
    if parts:
        yield "; ".join(parts) + "."


def _amounts(size: TextSize) -> Iterator[str]:
    """The text of a size in other units."""
    amounts = {"sentences": size.sentences, "tokens": size.tokens, "gold units": size.units}
    return (f"{_rounded(amount)} {name}" for name, amount in amounts.items() if amount is not None)


def _least_size(number: int) -> str:
    """A number of groups that is needed; so few that nothing can be estimated are not counted."""
    return f"fewer than {FEWEST}" if number < FEWEST else f"about {_rounded(number)}"


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
    for size in power.needed_for_width.values():
        assert power.width is not None
        width = points(power.width)
        yield f"An interval of ± {width} points would take about {_rounded(size.groups)} {power.of}."


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
    size = f"> {MOST * power.groups:,}" if row.power is not None else UNDEFINED
    if row.needed_groups is not None:
        size = _size_cell(row.needed_groups)
    detectable = UNDEFINED if row.detectable is None else points(row.detectable)
    return [row.reason, f"{row.correlation:.2g}", detectable, row.power, size]


def _size_cell(groups: int) -> str:
    return f"< {FEWEST}" if groups < FEWEST else _rounded(groups)


def _pair_table(power: Power) -> DisplayTable:
    columns = [
        Column("from", "text"),
        Column("to", "text"),
        Column("difference", "label"),
        Column("power", "share"),
        Column("detectable", "label"),
        Column(f"{power.of} needed", "label"),
        Column("alpha", "label"),
    ]
    columns += [Column("interval", "label")] if power.width is not None else []
    rows: list[list[Cell]] = []
    for pair in power.pairs.values():
        size = UNDEFINED if not pair.delta or pair.is_identical else f"> {MOST * power.groups:,}"
        row: list[Cell] = [pair.before, pair.after, points(pair.observed, "+"), pair.power]
        row += [
            UNDEFINED if pair.detectable is None else points(pair.detectable),
            size if pair.needed_groups is None else _size_cell(pair.needed_groups),
            f"{pair.alpha:.2g}",
        ]
        width = power.needed_for_width.get(f"{pair.before} and {pair.after}")
        rows.append([*row, *([] if width is None else [_rounded(width.groups)])])
    remark = "Difference and detectable: points. Power: %."
    if power.width is not None:
        remark += f" Interval: {power.of} for an interval of ± {points(power.width)} points."
    if power.planned != power.groups:
        remark += f" Power and detectable: with {_planned_size(power)}."
    return DisplayTable("", columns, rows, remark=remark)
