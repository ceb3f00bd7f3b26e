"""Output of commands: forms and styles of results, progress on the terminal, and the options of engines.

Files are written atomically.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import RUNNING, WRITING, Decorator, option, with_options
from evenhand.cli.options import NAMES, OUTPUT, Choice, noted_inputs
from evenhand.cli.process import say, wipe_lines, wiped_before
from evenhand.errors import InputError, announced, visible
from evenhand.files import write_file
from evenhand.registry import load

if TYPE_CHECKING:
    from evenhand.api.check_task import CheckedTask
    from evenhand.data.annotation import Annotation, ReadInfo
    from evenhand.formats.paths import FileList
    from evenhand.formats.storage import AnyPath
    from evenhand.pipeline.run import Engine
    from evenhand.results.agreement import Adjudication, Agreement
    from evenhand.results.causes import Causes
    from evenhand.results.comparison import Comparison, Ranking
    from evenhand.results.confidence import Acceptance, Confidence
    from evenhand.results.gate import Gate
    from evenhand.results.leaderboard import Leaderboard
    from evenhand.results.power import Power
    from evenhand.results.result import Results
    from evenhand.results.summary import Summary
    from evenhand.results.suspects import Suspects
    from evenhand.tables import TableStyle

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
"""The form of output by suffix, without --as."""
FOREIGN = frozenset(
    (
        *(".pdf", ".ps", ".eps", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".bmp"),
        *(".xlsx", ".xls", ".xlsm", ".ods", ".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp"),
        *(".tsv", ".tab", ".yaml", ".yml", ".toml", ".ini", ".rst", ".ipynb", ".py"),
        *(".parquet", ".arrow", ".feather", ".pickle", ".pkl", ".npy", ".npz", ".sqlite", ".db"),
        *(".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".7z", ".tar", ".tgz"),
    )
)
"""Suffixes of other formats, which are refused because text in such a file misleads its readers."""
STYLED = ("text", "markdown", "latex")
"""The forms with options for figures and columns."""
ENGINES = ("serial", "processes", "dask")
_AUTO = "auto"
_PATIENCE = 1.0
"""Seconds before progress is shown."""
_PAUSE = 0.1
"""Seconds between updates of the progress."""
_BAR = 30
_MEGABYTE = 1e6


def _check_form(ctx: click.Context, parameter: click.Parameter, output: Path | None) -> Path | None:
    """Refuse a name that contradicts --as; the check runs for the last of the two options."""
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
    help="Write to FILE, in the format of its suffix (.json, .csv, .md, .tex, .html) unless --as sets another.",
)
quiet_option = option(WRITING, "-q", "--quiet", is_flag=True, help="Write only errors to standard error.")
NARROWEST = 80
"""Minimum width of tables on a terminal."""
_STYLED_BY = {
    "percent": ("--percent and --fractions", STYLED),
    "decimals": ("--decimals", STYLED),
    "show_columns": ("--show-columns", STYLED),
    "signature": ("--signature", ("text",)),
    "caption": ("--caption", ("latex",)),
    "latex_label": ("--latex-label", ("latex",)),
    "page_columns": ("--columns", ("latex",)),
}
"""The names of style options, and the forms of output that they affect."""
_REPORTED = "evenhand.reported"
"""Key under which a context keeps the reported readings of files."""
RENDERERS = {
    "text": "evenhand.report.text:render",
    "markdown": "evenhand.report.text:render_markdown",
    "latex": "evenhand.report.latex:render",
    "json": "evenhand.report.data:render_json",
    "csv": "evenhand.report.data:render",
    "jsonl": "evenhand.report.data:render_jsonl",
    "value": "evenhand.report.text:render_value",
    "conlleval": "evenhand.report.text:render_conlleval",
    "github": "evenhand.report.ci:render_github",
    "junit": "evenhand.report.ci:render",
    "html": "evenhand.report.notebook:render_table_page",
}
"""The rendering function of each form of output."""


def form_option(forms: tuple[str, ...]) -> Decorator:
    """--as, with the forms of a command; by default, the name of the output file decides."""
    help = f"Output format: {', '.join(forms[:-1])} or {forms[-1]} [{forms[0]}]."

    def settled(ctx: click.Context, parameter: click.Parameter, form: str | None) -> str:
        output = ctx.params.get("output")  # click processes specified options first
        if form is None:
            return _form_by_name(output, forms)
        if output is not None:
            check_suffix(output, form)
        return form

    return option(WRITING, "--as", "form", type=Choice(forms), metavar="FORM", callback=settled, help=help)


def _form_by_name(output: Path | None, forms: tuple[str, ...]) -> str:
    """The form of a file's suffix, or the first form; an error if the command does not have the form."""
    if output is None:
        return forms[0]
    suffix = output.suffix.lower()
    form = FORMS_BY_SUFFIX.get(suffix, forms[0])
    if form not in forms or suffix in FOREIGN:
        finding = f"this command does not write {suffix.removeprefix('.')}"
        raise InputError(str(output), None, finding, f"use a name ending in {_suffixes(forms)}")
    return form


