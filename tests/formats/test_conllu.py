"""CoNLL-U and its relatives: words, trees, tokens of several words, documents, columns, and sizes that are large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

Write = Callable[..., Path]


def rows(text: str) -> str:
    """Lines of ten columns from `id form head relation`; comments, blank lines and lines with tabs stay as they are."""
    lines = []
    for line in text.split("\n"):
        number, form, head, relation = [*line.split(), *"____"][:4]
        is_row = line.strip() and not line.startswith("#") and "\t" not in line
        lines.append("\t".join([number, form, "_", "X", "Y", "_", head, relation, "_", "_"]) if is_row else line)
    return "\n".join(lines)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "file.conllu") -> Path:
        Path(name).write_bytes(rows(text).encode())
        return Path(name)

    return write


def words(annotation: Annotation) -> list[str]:
    tokens = annotation.corpus.tokens
    assert tokens is not None
    return [tokens[i] for i in range(len(tokens))]


def listed(annotation: Annotation, layer: str) -> list[str]:
    tags = annotation[layer]
    assert isinstance(tags, Tags)
    return tags.to_list()


TWO = "1 a 0 root\n2 b 1 obj\n\n1 c 0 root\n"


@pytest.mark.parametrize(
    "text",
    [
        TWO + "\n",
        TWO,
        TWO.rstrip(),
        "\n\n" + TWO.replace("\n\n", "\n\n\n\n") + "\n\n\n",
        TWO.replace("\n\n", "\n  \n \n") + " ",
        rows(TWO).replace("\n", "\r\n"),
        "\ufeff" + rows(TWO),
        "\ufeff# sent_id = 1\n" + TWO.replace("\n\n", "\n\n# sent_id = 2\n# text = c\n#\n"),
        "# only a comment\n\n" + TWO,
        "0.1 x\n1 a 0 root\n1.1 x\n1.2 x\n2 b 1 obj\n2.1 x\n\n1 c 0 root\n",
        "1-2 ab\n1 a 0 root\n2 b 1 obj\n\n1-1 C\n1 c 0 root\n",
    ],
    ids=["two-blanks", "one", "none", "many", "spaces", "crlf", "bom", "comments", "comment", "empty-nodes", "tokens"],
)
def test_the_same_words_and_trees_however_they_are_laid_out(file: Write, text: str) -> None:
    annotation = eh.read(file(text))
    assert words(annotation) == ["a", "b", "c"]
    assert annotation.trees().head.tolist() == [0, 1, 0]
    assert annotation.trees().relation.to_list() == ["root", "obj", "root"]
    assert annotation.corpus.bounds.tolist() == [0, 2, 3]
    assert annotation.reading.format == "conllu"


def test_every_column_but_those_of_the_tree_is_a_layer(file: Write) -> None:
    text = "1\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t2:nsubj\tSpaceAfter=No\n2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t0:root\t_\n"
    annotation = eh.read(file(text))
    assert listed(annotation, "lemma") == ["dog", "bark"]
    assert listed(annotation, "upos") == ["NOUN", "VERB"]
    assert listed(annotation, "xpos") == ["NNS", "VBP"]
    assert listed(annotation, "feats") == ["Number=Plur", "_"]
    assert listed(annotation, "deps") == ["2:nsubj", "0:root"]
    assert listed(annotation, "misc") == ["SpaceAfter=No", "_"]


def test_multi_word_tokens_have_a_form_a_first_word_and_a_size(file: Write) -> None:
    annotation = eh.read(file("1 a 0 root\n\n1 geh 0 root\n2-3 ins\n2 in 1 case\n3 das 1 det\n4-4 x\n4 y 1 obl\n"))
    found = annotation.corpus.multiwords
    assert found is not None
    assert (found.first.tolist(), found.size.tolist()) == ([2, 4], [2, 1])
    assert [found.tokens[0], found.tokens[1]] == ["ins", "x"]
    assert words(annotation) == ["a", "geh", "in", "das", "y"]


def test_a_document_begins_with_newdoc(file: Write) -> None:
    one = "1 a 0 root\n\n"
    path = file(f"# newdoc id = 1\n{one}# newpar\n{one}# newdoc id = 2\n# sent_id = 3\n{one}# text = newdoc\n{one}")
    assert eh.read(path).corpus.documents.tolist() == [0, 2]
    assert eh.read(file(one + one)).corpus.documents.tolist() == [0]


@pytest.mark.parametrize("size", [1, 60, 1000])
def test_batches_of_any_size_read_the_same(file: Write, size: int) -> None:
    path = file(f"# newdoc\n{TWO}\n# x\n1-2 im\n{TWO}\n# newdoc\n1 d 0 root\n1.1 e\n\n# newdoc\n\n{TWO}")
    whole = eh.read(path)
    parts = Annotation.concatenate(list(batches(path, ReadSettings(block_size=size), Vocabulary())))
    assert words(parts) == words(whole) == [*"abcabc", "d", *"abc"]
    assert parts.trees().head.tolist() == whole.trees().head.tolist()
    assert parts.corpus.documents.tolist() == whole.corpus.documents.tolist() == [0, 4, 5]
    assert (parts.corpus.lines + parts.corpus.first_line).tolist() == (
        whole.corpus.lines + whole.corpus.first_line
    ).tolist()
    for each in (parts, whole):
        assert each.corpus.multiwords is not None
        assert each.corpus.multiwords.first.tolist() == [3]


PLUS = "# global.columns = ID FORM DEPREL HEAD PARSEME:MWE\n1\ta\tnsubj\t2\t*\n2\tb\troot\t0\t1:VID\n"


def test_conllu_plus_names_its_columns_in_the_first_line(file: Write) -> None:
    annotation = eh.read(file(PLUS))
    assert words(annotation) == ["a", "b"]
    assert annotation.trees().head.tolist() == [2, 0]
    assert listed(annotation, "mwe") == ["*", "1:VID"]


@pytest.mark.parametrize("separator", ["\t", "  "], ids=["tabs", "spaces"])
def test_conllx_must_be_named_and_may_have_spaces(file: Write, separator: str) -> None:
    path = file("1 a 2 SB\n2 b 0 --\n", "file.conll")
    path.write_text(path.read_text().replace("\t", separator))
    annotation = eh.read(path, format="conllx")
    assert annotation.reading.format == "conllx"
    assert annotation.trees().relation.to_list() == ["SB", "--"]
    assert list(eh.score(path, path, format="conllx").scores) == ["uas", "ls", "las"]


def test_conll_2009_has_a_column_more_for_every_predicate(file: Write) -> None:
    path = file(
        "1\ta\tla\tpa\tN\tpN\tf\tpf\t2\t1\tSBJ\tpS\t_\t_\tA0\n2\tb\tlb\tpb\tV\tpV\t_\t_\t0\t0\tROOT\tpR\tY\tb.01\t_\n\n"
        "1\tc\tlc\tpc\tV\tpV\t_\t_\t0\t0\tROOT\tpR\t_\t_\n"
    )
    annotation = eh.read(path, format="conll2009")
    assert words(annotation) == ["a", "b", "c"]
    assert annotation.trees().head.tolist() == [2, 0, 0]
    assert annotation.trees().relation.to_list() == ["SBJ", "ROOT", "ROOT"]
    assert [listed(annotation, layer)[0] for layer in ("lemma", "upos", "feats")] == ["la", "N", "f"]


@pytest.mark.parametrize("ending", ["txt", "conll", "conllu"])
def test_columns_of_other_files_can_be_named(file: Write, ending: str) -> None:
    """Without a column of numbers, words count from the blank line on; what is named wins over the file's name."""
    gold = file("x\ta\t_\t_\t_\t_\t2\tnsubj\nx\tb\t_\t_\t_\t_\t0\troot\n", f"gold.{ending}")
    system = file("x\ta\t_\t_\t_\t_\t2\tobj\nx\tb\t_\t_\t_\t_\t0\troot\n", f"system.{ending}")
    result = eh.score(gold, system, task="trees", match="uas,las", column="form=2,head=7,deprel=8")
    assert (result["uas"].headline, result["las"].headline) == (1, 1 / 2)


