"""Converting links: what stays, and what is refused or lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.alignment.documents import names_of
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.data.structures import links_of

EXAMPLES = ROOT / "src" / "evenhand" / "examples" / "links"
SYSTEMS = ("gold", "popularity", "context", "reranker")
HIPE = """TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC
# hipe2022:document_id = a
In\tO\t_\t_
Bad\tB-LOC\tQ9|Q8\t_
Ems\tI-LOC\tQ9|Q8\tEndOfSentence
Tom\tB-PER\tNIL\t_
left\tO\t_\tEndOfSentence
# hipe2022:document_id = b
Rom\tO\tQ220\t_
Bern\tB-LOC\t_\t_
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], prog_name="evenhand")


def links(annotation: Annotation) -> list[tuple[str, str, int, int, tuple[str, ...]]]:
    """Document, label, bounds in the document and identifiers of every span."""
    spans, corpus = annotation.spans("links"), annotation.corpus
    found = []
    for (label, scope, start, end), link in zip(spans.rows(), links_of(spans), strict=True):
        document = int(corpus.document_of(spans.scope[:1] * 0 + scope)[0])
        begin = 0 if corpus.bounds is None else int(corpus.bounds[scope] - corpus.bounds[corpus.documents[document]])
        found.append((names_of(corpus)[document], label, begin + start, begin + end, link.candidates if link else ()))
    return sorted(found)


@pytest.mark.parametrize("target", ["brat", "jsonl"])
def test_a_way_there_and_back_keeps_everything(tmp_path: Path, target: str) -> None:
    there, back = tmp_path / ("there.jsonl" if target == "jsonl" else "there"), tmp_path / "back.jsonl"
    assert run(EXAMPLES / "popularity.jsonl", there, "--to", target).exit_code == 0
    assert run(there, back, "--task", "links").exit_code == 0
    assert links(eh.read(back)) == links(eh.read(EXAMPLES / "popularity.jsonl"))


@pytest.mark.parametrize("target", ["brat", "jsonl", "neleval", "hipe"])
def test_scores_are_the_same_in_every_format(tmp_path: Path, target: str) -> None:
    (tmp_path / "gold.tsv").write_text(HIPE, encoding="utf-8")
    (tmp_path / "system.tsv").write_text(HIPE.replace("Q9|Q8", "Q8|Q9").replace("NIL", "Q5"), encoding="utf-8")
    for side in ("gold", "system"):
        assert run(tmp_path / f"{side}.tsv", tmp_path / f"new-{side}", "--to", target, "--lossy").exit_code == 0
    models = ["links", "links@2", "all", "typed_all", "entities", "fair"]
    old = eh.score(tmp_path / "gold.tsv", tmp_path / "system.tsv", match=models)
    new = eh.score(tmp_path / "new-gold", tmp_path / "new-system", match=models, task="links")
    assert {name: score.overall for name, score in new.scores.items()} == {
        name: score.overall for name, score in old.scores.items()
    }
    assert new.gold.documents == 2


def test_a_table_of_hipe_is_written_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(HIPE, encoding="utf-8")
    assert run(tmp_path / "gold.tsv", tmp_path / "new.tsv", "--to", "hipe").exit_code == 0
    assert (tmp_path / "new.tsv").read_text(encoding="utf-8") == HIPE


def test_a_table_of_neleval(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(HIPE, encoding="utf-8")
    refused = run(tmp_path / "gold.tsv", tmp_path / "new.tsv", "--to", "neleval")
    assert refused.exit_code == 2
    assert "neleval cannot carry 1 span without links, which neleval takes for NIL; give --lossy" in refused.stderr
    assert run(tmp_path / "gold.tsv", tmp_path / "new.tsv", "--to", "neleval", "--lossy").exit_code == 0
    assert (tmp_path / "new.tsv").read_text(encoding="utf-8") == (
        "a\t3\t9\tQ9\t1\tLOC\tQ8\t0.5\tLOC\na\t11\t13\tNIL\t1\tPER\nb\t0\t2\tQ220\t1\n"
    )


@pytest.mark.parametrize(
    ("tokens", "spans", "message"),
    [
        (["a", "#b"], [], "hipe cannot carry 1 token beginning with #, which would be skipped there"),
        (
            ["a"],
            [{"start": 0, "end": 1, "label": "x", "links": ["Q1"]}],
            "1 name with small letters, of labels or identifiers",
        ),
        (["a"], [{"start": 0, "end": 1, "label": "X", "links": ["Q|1"]}], "The identifier 'Q|1' cannot be written"),
        (["a"], [{"start": 0, "end": 1, "label": "X", "links": ["Q\t1"]}], "'Q\\\\t1' has a tab or a line end"),
        (
            ["a", "b"],
            [{"start": 0, "end": 2, "links": ["Q1"]}, {"start": 1, "end": 2, "links": ["Q1"]}],
            "inside or across",
        ),
    ],
)
def test_what_a_table_of_hipe_cannot_carry(
    tmp_path: Path, tokens: list[str], spans: list[object], message: str
) -> None:
    path = tmp_path / "links.jsonl"
    path.write_text(json.dumps({"tokens": tokens, "spans": spans}) + "\n", encoding="utf-8")
    refused = run(path, tmp_path / "new.tsv", "--to", "hipe", "--task", "links")
    assert refused.exit_code == 2
    assert message.replace("\\\\", "\\") in refused.stderr
    assert not (tmp_path / "new.tsv").exists()


def test_tables_without_texts_become_none_with_a_text(tmp_path: Path) -> None:
    (tmp_path / "links.tsv").write_text("d\t0\t4\tQ1\t1\tLOC\n", encoding="utf-8")
    refused = run(tmp_path / "links.tsv", tmp_path / "new.jsonl")
    assert refused.exit_code == 2
    assert "has no text, which jsonl needs; convert to neleval instead." in refused.stderr
    assert run(tmp_path / "links.tsv", tmp_path / "new.tsv", "--to", "neleval").exit_code == 0
    assert (tmp_path / "new.tsv").read_text(encoding="utf-8") == "d\t0\t4\tQ1\t1\tLOC\n"


def test_texts_that_files_of_brat_cannot_have(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    path.write_text(json.dumps({"id": "d", "text": "a\0b", "spans": []}) + "\n", encoding="utf-8")
    refused = run(path, tmp_path / "new", "--to", "brat", "--task", "links")
    assert refused.exit_code == 2
    assert "The text of document d has a NUL character, which brat's files cannot have." in refused.stderr
