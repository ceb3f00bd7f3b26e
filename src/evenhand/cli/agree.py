"""`evenhand agree`: how far annotators agree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.convert import written
from evenhand.cli.ending import say
from evenhand.cli.help import SCORING, STATISTICS, WRITING, Command, option
from evenhand.cli.inputs import INPUT, OUTPUT, OUTPUT_OR_FOLDER, STANDARD_OUTPUT
from evenhand.cli.options import file_options, score_options, scoring_options, task_option
from evenhand.cli.output import check_suffix, emit, form_option, output_option, quiet_option, table_options, table_style
from evenhand.cli.statistics import seed_option
from evenhand.formats.addresses import Place as InputPlace
from evenhand.formats.registry import FORMATS
from evenhand.problems import counted
from evenhand.tasks.registry import TASKS

if TYPE_CHECKING:
    from evenhand.agreement.places import Place
    from evenhand.result.agreement import Agreement

AGREED_TASKS = [task.name for task in TASKS.values() if task.agreed]
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
def agree(files: tuple[InputPlace, ...], **options: Any) -> None:
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
    from evenhand.agreement.places import Vote
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


def _write_conflicts(conflicts: list[Place], path: Path) -> None:
    """A line for each place of disagreement."""
    import json

    from evenhand.files import write_file

    write_file(path, "".join(json.dumps(each.to_dict(), ensure_ascii=False) + "\n" for each in conflicts))


def _write_adjudicated(found: Agreement, vote: str, options: Mapping[str, Any]) -> None:
    """The annotation that the vote makes, in the format that is named or that the name of the file shows."""
    from evenhand.formats.convert import conversion_of
    from evenhand.text.characters import peeked

    path, quiet, alone = options["adjudicate"], options["quiet"], found.coverage.by_number["1"]
    first, _ = peeked(found.adjudicated_batches(vote))
    assert first is not None  # there was a text to compare
    conversion = conversion_of(first, path, options["to"], lossy=None)
    written(conversion, path, lambda: found.adjudicated_batches(vote), quiet=quiet)
    if alone and not quiet:
        what = counted(alone, "document")
        say(f"{path}: {what} of one annotator alone taken over.")