def test_without_tags_and_lemmas_the_scores_are_those_of_attachment(file: Write) -> None:
    """The metrics of CoNLL 2018 need more columns, and nobody asked for them."""
    plus, plain = file(PLUS), file("a\t2\tnsubj\nb\t0\troot\n", "file.txt")
    assert list(eh.score(plus, plus).scores) == ["uas", "ls", "las"]
    named = eh.score(plain, plain, task="trees", column="form=1,head=2,deprel=3")
    assert list(named.scores) == ["uas", "ls", "las"]


def test_an_unknown_column_is_refused_with_those_that_there_are(file: Write) -> None:
    path = file(TWO)
    assert listed(eh.read(path, column="xpos"), "tags") == ["Y", "Y", "Y"]
    with pytest.raises(eh.InputError, match="there is no column 'nothing'; choose one of id, form, lemma, upos"):
        eh.read(path, column="nothing")
    with pytest.raises(eh.SettingError, match="'head=x' names no column; write its name and its number"):
        eh.read(path, column="form=2,head=x")


def test_a_file_without_heads_has_tags_and_no_trees(file: Write) -> None:
    path = file("1 a\n2 b\n")
    assert "trees" not in eh.read(path).layers
    assert eh.score(path, path, task="tags")["accuracy"].headline == 1
    with pytest.raises(eh.InputError, match=r"file\.conllu: the words have no heads; give --task tags"):
        eh.score(path, path)


