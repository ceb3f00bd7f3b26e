"""EVALB, written down slowly: one tree after the other, one bracket after the other, as its definition says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Rules:
    """What a parameter file says."""

    labeled: bool = True
    cutoff: int = 40
    deleted: list[str] = field(default_factory=list)
    uncounted: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    same_labels: list[list[str]] = field(default_factory=list)
    same_words: list[list[str]] = field(default_factory=list)


def rules_of(text: str) -> Rules:
    rules = Rules()
    lists = {"DELETE_LABEL": rules.deleted, "DELETE_LABEL_FOR_LENGTH": rules.uncounted, "QUOTE_LABEL": rules.quotes}
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] in lists:
            lists[words[0]].append(words[1])
        elif words[0] == "EQ_LABEL":
            rules.same_labels.append(words[1:])
        elif words[0] == "EQ_WORD":
            rules.same_words.append(words[1:])
        elif words[0] == "LABELED":
            rules.labeled = words[1] != "0"
        elif words[0] == "CUTOFF_LEN":
            rules.cutoff = int(words[1])
    return rules


@dataclass
class Tree:
    """Terminals with their tags, and brackets with label, first terminal and end, in the order of opening."""

    tags: list[str]
    words: list[str]
    brackets: list[tuple[str, int, int]]


def tree_of(line: str) -> Tree | None:
    """The tree of a line; None where its brackets are not balanced or a word stands alone."""
    signs = re.findall(r"[()]|[^\s()]+", line)
    tags: list[str] = []
    words: list[str] = []
    brackets: list[list[object]] = []
    opened: list[list[object]] = []
    position = 0
    while position < len(signs):
        if signs[position] == ")":
            if not opened:
                return None
            opened.pop()[2] = len(words)
            position += 1
        elif signs[position] == "(" and position + 3 < len(signs) and _is_terminal(signs[position : position + 4]):
            tags.append(signs[position + 1])
            words.append(signs[position + 2])
            position += 4
        elif signs[position] == "(":
            has_label = position + 1 < len(signs) and signs[position + 1] not in "()"
            bracket: list[object] = [signs[position + 1] if has_label else "", len(words), 0]
            brackets.append(bracket)
            opened.append(bracket)
            position += 1 + has_label
        else:
            return None
    if opened:
        return None
    return Tree(tags, words, [(str(label), int(str(a)), int(str(b))) for label, a, b in brackets])


def _is_terminal(signs: list[str]) -> bool:
    return signs[1] not in "()" and signs[2] not in "()" and signs[3] == ")"


@dataclass
class Sentence:
    """The counts of one sentence."""

    length: int
    status: str
    matched: int = 0
    gold: int = 0
    test: int = 0
    crossing: int = 0
    words: int = 0
    tags: int = 0

    @property
    def is_complete(self) -> bool:
        return self.matched == self.gold == self.test


def same(one: str, other: str, classes: list[list[str]]) -> bool:
    return one == other or any(one in each and other in each for each in classes)


def sentence(gold_line: str, test_line: str, rules: Rules) -> Sentence:
    """What EVALB says of one line of each file."""
    gold, test = tree_of(gold_line), tree_of(test_line)
    length = 0 if gold is None else sum(tag not in rules.uncounted for tag in gold.tags)
    if test is not None and all(tag in rules.deleted for tag in test.tags):
        return Sentence(length, "skip")
    if gold is None or test is None:
        return Sentence(length, "error")
    keep_gold = [tag not in rules.deleted for tag in gold.tags]
    keep_test = [tag not in rules.deleted for tag in test.tags]
    if sum(keep_gold) != sum(keep_test):
        _mend(gold, test, keep_gold, keep_test, rules)
    mine = [(tag, word) for tag, word, kept in zip(gold.tags, gold.words, keep_gold, strict=True) if kept]
    other = [(tag, word) for tag, word, kept in zip(test.tags, test.words, keep_test, strict=True) if kept]
    if len(mine) != len(other):
        return Sentence(length, "error")
    if not all(same(a[1], b[1], rules.same_words) for a, b in zip(mine, other, strict=True)):
        return Sentence(length, "error")
    outcome = Sentence(length, "valid", words=len(mine))
    outcome.tags = sum(same(a[0], b[0], rules.same_labels) for a, b in zip(mine, other, strict=True))
    brackets, candidates = _kept(gold, keep_gold, rules), _kept(test, keep_test, rules)
    outcome.gold, outcome.test = len(brackets), len(candidates)
    outcome.crossing = sum(
        any(start < a < end < b or a < start < b < end for _, a, b in brackets) for _, start, end in candidates
    )
    free = list(candidates)
    for label, start, end in brackets:
        for item in free:
            is_same = not rules.labeled or same(label, item[0], rules.same_labels)
            if is_same and item[1:] == (start, end):
                free.remove(item)
                outcome.matched += 1
                break
    return outcome


def _mend(gold: Tree, test: Tree, keep_gold: list[bool], keep_test: list[bool], rules: Rules) -> None:
    """Put quotes back that are deleted on one side only, with as many kept terminals before them on either side."""
    for one in _quotes(gold, rules):
        for other in _quotes(test, rules):
            is_same_place = sum(keep_gold[:one]) == sum(keep_test[:other])
            if is_same_place and gold.tags[one] != test.tags[other] and keep_gold[one] != keep_test[other]:
                keep_gold[one] = keep_test[other] = True


def _quotes(tree: Tree, rules: Rules) -> list[int]:
    rows = enumerate(zip(tree.words, tree.tags, strict=True))
    return [at for at, (word, tag) in rows if word in ("'", '"', "/") and tag in rules.quotes]


def _kept(tree: Tree, kept: list[bool], rules: Rules) -> list[tuple[str, int, int]]:
    items = []
    for name, start, end in tree.brackets:
        label = re.split("[-=]", name, maxsplit=1)[0]
        first, last = sum(kept[:start]), sum(kept[:end])
        if first < last and not any(same(label, each, rules.same_labels) for each in rules.deleted):
            items.append((label, first, last))
    return items


def summary(sentences: list[Sentence]) -> dict[str, float | None]:
    """The twelve numbers of a summary; F1 is None where precision and recall are 0."""
    valid = [sentence for sentence in sentences if sentence.status == "valid"]
    count = {
        name: sum(getattr(sentence, name) for sentence in valid)
        for name in ("matched", "gold", "test", "words", "tags")
    }
    recall, precision = _percent(count["matched"], count["gold"]), _percent(count["matched"], count["test"])
    return {
        "sentences": len(sentences),
        "error": sum(sentence.status == "error" for sentence in sentences),
        "skip": sum(sentence.status == "skip" for sentence in sentences),
        "valid": len(valid),
        "recall": recall,
        "precision": precision,
        "f1": 2 * recall * precision / (recall + precision) if recall + precision else None,
        "complete": _percent(sum(sentence.is_complete for sentence in valid), len(valid)),
        "average_crossing": sum(sentence.crossing for sentence in valid) / len(valid) if valid else 0.0,
        "no_crossing": _percent(sum(sentence.crossing == 0 for sentence in valid), len(valid)),
        "two_or_less": _percent(sum(sentence.crossing <= 2 for sentence in valid), len(valid)),
        "tagging": _percent(count["tags"], count["words"]),
    }


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
