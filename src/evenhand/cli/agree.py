"""`evenhand agree`: how far annotators agree."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.files import written
from evenhand.cli.help import SCORING, STATISTICS, WRITING, Command, option
from evenhand.cli.options import (
    INPUT,
    OUTPUT,
    OUTPUT_OR_FOLDER,
    STANDARD_OUTPUT,
    Choice,
    file_options,
    score_options,
    scoring_options,
    seed_option,
    task_option,
)
from evenhand.cli.output import (
    check_suffix,
    emit,
    form_option,
    output_option,
    quiet_option,
    show,
    table_options,
    table_style,
)
from evenhand.cli.process import say
from evenhand.errors import counted
from evenhand.formats.registry import FORMATS
from evenhand.formats.storage import AnyPath
from evenhand.settings import ENCODINGS
from evenhand.tasks.registry import TASKS

if TYPE_CHECKING:
    from evenhand.agreement.disagreements import Region
    from evenhand.results.agreement import Adjudication, Agreement


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("overrides", nargs=-1, required=True, type=INPUT, metavar="OVERRIDES...")
@option(WRITING, "--merge", type=OUTPUT, metavar="FILE", help="Write all overrides to FILE, in the order of the text.")
@option(
    WRITING,
    "--apply",
    type=OUTPUT_OR_FOLDER,
    metavar="FILE",
    help="Write the corrected gold standard, as convert does.",
)
@option(WRITING, "--to", type=Choice(tuple(FORMATS)), metavar="NAME", help="Format of --apply [from its name].")
@option(WRITING, "--to-encoding", type=Choice(ENCODINGS), metavar="NAME", help="Encoding of --apply [that of GOLD].")
@file_options(sided=False)
@form_option(("text", "json", "markdown", "latex"))
@output_option
@quiet_option
def adjudicate(
    gold: AnyPath, overrides: tuple[AnyPath, ...], merge: Path | None, apply: Path | None, **options: Any
) -> None:
    """Check OVERRIDES of the GOLD standard, merge several files, and apply them.

    An override says that one span is spurious, missing, unclear or right, or has another label or other bounds. It is a
    problem if the gold standard does not have the span, if a missing one is there, or if two overrides of one span
    differ; every problem is reported with its line, and the exit status is then 1. What two files say alike counts
    once. Other commands take the file as --overrides.

    \b
    Examples:
      evenhand adjudicate gold.conll overrides.jsonl
      evenhand adjudicate gold.conll ana.jsonl ben.jsonl --merge overrides.jsonl
      evenhand adjudicate gold.conll overrides.jsonl --apply corrected.conll
    """
    import evenhand
    from evenhand.formats.convert import check_target_format

    if apply is None and (options["to"] or options["to_encoding"]):
        raise click.UsageError("--to and --to-encoding are for --apply; name its file")
    if merge is not None:
        check_suffix(merge, "jsonl")
    if apply is not None:
        check_target_format(apply, options["to"])
    found = evenhand.adjudicate(
        gold,
        list(overrides),
        format=options["formats"],
        column=options["columns"],
        encoding=options["encodings"],
        annotator=options["annotators"],
        repair=options["repair"],
        offsets=options["offsets"],
        functions=options["functions"],
    )
    if found.problems:
        show(_problems(found), "text")
        sys.exit(1)
    if merge is not None:
        found.merge(merge)
    if apply is not None:
        found.apply(apply, options["to"], options["to_encoding"])
    if options["output"] is not None or STANDARD_OUTPUT not in (merge, apply):
        emit(found, options["form"], options["output"], quiet=options["quiet"])


def _problems(found: Adjudication) -> str:
    """A line for each problem, and how many there are."""
    from evenhand.errors import visible

    lines = [visible(str(problem)) for problem in found.problems]
    number = len(lines)
    return "\n".join([*lines, f"{number:,} problem{'' if number == 1 else 's'}", ""])


AGREED_TASKS = [task.name for task in TASKS.values() if task.agreement]
AGREE_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html")


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=INPUT, metavar="ANNOTATOR...")
@option(
    SCORING,
    "--coding",
    type=Choice(["label", "iob2"]),
    metavar="NAME",
    default="label",
    help="Codes of atoms: label, the label that covers each, or iob2, with B- and I-.",
)
@option(SCORING, "--alpha-u", "alpha_u", is_flag=True, help="Compute Krippendorff's alpha_U, too.")
@option(SCORING, "--gamma", is_flag=True, help="Compute gamma of pairs, too.")
@option(STATISTICS, "--samples", type=int, default=100, help="Samples of gamma in each document.", rare=True)
@option(STATISTICS, "--resamples", type=int, default=1_000, help="Resamples of documents for intervals; 0: none.")
@option(STATISTICS, "--level", type=float, default=0.95, help="Confidence level of intervals.", rare=True)
@seed_option
@task_option(SCORING, "the first file", AGREED_TASKS)
@file_options(sided=True, of_annotators=True)
@scoring_options(with_match=False, without=("beta",), effects=("scores",), tasks=AGREED_TASKS, of_annotators=True)
@form_option(AGREE_OUTPUTS)
@option(WRITING, "--by", "rows", type=Choice(["document"]), metavar="document", help="List documents, too.")
@option(WRITING, "--show", type=Choice(["disagreement"]), metavar="disagreement", help="List places of disagreement.")
@option(WRITING, "--page", type=OUTPUT, metavar="FILE", help="Write a page with all places, a lane for each annotator.")
@option(WRITING, "--limit", type=int, help="Most places that --show lists [all] or --page holds [5000].", rare=True)
@option(WRITING, "--conflicts", type=OUTPUT, metavar="FILE", help="Write places of disagreement as JSON lines.")
@option(
    WRITING,
    "--adjudicate",
    type=OUTPUT_OR_FOLDER,
    metavar="FILE",
    help="Write the spans that a vote accepts, as convert does.",
)
@option(
    WRITING,
    "--to",
    type=Choice(tuple(FORMATS)),
    metavar="NAME",
    help="Format of --adjudicate [from its name].",
    rare=True,
)
@option(
    WRITING,
    "--vote",
    metavar="RULE",
    help="Spans that the vote accepts: majority, unanimous, or the number of annotators [majority].",
)
@table_options(rare=True)
@output_option
@quiet_option
def agree(files: tuple[AnyPath, ...], **options: Any) -> None:
    """Measure how far annotators agree; nobody is the gold standard.

    Each ANNOTATOR is a file or a folder; or one argument holds all of them: a folder with a folder or a file for each
    (brat, doccano), JSON lines with a field that --annotator names [annotator; Prodigy's and doccano's], or an export
    of Label Studio. Documents go together by their names. A document that an annotator does not have is missing data;
    one without spans is an answer.

    \b
    Examples:
      evenhand agree ana.conll ben.conll cyd.conll
      evenhand agree project/ana project/ben --by document
      evenhand agree project/ --page agreement.html
      evenhand agree project/ --conflicts conflicts.jsonl
      evenhand agree ana.conll ben.conll cyd.conll --adjudicate gold.conll
      evenhand agree all.jsonl --annotator user
      evenhand agree ana.conll ben.conll --coding iob2 --as json
    """
    import evenhand
    from evenhand.agreement.disagreements import Vote
    from evenhand.formats.convert import check_target_format

    style = table_style(options)
    chosen = score_options(options, "coding", "alpha_u", "gamma", "samples", "resamples", "level", "seed")
    chosen["by"] = options["rows"]
    chosen["annotator"] = options["annotators"][-1][1] if options["annotators"] else None
    _check_uses(options)
    for name, form in (("page", "html"), ("conflicts", "jsonl")):
        if options[name] is not None:
            check_suffix(options[name], form)
    if options["adjudicate"] is not None:
        check_target_format(options["adjudicate"], options["to"])
    if options["vote"] is not None:
        Vote.of(options["vote"])  # refused before files are read
    found, vote = evenhand.agree(list(files), **chosen), options["vote"] or "majority"
    if options["conflicts"] is not None:
        _write_conflicts(found.conflicts(vote), options["conflicts"])
    if options["adjudicate"] is not None:
        _write_adjudicated(found, vote, options)
    if options["page"] is not None:
        limit = {} if options["limit"] is None else {"limit": options["limit"]}
        found.to_html(options["page"], vote=vote, **limit)
    if options["show"] is not None:
        found = found.listing_conflicts(vote, options["limit"])
    written_to = [options[name] for name in ("conflicts", "adjudicate", "page")]
    if options["output"] is not None or STANDARD_OUTPUT not in written_to:
        emit(found, options["form"], options["output"], quiet=options["quiet"], style=style)


def _check_uses(options: Mapping[str, Any]) -> None:
    """Refuse options that would change nothing."""
    uses = {"vote": ("show", "conflicts", "adjudicate", "page"), "limit": ("show", "page"), "to": ("adjudicate",)}
    for name, others in uses.items():
        if options[name] is not None and all(options[other] is None for other in others):
            *before, last = (f"--{other}" for other in others)
            spelled = f"{', '.join(before)} or {last}; give one of these" if before else f"{last}; give it, too"
            raise click.UsageError(f"--{name} is for {spelled}")


def _write_conflicts(conflicts: list[Region], path: Path) -> None:
    """A line for each place of disagreement."""
    import json

    from evenhand.files import write_file

    write_file(path, "".join(json.dumps(conflict.to_dict(), ensure_ascii=False) + "\n" for conflict in conflicts))


def _write_adjudicated(found: Agreement, vote: str, options: Mapping[str, Any]) -> None:
    """The annotation that the vote makes, in the format that is named or that the name of the file shows."""
    from evenhand.data.characters import peek
    from evenhand.formats.convert import conversion_of

    path, quiet, alone = options["adjudicate"], options["quiet"], found.coverage.by_number["1"]
    first, _ = peek(found.adjudicated_batches(vote))
    assert first is not None  # there was a text to compare
    conversion = conversion_of(first, path, options["to"], lossy=None)
    written(conversion, path, lambda: found.adjudicated_batches(vote), quiet=quiet)
    if alone and not quiet:
        what = counted(alone, "document")
        say(f"{path}: {what} of one annotator alone taken over.")
