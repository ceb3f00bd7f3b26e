"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from evenhand.cli.format_names import FormatName, FormatOption
from evenhand.cli.inputs import note_inputs
from evenhand.formats.addresses import place
from evenhand.settings import (
    ATTACHMENT,
    CHAIN_MODELS,
    ENCODINGS,
    MATCH_MODELS,
    NOMINAL,
    SPAN_MODELS,
    TASKS,
    ReadSettings,
    column_names,
)

Command = TypeVar("Command", bound=Callable[..., Any])
SIDES = ("gold", "system")


class Sided(click.ParamType[tuple[str | None, Any]]):
    """VALUE for all files, or gold:VALUE or system:VALUE for one side."""

    def __init__(self, value: click.ParamType[Any]) -> None:
        self.value = value
        self.name = value.name

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "[SIDE:]" + (self.value.get_metavar(param, ctx) or self.value.name.upper())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str | None, Any]:
        side, colon, rest = str(value).partition(":")
        if colon and side in SIDES:
            return side, self.value.convert(rest, param, ctx)
        return None, self.value.convert(value, param, ctx)


def by_side(values: Sequence[tuple[str | None, Any]]) -> dict[str, Any] | None:
    """The values of a sided option, as the Python functions take them; the last word on a side counts."""
    found: dict[str, Any] = {}
    for side, value in values:
        found.update(dict.fromkeys(SIDES if side is None else (side,), value))
    return found or None


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
    )


class Names(click.ParamType[tuple[str, ...]]):
    """Names with commas between them, each one of the choices where there are any."""

    name = "names"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self.choices = choices

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "NAME,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(part.strip() for part in str(value).split(",") if part.strip())
        for name in names:
            if self.choices and name not in self.choices:
                self.fail(f"{name!r} is not one of {', '.join(self.choices)}.", param, ctx)
        return names


def reading_options(*, sided: bool) -> Callable[[Command], Command]:
    """How files are read; `sided` where a command has two sides, which may differ."""
    side, multiple = ("[SIDE:]", True) if sided else ("", False)
    both = "; where one file holds both sides gold:-2 and system:-1" if sided else ""

    def typed(value: click.ParamType[Any]) -> click.ParamType[Any]:
        return Sided(value) if sided else value

    options = (
        click.option(
            "--format",
            "formats",
            type=typed(FormatName()),
            multiple=multiple,
            metavar=f"{side}NAME",
            cls=FormatOption,
            help="Format of the files: NAMES [recognised].",
        ),
        click.option(
            "--column",
            "columns",
            type=typed(click.STRING),
            multiple=multiple,
            metavar=f"{side}COLUMN,...",
            help="Column of the tags: 1 is the first, -1 the last, or a name (xpos in CoNLL-U, or in the header); "
            f"several are levels of nesting [-1{both}; upos]. For trees and chains, columns by name: "
            "form=2,head=7,deprel=8, or word=4,pos=5.",
        ),
        click.option(
            "--encoding",
            "encodings",
            type=typed(click.Choice(ENCODINGS)),
            multiple=multiple,
            metavar=f"{side}NAME",
            help=f"How tags spell spans: {', '.join(ENCODINGS)} [recognised].",
        ),
        *_PLAIN_READING_OPTIONS,
        click.option(
            "--task",
            type=click.Choice(TASKS),
            help="What files are read for [trees for CoNLL-U, chains where there is coreference, else spans].",
        ),
    )
    return lambda command: _with(command, options)


_PLAIN_READING_OPTIONS = (
    click.option(
        "--repair",
        type=click.Choice(["begin", "discard", "error"]),
        default="begin",
        show_default=True,
        help="An ill-formed span: take it as conlleval does, leave it out, or stop.",
    ),
    click.option(
        "--offsets",
        type=click.Choice(["codepoints", "utf16"]),
        default="codepoints",
        show_default=True,
        help="What offsets in texts count.",
    ),
    click.option("--functions", is_flag=True, help="Keep the functions in the labels of bracketed trees (NP-SBJ)."),
)


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """A command with these options, in this order in its help."""
    for option in reversed(options):
        command = option(command)
    return command


def scoring_options(
    defaults: str, *, with_match: bool = True, without: Sequence[str] = ()
) -> Callable[[Command], Command]:
    """What is scored and how; `defaults` says which match models are taken unless others are named.

    Options named in `without` are left out, where they would do nothing.
    """
    left_out = without if with_match else (*without, *_OF_OTHER_MODELS)
    kept = [option for name, option in _SCORING_OPTIONS.items() if name not in left_out]
    if not with_match:
        return lambda command: _with(command, kept)
    models = click.option(
        "--match",
        type=Names((*MATCH_MODELS, "semeval", "conll18", "arcs")),
        help=f"Match models of spans: {', '.join(SPAN_MODELS)}; semeval is all four of its measures. "
        f"Of tags: accuracy. Of trees: {', '.join(ATTACHMENT)}, and conll18 or one of its thirteen: conll18-las, … "
        f"Of chains: {', '.join(CHAIN_MODELS)} [{defaults}].",
    )
    return lambda command: _with(command, (models, *kept))


