"""Universal Dependencies as the CoNLL 2018 shared task sees them: relations and features by their kinds."""

from __future__ import annotations

from collections.abc import Iterable

# fmt: off
CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})
"""The relations of content words; punct and unknown relations are neither content nor functional."""
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})
"""The features that are compared."""
# fmt: on


def universal_features(features: str) -> str:
    """The features that are compared, in alphabetical order."""
    return _in_order(each for each in features.split("|") if each.partition("=")[0] in FEATURES)


def feature_set(features: str) -> str:
    """All features, each once, in alphabetical order, as Universal Dependencies wants them written."""
    return _in_order(set(filter(None, features.split("|"))))


def _in_order(features: Iterable[str]) -> str:
    return "|".join(sorted(features, key=lambda each: (each.partition("=")[0].lower(), each)))


def without_subtype(relation: str) -> str:
    return relation.partition(":")[0]
