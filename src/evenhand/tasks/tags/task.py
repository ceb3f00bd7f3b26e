"""Tags: a label a word, such as parts of speech."""

from __future__ import annotations

from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.agreed import Agreed
from evenhand.tasks.display import Confusion, Display
from evenhand.tasks.task import Content, Example, Task
from evenhand.tasks.words.kinds import EXTRA, MISSING, TAG_ERRORS, TAG_KINDS
from evenhand.tasks.words.models import by_label
from evenhand.tasks.words.punctuation_policy import PUNCTUATION


def _accuracy(name: str, settings: ScoreSettings) -> MatchModel:
    return by_label(name, "tags", TAG_KINDS, ("right",), settings, confuses=True)


def _check(settings: ScoreSettings, content: Content) -> None:
    if settings["punctuation"].by == "relation":
        raise SettingError("Tags have no relations; tell punctuation by its form, or by tags: pos:PUNCT.")


TASK = Task(
    name="tags",
    title="tags: parts of speech, any label a word",
    unit="word",
    example=Example("tags", "gold.tsv", ("lexicon.tsv", "hmm.tsv", "neural.tsv"), options="--task tags"),
    models=(
        Model(
            "accuracy",
            "tags",
            Judge("tags"),
            _accuracy,
            "evenhand.tasks.tags.judge",
            ("acc",),
            summary="The share of words with the right tag.",
        ),
    ),
    match=lambda content: ("accuracy",),
    ranked=lambda content: ("accuracy",),
    compared_by=("accuracy",),
    reported_by=("accuracy",),
    parameters=(PUNCTUATION,),
    align=lambda content: "characters" if "universal" in content.traits else "strict",
    signature=(*("align", "gold", "system", "repair", "map", "labels", "exclude", "punctuation", "macro", "beta"),),
    check=_check,
    traits=late("evenhand.tasks.words.traits:traits_of_words"),
    shows=lambda annotation: True,
    shows_any=True,
    passage=late("evenhand.tasks.tags.judge:passage"),
    notes=late("evenhand.tasks.words.notes:notes"),
    is_perfect=late("evenhand.tasks.notes:is_perfect"),
    kinds=(*TAG_KINDS, MISSING),
    right=lambda by: ("right",),
    surplus_kinds=(EXTRA,),
    verdict_judges=("tags",),
    verdict_columns=(("side", "string"),),
    agreed=Agreed(
        ("accuracy",),
        as_spans=late("evenhand.tasks.tags.agreement:as_spans"),
        from_spans=late("evenhand.tasks.tags.agreement:as_tags"),
        settings={"align": "strict"},
    ),
    display=Display(
        confusion=Confusion(("accuracy",), "confusion (wrong tags)"),
        label="tag",
        verdict_names=TAG_ERRORS,
        drawing="words",
    ),
)
