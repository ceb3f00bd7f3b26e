"""`evenhand agree` and `evenhand adjudicate`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.files import write_converted
from evenhand.cli.help import SCORING, STATISTICS, WRITING, Command, option
from evenhand.cli.options import (
    ENCODING,
    INPUT,
    OUTPUT,
    OUTPUT_OR_FOLDER,
    STANDARD_OUTPUT,
    SYSTEM,
    Choice,
    file_keywords,
    file_options,
    manifest_option,
    note_inputs,
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
from evenhand.formats.format import FORMATS
from evenhand.formats.storage import AnyPath
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
@option(SCORING, "--accept-proposed", is_flag=True, help="Also apply unreviewed proposals of suspects.")
@option(WRITING, "--to", type=Choice(tuple(FORMATS)), metavar="NAME", help="Format of --apply [from its name].")
@option(WRITING, "--to-encoding", type=ENCODING, metavar="NAME", help="Encoding of --apply [as in GOLD].")
@file_options(sided=False)
@form_option(("text", "json", "markdown", "latex"))
@output_option
@quiet_option
def adjudicate(
    gold: AnyPath, overrides: tuple[AnyPath, ...], merge: Path | None, apply: Path | None, **options: Any
) -> None:
    """Check OVERRIDES of the GOLD standard, merge several files, and apply them.

    An override marks one span as spurious, missing, unclear or right, or gives it another label or other bounds. It is
    a problem if the gold standard does not have the span, if it has a missing one, or if two overrides of one span
    differ; every problem is reported with its line, and the exit status is then 1. Equal overrides count once. Other
    commands take the file as --overrides.

    \b
    Examples:
      evenhand adjudicate gold.conll overrides.jsonl
      evenhand adjudicate gold.conll ana.jsonl ben.jsonl --merge overrides.jsonl
      evenhand adjudicate gold.conll overrides.jsonl --apply corrected.conll
    """
    import evenhand
    from evenhand.formats.convert import check_target_format

    if apply is None and (options["to"] or options["to_encoding"]):
        raise click.UsageError("--to and --to-encoding need --apply FILE")
    if merge is not None:
        check_suffix(merge, "jsonl")
    if apply is not None:
        check_target_format(apply, options["to"])
    adjudication = evenhand.adjudicate(
        gold, list(overrides), accept_proposed=options.pop("accept_proposed"), **file_keywords(options)
    )
    if adjudication.problems:
        show(_problems(adjudication), "text")
        sys.exit(1)
    if merge is not None:
        adjudication.merge(merge)
    if apply is not None:
        adjudication.apply(apply, options["to"], options["to_encoding"])
    if options["output"] is not None or STANDARD_OUTPUT not in (merge, apply):
        emit(adjudication, options["form"], options["output"], quiet=options["quiet"])


def _problems(adjudication: Adjudication) -> str:
    """One line per problem, and their number."""
    from evenhand.errors import visible

    lines = [visible(str(problem)) for problem in adjudication.problems]
    return "\n".join([*lines, counted(len(lines), "problem"), ""])


AGREED_TASKS = [task.name for task in TASKS.values() if task.agreement]
AGREE_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html")
_VOTING = ("show", "conflicts", "adjudicate", "page")
"""Options whose output depends on a vote."""


@click.command(cls=Command)
@click.argument("files", nargs=-1, type=SYSTEM, metavar="ANNOTATOR...")
@manifest_option("ANNOTATOR arguments: one column for each.", rare=True)
@option(
    SCORING,
    "--coding",
    type=Choice(["label", "iob2"]),
    metavar="NAME",
    default="label",
    help="Codes of tokens or characters: label, or iob2 with B- and I-.",
)
@option(SCORING, "--alpha-u", "alpha_u", is_flag=True, help="Also compute Krippendorff's alpha_U.")
@option(SCORING, "--gamma", is_flag=True, help="Also compute gamma for pairs.")
@option(STATISTICS, "--samples", type=int, default=100, help="Gamma samples per document.", rare=True)
@option(STATISTICS, "--resamples", type=int, default=1_000, help="Resamples of documents for intervals; 0: none.")
@option(STATISTICS, "--level", type=float, default=0.95, help="Confidence level of intervals.", rare=True)
@seed_option
@task_option(SCORING, "the first file", AGREED_TASKS)
@file_options(sided=True, of_annotators=True)
@scoring_options(with_match=False, without=("beta",), effects=("scores",), tasks=AGREED_TASKS, of_annotators=True)
@form_option(AGREE_OUTPUTS)
@option(WRITING, "--by", "rows", type=Choice(["document"]), metavar="document", help="List documents, too.")
@option(WRITING, "--show", type=Choice(["disagreement"]), metavar="disagreement", help="List places of disagreement.")
@option(WRITING, "--page", type=OUTPUT, metavar="FILE", help="Write a page with all places and one lane per annotator.")
@option(WRITING, "--limit", type=int, help="Maximum number of places in --show [all] or --page [5000].", rare=True)
@option(WRITING, "--conflicts", type=OUTPUT, metavar="FILE", help="Write places of disagreement as JSON lines.")
@option(
    WRITING,
    "--adjudicate",
    type=OUTPUT_OR_FOLDER,
    metavar="FILE",
    help="Write the spans accepted by a vote, as convert does.",
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
    help="Votes that a span needs: majority, unanimous, or a number of annotators [majority].",
)
@table_options(rare=True)
@output_option
@quiet_option
def agree(files: tuple[Any, ...], manifest: AnyPath | None, **options: Any) -> None:
    """Measure the agreement of annotators; none of them is the gold standard.

    Each ANNOTATOR is a file or a folder; or one argument has all of them: a folder with one folder or file per
    annotator (brat, doccano), JSON lines with a field that --annotator names [annotator; Prodigy's and doccano's], or
    an export of Label Studio. Documents are matched by name. A document that an annotator does not have is missing
    data; a document without spans is not.

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
    from evenhand.api.agree import check_votes
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
    vote = options["vote"] or "majority"
    Vote.of(vote)
    annotators = _annotators(files, manifest)
    if any(options[name] is not None for name in _VOTING):
        check_votes(annotators, chosen)
    agreement = evenhand.agree(annotators, **chosen)
    if options["conflicts"] is not None:
        _write_conflicts(agreement.conflicts(vote), options["conflicts"])
    if options["adjudicate"] is not None:
        _write_adjudicated(agreement, vote, options)
    if options["page"] is not None:
        limit = {} if options["limit"] is None else {"limit": options["limit"]}
        agreement.to_html(options["page"], vote=vote, **limit)
    if options["show"] is not None:
        agreement = agreement.listing_conflicts(vote, options["limit"])
    written_to = [options[name] for name in ("conflicts", "adjudicate", "page")]
    if options["output"] is not None or STANDARD_OUTPUT not in written_to:
        emit(agreement, options["form"], options["output"], quiet=options["quiet"], style=style)