def check_suffix(output: Path, form: str) -> None:
    """Refuse the suffix of another form or format; .txt, unknown suffixes and none fit every form."""
    suffix = output.suffix.lower()
    expected = FORMS_BY_SUFFIX.get(suffix, suffix.removeprefix(".") if suffix in FOREIGN else "text")
    if expected in ("text", form):
        return
    finding = f"its suffix means {expected}, but {form} would be written"
    raise InputError(str(output), None, finding, f"use a name ending in {_suffixes((form,))}")


def _suffixes(forms: Sequence[str]) -> str:
    """The suffixes of some forms; forms without a suffix are text."""
    by_form = {form: suffix for suffix, form in reversed(FORMS_BY_SUFFIX.items())}
    *others, last = dict.fromkeys(by_form.get(form, ".txt") for form in forms)
    return f"{', '.join(others)} or {last}" if others else last


def table_options(*, rare: bool = False) -> Decorator:
    """Style options for `table_style`; `rare` if a command has many other options."""
    return with_options(
        option(
            WRITING,
            "--percent/--fractions",
            default=None,
            help="Scores as percentages or as fractions [percent].",
            rare=rare,
        ),
        option(WRITING, "--decimals", type=int, help="Decimal places of scores [2; 4 of fractions].", rare=rare),
        option(WRITING, "--show-columns", **NAMES, help="Show only the first column and these.", rare=rare),
        option(
            WRITING,
            "--signature",
            is_flag=True,
            default=None,
            help="Show the whole signature on a terminal; files always have it.",
            rare=True,
        ),
        option(WRITING, "--caption", metavar="TEXT", help="Caption of LaTeX tables, which then float.", rare=True),
        option(WRITING, "--latex-label", metavar="TEXT", help="Label of LaTeX tables, for references.", rare=True),
        option(
            WRITING,
            "--columns",
            "page_columns",
            type=click.IntRange(1, 2),
            help="Columns on the page for LaTeX tables: 1 or 2 [1].",
            rare=True,
        ),
    )


def table_style(options: Mapping[str, Any]) -> TableStyle:
    """The style of the options; options without effect on the form of output are errors."""
    from evenhand.tables import TableStyle

    for name, (flags, forms) in _STYLED_BY.items():
        if options[name] is not None and options["form"] not in forms:
            raise click.UsageError(f"{flags} can only be used with --as {' or '.join(forms)}")
    return TableStyle(
        percent=options["percent"] is not False,
        decimals=options["decimals"],
        columns=options["show_columns"] or (),
        caption=options["caption"] or "",
        label=options["latex_label"] or "",
        page_columns=options["page_columns"] or 1,
        signature=bool(options["signature"]),
    )


def emit(
    results: Results
    | Summary
    | Ranking
    | Comparison
    | Gate
    | Power
    | Causes
    | Confidence
    | Acceptance
    | Suspects
    | Agreement
    | Adjudication
    | Leaderboard
    | CheckedTask,
    form: str,
    path: Path | None,
    *,
    quiet: bool,
    style: TableStyle | None = None,
) -> None:
    """Render the results and write them; notes that a form cannot hold go to standard error."""
    fitting = _fitting(style, form, path)
    text = _rendered(results, form, fitting)
    if form in ("csv", "jsonl", "value", "conlleval") and not quiet:
        say_notes(results.notes)
    _put(text, form, path, fitting)


SECTIONED = ("text", "markdown", "json")
"""The forms in which several results are written below each other."""


