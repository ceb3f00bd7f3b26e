"""Tables as LaTeX, with the rules of the booktabs package, that fit pages of one or two columns.

All tables are set in `\\small`. A table that is too wide gets headings on several lines, then shortened
names, then wrapped texts; then it is split by columns. A table that is too long is split by rows. Widths are counted in
characters, so they do not depend on the fonts of the document. Nothing is scaled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate, takewhile
from math import ceil
from unicodedata import normalize

from evenhand.dataclass import dataclass
from evenhand.errors import visible
from evenhand.report.document import Section, best_cells, headings, row_texts, selected, without_bars
from evenhand.results.display import Displayed, WithTables
from evenhand.tables import PLAIN, UNDEFINED, DisplayTable, TableStyle

_TYPE = r"\small\setlength{\tabcolsep}{4pt}"
_OPTION_CLAUSE = re.compile(r" \(--[^)]*\)|;[^;.]*--[a-z][^;.]*")
_OPTION_SENTENCE = re.compile(r"(?:(?<=[.] )|^)[^.;]*--[a-z][^.;]*[.;] ?")
"""Parts of a remark that name options."""
_MAX_FLOATS = 16
"""LaTeX stops if too many floating tables wait for a place."""


def render(subject: Displayed | WithTables, style: TableStyle = PLAIN) -> str:
    """The whole report as tabulars, with the other texts as comments; the best of several systems are bold."""
    style = replace(style, marks=True)
    report = selected(subject, style)
    floats = bool(style.caption or style.label)
    body: list[str] = []
    number = 0
    for section in report.sections:
        body += ["", comment(section.heading)] if section.heading else []
        for table in section.tables:
            if floats:
                for float_lines in _floating(table, section, style, number):
                    body += ["", r"\clearpage"] if number and number % _MAX_FLOATS == 0 else []
                    body += ["", *float_lines]
                    number += 1
            else:
                body += ["", r"\bigskip"] if number else []
                body += ["", *lines(table, style)]
                number += 1
    text = "\n".join(body)
    opening = [*map(comment, (*report.verdict, report.opening, *report.warnings)), f"% needs {needs(text)}"]
    opening += [CODES_COMMAND] if r"\evenhandtext{" in text else []
    return "\n".join([*opening, text, "", *map(comment, report.remarks), comment(report.signature)]) + "\n"


def lines(table: DisplayTable, style: TableStyle = PLAIN) -> list[str]:
    """Centred tabulars with text left and numbers right, a rule before summary rows, and the remark below.

    The best scores of systems are bold. A table that spans both columns of a page must float.
    """
    tabulars: list[str] = []
    parts = _stacked(fit(_grid(table, style), style.page_columns))
    for part in parts:
        remark = _remark(table, parts) if part is parts[-1] else []
        tabulars += [""] if tabulars else []
        if part[0][1].spans_page:
            tabulars += [r"\begin{table*}[tp]", rf"\centering{_TYPE}", *_tabulars(part), *remark, r"\end{table*}"]
        else:
            tabulars += [rf"\begin{{center}}{_TYPE}", *_tabulars(part), *remark, r"\end{center}"]
    return tabulars


def _tabulars(parts: Part) -> Iterator[str]:
    """Parts of one table below each other."""
    for number, (grid, layout) in enumerate(parts):
        yield from [r"\par\medskip"] if number else []
        yield from _tabular(grid, layout)


def _remark(table: DisplayTable, parts: Sequence[Part]) -> list[str]:
    """The text below a table, on its page and in its type, without options of commands, which papers do not have.

    It does not explain columns that are left out.
    """
    if _explains_dashes(table) and not any(UNDEFINED in row for part in parts for grid, _ in part for row in grid.rows):
        return []
    remark = _OPTION_SENTENCE.sub("", _OPTION_CLAUSE.sub("", table.remark)).strip()
    return [r"\par\nopagebreak\smallskip", rf"\parbox{{\linewidth}}{{{escaped(remark)}}}"] if remark else []


def _explains_dashes(table: DisplayTable) -> bool:
    """Whether the remark states why figures are undefined."""
    return table.remark.startswith(f"{UNDEFINED}: ")


def _floating(table: DisplayTable, section: Section, style: TableStyle, before: int) -> Iterator[list[str]]:
    """Floating tables; `before` is the number of earlier tables. Captions after the first name the content."""
    parts = _stacked(fit(_grid(table, style), style.page_columns))
    for number, part in enumerate(parts, before + 1):
        details = [section.heading.rstrip(":"), table.title] if number > 1 else []
        details += [f"part {number - before} of {len(parts)}"] if len(parts) > 1 else []
        more = ", ".join(filter(None, details))
        caption = f"{style.caption} ({more})" if more else style.caption
        kind, position = ("table*", "tp") if part[0][1].spans_page else ("table", "htbp")
        yield [
            rf"\begin{{{kind}}}[{position}]",
            rf"\centering{_TYPE}",
            *([rf"\caption{{{escaped(caption)}}}"] if style.caption else []),
            *([rf"\label{{{style.label}{'' if number == 1 else f'-{number}'}}}"] if style.label else []),
            *([r"\smallskip"] if style.caption else []),
            *_tabulars(part),
            *(_remark(table, parts) if part is parts[-1] else []),
            rf"\end{{{kind}}}",
        ]


# Fitting


_LINES = {1: ((67.0, False),), 2: ((42.0, False), (89.0, True))}
"""Characters per line on pages of one and two columns, and whether that line spans both columns.