def _annotators(files: Sequence[Any], manifest: AnyPath | None) -> Any:
    """The annotators, as argument of the Python functions."""
    if (manifest is None) == (not files):
        raise click.UsageError("Specify ANNOTATOR files or a --manifest" + (", but not both" if files else ""))
    if manifest is None:
        return list(files)
    from evenhand.formats.paths import annotator_manifest

    annotators = annotator_manifest(manifest)
    note_inputs(annotators.values())
    return annotators


def _check_uses(options: Mapping[str, Any]) -> None:
    """Refuse options that would change nothing."""
    uses = {"vote": _VOTING, "limit": ("show", "page"), "to": ("adjudicate",)}
    for name, others in uses.items():
        if options[name] is not None and all(options[other] is None for other in others):
            *before, last = (f"--{other}" for other in others)
            spelled = f"{', '.join(before)} or {last}" if before else last
            raise click.UsageError(f"--{name} needs {spelled}")


def _write_conflicts(conflicts: list[Region], path: Path) -> None:
    import json

    from evenhand.files import write_file

    write_file(path, "".join(json.dumps(conflict.to_dict(), ensure_ascii=False) + "\n" for conflict in conflicts))


def _write_adjudicated(agreement: Agreement, vote: str, options: Mapping[str, Any]) -> None:
    """Write the annotation that the vote accepts, in the specified format or the one of the file name."""
    from evenhand.data.characters import peek
    from evenhand.formats.convert import conversion_of

    path, quiet, alone = options["adjudicate"], options["quiet"], agreement.coverage.by_number["1"]
    first, _ = peek(agreement.adjudicated_batches(vote))
    assert first is not None  # there was a text to compare
    conversion = conversion_of(first, path, options["to"], lossy=None)
    write_converted(conversion, path, lambda: agreement.adjudicated_batches(vote), quiet=quiet)
    if alone and not quiet:
        say(f"{path}: {counted(alone, 'document')} with only one annotator accepted without a vote.")
