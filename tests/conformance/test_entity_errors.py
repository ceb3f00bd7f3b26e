"""Errors by entity: figures of the Berkeley coreference analyser, coval and cort.

`coref_errors.json` has their output for documents of GUM, OntoNotes (words masked), ECB+, the official test cases and
random ones. Values below `prototype` come from no program but that of the figures' authors.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from conftest import DATA as CORPORA
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings
from evenhand.tasks.chains import entity_errors as ee
from evenhand.tasks.chains import entity_scores as es
from evenhand.tasks.chains import heads
from evenhand.tasks.chains.entity_errors import ERROR_TYPES, SPAN, EntityErrors, EntityMentions
from evenhand.tasks.chains.link_errors import link_errors
from evenhand.tasks.chains.mentions import MentionMatch

DATA = CORPORA.parent
FIGURES = DATA / "conformance" / "coref_errors.json"
pytestmark = pytest.mark.skipif(not FIGURES.exists(), reason="needs the figures of coreference errors")
STAGES = {
    "none": (),
    "span": (SPAN,),
    **{name: (SPAN, name) for name in ERROR_TYPES[1:]},
    **{f"to_{name}": ERROR_TYPES[: index + 1] for index, name in enumerate(ERROR_TYPES) if index > 1},
}
CLASSES = ("correction", "new_error", "changed_error")
Case = dict[str, Any]
Span = tuple[int, int, int]


@cache
def figures() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FIGURES.read_text())
    return loaded


def cases(*keys: str) -> list[Any]:
    if not FIGURES.exists():
        return []
    return [
        pytest.param(case, id=case["id"])
        for case in figures()["cases"]
        if "documented_differs" not in case and all(key in case for key in keys)
    ]


def _named(row: Case) -> str:
    return "-".join([row["corpus"], *row.get("systems", [row.get("system", "")])])


def words_of(case: Case) -> list[list[str]]:
    """The words of the sentences of a case, from its file if it has one."""
    if case["words"] is not None:
        words: list[list[str]] = case["words"]
        return words
    sentences: list[list[str]] = [[]]
    for line in (DATA / "data" / case["files"][0]).read_text().splitlines():
        if not line.startswith("#") and line.strip():
            sentences[-1].append(line.split()[3])
        elif not line.strip():
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def spans_of(case: Case) -> dict[Span, tuple[int, int]]:
    """The chains of all mentions of a case in key and response; -1: none."""
    chains: dict[Span, tuple[int, int]] = {}
    for side in (0, 1):
        for number, chain in enumerate(case[("key", "response")[side]]):
            for mention in map(tuple, chain):
                pair = chains.get(mention, (-1, -1))
                chains[mention] = (number, pair[1]) if side == 0 else (pair[0], number)
    return chains


ERRORS: dict[str, EntityErrors] = {}


def errors_of(case: Case) -> EntityErrors:
    """The errors of a case, which tests share."""
    if case["id"] not in ERRORS:
        ERRORS[case["id"]] = _errors_of(case)
    return ERRORS[case["id"]]


def _errors_of(case: Case) -> EntityErrors:
    words = words_of(case)
    first = np.cumsum([0, *map(len, words)])
    flat = [word for sentence in words for word in sentence]
    chains = spans_of(case)
    sentence, begin, end = np.array(list(chains), dtype=np.int64).reshape(-1, 3).T
    names = [",".join(map(str, mention)) for mention in chains]
    head = first[sentence] + np.array([case["heads"][name] for name in names], dtype=np.int64)
    types = np.array([ee.MENTION_TYPES.index(case["types"].get(name, "nominal")) for name in names], dtype=np.int64)
    key, response = np.array(list(chains.values()), dtype=np.int64).reshape(-1, 2).T
    left, right = (np.array([ee.is_stripped(word, edge) for word in flat], dtype=bool) for edge in ("the", "'s"))
    begin, end = begin + first[sentence], end + first[sentence]
    spans = np.zeros_like(begin), sentence, begin, end
    mentions = EntityMentions.of(spans, key, response, head, types, ee.cores(begin, end, left, right))
    return EntityErrors(mentions, 1)


def place(errors: EntityErrors, case: Case) -> list[list[int]]:
    """The position of each mention: sentence, first token and end, counted in the sentence."""
    first = np.cumsum([0, *map(len, words_of(case))])
    mentions = errors.mentions
    shift = first[mentions.sentence]
    return np.stack((mentions.sentence, mentions.start - shift, mentions.end - shift), axis=1).tolist()


@pytest.mark.parametrize("case", cases())
def test_error_types_and_operations_are_those_of_the_analyser(case: Case) -> None:
    errors = errors_of(case)
    assert {name: int(counts.sum()) for name, counts in errors.counts.items()} == case["errors"]
    assert errors.operations == case["operations"]


@pytest.mark.parametrize("case", cases())
def test_mentions_and_chains_of_all_errors_are_those_of_the_analyser(case: Case) -> None:
    errors = errors_of(case)
    at = place(errors, case)
    listing: dict[str, list[Any]] = {name: [] for name in ERROR_TYPES}
    for error in errors.errors:
        rows = [at[row] for row in error.mentions]
        if error.type in ("conflated", "divided"):
            listing[error.type].append([rows, [at[row] for row in error.whole]])
        else:
            listing[error.type].append(rows[0] if error.type.endswith("_mention") else rows)
    assert {name: sorted(rows) for name, rows in listing.items()} == {
        name: sorted(rows) for name, rows in case["listing"].items()
    }


@pytest.mark.parametrize("case", cases())
def test_scores_after_repairs_are_those_of_coval(case: Case) -> None:
    errors = errors_of(case)
    for stage, types in STAGES.items():
        scores = ee.scores_of(errors.stages[types][0])
        expected = case["stage_scores"][stage]
        for name, values in expected.items():
            found = scores[name][2] if name == "mela" else scores[name]
            assert 100 * found == pytest.approx(values, abs=1.01e-4), (stage, name)


def read_errors(case: Case) -> EntityErrors:
    """The errors of a case from its files."""
    key, response = (
        Annotation.concatenate(list(batches(DATA / "data" / file, settings, Vocabulary())))
        for file, settings in zip(
            case["files"],
            (ReadSettings(task="chains", extra=heads.COLUMNS), ReadSettings(task="chains")),
            strict=True,
        )
    )
    chains = key.chains()
    way = MentionMatch("exact", None)
    return heads.MentionDetails(key).errors(chains, response.chains().into(chains.vocabulary), way)


@pytest.mark.parametrize("case", cases("files"))
def test_heads_and_types_from_files_are_those_of_the_analyser(case: Case) -> None:
    errors = read_errors(case)
    at, mentions = place(errors, case), errors.mentions
    shift = mentions.start - [begin for _, begin, _ in at]
    names = [",".join(map(str, mention)) for mention in at]
    assert dict(zip(names, (mentions.head - shift).tolist(), strict=True)) == case["heads"]
    types = [ee.MENTION_TYPES[code] for code in mentions.type.tolist()]
    assert dict(zip(names, types, strict=True)) == case["types"]
    assert {name: int(counts.sum()) for name, counts in errors.counts.items()} == case["errors"]


@pytest.mark.parametrize("case", cases())
@pytest.mark.parametrize("rule", ["accessibility", "closest"])
def test_link_errors_are_those_of_cort(case: Case, rule: str) -> None:
    errors = errors_of(case)
    at = place(errors, case)
    for side, wrong in (("recall", False), ("precision", True)):
        found = link_errors(errors.mentions, wrong=wrong, closest=rule == "closest")
        expected = case["links"][f"{side}_{rule}"]
        if isinstance(expected, int):
            assert len(found) == expected
        else:
            assert sorted([at[error.mention], at[error.antecedent]] for error in found) == sorted(expected)


@pytest.mark.parametrize("case", cases("files"))
@pytest.mark.parametrize("rule", ["accessibility", "closest"])
def test_errors_by_muc_are_as_many_as_those_of_cort(case: Case, rule: str) -> None:
    table = eh.errors(*(DATA / "data" / file for file in case["files"]), match="muc", antecedents=rule)
    for name, side in (("missing_link", "recall"), ("wrong_link", "precision")):
        expected = case["links"][f"{side}_{rule}"]
        assert table["type"].count(name) == (expected if isinstance(expected, int) else len(expected))


@pytest.mark.parametrize("case", cases())
def test_lea_of_all_sizes_adds_up_to_the_score_of_coval(case: Case) -> None:
    mentions = errors_of(case).mentions
    slices = es.lea_by_size(es.ChainCells.of(mentions.key, mentions.response)).values()
    for index, side in enumerate(("key", "response")):
        total = es.SliceSide.total([getattr(piece, side) for piece in slices]).share
        assert 100 * (total or 0) == pytest.approx(case["stage_scores"]["none"]["lea"][index], abs=1.01e-4)


@pytest.mark.parametrize("case", cases())
def test_sum_and_certain_pairs_of_the_alignment_are_those_of_scipy(case: Case) -> None:
    mentions = errors_of(case).mentions
    pairs = es.aligned_pairs(es.ChainCells.of(mentions.key, mentions.response))
    assert sum(pair.similarity for pair in pairs) == pytest.approx(case["alignment"]["sum"], abs=2e-6)
    chain = spans_of(case)
    numbers = [
        {int(side[row]): chain[tuple(span)][which] for row, span in enumerate(place(errors_of(case), case))}
        for which, side in enumerate((mentions.key, mentions.response))
    ]
    found = {(numbers[0][pair.key], numbers[1][pair.response]): pair for pair in pairs}
    for key, response, similarity, certain in case["alignment"].get("pairs", ()):
        if certain:
            assert found[key, response].certain
            assert found[key, response].similarity == pytest.approx(similarity, abs=1e-6)
        elif (key, response) in found:
            assert not found[key, response].certain


@pytest.mark.parametrize("case", cases("entities"))
def test_scores_after_the_repair_of_single_entities(case: Case) -> None:
    errors = errors_of(case)
    gains = es.entity_gains(errors)
    at, chain = place(errors, case), spans_of(case)
    scores = ee.f1_of(errors.stages[(SPAN,)][0] + gains.change)
    rows = np.stack([scores[name] for name in ("muc", "b_cubed", "ceaf_e", "lea", "mela")], axis=1) * 100
    found = {}
    for row, (key, response) in enumerate(zip(gains.key.tolist(), gains.response.tolist(), strict=True)):
        side, chains, number = (
            ("key", errors.mentions.key, key) if key >= 0 else ("response", errors.mentions.response, response)
        )
        mention = at[int(np.flatnonzero(chains == number)[0])]
        found[side, chain[tuple(mention)][side == "response"]] = rows[row].tolist()
    assert sorted(found) == sorted((side, number) for side, number, *_ in case["entities"])
    for side, number, *expected in case["entities"]:
        assert found[side, number] == pytest.approx(expected, abs=1.01e-4)


@pytest.mark.parametrize("corpus", figures()["corpora"]["systems"] if FIGURES.exists() else [], ids=_named)
def test_totals_shares_slices_and_verdicts_of_corpora(corpus: Case) -> None:
    """Shares, slices and verdicts have no second implementation but the figures' authors'."""
    documents = [errors_of(case) for case in figures()["cases"] if _is_of(case, corpus)]
    assert len(documents) == len(corpus["documents"])
    counts = {name: sum(int(one.counts[name].sum()) for one in documents) for name in ERROR_TYPES}
    assert counts == corpus["errors"]
    totals = {types: np.sum([one.subsets[types][0] for one in documents], axis=0) for types in documents[0].subsets}
    for stage, types in STAGES.items():
        scores = ee.scores_of(totals[types])
        for name, values in corpus["stage_scores"][stage].items():
            found = scores[name][2] if name == "mela" else scores[name]
            assert 100 * found == pytest.approx(values, abs=1.01e-4)
    gains = ee.gains(totals)
    for name, shares in corpus["prototype"]["shares"].items():
        assert {each: 100 * gains[name]["share"][each] for each in shares} == pytest.approx(shares, abs=1.01e-4)
    verdicts = Counter(verdict for one in documents for verdict in one.verdicts)
    verdicts["invented"] = sum(len(one.invented) for one in documents)
    assert +verdicts == corpus["prototype"]["verdicts"]
    cells = [es.ChainCells.of(one.mentions.key, one.mentions.response) for one in documents]
    sliced = {
        "b_cubed_by_type": [es.b_cubed_by_type(one.mentions) for one in documents],
        "ceaf_e_by_size": [es.ceaf_e_by_size(one, es.aligned_pairs(one)) for one in cells],
    }
    for name, slices in corpus["prototype"]["slices"].items():
        for value, (recall, key, precision, response) in slices.items():
            total = es.SliceSums.total([piece[value] for piece in sliced[name]]).saved()
            found = [100 * total["recall"], total["key"], 100 * total["precision"], total["response"]]
            assert found == pytest.approx([recall, key, precision, response], abs=1.01e-4)


def _is_of(case: Case, corpus: Case) -> bool:
    folder, document, *system = case["id"].split("/")
    return (folder, *system) == (corpus["corpus"], corpus["system"]) and document in corpus["documents"]


@pytest.mark.parametrize("test", figures()["corpora"]["tests"] if FIGURES.exists() else [], ids=_named)
def test_parts_of_the_difference_of_ceaf(test: Case) -> None:
    totals = []
    for system in test["systems"]:
        corpus = {"corpus": test["corpus"], "system": system}
        documents = next(row for row in figures()["corpora"]["systems"] if corpus.items() <= row.items())["documents"]
        cases = (case for case in figures()["cases"] if _is_of(case, {**corpus, "documents": documents}))
        totals.append(np.sum([errors_of(case).stages[()][0] for case in cases], axis=0))
    parts = es.difference_parts(*totals)
    assert {name: 100 * part for name, part in parts["ceaf_e"].items()} == pytest.approx(test["ceaf_e_parts"], abs=1e-4)
    for name in ("mela", "ceaf_e", "muc"):
        difference = ee.f1_of(totals[1])[name] - ee.f1_of(totals[0])[name]
        assert sum(parts[name].values()) == pytest.approx(float(difference), abs=1e-12)
        assert 100 * difference == pytest.approx(test["difference"][name], abs=1.01e-4)


@pytest.mark.parametrize("test", figures()["corpora"]["tests"] if FIGURES.exists() else [], ids=_named)
def test_differences_of_corpora_with_exact_p_and_entities_as_units(test: Case, tmp_path: Path) -> None:
    folder, system = DATA / "data" / "coref_errors", test["systems"]
    names = ("v1_gold_conll", *(f"{name}.response" for name in system))
    for name in names:
        texts = (path.read_text() for path in sorted(folder.glob(f"*.{name}")))
        (tmp_path / f"{name}.conll").write_text("".join(texts))
    key, one, other = (tmp_path / f"{name}.conll" for name in names)
    pair = next(iter(eh.compare(key, {system[0]: one, system[1]: other}, resamples=0).pairs.values()))
    for name, p in test["exact_p"].items():
        change = pair.further[name]
        assert 100 * change.delta == pytest.approx(test["difference"][name], abs=1.01e-4)
        assert change.significance is not None
        assert change.significance.exact
        assert change.significance.p == pytest.approx(p, abs=1e-6)
    same = pair.size - pair.different
    classes = {f"{name}s": pair.classes[kind].count for name, kind in zip(CLASSES, pair.classes, strict=True)}
    assert {**classes, "same": same} == test["entities"]


@pytest.mark.parametrize("test", figures()["corpora"]["tests"] if FIGURES.exists() else [], ids=_named)
def test_groups_within_one_document(test: Case) -> None:
    for expected in test["one_document"]:
        document = CORPORA / "coref_errors" / expected["document"]
        systems = {name: f"{document}.{name}.response" for name in test["systems"]}
        comparison = eh.compare(f"{document}.v1_gold_conll", systems, of="groups", trials=200, by="lea")
        pair = next(iter(comparison.pairs.values()))
        assert pair.significance is not None
        assert pair.significance.groups == expected["differing"]
        assert pair.interval is None
        note = next(note for note in comparison.notes if note.startswith("groups of"))
        assert f"the largest of {expected['groups']} has {expected['largest']} of" in note