The lines are 345, 219 and 455 points wide (`article`, ACL), and a digit takes 5 points in documents of 11 points.
"""
_ROWS = 36
"""Lines of a table on one page, without its caption."""
_GAP = 1.6
"""The space of a column, in characters."""
_MAX_NAME = 20
"""Longer words are shortened if a table is too wide."""
_MIN_WRAPPED = 16.0
_MIN_HEADING = 6
_WIDE = 1.45
"""Width of upper-case letters and of m, w and some signs."""
_BOLD = 1.16
_CODE = 9.0
"""Width of a code such as U+4EBA."""
_WORD = re.compile(r"[^\s/.:_,-]{1,12}[/.:_,-]*\s*|[/.:_,-]+\s*|\s+")
"""Parts of a text between which a line may end: words, and parts of paths and long names."""


@lru_cache(1 << 14)
def fitted_width(text: str) -> float:
    """The estimated width of a text, in digits."""
    wide = sum(char.isupper() or char in "mw%&@+<>=–—…" for char in text)
    return len(text) + (_WIDE - 1) * wide + (_CODE - 1) * sum(not is_known(char) for char in text)


@dataclass(frozen=True)
class LatexGrid:
    """The texts of a table; `rule` is the index of the first summary row."""

    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[bool]
    """Whether each column is left-aligned."""
    wraps: Sequence[bool]
    """Whether each column may be wrapped, because it has words, not numbers."""
    bold: frozenset[tuple[int, int]] = frozenset()
    rule: int | None = None

    @property
    def keys(self) -> int:
        """The number of columns that identify a row: the first, and the second if it is text, too."""
        return 1 + any(self.left[1:2])

    def with_columns(self, kept: Sequence[int]) -> LatexGrid:
        return LatexGrid(
            [self.names[column] for column in kept],
            [[row[column] for column in kept] for row in self.rows],
            [self.left[column] for column in kept],
            [self.wraps[column] for column in kept],
            frozenset((row, kept.index(column)) for row, column in self.bold if column in kept),
            self.rule,
        )

    def with_rows(self, start: int, end: int) -> LatexGrid:
        bold = frozenset((row - start, column) for row, column in self.bold if start <= row < end)
        rule = None if self.rule is None or not start < self.rule < end else self.rule - start
        return replace(self, rows=self.rows[start:end], bold=bold, rule=rule)

    def shortened(self) -> LatexGrid:
        """Long names cut in the middle, in columns whose texts remain distinct."""
        columns = [[row[column] for row in self.rows] for column in range(len(self.names))]
        for number, texts in enumerate(columns):
            short = [re.sub(r"\S+", _shortened, text) for text in texts] if self.wraps[number] else texts
            if len({*short}) == len({*texts}):
                columns[number] = short
        return replace(self, rows=list(map(list, zip(*columns, strict=True))))

    @cached_property
    def cell_widths(self) -> list[float]:
        """The width of each column without its heading."""
        widths = [0.0] * len(self.names)
        for number, row in enumerate(self.rows):
            for column, text in enumerate(row):
                bold = _BOLD if (number, column) in self.bold else 1
                widths[column] = max(widths[column], fitted_width(text) * bold)
        return widths

    def widths(self, names: Sequence[Sequence[str]]) -> list[float]:
        """The widths of columns under these headings."""
        return [max(*map(fitted_width, lines), cells) for lines, cells in zip(names, self.cell_widths, strict=True)]


def _shortened(word: re.Match[str]) -> str:
    text = word[0]
    begin = _MAX_NAME // 3
    return text if len(text) <= _MAX_NAME else f"{text[:begin]}…{text[begin + 1 - _MAX_NAME :]}"


@dataclass(frozen=True)
class LatexLayout:
    spans_page: bool
    """Whether the table spans both columns of a page."""
    headings: Sequence[Sequence[str]]
    """The lines of each heading."""
    wrapped: Sequence[float]
    """The widths of wrapped columns as shares of the line; 0 for others."""
    heights: Sequence[int]
    """The lines of each row."""


def fit(grid: LatexGrid, page_columns: int) -> Iterator[tuple[LatexGrid, LatexLayout]]:
    """The grid in parts that fit onto a page."""
    fitting = _layout(grid, page_columns)
    if fitting is None:
        for kept in _column_groups(grid, page_columns):
            yield from fit(grid.with_columns(kept), page_columns)
        return
    grid, layout = fitting
    total = sum(layout.heights)
    share = total / max(1, ceil(total / _ROWS))
    numbers = [
        int((end - height / 2) // share) for end, height in zip(accumulate(layout.heights), layout.heights, strict=True)
    ]
    for number in dict.fromkeys(numbers or [0]):
        start, size = (numbers.index(number), numbers.count(number)) if numbers else (0, 0)
        yield grid.with_rows(start, start + size), layout


Part = list[tuple[LatexGrid, LatexLayout]]
"""Parts of a table that stay together."""


def _stacked(parts: Iterable[tuple[LatexGrid, LatexLayout]]) -> list[Part]:
    """Parts of a table that fit onto a page together, as one."""
    stacked: list[Part] = []
    for grid, layout in parts:
        rows = sum(len(other.rows) + 2 for other, _ in stacked[-1]) if stacked else _ROWS
        if rows + sum(layout.heights) <= _ROWS and stacked[-1][0][1].spans_page == layout.spans_page:
            stacked[-1].append((grid, layout))
        else:
            stacked.append([(grid, layout)])
    return stacked


def _column_groups(grid: LatexGrid, page_columns: int) -> Iterator[Sequence[int]]:
    """The columns of parts that fit, about equally many in each; all parts have the key columns."""
    columns = range(len(grid.names))
    keys = grid.keys
    fits = (_layout(grid.with_columns(columns[:end]), page_columns) is not None for end in columns[keys + 1 :])
    limit = sum(1 for _ in takewhile(bool, fits))
    size = ceil((len(columns) - keys) / ceil((len(columns) - keys) / limit))
    for start in range(keys, len(columns), size):
        yield [*columns[:keys], *columns[start : start + size]]


def _layout(grid: LatexGrid, page_columns: int) -> tuple[LatexGrid, LatexLayout] | None:
    """The grid, perhaps with shortened names, and its layout in one piece; None if it must be split.

    A single column beside the key columns cannot be split, so it is set at any width.
    """
    plain = [[name] for name in grid.names]
    height = [1] * len(grid.rows)
    gaps = _GAP * len(plain)
    short = grid.shortened()
    for width, spans_page in _LINES[page_columns]:
        for fitting in (grid, short):
            for names in (plain, _folded_headings(fitting)):
                if sum(fitting.widths(names)) + gaps <= width:
                    return fitting, LatexLayout(spans_page, names, [0.0] * len(plain), height)
        wrapped = _wrapped(short, _folded_headings(short), width)
        if wrapped is not None:
            return short, replace(wrapped, spans_page=spans_page)
    if len(plain) > grid.keys + 1:
        return None
    return short, LatexLayout(spans_page, _folded_headings(short), [0.0] * len(plain), height)


def _folded_headings(grid: LatexGrid) -> list[list[str]]:
    headings = []
    for column, name in enumerate(grid.names):
        width = max((len(row[column]) for row in grid.rows), default=0)
        name_lines = [""]
        for word in name.split():
            if name_lines[-1] and len(name_lines[-1]) + 1 + len(word) > max(width, _MIN_HEADING):
                name_lines.append("")
            name_lines[-1] = f"{name_lines[-1]} {word}".strip()
        headings.append(name_lines)
    return headings


def _wrapped(grid: LatexGrid, names: Sequence[Sequence[str]], width: float) -> LatexLayout | None:
    """A layout with the widest texts wrapped; None if the line is too narrow for that."""
    widths = grid.widths(names)
    room = width - _GAP * len(widths) - sum(size for size, wraps in zip(widths, grid.wraps, strict=True) if not wraps)
    texts = sorted((column for column, wraps in enumerate(grid.wraps) if wraps), key=lambda column: widths[column])
    while texts and widths[texts[0]] <= room / len(texts):
        room -= widths[texts.pop(0)]
    if not texts or room / len(texts) < _MIN_WRAPPED:
        return None
    share = room / len(texts)
    heights = [max(ceil(1.15 * fitted_width(row[column]) / share) for column in texts) for row in grid.rows]
    shares = [round(0.98 * share / width, 3) if column in texts else 0.0 for column in range(len(widths))]
    headings = [[name] if column in texts else names[column] for column, name in enumerate(grid.names)]
    return LatexLayout(False, headings, shares, heights)


# Rows and cells


_MINUS = re.compile(r"(?<![\w-])-(?=\d)")


def _grid(table: DisplayTable, style: TableStyle) -> LatexGrid:
    """The texts of a table, without empty columns and columns of figures that the remark explains as undefined."""
    table = without_bars(table)
    texts = row_texts(table, style)
    summary = len(texts) - table.summary_rows
    left = [column.kind == "text" for column in table.columns]
    grid = LatexGrid(
        headings(table),
        [
            [text if is_text else _MINUS.sub("−", text) for text, is_text in zip(row, left, strict=True)]
            for row in texts
        ],
        left,
        [column.kind in ("text", "label") for column in table.columns],
        frozenset(best_cells(table, texts)),
        summary if 0 < summary < len(texts) else None,
    )
    nothing = ("", UNDEFINED) if _explains_dashes(table) else ("",)

    def is_shown(column: int) -> bool:
        blank = ("",) if left[column] else nothing
        return column == 0 or not texts or any(row[column] not in blank for row in texts)

    return grid.with_columns([column for column in range(len(grid.names)) if is_shown(column)])


def _tabular(grid: LatexGrid, layout: LatexLayout) -> list[str]:
    alignment = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{share:g}\linewidth}}" if share else "l" if left else "r"
        for share, left in zip(layout.wrapped, grid.left, strict=True)
    )
    names = [_heading(name, left=left) for name, left in zip(layout.headings, grid.left, strict=True)]
    tabular = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", _row(names), r"\midrule"]
    for number, row in enumerate(grid.rows):
        tabular += [r"\midrule"] if number == grid.rule else []
        cells = [
            r"\allowbreak{}".join(map(escaped, _WORD.findall(text))) if share else escaped(text.rstrip(" "))
            for text, share in zip(row, layout.wrapped, strict=True)
        ]
        bold = [rf"\textbf{{{cell}}}" if (number, column) in grid.bold else cell for column, cell in enumerate(cells)]
        tabular.append(_row([cell + _room_for_marks(text) for cell, text in zip(bold, row, strict=True)]))
    return [*tabular, r"\bottomrule", r"\end{tabular}"]


def _room_for_marks(text: str) -> str:
    """Room for the marks that other scores of a column have, so decimals are below each other."""
    missing = len(text) - len(text.rstrip(" "))
    return rf"\phantom{{{'*' * missing}}}" if missing and text.strip() else ""


def _heading(name_lines: Sequence[str], *, left: bool) -> str:
    name = r"\\".join(map(escaped, name_lines))
    return name if len(name_lines) == 1 else rf"\shortstack[{'l' if left else 'r'}]{{{name}}}"


def _row(cells: Sequence[str]) -> str:
    """One row. A first cell in [ or * would be read as an argument of the command that ended the previous row."""
    guard = "{}" if cells[0].lstrip().startswith(("[", "*")) else ""
    return rf"{guard}{' & '.join(cells)} \\"


# Escapes


_TEXT = (
    "\\backslash ~asciitilde ^asciicircum <less >greater |bar 'quotesingle `asciigrave ‘quoteleft ’quoteright "
    "“quotedblleft ”quotedblright ¹onesuperior ²twosuperior ³threesuperior"
)
"""Characters and the names of their commands, without `\\text`."""
_MATH = (
    "±pm ×times ÷div ¬neg ·cdot ≤leq ≥geq ≠neq ≈approx ∞infty →rightarrow ←leftarrow ↔leftrightarrow ⇒Rightarrow "
    "αalpha βbeta γgamma δdelta κkappa λlambda μmu ρrho σsigma τtau"
)
"""Characters and the names of their commands in formulas."""
_ESCAPES = {
    **{special: f"\\{special}" for special in "&%$#_{}"},
    **{command[0]: rf"\text{command[1:]}{{}}" for command in _TEXT.split()},
    **{command[0]: rf"$\{command[1:]}$" for command in _MATH.split()},
    '"': r"\texttt{\char34}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "\u00a0": "~",
    "−": "$-$",
}
_LETTERS = "".join(
    letter for letter in map(chr, (*range(0xA1, 0x180), *range(0x218, 0x21C))) if letter not in "\xadĦħĸĿŀŉŦŧſ"
)
"""Characters beyond ASCII that LaTeX prints without further packages, in T1 fonts."""
_KNOWN = re.escape("".join(_ESCAPES) + _LETTERS) + "\x20-\x7e"
_PART = re.compile(f"(?P<special>[{re.escape(''.join(_ESCAPES))}])|(?P<ligature>-(?=-)|,(?=,))|(?P<other>[^{_KNOWN}]+)")
CODES_COMMAND = r"\providecommand{\evenhandtext}[2]{\ifdefined\Umathcode#1\else#2\fi}"
"""Defines `\\evenhandtext{characters}{codes}`: XeLaTeX and LuaLaTeX print the characters, pdfLaTeX prints the codes."""
_PACKAGES = {
    "textcomp": re.compile(r"\\text(quotesingle|asciigrave|(one|two|three)superior)\b"),
    "array": re.compile(r"\\arraybackslash\b"),
}


def escaped(text: str) -> str:
    """Text that LaTeX prints unchanged; line feeds and other control characters are spelled out."""
    return _PART.sub(_escape, visible(normalize("NFC", text)))


def is_known(char: str) -> bool:
    """Whether pdfLaTeX prints a character as it is, not its code."""
    return " " <= char <= "~" or char in _ESCAPES or char in _LETTERS


def _escape(part: re.Match[str]) -> str:
    if part["special"]:
        return _ESCAPES[part["special"]]
    if part["ligature"]:
        return part["ligature"] + "{}"
    return rf"\evenhandtext{{{part['other']}}}{{{' '.join(f'U+{ord(char):04X}' for char in part['other'])}}}"


def comment(text: str) -> str:
    """A LaTeX comment on one line."""
    return f"% {visible(text)}".rstrip()


def needs(body: str) -> str:
    """The `\\usepackage` commands that the tables need."""
    packages = ["{booktabs}", *(f"{{{name}}}" for name, pattern in _PACKAGES.items() if pattern.search(body))]
    if any(char in _LETTERS for line in body.splitlines() if not line.startswith("%") for char in line):
        packages.append("[T1]{fontenc}")
    return ", ".join(rf"\usepackage{package}" for package in packages)