def emit_sections(
    what: str, results: Mapping[str, Any], form: str, path: Path | None, *, style: TableStyle | None = None
) -> None:
    """Render the results of data sets or layers: each below its name, or, as JSON, under its name in the key `what`."""
    if form not in SECTIONED:
        things = what.replace("_", " ")
        forms = f"{', '.join(SECTIONED[:-1])} or {SECTIONED[-1]}"
        raise click.UsageError(f"Several {things} are written as {forms}; choose one of the {things}, or another form")
    fitting = _fitting(style, form, path)
    if form == "json":
        from evenhand.report.data import formatted_json

        text = formatted_json({what: {name: result.to_dict() for name, result in results.items()}})
    else:
        text = "\n\n".join(f"# {name}\n\n{_rendered(result, form, fitting)}" for name, result in results.items())
    _put(text, form, path, fitting)


def _rendered(results: Any, form: str, style: TableStyle) -> str:
    render = load(RENDERERS[form])
    text: str = render(results, style) if form in STYLED else render(results)
    return text


def _put(text: str, form: str, path: Path | None, style: TableStyle) -> None:
    if style.colour:
        wipe_lines()
        click.echo(text, nl=False, color=True)
    else:
        write(text, form, path)


def say_notes(notes: Iterable[str]) -> None:
    for note in notes:
        say(announced(note))


def write(text: str, form: str, path: Path | None) -> None:
    """Write to a file or, without one, to standard output."""
    if path is None:
        show(text, form)
    else:
        write_file(path, text)


def show(text: str, form: str) -> None:
    """Write to standard output; on a terminal, control characters are escaped."""
    wipe_lines()
    if sys.stdout.isatty():
        if form in ("json", "jsonl"):  # escapes that keep it valid JSON
            text = re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", text)
        text = "\n".join(map(visible, text.split("\n")))
    click.echo(text, nl=False, color=True)  # without `color`, click would strip escape sequences from data


def _fitting(style: TableStyle | None, form: str, path: Path | None) -> TableStyle:
    """The style with colours, the width of the terminal, at least 80 columns, and a short signature on a terminal."""
    from evenhand.tables import PLAIN

    style = style or replace(PLAIN, signature=False)
    is_terminal, width = form == "text" and path is None and sys.stdout.isatty(), None
    style = replace(style, signature=style.signature or not is_terminal)
    if form != "text" or path is not None:
        return style
    if is_terminal:
        import shutil  # slow to import

        width = max(NARROWEST, shutil.get_terminal_size().columns)
    return replace(style, width=width, colour=_has_colour(is_terminal))


def _has_colour(is_terminal: bool) -> bool:
    """Whether text has colours: on a terminal, unless NO_COLOR is set; elsewhere if FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return False
    is_forced = os.environ.get("FORCE_COLOR", "0") not in ("", "0")
    return is_forced or (is_terminal and os.environ.get("TERM") != "dumb")


def report_readings(results: Results) -> None:
    """Report how each file was read, if another process read it and it is not reported yet."""
    report_reading(results.gold.name, results.gold.reading)
    for result in results.values():
        report_reading(result.name, result.reading)


def report_reading(name: str, reading: ReadInfo) -> None:
    """Report once on standard error how a file was read."""
    reported: set[str] = click.get_current_context().meta.setdefault(_REPORTED, set())
    sentence = f"{name}: {reading}"
    if sentence not in reported:
        reported.add(sentence)
        say(sentence)


class Line:
    """A line of a terminal that is updated in place, and wiped before other output."""

    def __init__(self) -> None:
        self._begin, self._last, self._width = monotonic(), 0.0, 0

    @property
    def is_due(self) -> bool:
        """Whether it is time for an update."""
        now = monotonic()
        return now - self._begin >= _PATIENCE and now - self._last >= _PAUSE

    def show(self, text: str) -> None:
        self._write(f"\r{text}{' ' * (self._width - len(text))}")
        self._width, self._last = len(text), monotonic()

    def wipe(self) -> None:
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


@contextmanager
def _line(*, quiet: bool) -> Iterator[Line | None]:
    """A line on the terminal; None if standard error is not one."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    line = Line()
    with wiped_before(line.wipe):
        try:
            yield line
        finally:
            line.wipe()


