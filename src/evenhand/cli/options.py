"""Options that several commands share: types of values, files, reading, scoring, statistics and tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from glob import glob
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from evenhand.cli.help import (
    COMPARING,
    LISTING,
    READING,
    SCORING,
    STATISTICS,
    WRITING,
    Decorator,
    families,
    option,
    with_options,
)
from evenhand.cli.process import SKIPPABLE, say
from evenhand.files import check_target
from evenhand.formats.format import FORMATS
from evenhand.formats.storage import AnyPath, to_path
from evenhand.parameters import SIDES, TRAIN, Parameter, check_choice, check_numbers
from evenhand.settings import (
    ENCODING_ALIASES,
    ENCODINGS,
    Align,
    PickedAnnotator,
    ReadSettings,
    Repair,
    Resampled,
    column_names,
)
from evenhand.tasks.registry import TASKS, all_parameters, help_of, models_of, task_aliases, tasks_with

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from evenhand.formats.paths import FileList
    from evenhand.pipeline.inputs import Input
    from evenhand.pipeline.run import Engine
    from evenhand.tasks.task import Task

    Known = Callable[[click.Context], Iterable[str]]


STANDARD_OUTPUT = Path("/dev/stdout")
_INPUTS, _OUTPUTS = "evenhand.inputs", "evenhand.outputs"
"""Keys under which a context keeps the files that the command reads and writes."""
INTERVAL_NAMES = ("resamples", "level", "seed", "of")
"""The options of `interval_options`, as keywords of the Python functions."""
STATISTICS_NAMES = ("trials", "interval", *INTERVAL_NAMES)
"""The options of `statistics_options`, as keywords of the Python functions."""


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of several names; the error for an unknown name suggests one. With aliases, case does not matter."""

    def __init__(self, choices: Iterable[str], aliases: Mapping[str, str] | None = None) -> None:
        """`aliases` has, by other name in lower case, the choice that it means."""
        super().__init__(list(choices))
        self._aliases = None if aliases is None else {**aliases, **{name: name for name in self.choices}}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self._aliases is not None and self._aliases.get(value.lower()) in self.choices:
            return self._aliases[value.lower()]
        check_choice(max(param.opts, key=len) if param is not None else "the value", value, tuple(self.choices))
        return value


class Name(click.ParamType):  # type: ignore[type-arg]
    """A name that shells can complete. It is not checked here because valid names may depend on the files."""

    name = "name"

    def __init__(self, known: Known = lambda ctx: ()) -> None:
        """`known` returns the names to complete. It may use the preceding options of the command line."""
        self._known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _items(dict.fromkeys(name for name in self._known(ctx) if name.startswith(incomplete)))


class Names(Name):
    """Names separated by commas, which shells complete one by one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        parts = value.split(",") if isinstance(value, str) else value
        return tuple(part.strip() for part in parts if part.strip())

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete the last name, to a name that does not precede it."""
        preceding, comma, last = incomplete.rpartition(",")
        used = preceding.split(",")
        names = (item.value for item in super().shell_complete(ctx, param, last) if item.value not in used)
        return _items(f"{preceding}{comma}{name}" for name in names)