_SCORING_OPTIONS = {
    "labels": click.option("--labels", type=Names(), default=(), help="Only these labels."),
    "exclude": click.option("--exclude", type=Names(), default=(), help="All labels but these."),
    "map": click.option(
        "--map",
        "maps",
        multiple=True,
        metavar="[SIDE:]OLD=NEW",
        help="Another name for a label, on both sides; SIDE is gold, system, or a system's name.",
    ),
    "align": click.option(
        "--align",
        type=click.Choice(["strict", "position", "characters"]),
        help="Tokens must be equal; or only as many; or the text must be equal, whatever its tokens are "
        "[strict; characters for words in CoNLL-U, position for chains].",
    ),
    "punctuation": click.option(
        "--punctuation",
        metavar="POLICY",
        default="keep",
        show_default=True,
        help="Which words are left out of uas, ls, las and the accuracy of tags: none (keep), or those told by their "
        "relation, their form, or their tags (pos:PUNCT,SYM).",
    ),
    "subtypes": click.option(
        "--subtypes", is_flag=True, help="Compare the relations of trees with their subtypes (nmod:poss)."
    ),
    "levels": click.option(
        "--levels",
        type=click.Choice(["pooled", "separate"]),
        default="pooled",
        show_default=True,
        help="Match nested spans across levels, or within their level only.",
    ),
    "focus": click.option(
        "--focus",
        type=click.Choice(["target", "system"]),
        default="target",
        show_default=True,
        help="Whether LE and LBE count for the gold label or for the system's.",
    ),
    "weights": click.option(
        "--weights",
        metavar="NAME|FORMULA|FILE",
        help="Weights of the model 'weighted', which this adds: fair, lenient, boundaries, as-fp, as-fn, "
        "or a formula such as 'LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.25 FP + 0.25 FN'.",
    ),
    "beta": click.option("--beta", type=float, default=1.0, show_default=True, help="Weight of recall in F-beta."),
    "separator-weight": click.option(
        "--separator-weight",
        type=float,
        default=1.0,
        show_default=True,
        help="What a separator weighs in ts, where a token weighs 1.",
    ),
    "token-weight": click.option(
        "--token-weight",
        metavar="COLUMN",
        help="Column of GOLD, by number or name, that says what each token weighs in ts and t.",
    ),
    "spurious": click.option(
        "--spurious", type=int, default=1, show_default=True, help="Spurious tokens that constrained allows."
    ),
    "missing": click.option(
        "--missing", type=int, default=1, show_default=True, help="Missing tokens that constrained allows."
    ),
    "singletons": click.option(
        "--singletons/--no-singletons", default=True, show_default=True, help="Keep chains of one mention, or not."
    ),
    "nominal": click.option(
        "--nominal",
        type=Names(),
        help=f"POS of nouns, by which arcs_nom tells nominal mentions [{','.join(NOMINAL)}].",
    ),
    "iou": click.option(
        "--iou", type=float, default=0.5, show_default=True, help="How much of their union two spans share."
    ),
}
_OF_OTHER_MODELS = ("weights", "separator-weight", "token-weight", "spurious", "missing", "iou")
"""Options that only change what a comparison does not look at."""


def score_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The scoring and reading options of a command, as the Python functions take them."""
    plain = (
        *("match", "task", "labels", "exclude", "align", "punctuation", "subtypes", "levels", "focus", "beta"),
        *("separator_weight", "spurious", "missing", "iou", "singletons", "nominal"),
        *("repair", "offsets", "functions", "supertag", "baselines"),
    )
    column = column_names(options.get("token_weight"))
    return {name: options[name] for name in plain if name in options} | {
        "map": options["maps"],
        "weights": read_weights(options.get("weights")),
        "token_weight": column[0] if column else None,
        "format": by_side(options["formats"]),
        "column": by_side(options["columns"]),
        "encoding": by_side(options["encodings"]),
    }


def read_weights(given: str | None) -> str | None:
    """A preset or formula as it is; otherwise the content of the file that it names."""
    if given is None or "=" in given:
        return given
    from evenhand.formats.short_text import names_a_file, short_text

    path = place(given)
    if isinstance(path, Path) and not names_a_file(path):
        return given
    note_inputs([path])
    return short_text(path, "formula of weights")