def test_two_roots_are_kept_and_counted(file: Write) -> None:
    path = file("1 a 0 root\n2 b 0 root\n\n1 c 0 root\n\n1 d 0 root\n2 e 0 root\n3 f 0 root\n")
    annotation = eh.read(path)
    assert words(annotation) == [*"abcdef"]
    assert annotation.reading.kept == {"sentences with several roots": 2}
    notes = eh.score(path, path).notes
    assert "gold file: took sentences with several roots as they stand (2; --repair error refuses them)." in notes
    with pytest.raises(eh.InputError, match=r"^file\.conllu:1: 2 words are roots of the sentence that begins here"):
        eh.read(path, repair="error")


MANY = 5000


def test_a_chain_of_many_words(file: Write) -> None:
    chain = "1 a 0 root\n" + "".join(f"{word} a {word - 1} dep\n" for word in range(2, MANY + 1))
    other = "".join(f"{word} a {word + 1} dep\n" for word in range(1, MANY)) + f"{MANY} a 0 root\n"
    result = eh.score(file(chain, "gold.conllu"), file(other, "system.conllu"))
    assert result["uas"].overall.counts == {"correct": 0, "gold": MANY, "system": MANY}
    assert result["ls"].overall["correct"] == MANY - 2
    assert eh.score("gold.conllu", "gold.conllu")["conll18-mlas"].f1 == 1


def test_a_cycle_of_many_words(file: Write) -> None:
    cycle = "1 a 0 root\n" + "".join(f"{word} a {word + 1} dep\n" for word in range(2, MANY)) + f"{MANY} a 2 dep\n"
    with pytest.raises(eh.InputError, match=r"^file\.conllu:2: the words 2, 3, 4, .*are a cycle"):
        eh.read(file(cycle))


@pytest.mark.parametrize(("odd", "aligned"), [(None, MANY), (1, MANY - 1), (MANY, MANY - 1)])
def test_a_multi_word_token_of_many_words(file: Write, odd: int | None, aligned: int) -> None:
    """The system has the same words, or another one for the first or the last of them."""

    def token(odd: int | None = None) -> str:
        forms = ["other" if word == odd else f"w{word}" for word in range(1, MANY + 1)]
        return f"1-{MANY} token\n" + "".join(f"{word} {form} {word - 1} dep\n" for word, form in enumerate(forms, 1))

    result = eh.score(file(token(), "gold.conllu"), file(token(odd), "system.conllu"))
    assert result["conll18-tokens"].overall["correct"] == 1
    assert result["conll18-words"].overall.counts == {"correct": aligned, "gold": MANY, "system": MANY}