class Sided(click.ParamType):  # type: ignore[type-arg]
    """VALUE for all files, or gold:VALUE or system:VALUE for one side.

    With `has_names`, also NAME:VALUE for one system.
    """

    name = "sided"

    def __init__(self, value_type: Name | Choice | click.types.StringParamType, *, has_names: bool = False) -> None:
        self._value_type = value_type
        self._has_names = has_names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the side, or None for all files, and the value."""
        if isinstance(value, tuple):  # already converted
            return value
        side, colon, value_of_side = value.partition(":")
        if colon and (side in (*SIDES, TRAIN) or self._has_names):
            return side, self._value_type.convert(value_of_side, param, ctx)
        return None, self._value_type.convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        side, colon, value_of_side = incomplete.partition(":")
        if colon and side in SIDES:
            values = self._value_type.shell_complete(ctx, param, value_of_side)
            return _items(f"{side}:{item.value}" for item in values)
        sides = (f"{name}:" for name in SIDES if name.startswith(incomplete))
        return [*self._value_type.shell_complete(ctx, param, incomplete), *_items(sides)]


def _items(values: Iterable[str]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem  # only needed for completion

    return list(map(CompletionItem, values))


seed_option = option(STATISTICS, "--seed", type=int, default=0, help="Seed of the random numbers.")


def trials_option(default: str, *, rare: bool = False) -> Decorator:
    return option(STATISTICS, "--trials", type=int, help=f"Trials of each test {default}.", rare=rare)


def of_option(default: str, *, groups: bool = False) -> Decorator:
    """`groups`: one document of chains may be tested, too."""
    choices = [*get_args(Resampled), *(["groups"] if groups else [])]
    within = "; groups: test within one document of chains, without intervals" if groups else ""
    help = f"What to resample: documents or sentences{within} [{default}]."
    return option(STATISTICS, "--of", type=Choice(choices), metavar="UNITS", help=help, rare=True)


_OF = "documents, or sentences if documents are too few to test"


def _interval_options(of: Decorator) -> Decorator:
    return with_options(
        option(
            STATISTICS,
            "--resamples",
            type=int,
            default=1_000,
            help="Bootstrap resamples for intervals; 0: no intervals.",
        ),
        option(STATISTICS, "--level", type=float, default=0.95, help="Confidence level of intervals."),
        seed_option,
        of,
    )


def _statistics_options(intervals: Decorator) -> Decorator:
    return with_options(
        trials_option("(0: no tests) [10,000; more for more than 125 pairs]"),
        intervals,
        option(
            STATISTICS,
            "--interval",
            type=Choice(["percentile", "bca"]),
            metavar="KIND",
            default="percentile",
            help="Kind of bootstrap intervals: percentile or bca.",
            rare=True,
        ),
    )


interval_options = _interval_options(of_option(_OF))
"""Options of the intervals of scores."""
statistics_options = _statistics_options(interval_options)
"""Options of tests and of the intervals of differences."""
comparison_options = _statistics_options(_interval_options(of_option(_OF, groups=True)))
"""The same for `compare`, which can also test within one document."""


class FileOrAddress(click.Path):
    """A path, or an address such as s3://bucket/gold.conll, whose slashes a path would normalise."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = to_path(os.fsdecode(super().convert(value, param, ctx)))
        if ctx is not None:
            note_inputs([path], ctx)
        return path


