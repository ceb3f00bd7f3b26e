"""Where results go, and what their tables look like: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.ending import say, wipe_lines
from evenhand.cli.help import WRITING, Decorator, option, with_options
from evenhand.cli.inputs import OUTPUT
from evenhand.cli.options import NAMES
from evenhand.files import write_file
from evenhand.problems import InputError, announced, visible
from evenhand.registry import load

if TYPE_CHECKING:
    from evenhand.result.adjudication import Adjudication
    from evenhand.result.agreement import Agreement
    from evenhand.result.comparison import Comparison
    from evenhand.result.gate import Gate
    from evenhand.result.ranking import Ranking
    from evenhand.result.result import Results
    from evenhand.table_style import TableStyle
    from evenhand.text.annotation import Reading

OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html", "value", "conlleval")
FORMS_BY_SUFFIX = {
    ".txt": "text",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".xml": "junit",
}
"""The forms that names of files ask for, where no --as does."""
FOREIGN = frozenset(
    (
        *(".pdf", ".ps", ".eps", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".bmp"),
        *(".xlsx", ".xls", ".xlsm", ".ods", ".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp"),
        *(".tsv", ".tab", ".yaml", ".yml", ".toml", ".ini", ".rst", ".ipynb", ".py"),
        *(".parquet", ".arrow", ".feather", ".pickle", ".pkl", ".npy", ".npz", ".sqlite", ".db"),
        *(".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".7z", ".tar", ".tgz"),
    )
)
"""Endings of files in formats that are not forms of output; text in such a file misleads its readers."""
STYLED = ("text", "markdown", "latex")
"""The forms whose figures and columns a user may choose."""


def _check_form(ctx: click.Context, parameter: click.Parameter, output: Path | None) -> Path | None:
    """Refuse a name that contradicts --as; whichever of the two options is given last is checked."""
    if output is not None and ctx.params.get("form") is not None:
        check_suffix(output, ctx.params["form"])
    return output


output_option = option(
    WRITING,
    "-o",
    "--output",
    type=OUTPUT,
    metavar="FILE",
    callback=_check_form,
    help="Write to FILE, in the form of its ending (.json, .csv, .md, .tex, .html) unless --as names another.",
)
quiet_option = option(WRITING, "-q", "--quiet", is_flag=True, help="Write only errors to standard error.")
NARROWEST = 80
"""How many columns a terminal is taken to have at least."""
_STYLED_BY = {
    "percent": ("--percent and --fractions", STYLED),
    "decimals": ("--decimals", STYLED),
    "show_columns": ("--show-columns", STYLED),
    "caption": ("--caption", ("latex",)),
    "latex_label": ("--latex-label", ("latex",)),
    "page_columns": ("--columns", ("latex",)),
}
"""What users call the options, and the forms of output that they change."""


_SAID = "evenhand.said"
"""Where a context notes what was said of files."""
RENDERERS = {
    "text": "evenhand.report.text:render",
    "markdown": "evenhand.report.markdown:render",
    "latex": "evenhand.report.latex:render",
    "json": "evenhand.report.json:render",
    "csv": "evenhand.report.csv:render",
    "jsonl": "evenhand.report.jsonl:render",
    "value": "evenhand.report.value:render",
    "conlleval": "evenhand.report.conlleval:render",
    "github": "evenhand.report.github:render",
    "junit": "evenhand.report.junit:render",
    "html": "evenhand.report.table_page:render",
}
"""The functions that render each form of output."""


def form_option(forms: tuple[str, ...]) -> Decorator:
    """--as, with the forms of output that a command has; without it, the name of the output file chooses one."""
    spelled = f"{', '.join(forms[:-1])} or {forms[-1]}"
    help = f"Form of the output: {spelled} [{forms[0]}]."

    def settled(ctx: click.Context, parameter: click.Parameter, form: str | None) -> str:
        output = ctx.params.get("output")  # options that are given come first
        if form is None:
            return _form_by_name(output, forms)
        if output is not None:
            check_suffix(output, form)
        return form

    return option(WRITING, "--as", "form", type=Choice(forms), metavar="FORM", callback=settled, help=help)


def _form_by_name(output: Path | None, forms: tuple[str, ...]) -> str:
    """The form that the name of a file asks for, or the first one; an error if the command does not have it."""
    if output is None:
        return forms[0]
    suffix = output.suffix.lower()
    form = FORMS_BY_SUFFIX.get(suffix, forms[0])
    if form not in forms or suffix in FOREIGN:
        finding = f"its name asks for {suffix.removeprefix('.')}, which this command does not write"
        raise InputError(str(output), None, finding, f"let it end with {_suffixes(forms)}")
    return form


def check_suffix(output: Path, form: str) -> None:
    """Refuse a name that ends like another form or format; .txt, unknown endings and none fit every form."""
    suffix = output.suffix.lower()
    asked = FORMS_BY_SUFFIX.get(suffix, suffix.removeprefix(".") if suffix in FOREIGN else "text")
    if asked in ("text", form):
        return
    finding = f"its name asks for {asked}, but {form} is written to it"
    raise InputError(str(output), None, finding, f"let it end with {_suffixes((form,))}")


def _suffixes(forms: Sequence[str]) -> str:
    """The endings of some forms, one each; forms without their own are text."""
    own = {form: suffix for suffix, form in reversed(FORMS_BY_SUFFIX.items())}
    *others, last = dict.fromkeys(own.get(form, ".txt") for form in forms)
    return f"{', '.join(others)} or {last}" if others else last


def table_options(*, rare: bool = False) -> Decorator:
    """What tables look like, with names as `table_style` takes them; `rare` where a command has many others."""
    return with_options(
        option(
            *(WRITING, "--percent/--fractions"),
            default=None,
            help="Scores as percentages or as fractions [percent].",
            rare=rare,
        ),
        option(*(WRITING, "--decimals"), type=int, help="Decimal places of scores [2; 4 of fractions].", rare=rare),
        option(WRITING, "--show-columns", **NAMES, help="Show only the first column and these.", rare=rare),
        option(WRITING, "--caption", metavar="TEXT", help="Caption of LaTeX tables, which then float.", rare=True),
        option(WRITING, "--latex-label", metavar="TEXT", help="Label of LaTeX tables, for references.", rare=True),
        option(
            *(WRITING, "--columns", "page_columns"),
            type=click.IntRange(1, 2),
            help="Columns of the page that LaTeX tables fit: 1 or 2 [1].",
            rare=True,
        ),
    )


def table_style(options: Mapping[str, Any]) -> TableStyle:
    """The style that was asked for; options that the form of output has no use for are errors."""
    from evenhand.table_style import TableStyle

    for name, (shown, forms) in _STYLED_BY.items():
        if options[name] is not None and options["form"] not in forms:
            raise click.UsageError(f"{shown} can only be used with --as {' or '.join(forms)}")
    return TableStyle(
        percent=options["percent"] is not False,
        decimals=options["decimals"],
        columns=options["show_columns"] or (),
        caption=options["caption"] or "",
        label=options["latex_label"] or "",
        page_columns=options["page_columns"] or 1,
    )


def emit(
    results: Results | Ranking | Comparison | Gate | Agreement | Adjudication,
    form: str,
    path: Path | None,
    *,
    quiet: bool,
    style: TableStyle | None = None,
) -> None:
    """Render the results and write them; notes that a form has no place for go to standard error."""
    render = load(RENDERERS[form])
    fitting = _fitting(style, form, path)
    text: str = render(results, fitting) if form in STYLED else render(results)
    if form in ("csv", "jsonl", "value", "conlleval") and not quiet:
        say_notes(results.notes)
    if fitting.colour:
        wipe_lines()
        click.echo(text, nl=False, color=True)
    else:
        write(text, form, path)


def say_notes(notes: Iterable[str]) -> None:
    """Say notes on standard error."""
    for note in notes:
        say(announced(note))


def write(text: str, form: str, path: Path | None) -> None:
    """Write to a file or, if none is named, show it."""
    if path is None:
        show(text, form)
    else:
        write_file(path, text)


def show(text: str, form: str) -> None:
    """Write to standard output: as it is, or on a terminal with spellings for what would act on it.

    Forms for programs, such as CSV, keep the characters of data.
    """
    wipe_lines()
    if sys.stdout.isatty():
        if form in ("json", "jsonl"):  # where it stays JSON
            text = re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)
        text = "\n".join(map(visible, text.split("\n")))
    click.echo(text, nl=False, color=True)  # without the last one, it would leave out escape sequences in data


def _fitting(style: TableStyle | None, form: str, path: Path | None) -> TableStyle:
    """The style; text on a terminal has colours, and is folded into its width, of 80 columns at least."""
    from evenhand.table_style import PLAIN

    style = style or PLAIN
    if form != "text" or path is not None:
        return style
    is_terminal = sys.stdout.isatty()
    return replace(style, width=_width() if is_terminal else None, colour=_has_colour(is_terminal))


def _width() -> int:
    """The width of the terminal, or what stands for it where it is too narrow for tables."""
    import shutil  # slow to load

    return max(NARROWEST, shutil.get_terminal_size().columns)


def _has_colour(is_terminal: bool) -> bool:
    """Whether text has colours: on a terminal that has them, unless NO_COLOR says no; elsewhere if FORCE_COLOR does."""
    if os.environ.get("NO_COLOR"):
        return False
    is_forced = os.environ.get("FORCE_COLOR", "0") not in ("", "0")
    return is_forced or (is_terminal and os.environ.get("TERM") != "dumb")


def say_readings(results: Results) -> None:
    """Say what each file was taken for, where it was read by another process and so is not said yet."""
    say_reading(results.gold.name, results.gold.reading)
    for each in results.values():
        say_reading(each.name, each.reading)


def say_reading(name: str, reading: Reading) -> None:
    """Say on standard error what a file was taken for, once."""
    said: set[str] = click.get_current_context().meta.setdefault(_SAID, set())
    sentence = f"{name}: {reading}"
    if sentence not in said:
        said.add(sentence)
        say(sentence)
