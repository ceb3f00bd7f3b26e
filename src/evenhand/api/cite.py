"""What to cite with a score: Evenhand, and the papers that its definition names."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from pkgutil import resolve_name

from evenhand.arguments import checked_arguments
from evenhand.parameters import names
from evenhand.problems import SettingError
from evenhand.references import Reference, named_in
from evenhand.scores.model import Model
from evenhand.settings import choose
from evenhand.suggestion import unknown
from evenhand.tasks.registry import TASKS, model, model_names, models_of
from evenhand.version import __version__

_EVENHAND = f"""@software{{evenhand,
  author = {{{{The Evenhand authors}}}},
  title = {{Evenhand: Even-handed evaluation and comparison of text annotation systems}},
  version = {{{__version__}}},
  url = {{https://github.com/evenhand/evenhand}}
}}"""


@checked_arguments()
def cite(match: str | Sequence[str] = (), *, task: str | None = None) -> str:
    """BibTeX entries for Evenhand and for the papers behind match models.

        >>> print(eh.cite("fair, lea"))

    A name that several tasks have is that of the first one, unless `task` is given.
    """
    choose("task", task, tuple(TASKS), optional=True)
    found = {each.name: each for name in names(match) for each in _models(name, task)}
    sources = {name: named_in(_definition(each)) for name, each in found.items()}
    entries = {reference.key: reference.bibtex for each in sources.values() for reference in each}
    comments = "\n".join(_comment(each, sources[name]) for name, each in found.items())
    return "\n\n".join(filter(None, (comments, _EVENHAND, *entries.values()))) + "\n"


def _models(name: str, task: str | None) -> list[Model]:
    """The models that a user means: of the task, or of the first one that has such a name."""
    for each in [task] if task else TASKS:
        try:
            return [model(each, own) for own in model_names(each, [name])]
        except SettingError:
            if task:
                raise
    known = [each.name for task in TASKS for each in models_of(task)]
    raise SettingError(unknown(f"match is {name!r}, which is no match model", name, known, "see evenhand models"))


def _definition(model: Model) -> str:
    """The last paragraph of a definition, which names the sources."""
    try:
        return cleandoc(resolve_name(model.definition).__doc__ or "").rpartition("\n\n")[2]
    except (AttributeError, ImportError, ValueError):  # of a plug-in, which works all the same
        return ""


def _comment(model: Model, sources: Sequence[Reference]) -> str:
    """Which papers define a model; BibTeX takes text between entries for a comment."""
    shown = ", ".join(each.label for each in sources) or "no paper is named"
    return f"% {model.name} ({model.task}): {shown}"