class SystemFile(FileOrAddress):
    """FILE or NAME=FILE. If a file exists whose name is all of NAME=FILE, it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):  # already converted
            return value
        name, equals, file = value.partition("=")
        if not equals or not name.strip() or "://" in name or os.path.lexists(value) or glob(value):
            return super().convert(value, param, ctx)
        if not file:
            raise click.UsageError(f"{value} has no file; write NAME=FILE")
        return {name.strip(): super().convert(os.path.expanduser(file), param, ctx)}


class OutputFile(click.Path):
    """A path to write to, or `-` for standard output. It must not be an input or another output of the command.

    A file that cannot be written is refused before anything is read.
    """

    def __init__(self, *, may_be_folder: bool = False) -> None:
        super().__init__()
        self.may_be_folder = may_be_folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name = os.fsdecode(super().convert(value, param, ctx))
        path = STANDARD_OUTPUT if name == "-" else Path(name)
        if not self.may_be_folder:
            check_target(path)
        if ctx is not None:
            _note_output(path, ctx)
        return path


ENCODING = Choice(ENCODINGS, ENCODING_ALIASES)
INPUT = FileOrAddress()
SYSTEM = SystemFile()
OUTPUT = OutputFile()
OUTPUT_OR_FOLDER = OutputFile(may_be_folder=True)
"""Output of annotations; folders of formats with several files are created."""


def note_inputs(inputs: Iterable[AnyPath | FileList], ctx: click.Context | None = None) -> None:
    """Note inputs of the command. Raise an error if one of them is also an output."""
    meta = (ctx or click.get_current_context()).meta
    added = list(inputs)
    meta[_INPUTS] = [*meta.get(_INPUTS, ()), *added]
    for output in meta.get(_OUTPUTS, ()):
        _refuse_overwriting(output, added)


def noted_inputs() -> list[AnyPath | FileList]:
    """The inputs of the running command."""
    inputs: list[AnyPath | FileList] = click.get_current_context().meta.get(_INPUTS, [])
    return inputs


def _note_output(output: Path, ctx: click.Context) -> None:
    """Note an output of the command. Raise an error if it is also an input or another output."""
    from evenhand.errors import InputError

    others: list[Path] = ctx.meta.setdefault(_OUTPUTS, [])
    if any(os.path.realpath(output) == os.path.realpath(other) for other in others) and not _is_device(output):
        raise InputError(str(output), None, "is specified for two outputs", "use a separate file for each")
    others.append(output)
    _refuse_overwriting(output, ctx.meta.get(_INPUTS, ()))


def _refuse_overwriting(output: Path, inputs: Sequence[AnyPath | FileList]) -> None:
    """Raise an error if an output is one of the inputs."""
    if not output.is_file():
        return
    from evenhand.formats.paths import check_output_not_input

    check_output_not_input(output, inputs)


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def manifest_option(replaced: str, *, rare: bool = False) -> Decorator:
    """The option for a table of files; `replaced` are the arguments that it replaces, and its columns."""
    help = f"Table of files instead of {replaced}"
    return option(SCORING, "--manifest", type=INPUT, metavar="FILE", help=help, rare=rare)


def input_arguments(metavar: str = "SYSTEM...", *, rare: bool = False) -> Decorator:
    """The arguments GOLD and SYSTEM of a command, or a --manifest instead; the help shows `metavar` for SYSTEM."""
    return with_options(
        click.argument("gold", required=False, type=INPUT),
        click.argument("systems", nargs=-1, type=SYSTEM, metavar=metavar),
        manifest_option("GOLD and SYSTEM: a column gold, and one for each system.", rare=rare),
    )


def sides(options: Mapping[str, Any], *, least: int = 1) -> tuple[Input, Sequence[Input] | Mapping[str, Input]]:
    """The gold standard and the systems of a command, as arguments of the Python functions.

    They are the arguments of the command, of which at least `least` must be systems, or the files of a manifest.
    """
    gold = options["gold"]
    systems = options["systems"]
    manifest = options["manifest"]
    if manifest is None:
        if gold is None:
            raise click.UsageError("Specify a GOLD file or a --manifest")
        if options.get("submissions") is not None:
            if systems:
                raise click.UsageError("Specify SYSTEM files or --submissions, but not both")
            from evenhand.api.shared_task import submissions_by_name

            systems = [{name: path} for name, path in submissions_by_name(options["submissions"]).items()]
            note_inputs([path for named in systems for path in named.values()])
        if len(systems) < least:
            raise click.UsageError("Missing argument 'SYSTEM'")
        return gold, _skippable(options, list(systems))
    if gold is not None:
        raise click.UsageError("Specify GOLD and SYSTEM files or a --manifest, but not both")
    from evenhand.formats.paths import manifest as read_manifest

    listed = read_manifest(manifest)
    note_inputs([listed.gold, *listed.systems.values()])
    return listed


def _skippable(options: Mapping[str, Any], systems: list[Any]) -> list[Any]:
    """The submissions of the named folders; those that --skip-broken may leave out are noted."""
    from evenhand.formats.paths import submissions_in

    systems = [system for named in systems for system in (_submissions(named, submissions_in))]
    if options.get("skip_broken") is False:
        names = (next(iter(system.values())) if isinstance(system, dict) else system for system in systems)
        click.get_current_context().meta[SKIPPABLE] = list(map(str, names))
    return systems


def _submissions(system: Any, submissions_in: Callable[[AnyPath], list[AnyPath] | None]) -> list[Any]:
    return [system] if isinstance(system, dict) else submissions_in(system) or [system]


def task_file_options(*, required: bool = False) -> Decorator:
    """The options for a shared task: its file, and the part of it that is used."""
    help = "A shared task instead of GOLD and SYSTEM: data sets, tracks and submissions."
    pattern = "Systems that match a pattern such as 'sub/{team}/{run}/test.conll' or 'sub/{team}.zip!/test.conll'."
    submissions = [] if required else [option(SCORING, "--submissions", metavar="PATTERN", help=pattern, rare=True)]
    return with_options(
        *submissions,
        option(SCORING, "--task-file", type=INPUT, metavar="FILE", required=required, help=help, rare=not required),
        option(SCORING, "--team", metavar="NAME", help="With --task-file: only this team.", rare=not required),
        option(SCORING, "--data", metavar="NAME", help="With --task-file: only this data set.", rare=not required),
        option(SCORING, "--track", metavar="NAME", help="With --task-file: only this track.", rare=not required),
    )


history_options = with_options(
    option(
        SCORING,
        "--history",
        type=OUTPUT,
        metavar="FILE",
        help="With --task-file: append the scores to FILE.",
        rare=True,
    ),
    option(
        SCORING, "--rescore", is_flag=True, help="Also append submissions scored with another gold standard.", rare=True
    ),
    option(
        SCORING, "--withdraw", metavar="TEAM[/RUN]", help="Only mark a submission as withdrawn in --history.", rare=True
    ),
    option(SCORING, "--date", metavar="DATE", help="Date of new lines, such as 2027-03-01T14:02:11Z [now].", rare=True),
)
"""Options of `score` for a history."""


def skip_option(*, rare: bool = True) -> Decorator:
    help = "Skip systems that cannot be scored, and list them."
    return option(SCORING, "--skip-broken", is_flag=True, help=help, rare=rare)


query_options = with_options(
    option(
        WRITING,
        "--tallies",
        type=OUTPUT,
        metavar="FILE",
        help="Write the counts of the scores to this .parquet or .arrow file.",
    ),
    option(
        WRITING,
        "--groups",
        type=Choice(["total", "document", "sentence"]),
        metavar="UNIT",
        help="Count --tallies in total, by document or by sentence [total].",
        rare=True,
    ),
    option(
        WRITING,
        "--verdicts",
        type=OUTPUT,
        metavar="FILE",
        help="Write the verdict for each unit to this .parquet or .arrow file.",
    ),
)


def slice_options(section: str, *, are_rare: bool = False) -> Decorator:
    """The options that name slices. With `are_rare`, the short help has only the option for tables."""
    names = tuple(dict.fromkeys(name for task in TASKS.values() for name in task.comparison.all_slices))
    return with_options(
        option(
            section,
            "--slice",
            "slice_names",
            type=Names(lambda ctx: names),
            metavar="NAME,...",
            default=(),
            help=f"Slices: {', '.join(names)}, a column or JSON field of GOLD; with bins: length=1,2,3+, year=q4.",
            rare=are_rare,
        ),
        option(
            section,
            "--slices",
            "slice_tables",
            type=INPUT,
            multiple=True,
            metavar="TABLE",
            help="CSV, TSV or JSON lines with a column of document ids; every other column is a slice. Repeatable.",
        ),
        option(
            section,
            "--vocabulary",
            type=INPUT,
            metavar="FILE",
            help="For the slice vocabulary: a file with one word or phrase per line.",
            rare=True,
        ),
        *training_options(section),
    )


units_option = option(
    LISTING,
    "--units",
    type=Choice(["all", "gold", "system"]),
    default="all",
    metavar="SIDE",
    help="all; gold: only units of GOLD, so errors are misses; system: only units of SYSTEM.",
)
"""Which units are searched for causes."""


def training_options(section: str) -> tuple[Decorator, ...]:
    """The options for training data."""
    return (
        option(
            section,
            "--train",
            "train",
            type=INPUT,
            multiple=True,
            metavar="FILE",
            help="Training data of the systems, for slices such as seen and oov and for a leakage note. Repeatable.",
            rare=True,
        ),
        option(
            section,
            "--drop-leaked",
            is_flag=True,
            help="Exclude test sentences that occur in the training data.",
            rare=True,
        ),
    )


def training_keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `training_options`, as keywords of the Python functions."""
    return {"train": list(options["train"]), "drop_leaked": options["drop_leaked"]} if options["train"] else {}