@contextmanager
def counter(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A function that shows how many of all `what` are finished; None without a terminal."""
    with _line(quiet=quiet) as line:
        if line is None:
            yield None
            return

        def count(done: int, of: int) -> None:
            if line.is_due:
                line.show(f"{done:,} of {of:,} {what}")

        yield count


class ReadingProgress:
    """Observer that shows how much of all files is read, and reports their formats."""

    def __init__(self, line: Line | None, inputs: Sequence[AnyPath | FileList], *, reports: bool) -> None:
        self._line, self._inputs, self._reports = line, inputs, reports
        self._reached: dict[Path, int] = {}

    @cached_property
    def _size(self) -> int | None:
        """The size of all inputs; None if some are remote or not files."""
        from evenhand.formats.paths import files_of

        files: list[AnyPath | FileList] = []
        for path in self._inputs:
            files += files_of(path) or [path]
        if not all(isinstance(file, Path) and file.is_file() for file in files):
            return None
        return sum(file.stat().st_size for file in files if isinstance(file, Path))

    def on_detected(self, name: str, batch: Annotation) -> None:
        for reading in batch.readings.values() if self._reports else ():
            report_reading(name, reading)

    def on_progress(self, file: Path, offset: int) -> None:
        if self._line is None:
            return
        self._reached[file] = max(offset, self._reached.get(file, 0))
        if self._line.is_due:
            done = sum(self._reached.values())
            self._line.show(f"{done / _MEGABYTE:,.1f} MB read" if self._size is None else _bar(done, self._size))


def _bar(done: int, size: int) -> str:
    """A progress bar; a growing file may exceed it."""
    full = min(_BAR * done // max(size, 1), _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}] {done / _MEGABYTE:,.1f} of {size / _MEGABYTE:,.1f} MB read"


@contextmanager
def show_reading_progress(*, quiet: bool, reports: bool) -> Iterator[None]:
    """Show how much of the command's files is read; with `reports`, also report their formats."""
    from evenhand.formats.source import observe_reading

    reports = reports and not quiet
    with _line(quiet=quiet) as line, observe_reading(ReadingProgress(line, noted_inputs(), reports=reports)):
        yield


def number_of_jobs(value: str) -> int:
    """A number of processes; 0 for one per core."""
    if value == _AUTO:
        return 0
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"{value!r} is not a number of processes; use 1 or more, or {_AUTO}")
    return int(value)


engine_options = with_options(
    option(
        RUNNING,
        "--jobs",
        type=number_of_jobs,
        metavar=f"NUMBER|{_AUTO}",
        help=f"Divide large files and folders among processes; {_AUTO}: one per core, if that is faster [1].",
    ),
    option(RUNNING, "--verbose", is_flag=True, help="Report how --jobs divides the input.", rare=True),
    option(
        RUNNING,
        "--engine",
        type=Choice(ENGINES),
        metavar="NAME",
        help="Run in this process (serial), in several (processes), or file by file on a Dask cluster (dask) [serial].",
        rare=True,
    ),
    option(
        RUNNING,
        "--scheduler",
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster, such as tcp://10.0.0.1:8786 [a local cluster].",
        rare=True,
    ),
    option(
        RUNNING,
        "--cache",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Keep the counts of each pair of files in DIR, and score only new and changed files.",
        rare=True,
    ),
)


@contextmanager
def chosen_engine(options: Mapping[str, Any]) -> Iterator[Engine | None]:
    """The engine of the options, with its cache, and with its progress on the terminal."""
    with _running_engine(options) as engine:
        if options["cache"] is not None:
            from evenhand.engines.cache import cached

            engine = cached(options["cache"], engine, report=None if options["quiet"] else say)
        yield engine


@contextmanager
def _running_engine(options: Mapping[str, Any]) -> Iterator[Engine | None]:
    name, scheduler = options["engine"], options["scheduler"]
    if scheduler is not None and name != "dask":
        raise click.UsageError("--scheduler needs --engine dask")
    jobs = options["jobs"]
    if jobs is not None and name not in (None, "processes"):
        raise click.UsageError("Specify --jobs or --engine, but not both")
    if name == "processes" or (jobs is not None and jobs != 1):
        from evenhand.engines.processes import may_fork, processes

        yield processes(jobs or 0, forks=may_fork(), report=say if options["verbose"] else None)
        return
    if name != "dask":
        yield None
        return
    from evenhand.engines.dask import dask

    with counter("file pairs", quiet=options["quiet"]) as progress:
        yield dask(scheduler=scheduler, progress=progress)
