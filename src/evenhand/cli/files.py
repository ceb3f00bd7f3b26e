"""`evenhand check`, `evenhand convert` and `evenhand ground`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import CHECKING, SCORING, WRITING, Command, option, with_options
from evenhand.cli.options import (
    ENCODING,
    INPUT,
    NAMES,
    OUTPUT,
    OUTPUT_OR_FOLDER,
    STANDARD_OUTPUT,
    Choice,
    align_option,
    file_keywords,
    file_options,
    noted_inputs,
    parameter_options,
    read_settings,
    reading_options,
    task_file_options,
)
from evenhand.cli.output import check_suffix, form_option, quiet_option, show
from evenhand.cli.process import say
from evenhand.errors import NOTED, counted, counted_phrase, visible
from evenhand.formats.format import FORMATS
from evenhand.formats.storage import AnyPath
from evenhand.tasks.spans.task import GROUNDING

if TYPE_CHECKING:
    from evenhand.formats.check import Checked
    from evenhand.formats.convert import Conversion, Read
    from evenhand.grounding.grounder import GroundingCounts


_PLACING = ("shape", "occurrences", "fuzzy", "unknown_labels")
"""The parameters that affect the output of `ground`; others affect scores only."""


@click.command(cls=Command)
@click.argument("files", nargs=-1, type=INPUT, metavar="FILE...")
@option(
    CHECKING, "--against", type=INPUT, metavar="FILE", help="File with the text that FILE must have, tagged or not."
)
@option(
    CHECKING,
    "--train",
    "train",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="Training data: report sentences of FILE that occur in it. Repeatable.",
)
@option(
    CHECKING, "--labels", **NAMES, default=(), help="Labels that FILE may have [those of --against, if it has any]."
)
@task_file_options()
@option(WRITING, "-o", "--output", type=OUTPUT, metavar="FILE", help="Write the check of a --task-file to FILE.")
@align_option(
    CHECKING,
    "How the texts must agree: strict, position or characters [strict; characters for CoNLL-U].",
    ("strict", "position", "characters"),
)
@reading_options(sided=False)
@form_option(("text", "jsonl", "json", "html"))
def check(
    files: tuple[AnyPath, ...],
    against: AnyPath | None,
    train: tuple[AnyPath, ...],
    align: Any,
    form: str,
    **options: Any,
) -> None:
    """Check FILEs: report every problem with its line and a remedy.

    With --train, also report how many sentences and documents of each FILE occur in the training data.

    A FILE may be a folder, whose files are checked one by one. An error is a problem for which `score` with the same
    options would refuse the file, or that none of its labels is known; the exit status is then 1. A warning is a
    problem with which it would score the file, because of --repair or with a note. With several files, the last line
    reports how many can be scored.

    \b
    Examples:
      evenhand check system.conll
      evenhand check submissions/
      evenhand check submission.conll --against test-without-tags.conll
      evenhand check parsed.conllu --against gold.conllu
      evenhand check --train train.conll test.conll
      evenhand check submission.conll --labels PER,LOC,ORG
      evenhand check --task-file task.toml -o check.html
    """
    import sys

    from evenhand.formats.check import check as check_file
    from evenhand.formats.paths import files_of, submissions_in

    if options["task_file"] is not None:
        sys.exit(_check_task(form, {**options, "files": files}))
    if options["submissions"] is not None:
        from evenhand.api.shared_task import submissions_by_name

        files = (*files, *submissions_by_name(options["submissions"]).values())
    if not files:
        raise click.UsageError("Missing argument 'FILE...'")
    if options["output"] is not None or form in ("json", "html"):
        raise click.UsageError("--output, json and html need a --task-file")
    settings = read_settings(options)
    named = [submission for path in files for submission in submissions_in(path) or [path]]
    checked = [file for path in named for file in files_of(path) or [path]]
    refused = 0
    for path in checked:
        report = check_file(path, settings, against, align, options["labels"])
        refused += bool(report.errors)
        show("".join(f"{line}\n" for line in _lines(path, report, form)), form)
        if train and not report.errors:
            show(_leakage(path, train, form, options), form)
    if form == "text" and len(checked) > 1:
        show(f"{len(checked) - refused:,} of {counted(len(checked), 'file')} can be scored\n", form)
    sys.exit(1 if refused else 0)


def _check_task(form: str, options: Mapping[str, Any]) -> int:
    """Check the submissions of a task file; the exit status."""
    from evenhand.api.check_task import check_task
    from evenhand.cli.output import emit, write
    from evenhand.cli.shared_task import TASK_PART, refuse_unused
    from evenhand.report.text import table_text

    if options["files"]:
        raise click.UsageError("Specify FILES or a --task-file, but not both")
    refuse_unused((*TASK_PART, "form", "output"))
    made = check_task(options["task_file"], team=options["team"], data=options["data"], track=options["track"])
    if form in ("json", "html"):
        emit(made, form, options["output"], quiet=True)
        return int(made.has_errors)
    lines = list(dict.fromkeys(line for each in made.checked for line in each.lines()))  # an archive has one line
    text = "\n".join((*map(visible, (*lines, *made.notes)), "", table_text(made.table()), ""))
    write(text, form, options["output"])
    return int(made.has_errors)


def _leakage(path: AnyPath, train: tuple[AnyPath, ...], form: str, options: Mapping[str, Any]) -> str:
    """What a file shares with training data, as text or as one row of JSON."""
    import msgspec

    from evenhand import leakage

    names = {"task": "task", "format": "formats", "column": "columns", "encoding": "encodings"}
    result = leakage(list(train), path, **{name: options[option] for name, option in names.items()})
    if form == "text":
        return f"{result}"
    return msgspec.json.encode({"file": str(path), "kind": "leakage", **result.to_dict()}).decode() + "\n"


def _lines(path: AnyPath, report: Checked, form: str) -> Iterator[str]:
    """Every problem with its severity, and a summary; or the problems as JSON."""
    import msgspec

    for problem in report.problems:
        if form == "text":
            yield visible(f"{problem.place}: {report.severity(problem)}: {problem.finding}; {problem.remedy}.")
        else:
            row = {"file": problem.source, "line": problem.line, "kind": problem.kind, "finding": problem.finding}
            row |= {"remedy": problem.remedy, "error": report.is_error(problem), "severity": report.severity(problem)}
            yield msgspec.json.encode(row).decode()
    if form == "text":
        yield visible(f"{path}: {_summary(report)}")


def _summary(report: Checked) -> str:
    """Sizes of the file, and its problems by kind: those that `score` refuses, and those that it accepts."""
    parts = ["could not be read"]
    if report.reading is not None:
        parts = [str(report.reading), counted(report.sentences, "sentence")]
        parts[1] += f", {counted(report.units, report.unit.removesuffix('s'))}"
    errors = Counter(problem.kind for problem in report.errors)
    others = Counter(problem.kind for problem in report.problems if not report.is_error(problem))
    noted = Counter({kind: count for kind, count in others.items() if kind in NOTED})
    taken = others - noted
    parts.append(f"problems: {_counted(errors)}" if errors else "no problems")
    parts += [f"accepted with --repair {report.repair}: {_counted(taken)}"] if taken else []
    parts += [f"scored with a note: {_counted(noted)}"] if noted else []
    return "; ".join(parts)


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count:,})" for kind, count in kinds.most_common())


@click.command(cls=Command)
@click.argument("source", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=OUTPUT_OR_FOLDER)
@option(WRITING, "--to", type=Choice(tuple(FORMATS)), metavar="NAME", help="Format of OUT [from its name].")
@option(WRITING, "--to-encoding", type=ENCODING, metavar="NAME", help="Encoding of OUT [iob2].")
@option(WRITING, "--stacked", is_flag=True, help="Stack the tags of nested spans in one column (B-ORG|B-LOC).")
@option(WRITING, "--lossy", is_flag=True, help="Convert even if OUT cannot represent all of IN.")
@reading_options(sided=False)
@quiet_option
def convert(source: AnyPath, target: Path, **options: Any) -> None:
    """Convert IN to OUT, whose format follows from its name or --to.

    OUT may be - for standard output. If OUT cannot represent all of IN, that is an error; with --lossy, losses are
    counted and reported. Tokens, documents and levels that OUT cannot represent are reported, too. For brat, OUT is a
    folder with two files for each text or sentence.

    \b
    Examples:
      evenhand convert export.jsonl gold.conll --to-encoding bioes
      evenhand convert nested.jsonl nested.conll --stacked
      evenhand convert gold.conll gold.tsv --to spans
      evenhand convert gold.conll gold.parquet
      evenhand convert predictions.jsonlines response.conll
      evenhand convert export.jsonl - --to conll | head
      evenhand convert parsed.conllu tagged.conll --task tags --column xpos
    """
    from evenhand.data.characters import peek
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.formats.convert import check_target_format, conversion_of
    from evenhand.formats.read import OpenFiles

    if target == STANDARD_OUTPUT and options["to"] is None:
        raise click.UsageError("Standard output has no file name; specify the format with --to")
    check_target_format(target, options["to"])
    opened = OpenFiles(source, read_settings(options))
    first, batches = peek(opened.batches(Vocabulary()))
    assert first is not None  # a reader yields at least one batch, or raises
    named = {"encoding": options["to_encoding"], "stacked": options["stacked"], "lossy": options["lossy"]}
    conversion = conversion_of(first, target, options["to"], options["task"], **named)
    streams = iter([batches])  # some formats are written in two passes
    write_converted(
        conversion, target, lambda: next(streams, None) or opened.batches(Vocabulary()), quiet=options["quiet"]
    )


def write_converted(conversion: Conversion, target: Path, read: Read, *, quiet: bool) -> None:
    """Write a conversion, and report its losses."""
    from evenhand.formats.paths import check_output_not_input

    if target == STANDARD_OUTPUT and conversion.writer.folder is not None:
        raise click.UsageError(f"{conversion.target.name} needs several files; specify a folder")
    conversion.write(target, read, lambda path: check_output_not_input(path, noted_inputs()))
    if not quiet:
        for what, count in conversion.losses.items():
            say(f"Lost: {counted_phrase(count, what)}.")
        if conversion.not_carried:
            say(f"Cannot be represented in {conversion.target.name}: {', '.join(sorted(conversion.not_carried))}.")
        for note in conversion.notes:
            say(f"Note: {note}")


@click.command(cls=Command)
@click.argument("texts", metavar="TEXTS", type=INPUT)
@click.argument("answers", metavar="OUTPUT", type=INPUT)
@option(WRITING, "-o", "--output", type=OUTPUT, default=None, metavar="FILE", help="Write to FILE.")
@option(SCORING, "--labels", **NAMES, default=(), help="Known labels, in addition to the labels of TEXTS.")
@with_options(*chain(*(parameter_options(parameter) for parameter in GROUNDING if parameter.name in _PLACING)))
@file_options(sided=True)
@quiet_option
def ground(texts: AnyPath, answers: AnyPath, output: Path | None, quiet: bool, **options: Any) -> None:
    """Find the strings of OUTPUT, answers of a language model, in the documents of TEXTS.

    The output is JSON lines, one record per document: its text, `spans` with offsets, and `unplaced` strings, each with
    the step that found it or the reason why none did. TEXTS is a gold standard or any other file; only its texts and
    the names of its labels are used.

    \b
    Examples:
      evenhand ground gold.conll gpt.jsonl -o grounded.jsonl
      evenhand ground texts.jsonl answers/ --format system:extractions
    """
    import msgspec

    from evenhand.api.ground import ground_file
    from evenhand.files import whole_file

    if output is not None:
        check_suffix(output, "jsonl")
    placing = {name: options[name] for name in _PLACING if options[name] is not None}
    grounded = ground_file(texts, answers, labels=options["labels"], **file_keywords(options), **placing)
    with whole_file(output or STANDARD_OUTPUT) as file:
        for document in grounded:
            file.write(msgspec.json.encode(document.to_dict()) + b"\n")
    if not quiet:
        _report(grounded.counts)


def _report(counts: GroundingCounts) -> None:
    from evenhand.grounding.grounder import COUNTS

    for name, meaning in COUNTS.items():
        if counts[name] and name not in ("widened", "outside"):  # only scores have these
            say(f"{meaning}: {counts[name]:,}")
    for label, count in counts.labels.most_common():
        say(f"items with the unknown label {label!r}: {count:,}")