def slice_keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `slice_options`, as keywords of the Python functions."""
    slices = list(options["slice_tables"])
    if options["slice_names"]:
        slices.insert(0, ",".join(options["slice_names"]))
    if options["drop_leaked"] and not options["train"]:
        raise click.UsageError("--drop-leaked needs --train")
    keywords = {"vocabulary": options["vocabulary"]} | training_keywords(options)
    return keywords | {"slices": slices} if slices else keywords


def query_choices(options: Mapping[str, Any], engine: Engine | None) -> dict[str, Any]:
    """The options of `query_options`, as keywords of `score`; file names are checked before anything is read."""
    if options["groups"] and options["tallies"] is None:
        raise click.UsageError("--groups needs --tallies")
    keywords: dict[str, Any] = {"engine": engine}
    if options["groups"]:
        keywords["groups"] = options["groups"]
    if options["tallies"] is None and options["verdicts"] is None:
        return keywords
    from evenhand.formats.arrow import arrow
    from evenhand.formats.arrow_write import table_format

    arrow.load()
    for name in ("tallies", "verdicts"):
        if options[name] is not None:
            table_format(options[name])
    if options["verdicts"] is not None:
        if engine is not None:
            raise click.UsageError("--verdicts cannot be combined with --jobs, --engine or --cache")
        from evenhand.pipeline.unit_table import recording

        keywords["engine"] = recording(options["verdicts"])
    return keywords


def file_keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `file_options`, as keywords of the Python functions."""
    names = ("format", "column", "encoding", "annotator")
    values = {name: options[f"{name}s"] for name in names} | {"offsets": options["offsets"]}
    sided = {name: by_side(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return sided | {"repair": options["repair"], "functions": options["functions"]}


def by_side(values: Sequence[tuple[str | None, Any]]) -> dict[str, Any] | None:
    """The values of a `Sided` option by side, as the Python functions take them; the last value of a side counts."""
    value_of: dict[str, Any] = {}
    for side, value in values:
        value_of.update(dict.fromkeys(SIDES if side is None else (side,), value))
    return value_of or None


def read_settings(options: Mapping[str, Any]) -> ReadSettings:
    """The reading options of a command that reads one file at a time."""
    return ReadSettings(
        options["formats"],
        column_names(options["columns"]),
        options["encodings"],
        options["repair"],
        options["offsets"],
        options["functions"],
        task=options["task"],
        annotator=PickedAnnotator.of(options["annotators"]),
        parameters={
            parameter.name: parameter.value(_value(parameter, options[parameter.name]))
            for parameter in _read_parameters()
            if options[parameter.name] is not None
        },
    )


NAMES: Any = {"type": Names(), "metavar": "NAME,..."}
"""The type and the metavar of an option whose value is a list of names."""


def reading_options(*, sided: bool) -> Decorator:
    """Options for reading files, and the task. With `sided`, a command has two sides, whose options may differ."""
    task = task_option(SCORING, "GOLD") if sided else task_option(READING, "the file")
    declared = () if sided else map(parameter_options, _read_parameters())
    return with_options(task, file_options(sided=sided), *chain.from_iterable(declared))


def task_choice(tasks: Iterable[str] = TASKS) -> Choice:
    """A task by its name or an alias, such as ner."""
    return Choice(tasks, task_aliases())


def task_option(group: str, source: str, tasks: Sequence[str] = tuple(TASKS)) -> Decorator:
    """The task; by default it is recognised from `source`."""
    help = f"What the files are read for: {', '.join(tasks)} [recognised from {source}]."
    return option(group, "--task", type=task_choice(tasks), metavar="NAME", help=help)


def file_options(*, sided: bool, of_annotators: bool = False) -> Decorator:
    """Options for reading files, without the task. With `of_annotators`, annotators replace gold and system."""
    return with_options(*_by_side_options(sided, of_annotators), *_OTHER_READING_OPTIONS)


def _read_parameters() -> list[Parameter]:
    """Parameters of tasks that readers use. Commands with two sides have them among their scoring options."""
    return [parameter for parameter in all_parameters().values() if parameter.effect.reads]


def _by_side_options(has_sides: bool, of_annotators: bool = False) -> Iterator[Decorator]:
    """The options that may differ between gold standard and systems, or between annotators."""
    prefix = one_file = explained = ""
    if of_annotators:
        explained = " ANNOTATOR:FORMAT applies to one annotator."
    elif has_sides:
        prefix = "[SIDE:]"
        one_file = "; in one file for both, gold:-2 and system:-1"
        explained = " SIDE is gold, system, or the name of a system."

    def sided_option(name: str, metavar: str, value_type: Any, help: str, *, rare: bool = False) -> Decorator:
        settings: dict[str, Any] = {"type": value_type, "metavar": f"{prefix}{metavar}", "help": help, "rare": rare}
        if has_sides:
            settings |= {"type": Sided(value_type, has_names=name == "format"), "multiple": True}
        plural = name if name.endswith("s") else f"{name}s"
        aliases = ("--layer",) if name == "column" else ()
        return option(READING, f"--{name}", *aliases, plural, **settings)

    yield sided_option("format", "NAME", Choice(tuple(FORMATS)), f"Format of the files [recognised].{explained}")
    yield sided_option(
        "column",
        "COLUMN,...",
        click.STRING,
        "Column of the tags: a number (1 is the first, -1 the last), a name from the header, or a key of JSON; "
        f"several are levels of nesting [-1{one_file}; upos in CoNLL-U]. For trees and chains, columns by name: "
        "form=2,head=7,deprel=8 or word=4,pos=5. For spaCy, a layer: ents, spans:KEY, tag, trees, …",
    )
    encodings = f"How tags encode spans: {', '.join(ENCODINGS)}; also BIO, BIO2, IOBES [recognised]."
    yield sided_option("encoding", "NAME", ENCODING, encodings)
    yield sided_option(
        "offsets",
        "HOW,...",
        click.STRING,
        "How offsets in texts count: codepoints, utf16 or bytes, or tokens of the gold standard (tables of spans); "
        "1-based; inclusive [codepoints from 0 with exclusive ends; in JSON, inferred from quotes].",
        rare=True,
    )
    yield sided_option(
        "annotator",
        "FIELD=NAME",
        click.STRING,
        "Read only this annotator's records: annotator=ana, completed_by=1.",
        rare=True,
    )


def repair_option(help: str) -> Decorator:
    return option(READING, "--repair", type=Choice(get_args(Repair)), metavar="HOW", default="begin", help=help)


def align_option(group: str, help: str, choices: Sequence[str] = get_args(Align)) -> Decorator:
    return option(group, "--align", type=Choice(choices), metavar="HOW", help=help)


def _scores(ctx: click.Context) -> Iterator[str]:
    """The measures by which systems can be compared, of the named task or of all tasks."""
    return (name for task in _tasks(ctx) for name in task.selection.compared)


def _models(ctx: click.Context) -> Iterator[str]:
    """The measures and their families, of the named task or of all tasks."""
    return (name for task in _tasks(ctx) for name in families(models_of(task.name)))


def _tasks(ctx: click.Context) -> list[Task]:
    """The task that the command line names, or all tasks."""
    name = ctx.params.get("task")
    return TASKS.values() if name is None else [TASKS[name]]


_BY: Any = {
    "type": Name(_scores),
    "metavar": "NAME",
    "help": "Score to compare by, listed below [the first of the task].",
}
rank_by_option = option(
    SCORING,
    "--by",
    type=Name(_models),
    metavar="NAME",
    help="Measure to rank by, before those of --match [the first of these].",
    rare=True,
)
by_option = option(COMPARING, "--by", **_BY)
by_or_match_option = option(COMPARING, "--by", "--match", "by", **_BY)
"""The same for commands that use a single measure."""
pair_options = with_options(
    by_or_match_option,
    option(COMPARING, "--baseline", metavar="NAME", help="Compare each system only with this one."),
    option(COMPARING, "--sequence", is_flag=True, help="Compare each system with the one before it."),
)
_OTHER_READING_OPTIONS = (
    repair_option("Ill-formed spans: read them as conlleval does (begin), drop them (discard), or stop (error)."),
    option(READING, "--functions", is_flag=True, help="Keep functions in labels of brackets (NP-SBJ).", rare=True),
)


def _map_option(side: str, explained: str) -> Decorator:
    """The option that renames labels; the help calls a side `side`, and `explained` has its values."""
    help = f"Rename a label before scoring. {side} is {explained}. Repeatable."
    return option(SCORING, "--map", "maps", multiple=True, metavar=f"[{side}:]OLD=NEW", help=help)


def _check_numbers(ctx: click.Context, parameter: click.Parameter, value: int | None) -> None:
    check_numbers(value)


numbers_option = option(
    SCORING,
    "--numbers",
    type=int,
    metavar="VERSION",
    expose_value=False,
    callback=_check_numbers,
    help="Refuse to run unless the figures have this numbers version (numbers in the signature).",
    rare=True,
)
_SCORING_OPTIONS = {
    "match": option(
        SCORING,
        "--match",
        type=Names(_models),
        metavar="NAME,...",
        help="Measures, listed below [depends on the task].",
    ),
    "labels": option(SCORING, "--labels", **NAMES, default=(), help="Score only these labels."),
    "exclude": option(SCORING, "--exclude", **NAMES, default=(), help="Score all labels except these."),
    "map": _map_option("SIDE", "gold, system, train, or a system's name [all]"),
    "align": align_option(
        SCORING,
        "strict: identical tokens; position: same number of tokens; characters: same text, any tokenisation; overlap: "
        "as spaCy aligns tokens [strict; characters for CoNLL-U, overlap for tags and trees of spaCy, position for "
        "HIPE tables and chains outside CorefUD].",
    ),
    "beta": option(SCORING, "--beta", type=float, default=1.0, help="Weight of recall in F-beta.", rare=True),
    "numbers": numbers_option,
}


def scoring_options(
    *,
    with_match: bool = True,
    effects: Sequence[str] = ("scores", "labels", "rows", "gold", "systems"),
    without: Sequence[str] = (),
    tasks: Container[str] = TASKS,
    of_annotators: bool = False,
) -> Decorator:
    """Options for scoring: common options, and the parameters of tasks and measures.

    Without `with_match`, --match is left out, and so are parameters that do not affect comparisons. Parameters must
    also have one of the `effects`, and belong to one of the `tasks`. `without` are common options that are left out.
    With `of_annotators`, annotators replace gold and system.
    """
    known = _SCORING_OPTIONS | ({"map": _map_option("ANNOTATOR", "one of them [all]")} if of_annotators else {})
    common = [known[name] for name in known if name not in without and (with_match or name != "match")]
    declared = (
        parameter_options(parameter)
        for parameter in all_parameters().values()
        if parameter.effect.on in effects and (with_match or parameter.effect.compares)
        if any(task in tasks for task in tasks_with(parameter))
    )
    return with_options(*common, *chain.from_iterable(declared))


def parameter_options(parameter: Parameter) -> Iterator[Decorator]:
    """The option of a parameter, and a hidden option for each former name.

    An option that is not used is None. The default of the declaration then applies.
    """
    settings: dict[str, Any] = {"help": help_of(parameter), "rare": True}
    if parameter.kind == "flag":
        settings |= {"is_flag": True, "default": None}
    elif parameter.allowed.choices:
        settings |= {"type": Choice(parameter.allowed.choices), "metavar": parameter.cli.metavar}
    else:
        metavar = parameter.cli.metavar or _METAVARS.get(parameter.kind, "NUMBER")
        settings |= {"type": _TYPES[parameter.kind], "metavar": metavar}
    *others, last = tasks_with(parameter)
    heading = " and ".join(filter(None, [", ".join(others), last])).capitalize()
    for name in parameter.names:
        spelled = parameter.option[2:] if name == parameter.name else name.replace("_", "-")
        has_opposite = parameter.default is True or parameter.cli.negatable
        spelled = f"--{spelled}/--no-{spelled}" if has_opposite else f"--{spelled}"
        settings |= {"multiple": parameter.cli.repeatable, "hidden": name != parameter.name}
        yield option(heading, spelled, name, **settings)


_TYPES: Mapping[str, Any] = {
    "number": float,
    "whole": int,
    "text": str,
    "names": str,
    "column": str,
    "percent": str,
    "file": INPUT,
    "thresholds": str,
    "fields": str,
    "schema": INPUT,
}
_METAVARS = {"text": "TEXT", "names": "NAME,...", "column": "COLUMN"}


def score_options(options: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """The scoring, reading and other options of a command, as keywords of the Python functions."""
    common = ("match", "task", "labels", "exclude", "align", "beta")
    keywords = {name: options[name] for name in (*common, *others) if name in options}
    for parameter in all_parameters().values():
        for name in parameter.names:
            value = options.get(name)
            if value is None or value == ():
                continue
            keywords[name] = _value(parameter, value)
            is_former_name = name != parameter.name
            if is_former_name and not options.get("quiet"):
                say(f"--{name.replace('_', '-')} is now {parameter.option}.")
    return keywords | file_keywords(options) | {"map": options["maps"]}


def _value(parameter: Parameter, value: Any) -> Any:
    """The value of a parameter's option, as the Python functions take it."""
    if parameter.kind == "column":
        return column_names(value)[0]
    return value if parameter.cli.file_of is None else _text(value, parameter.cli.file_of)


def _text(value: str, what: str) -> str:
    """The content of the named file; the value itself, if no file has this name."""
    from evenhand.formats.paths import names_a_file, read_small_file

    path = to_path(value, may_be_text=True)
    if isinstance(path, Path) and not names_a_file(path):
        return value
    note_inputs([path])
    return read_small_file(path, what)
