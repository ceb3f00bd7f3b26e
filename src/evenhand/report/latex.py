"""Tables as LaTeX, with the rules of the booktabs package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from math import ceil
from unicodedata import normalize

from evenhand.dataclass import dataclass
from evenhand.errors import visible
from evenhand.report.document import Section, best_cells, headings, row_texts, selected, without_bars
from evenhand.results.display import Shown, Tabled
from evenhand.tables import PLAIN, Column, Table, TableStyle

# == report/latex_text.py: Escape arbitrary text for LaTeX.


_ESCAPES = {
    **{special: f"\\{special}" for special in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "—": "---",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\ldots{}",
    "\u00a0": "~",
    "¹": r"\textonesuperior{}",
    "²": r"\texttwosuperior{}",
    "³": r"\textthreesuperior{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "¬": r"$\neg$",
    "·": r"$\cdot$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "↔": r"$\leftrightarrow$",
    "⇒": r"$\Rightarrow$",
    **{
        letter: rf"${name}$"
        for letter, name in zip(
            "αβγδκλμρστ",
            (
                *(r"\alpha", r"\beta", r"\gamma", r"\delta", r"\kappa"),
                *(r"\lambda", r"\mu", r"\rho", r"\sigma", r"\tau"),
            ),
            strict=True,
        )
    },
}
_LETTERS = "".join(
    letter for letter in map(chr, (*range(0xA1, 0x180), *range(0x218, 0x21C))) if letter not in "\xadĦħĸĿŀŉŦŧſ"
)
"""What LaTeX knows beyond ASCII without further packages, in fonts of the encoding T1."""
_KNOWN = re.escape("".join(_ESCAPES) + _LETTERS) + "\x20-\x7e"
_PART = re.compile(f"(?P<special>[{re.escape(''.join(_ESCAPES))}])|(?P<ligature>-(?=-)|,(?=,))|(?P<other>[^{_KNOWN}]+)")
DEFINITION = r"\providecommand{\evenhandtext}[2]{\ifdefined\Umathcode#1\else#2\fi}"
"""Characters for XeLaTeX and LuaLaTeX, which take any that their fonts have, and what pdfLaTeX prints instead."""
_PACKAGES = {
    "textcomp": re.compile(r"\\text(quotesingle|asciigrave|(one|two|three)superior)\b"),
    "array": re.compile(r"\\arraybackslash\b"),
    "longtable": re.compile(r"\\begin\{longtable\}"),
}


def escaped(text: str) -> str:
    """Text that shows as it is; a row is one line, so that line feeds are spelled, as other controls are."""
    return _PART.sub(_replaced, visible(normalize("NFC", text)))


def is_known(char: str) -> bool:
    """Whether pdfLaTeX prints a character as it is, not its code."""
    return " " <= char <= "~" or char in _ESCAPES or char in _LETTERS


def _replaced(part: re.Match[str]) -> str:
    if part["special"]:
        return _ESCAPES[part["special"]]
    if part["ligature"]:
        return part["ligature"] + "{}"
    return rf"\evenhandtext{{{part['other']}}}{{{' '.join(f'U+{ord(char):04X}' for char in part['other'])}}}"


def comment(text: str) -> str:
    """Text that LaTeX does not read; it stays on its line."""
    return f"% {visible(text)}".rstrip()


def needs(body: str) -> str:
    """The packages without which this does not compile, or not look right."""
    found = ["{booktabs}", *(f"{{{name}}}" for name, pattern in _PACKAGES.items() if pattern.search(body))]
    printed = "".join(line for line in body.splitlines() if not line.startswith("%"))
    if any(char in _LETTERS for char in printed):
        found.append("[T1]{fontenc}")
    return ", ".join(rf"\usepackage{each}" for each in found)


# == report/latex_width.py: How wide LaTeX prints a text, so that tables are known to fi


_CLASSES = {
    2.8: "!',.:;[]`il|",
    3.4: " -fj",
    4.0: "()Irst",
    4.5: "cez",
    5.0: '0123456789"$*/?^{}~–ago\\',
    5.3: "Jkqvxy",
    5.6: "Sbdhnpu",
    6.3: "LZ",
    6.9: "EFP",
    7.4: "BCRTw",
    7.9: "&+<=>@ADGHKNOQUVXY",
    8.4: "#%m",
    10.3: "MW",
}
"""Points that characters take at 10 points in Computer Modern, which is wider than the fonts of most classes."""
_POINTS = {char: points for points, chars in _CLASSES.items() for char in chars}
_OTHER, _CODE = 7.9, 44.0
"""The points of other characters that LaTeX knows, and those of a code such as U+4EBA, which stands for all others."""
FONTS = {None: 1.095, 9: 0.925, 8: 0.85, 7: 0.797}
"""Sizes of type, by how wide 10 points are in them: that of the document (11 points or less), then smaller ones."""
BOLD = 1.16
"""How much wider bold type is."""
_MOST_TOGETHER = 110.0
"""How many points stay together, at 10 points; what is wider may break anywhere."""
_PIECE = re.compile(r"[^\s/.:_,-]+[/.:_,-]*\s*|[/.:_,-]+\s*|\s+")


def text_width(text: str) -> float:
    """Points that a text takes, set in 10 points."""
    return sum(map(_width, normalize("NFC", visible(text))))


def _width(char: str) -> float:
    if not is_known(char):
        return _CODE
    return _POINTS.get(char) or _POINTS.get(normalize("NFD", char)[0], _OTHER)


def pieces(text: str) -> Iterator[str]:
    """The parts of a text between which a line may end: words, parts of paths and of long names."""
    for piece in _PIECE.findall(text):
        while text_width(piece.rstrip()) > _MOST_TOGETHER and len(piece) > 1:
            reached = accumulate(map(text_width, piece))
            end = max(1, sum(points <= _MOST_TOGETHER for points in reached))
            yield piece[:end]
            piece = piece[end:]
        yield piece


def folded(text: str, points: float) -> list[str]:
    """A text in lines that are not wider than this, at 10 points, as far as its pieces allow."""
    lines = [""]
    for piece in pieces(text):
        if lines[-1] and text_width((lines[-1] + piece).rstrip()) > points:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


# == report/latex_layout.py: How tables fit onto pages of one or two columns: their type,


_ROOMS = {1: ((345.0, False),), 2: ((219.0, False), (455.0, True))}
"""The widths of lines on pages of so many columns, in points, and whether they go across; as in `article` and ACL."""
_HEIGHT, _LINE = 470.0, 1.2
"""How high a table may be in points, below its caption, and how far lines are apart, by the size of their type."""
_GAP, SMALL_GAP, _INDENT = 12.0, 6.0, 20.0
"""Points between columns in the type of the document, and in smaller type; how far paragraphs are indented at most."""
_LEAST = 80.0
"""How wide a column of broken text is at least, at 10 points."""
_LEAST_HEADINGS = {True: 60.0, False: 30.0}
"""How wide the headings of columns of text and of numbers may always be, at 10 points."""


@dataclass(frozen=True)
class Grid:
    """The texts of a table; `rule` is the first row that sums up."""

    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[bool]
    """Which columns stand on the left."""
    breakable: Sequence[bool]
    """Which columns are words, not numbers."""
    bold: frozenset[tuple[int, int]] = frozenset()
    rule: int | None = None

    @property
    def keys(self) -> int:
        """How many columns say what a row is: the first, and the second if it is text too."""
        return 1 + any(self.left[1:2])

    def with_columns(self, kept: Sequence[int]) -> Grid:
        bold = {(row, kept.index(place)) for row, place in self.bold if place in kept}
        return Grid(
            [self.names[place] for place in kept],
            [[row[place] for place in kept] for row in self.rows],
            [self.left[place] for place in kept],
            [self.breakable[place] for place in kept],
            frozenset(bold),
            self.rule,
        )

    def with_rows(self, begin: int, end: int) -> Grid:
        bold = {(row - begin, place) for row, place in self.bold if begin <= row < end}
        rule = None if self.rule is None or not begin < self.rule < end else self.rule - begin
        return replace(self, rows=self.rows[begin:end], bold=frozenset(bold), rule=rule)

    @cached_property
    def widths(self) -> list[list[float]]:
        """Of all cells, at 10 points."""
        return [
            [text_width(text) * (BOLD if (number, place) in self.bold else 1) for place, text in enumerate(row)]
            for number, row in enumerate(self.rows)
        ]

    @cached_property
    def cell_widths(self) -> list[float]:
        """Of the widest cell of each column."""
        return [max((row[place] for row in self.widths), default=0.0) for place in range(len(self.names))]

    @cached_property
    def piece_widths(self) -> list[float]:
        """Of the widest piece of each column that cannot be broken."""
        columns = zip(self.names, *self.rows, strict=True)
        found = ((text_width(piece.rstrip()) for text in column for piece in pieces(text)) for column in columns)
        return [max(each, default=0.0) for each in found]


@dataclass(frozen=True)
class Layout:
    """How a grid is set."""

    font: int | None
    """The size of its type, where it is not that of the document."""
    across: bool
    """Whether it goes across both columns of a page."""
    headings: Sequence[Sequence[str]]
    """Their lines."""
    is_broken: Sequence[bool]
    """Which columns have texts in lines."""
    others: int
    """The points that everything but those columns takes."""
    heights: Sequence[float]
    """Of the rows, in points."""

    @property
    def is_high(self) -> bool:
        """Whether it does not fit onto one page."""
        return sum(self.heights) > _HEIGHT


def parts(grid: Grid, columns: int) -> Iterator[tuple[Grid, Layout]]:
    """The grid, divided until each part fits onto a page of so many columns.

    On pages of one column, tables that are too high may break, so only those of two are divided by rows.
    """
    found = _layout(grid, columns)
    if found is None:
        for kept in _columns(grid, columns):
            yield from parts(grid.with_columns(kept), columns)
    elif columns == 1 or not found.is_high:
        yield grid, found
    else:
        for begin, end in _divided(found.heights):
            heights = found.heights[begin:end]
            yield grid.with_rows(begin, end), replace(found, heights=heights)


def _columns(grid: Grid, columns: int) -> Iterator[Sequence[int]]:
    """The columns of parts that fit, about as many in each; those that say what a row is are in all."""
    names = range(len(grid.names))
    keys = grid.keys
    fitting = (end for end in names[keys + 1 :] if _layout(grid.with_columns(names[:end]), columns))
    most = max(fitting, default=keys + 1) - keys
    size = ceil((len(names) - keys) / ceil((len(names) - keys) / most))
    for begin in range(keys, len(names), size):
        yield [*names[:keys], *names[begin : begin + size]]


def _divided(heights: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Ranges of rows of about the same height, none of them too high."""
    share = sum(heights) / ceil(sum(heights) / (0.9 * _HEIGHT))
    numbers = [
        int((reached - height / 2) // share) for reached, height in zip(accumulate(heights), heights, strict=True)
    ]
    for number in dict.fromkeys(numbers):
        begin = numbers.index(number)
        yield begin, begin + numbers.count(number)


def _layout(grid: Grid, columns: int) -> Layout | None:
    """The best way to set a grid in one piece; what cannot be divided must do, however wide it is."""
    plain = _natural(grid, None, [[name] for name in grid.names])
    layouts = [plain, *(_natural(grid, font, _headings(grid)) for font in FONTS)]
    for room, across in _ROOMS[columns]:
        for layout in layouts:
            if sum(_widths(grid, layout)) <= room - _around(layout):
                return replace(layout, across=across)
        for layout in layouts:
            broken = _broken_latex_layout(grid, layout, room - _around(layout))
            if broken is not None:
                return replace(broken, across=across)
    return replace(layout, across=across) if len(grid.names) <= grid.keys + 1 else None


def _around(layout: Layout) -> float:
    """The points of a line that columns cannot have."""
    gaps = len(layout.headings)
    return gaps * SMALL_GAP if layout.font else gaps * _GAP + _INDENT


def _broken_latex_layout(grid: Grid, natural: Layout, room: float) -> Layout | None:
    """The grid in a line of this width, with broken texts; None if that is too narrow."""
    font, widths = natural.font, _widths(grid, natural)
    least = {
        place: max(_LEAST, piece) * FONTS[font]
        for place, piece in enumerate(grid.piece_widths)
        if grid.breakable[place] and widths[place] > _LEAST * FONTS[font]
    }
    fixed = sum(width for place, width in enumerate(widths) if place not in least)
    broken, share = _shares({place: widths[place] for place in least}, room - fixed)
    if not broken or any(least[place] > share for place in broken):
        return None
    others = _around(natural) + sum(width for place, width in enumerate(widths) if place not in broken)
    return replace(
        natural,
        headings=[[name] if place in broken else natural.headings[place] for place, name in enumerate(grid.names)],
        is_broken=[place in broken for place in range(len(grid.names))],
        others=ceil(others),
        heights=[
            height * max(ceil(1.1 * row[place] * FONTS[font] / share) for place in broken)
            for height, row in zip(natural.heights, grid.widths, strict=True)
        ],
    )


def _natural(grid: Grid, font: int | None, headings: Sequence[Sequence[str]]) -> Layout:
    """The grid in columns as wide as they need to be."""
    height = _LINE * (font or 11)
    return Layout(font, False, headings, [False] * len(headings), 0, [height] * len(grid.rows))


def _headings(grid: Grid) -> list[list[str]]:
    """The lines of headings that are about as wide as their columns."""
    columns = zip(grid.names, grid.cell_widths, grid.left, strict=True)
    return [folded(name, max(width, _LEAST_HEADINGS[left])) for name, width, left in columns]


def _widths(grid: Grid, layout: Layout) -> list[float]:
    return [
        FONTS[layout.font] * max(width, *map(text_width, lines))
        for width, lines in zip(grid.cell_widths, layout.headings, strict=True)
    ]


def _shares(widths: Mapping[int, float], room: float) -> tuple[Sequence[int], float]:
    """The columns that must be broken to fit into the room, and what each of them gets; narrow ones stay whole."""
    places = sorted(widths, key=lambda place: widths[place])
    for number, place in enumerate(places):
        share = room / (len(places) - number)
        if widths[place] > share:
            return places[number:], share
        room -= widths[place]
    return (), 0.0


# == report/latex.py (primary)


_MOST_FLOATS = 16
"""How many floating tables may wait for a place; LaTeX stops at some number of them."""


def render(subject: Shown | Tabled, style: TableStyle = PLAIN) -> str:
    """The whole report as tabulars, with the rest as comments; the best of several systems are bold."""
    style = replace(style, marks=True)
    shown = selected(subject, style)
    floats = bool(style.caption or style.label)
    body: list[str] = []
    number = 0
    for section in shown.sections:
        body += ["", comment(section.heading)] if section.heading else []
        for table in section.tables:
            if floats:
                for each in _floating(table, section, style, number):
                    body += ["", r"\clearpage"] if number and number % _MOST_FLOATS == 0 else []
                    body += ["", *each]
                    number += 1
            else:
                body += ["", r"\bigskip"] if number else []
                body += ["", *lines(table, style)]
                number += 1
    text = "\n".join(body)
    opening = [*map(comment, (shown.opening, *shown.warnings)), f"% needs {needs(text)}"]
    opening += [DEFINITION] if r"\evenhandtext{" in text else []
    notes = map(comment, shown.remarks)
    return "\n".join([*opening, text, "", *notes, comment(shown.signature)]) + "\n"


def lines(table: Table, style: TableStyle = PLAIN) -> list[str]:
    """Tabulars with text left and numbers right, a rule before the rows that sum up, and the remark as a paragraph.

    The best scores of systems are bold. What goes across both columns of a page must float.
    """
    shown: list[str] = []
    for grid, layout in parts(_grid(table, style), style.page_columns):
        shown += ["", r"\medskip", ""] if shown else []
        part = _tabular(grid, layout, style)
        shown += [r"\begin{table*}[tp]", r"\centering", *part, r"\end{table*}"] if layout.across else part
    return [*shown, "", escaped(table.remark)] if table.remark else shown


def _floating(table: Table, section: Section, style: TableStyle, before: int) -> Iterator[list[str]]:
    """Tables that LaTeX places and numbers; those after the first say in the caption what they hold."""
    divided = list(parts(_grid(table, style), style.page_columns))
    for number, (grid, layout) in enumerate(divided, 1):
        place = before + number
        named = (section.heading.rstrip(":"), table.title) if place > 1 else ()
        part = f"part {number} of {len(divided)}" if len(divided) > 1 else ""
        more = ", ".join(each for each in (*named, part) if each)
        head = []
        if style.caption:
            head.append(rf"\caption{{{escaped(f'{style.caption} ({more})' if more else style.caption)}}}")
        if style.label:
            head.append(rf"\label{{{style.label}{'' if place == 1 else f'-{place}'}}}")
        is_last = number == len(divided)
        remark = [rf"{{\footnotesize {escaped(table.remark)}\par}}"] if table.remark and is_last else []
        if _breaks(layout, style):
            yield [*_tabular(grid, layout, style, head), *remark]
        else:
            remark = [r"\par\smallskip", *remark] if remark else []
            kind, where = ("table*", "tp") if layout.across else ("table", "htbp")
            body = [r"\centering", *head, *_tabular(grid, layout, style), *remark]
            yield [rf"\begin{{{kind}}}[{where}]", *body, rf"\end{{{kind}}}"]


def _breaks(layout: Layout, style: TableStyle) -> bool:
    """Whether a table goes over several pages, which LaTeX allows on those of one column only."""
    return style.page_columns == 1 and layout.is_high


def _grid(table: Table, style: TableStyle) -> Grid:
    """What the table prints; columns without any content are left out."""
    table = without_bars(table)
    texts = row_texts(table, style)
    summary = len(texts) - table.summary_rows
    grid = Grid(
        headings(table),
        [[_figure(*each) for each in zip(row, table.columns, strict=True)] for row in texts],
        [column.kind == "text" for column in table.columns],
        [column.kind in ("text", "label") for column in table.columns],
        frozenset(best_cells(table, texts)),
        summary if 0 < summary < len(texts) else None,
    )
    full = [place for place in range(len(grid.names)) if place == 0 or not texts or any(row[place] for row in texts)]
    return grid.with_columns(full)


def _figure(text: str, column: Column) -> str:
    """A cell; those of figures have minus signs, not hyphens."""
    return text if column.kind == "text" else re.sub(r"(?<![\w-])-(?=\d)", "−", text)


def _tabular(grid: Grid, layout: Layout, style: TableStyle, head: Sequence[str] = ()) -> list[str]:
    """The rows between rules, which may go over pages where they are many; `head` stands above those."""
    kind = "longtable" if _breaks(layout, style) else "tabular"
    shown = [rf"\begin{{{kind}}}{{{_alignment(grid, layout)}}}"]
    shown += ["".join(head) + r" \\"] if head else []
    names = [_heading(text, left=left) for text, left in zip(layout.headings, grid.left, strict=True)]
    shown += [r"\toprule", _row(names), r"\midrule"]
    shown += [r"\endhead"] if kind == "longtable" else []
    for number, row in enumerate(grid.rows):
        shown += [r"\midrule"] if number == grid.rule else []
        cells = [_broken(text) if broken else escaped(text) for text, broken in zip(row, layout.is_broken, strict=True)]
        shown.append(
            _row([rf"\textbf{{{cell}}}" if (number, at) in grid.bold else cell for at, cell in enumerate(cells)])
        )
    shown += [r"\bottomrule", rf"\end{{{kind}}}"]
    if layout.font is None:
        return shown
    small = rf"\fontsize{{{layout.font}}}{{{1.2 * layout.font:g}}}\selectfont"
    gap = rf"\setlength{{\tabcolsep}}{{{SMALL_GAP / 2:g}pt}}"
    return [rf"{{\noindent{small}{gap}%", *shown[:-1], shown[-1] + "}"]


def _alignment(grid: Grid, layout: Layout) -> str:
    """Numbers right, text left; columns of broken text share what the others leave of the line."""
    part = rf">{{\raggedright\arraybackslash}}p{{\dimexpr(\linewidth-{layout.others}pt)/{sum(layout.is_broken)}\relax}}"
    kinds = zip(layout.is_broken, grid.left, strict=True)
    return "".join(part if broken else "l" if left else "r" for broken, left in kinds)


def _heading(text: Sequence[str], *, left: bool) -> str:
    """The name of a column, on one line or on several."""
    names = r"\\".join(map(escaped, text))
    return names if len(text) == 1 else rf"\shortstack[{'l' if left else 'r'}]{{{names}}}"


def _broken(text: str) -> str:
    """Text, of paths above all, that may break between its pieces."""
    return r"\allowbreak{}".join(map(escaped, pieces(text)))


def _row(cells: Sequence[str]) -> str:
    """One row; a first cell in [ or * would be read as an argument of the command that ended the row before."""
    guard = "{}" if cells[0].lstrip().startswith(("[", "*")) else ""
    return rf"{guard}{' & '.join(cells)} \\"
