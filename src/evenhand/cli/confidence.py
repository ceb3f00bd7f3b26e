"""`evenhand confidence`, `evenhand accept`, and the figures of confidences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evenhand.cli.compare import bins_option, check, write_figure
from evenhand.cli.help import SCORING, STATISTICS, WRITING, Command, option, with_options
from evenhand.cli.options import (
    INPUT,
    OUTPUT,
    input_arguments,
    reading_options,
    score_options,
    scoring_options,
    seed_option,
    sides,
)
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style, write

CONFIDENCE_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html")
_NAMES = ("bins", "by_label", "resamples", "seed", "threshold_from", "trials")

curve_options = with_options(
    bins_option,
    option(
        STATISTICS,
        "--threshold-from",
        type=(INPUT, INPUT),
        metavar="GOLD SYSTEM",
        help="Choose the threshold on other data, such as a development set.",
    ),
    option(
        STATISTICS,
        "--resamples",
        type=int,
        default=1_000,
        help="Resamples of documents; 0 for no intervals.",
        rare=True,
    ),
    seed_option,
)


@click.command(cls=Command)
@input_arguments()
@option(STATISTICS, "--by-label", is_flag=True, help="Also report figures for each label.")
@option(
    STATISTICS,
    "--trials",
    type=int,
    default=1_000,
    help="Trials of each pairwise test for a difference in AP; 0 for no tests.",
    rare=True,
)
@curve_options
@option(
    WRITING, "--plot", "figure", type=OUTPUT, metavar="FILE", help="Also draw precision and recall: .svg, .pdf or .png."
)
@reading_options(sided=True)
@scoring_options()
@form_option(CONFIDENCE_OUTPUTS)
@table_options(rare=True)
@output_option
@quiet_option
def confidence(figure: Path | None, **options: Any) -> None:
    """Precision and recall at every threshold of confidence, the best threshold, and calibration.

    Units of SYSTEM need scores, such as the probability of each span. The default measure is exact match; under the
    others, units are matched anew at every threshold. A threshold that is chosen on the test data is reported with
    its cross-fitted score.

    \b
    Examples:
      evenhand confidence gold.jsonl crf.jsonl
      evenhand confidence gold.jsonl crf.jsonl --match fair --by-label
      evenhand confidence gold.jsonl crf.jsonl --threshold-from dev.jsonl a.jsonl
      evenhand confidence gold.jsonl crf.jsonl -o confidence.html
    """
    import evenhand

    style = table_style(options)
    if figure is not None:
        check({"output": figure, "width": None, "height": None})
    result = evenhand.confidence(*sides(options), **score_options(options, *_NAMES))
    if options["form"] == "html":
        write(result.to_html(), "html", options["output"])
    else:
        emit(result, options["form"], options["output"], quiet=options["quiet"], style=style)
    if figure is not None:
        write_figure(result, "pr", {"output": figure, "width": None, "height": None, "quiet": True})


@click.command(cls=Command)
@input_arguments("SYSTEM")
@option(SCORING, "--risk", type=float, metavar="SHARE", help="At most this share of the accepted units is wrong.")
@option(SCORING, "--miss", type=float, metavar="SHARE", help="At most this share of a document's gold units is missed.")
@option(STATISTICS, "--confidence", type=float, default=0.9, help="Confidence with which --risk holds.")
@option(
    STATISTICS, "--independent", is_flag=True, help="Treat units as independent, without a design effect.", rare=True
)
@option(
    STATISTICS,
    "--thresholds-from",
    type=INPUT,
    metavar="FILE",
    help="Other output of SYSTEM; its quantiles become the thresholds if scores are not between 0 and 1.",
    rare=True,
)
@reading_options(sided=True)
@scoring_options(without=("match", "beta"))
@form_option(("text", "json", "markdown"))
@table_options(rare=True)
@option(
    WRITING,
    "-o",
    "--output",
    "accepted",
    type=OUTPUT,
    metavar="FILE",
    help="Write the accepted units, in the format of the ending (.jsonl).",
)
@quiet_option
def accept(accepted: Path | None, **options: Any) -> None:
    """Find a threshold for SYSTEM with a guarantee; if there is none, the exit status is 1.

    \b
    Examples:
      evenhand accept gold.jsonl crf.jsonl --risk 0.02
      evenhand accept gold.jsonl crf.jsonl --miss 0.1
      evenhand accept gold.jsonl crf.jsonl --risk 0.02 -o accepted.jsonl
    """
    import sys

    import evenhand

    style = table_style(options)
    gold, systems = sides(options)
    chosen = score_options(options, "risk", "miss", "confidence", "independent", "thresholds_from")
    if len(systems) != 1:
        raise click.UsageError(f"Expected one SYSTEM, got {len(systems)}")
    (system,) = systems.values() if isinstance(systems, Mapping) else systems
    if accepted is not None:
        _check_accepted(accepted, options)
    result = evenhand.accept(gold, systems if isinstance(systems, Mapping) else system, **chosen)
    emit(result, options["form"], None, quiet=options["quiet"], style=style)
    if accepted is not None and result.threshold is not None:
        _write_accepted(system, accepted, result.threshold, options)
    sys.exit(0 if result.is_found else 1)


def _check_accepted(path: Path, options: Mapping[str, Any]) -> None:
    """Refuse files that cannot be written, before files are read."""
    from evenhand.formats.format import FORMATS

    if not any(format.writers and path.suffix in format.suffixes for format in FORMATS.values()):
        raise click.UsageError(f"{path.name!r} does not indicate a format; use a name such as accepted.jsonl")
    for name in ("labels", "exclude"):
        if options[name]:
            raise click.UsageError(f"--output writes units of all labels; remove --{name}")


def _write_accepted(system: Any, path: Path, threshold: float, options: dict[str, Any]) -> None:
    """Write the accepted units of a file, in another format if the ending names one."""
    from collections.abc import Iterator
    from dataclasses import replace

    from evenhand.cli.files import write_converted
    from evenhand.data.annotation import Annotation
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.formats.convert import conversion_of
    from evenhand.formats.read import OpenFiles
    from evenhand.pipeline.inputs import content_for, prepare
    from evenhand.tasks.evaluation import transformed

    chosen = score_options(options)
    settings = prepare(system, {}, chosen, content_for(system, chosen)).read_as["system"]

    def kept(batch: Annotation) -> Annotation:
        layers = dict(batch.layers)
        for name, layer in layers.items():
            units: Any = layer  # only some layers have confidences
            if getattr(layer, "score", None) is not None and hasattr(layer, "take"):
                is_kept = transformed(units.score, options["score_transform"]) >= threshold
                if options["missing_score"] == "highest":
                    is_kept |= units.score != units.score  # not a number: none was given
                layers[name] = units.take(is_kept.nonzero()[0])
        return replace(batch, layers=layers)

    def batches() -> Iterator[Annotation]:
        return map(kept, OpenFiles(system, replace(settings, needs_scores=True)).batches(Vocabulary()))

    conversion = conversion_of(next(batches()), path, None, options["task"], lossy=True)
    write_converted(conversion, path, batches, quiet=options["quiet"])
