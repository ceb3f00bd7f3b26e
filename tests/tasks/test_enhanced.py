"""Enhanced dependencies: verdicts on edges by hand, empty nodes, errors, and random graphs against slow definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
import slow_edges
from evenhand.cli import main
from evenhand.formats.conllu import collapse_empty_nodes, edges_of

GOLD = ("2:nsubj|5:nsubj", "0:root", "2:obl:in", "5:cc", "2:conj:and")
HEADS = ((2, "nsubj"), (0, "root"), (2, "obl"), (5, "cc"), (2, "conj"))
FORMS = ("She", "sat", "outside", "and", "read")


def conllu(deps: tuple[str, ...], more: tuple[str, ...] = ()) -> str:
    """A sentence with these cells of DEPS; `more` are lines of empty nodes, which stand at its end."""
    rows = [
        "\t".join((str(at), form, "_", "X", "_", "_", str(head), relation, cell, "_"))
        for at, (form, (head, relation), cell) in enumerate(zip(FORMS, HEADS, deps, strict=True), 1)
    ]
    return "\n".join((*rows, *more)) + "\n\n"


@pytest.fixture
def score(tmp_path: Path) -> Any:
    def scored(gold: str, system: str, **options: Any) -> eh.Result:
        files = []
        for name, text in (("gold.conllu", gold), ("system.conllu", system)):
            (tmp_path / name).write_text(text)
            files.append(tmp_path / name)
        return eh.score(*files, **{"match": "iwpt", **options})

    return scored


def test_every_edge_gets_a_verdict(score: Any) -> None:
    """One label wrong, one head wrong, one edge missing, one extra: 3 of 6 edges are right."""
    system = ("2:nsubj", "0:root", "2:obl:on", "3:cc", "2:conj:and|4:dep")
    elas, eulas = (score(conllu(GOLD), conllu(system))[name] for name in ("elas", "eulas"))
    assert [elas.overall[count] for count in ("correct", "gold", "system", "pairs")] == [3, 6, 6, 3]
    assert eulas.overall["correct"] == 4
    assert elas.confusion == {"": {"dep": 1}, "nsubj": {"": 1}, "obl:in": {"obl:on": 1}}
    assert elas.labels["nsubj"].recall == 0.5
    assert elas.f1 == 0.5


def test_they_stand_beside_the_official_metrics_where_words_have_edges(score: Any) -> None:
    enhanced, plain = (score(text, text, match=None) for text in (conllu(GOLD), conllu(("_",) * 5)))
    assert len(enhanced.scores) == len(plain.scores) + 2 == 3 + 13 + 2
    assert "elas" not in plain.scores


EMPTY = "5.1\tx\t_\tX\t_\t_\t_\t_\t2:conj:and\t_"


def test_empty_nodes_are_collapsed_or_skipped(score: Any) -> None:
    deps = ("2:nsubj", "0:root", "5.1:obl:in", "5:cc", "5.1:dep")
    text = conllu(deps, (EMPTY,))
    collapsing = score(text, text)["elas"]
    assert sorted(collapsing.labels) == ["cc", "conj:and>dep", "conj:and>obl:in", "nsubj", "root"]
    assert sorted(score(text, text)["eulas"].labels) == ["cc", "conj>dep", "conj>obl", "nsubj", "root"]
    skipping = score(text, text, empty_nodes="skip")
    assert skipping["elas"].overall["gold"] == 3
    assert "|empty-nodes:skip" in skipping.signature


def test_a_path_visits_no_empty_node_twice() -> None:
    parents = {"5.1": edges_of("2:conj:and|5.2:dep"), "5.2": edges_of("5.1:xcomp")}
    found = collapse_empty_nodes(edges_of("5.1:obj|5.2:obj"), parents)
    assert found == [("2", "conj:and>obj"), ("2", "conj:and>xcomp>obj")]
    assert collapse_empty_nodes(edges_of("7.1:obj|1:nsubj"), parents) == [("1", "nsubj")]
    many = {f"1.{at}": [(f"1.{at - 1}", label) for label in "ab"] for at in range(2, 20)} | {"1.1": [("2", "c")]}
    assert collapse_empty_nodes([("1.19", "x")], many) is None


@pytest.mark.parametrize(
    ("cell", "finding"),
    [
        ("2", "the enhanced edge '2' is not a head and a label"),
        ("x:obl", "the enhanced edge 'x:obl' is not a head and a label"),
        ("9:obl", "the head 9 is outside the sentence"),
    ],
)
def test_edges_that_are_none(score: Any, cell: str, finding: str) -> None:
    with pytest.raises(eh.InputError, match=f"system.conllu:3: {finding}"):
        score(conllu(GOLD), conllu((*GOLD[:2], cell, *GOLD[3:])))


def test_enhancements_are_digits(score: Any) -> None:
    with pytest.raises(eh.SettingError, match="enhancements is '17'; use digits from 0 to 6, such as 156"):
        score(conllu(GOLD), conllu(GOLD), enhancements="17")
    assert "|enhancements:156" in score(conllu(GOLD), conllu(GOLD), enhancements="6510").signature


def test_systems_are_compared_by_edges(tmp_path: Path) -> None:
    """The second system lacks an edge that the first one has."""
    texts = {"gold": GOLD, "one": GOLD, "two": ("2:nsubj", *GOLD[1:])}
    for name, deps in texts.items():
        (tmp_path / f"{name}.conllu").write_text(conllu(deps))
    gold, *systems = (tmp_path / f"{name}.conllu" for name in texts)
    comparison = eh.compare(gold, systems, by="elas", trials=10, resamples=10)
    pair = comparison.pair("one", "two")
    assert (pair.size, pair.different) == (6, 1)
    assert "2 systems on the gold standard gold, 6 enhanced edges, compared by elas" in str(comparison)
    (transition,) = pair.new_errors.transitions
    assert (transition.gold, transition.before, transition.after) == ("nsubj", "nsubj", "missing")
    (unit,) = pair.new_errors.units()
    assert (unit.start, unit.end) == (0, 1)


def test_verdicts_on_edges_are_written(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = {"gold": GOLD, "system": ("2:nsubj", "0:root", "2:obl:on", "3:cc", "2:conj:and|4:dep")}
    for name, deps in texts.items():
        (tmp_path / f"{name}.conllu").write_text(conllu(deps))
    files = [tmp_path / f"{name}.conllu" for name in texts]
    options = ["--match", "elas", "--verdicts", str(tmp_path / "edges.parquet")]
    assert CliRunner().invoke(main, ["score", *map(str, files), *options]).exit_code == 0
    rows = parquet.read_table(tmp_path / "edges.parquet").to_pylist()
    columns = ("text", "gold_label", "system_label", "gold_head", "system_head", "verdict")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("She", "nsubj", "nsubj", 2, 2, "right"),
        ("She", "nsubj", None, 5, None, "missing"),
        ("sat", "root", "root", 0, 0, "right"),
        ("outside", "obl:in", "obl:on", 2, 2, "wrong_relation"),
        ("and", "cc", "cc", 5, 3, "wrong_head"),
        ("read", "conj:and", "conj:and", 2, 2, "right"),
        ("read", None, "dep", None, 4, "extra"),
    ]


def test_the_last_conjunct_is_the_same_whichever_program_collapsed_the_file(score: Any) -> None:
    """The path over the empty node has an earlier head, so the official script writes its edge first."""
    node = "5.1\tx\t_\tX\t_\t_\t_\t_\t1:dep\t_"
    raw, collapsed = "4:conj:and|5.1:conj:and", "1:dep>conj:and|4:conj:and"
    turned = "|".join(reversed(collapsed.split("|")))
    system = conllu((*GOLD[:4], "4:conj:and"))
    kept = {}
    for name, gold in {
        "raw": conllu((*GOLD[:4], raw), (node,)),
        "official": conllu((*GOLD[:4], collapsed)),
        "turned": conllu((*GOLD[:4], turned)),
    }.items():
        result = score(gold, system, enhancements="12")["elas"]
        kept[name] = result.overall["correct"], result.overall["gold"]
    assert kept == dict.fromkeys(kept, (6, 6))
    skipped = score(conllu((*GOLD[:4], "4:conj:and|2:conj:and")), system, enhancements="2", empty_nodes="skip")
    assert skipped["elas"].overall["correct"] == 5  # as udeval counts files as they are


@given(st.data())
def test_the_order_of_edges_in_a_file_does_not_matter(tmp_path_factory: Any, data: st.DataObject) -> None:
    gold, system = data.draw(texts()), data.draw(texts())
    folder, counts = tmp_path_factory.mktemp("edges"), []
    for text in (gold, _turned(gold)):
        for name, content in (("gold", text), ("system", system)):
            (folder / f"{name}.conllu").write_text(content)
        result = eh.score(folder / "gold.conllu", folder / "system.conllu", match="iwpt", enhancements="12")
        counts.append([result[model].overall["correct"] for model in ("elas", "eulas")])
    assert counts[0] == counts[1]


def _turned(text: str) -> str:
    """The same sentence, whose edges are in reverse order."""
    rows = [line.split("\t") for line in text.splitlines() if line]
    return "\n".join("\t".join((*row[:8], "|".join(row[8].split("|")[::-1]), row[9])) for row in rows) + "\n\n"


# Random graphs

LABELS = ("nsubj", "nsubj:pass", "conj:and", "obl:in", "obl:on", "ref", "acl:relcl", "xcomp", "advcl:if", "nmod:pass")
edges = st.lists(
    st.tuples(st.sampled_from(["0", "1", "2", "3", "4", "5", "5.1", "5.2"]), st.sampled_from(LABELS)), max_size=4
)
cells = edges.map(lambda found: "|".join(f"{head}:{label}" for head, label in found) or "_")
BASIC = ("nsubj", "root", "acl:relcl", "xcomp", "conj:and")


@st.composite
def texts(draw: st.DrawFn) -> str:
    heads = (2, 0, draw(st.sampled_from([1, 2])), draw(st.sampled_from([2, 3])), 2)
    rows = [
        "\t".join((str(at), FORMS[at - 1], "_", "X", "_", "_", str(heads[at - 1]), BASIC[at - 1], draw(cells), "_"))
        for at in range(1, 6)
    ]
    rows += [f"5.{at}\tx\t_\tX\t_\t_\t_\t_\t{draw(cells)}\t_" for at in (1, 2)]
    return "\n".join(rows) + "\n\n"


@given(st.lists(texts(), min_size=1, max_size=3), st.data(), st.sets(st.sampled_from("123456")))
def test_random_graphs_agree_with_the_slow_definition(
    tmp_path_factory: Any, gold: list[str], data: st.DataObject, digits: set[str]
) -> None:
    system = data.draw(st.lists(texts(), min_size=len(gold), max_size=len(gold)))
    chosen, folder = "".join(sorted(digits)) or "0", tmp_path_factory.mktemp("edges")
    files = []
    for name, sentences in (("gold", gold), ("system", system)):
        (folder / f"{name}.conllu").write_text("".join(sentences))
        files.append(folder / f"{name}.conllu")
    result = eh.score(*files, match="iwpt", enhancements=chosen)
    wanted = slow_edges.counts("".join(gold), "".join(system), chosen)
    for model in ("elas", "eulas"):
        overall = result[model].overall
        assert (overall["correct"], overall["gold"], overall["system"]) == wanted[model]
        assert overall["pairs"] >= overall["correct"]
