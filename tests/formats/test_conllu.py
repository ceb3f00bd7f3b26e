"""CoNLL-U and its relatives: words, trees, tokens of several words, documents, columns, and sizes that are large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.check import check
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
    multiwords = annotation.corpus.multiwords
    assert multiwords is not None
    assert (multiwords.first.tolist(), multiwords.size.tolist()) == ([2, 4], [2, 1])
    assert [multiwords.tokens[0], multiwords.tokens[1]] == ["ins", "x"]
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
    with pytest.raises(eh.InputError, match="column 'nothing' does not exist; choose one of id, form, lemma, upos"):
        eh.read(path, column="nothing")
    with pytest.raises(eh.SettingError, match="'head=x' is not a column; write its name and its number"):
        eh.read(path, column="form=2,head=x")


def test_a_file_without_heads_has_tags_and_no_trees(file: Write) -> None:
    path = file("1 a\n2 b\n")
    assert "trees" not in eh.read(path).layers
    assert eh.score(path, path, task="tags")["accuracy"].headline == 1
    with pytest.raises(eh.InputError, match=r"file\.conllu: the words have no heads; use --task tags"):
        eh.score(path, path)


def test_two_roots_are_kept_and_counted(file: Write) -> None:
    path = file("1 a 0 root\n2 b 0 root\n\n1 c 0 root\n\n1 d 0 root\n2 e 0 root\n3 f 0 root\n")
    annotation = eh.read(path)
    assert words(annotation) == [*"abcdef"]
    assert annotation.reading.kept == {"sentences with several roots": 2}
    notes = eh.score(path, path).notes
    assert "gold file: accepted sentences with several roots (2; --repair error rejects them)." in notes
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


# Problems of files in CoNLL-U: each with its line and one sentence, and those of two files that do not fit


GOOD = "1 a 0 root\n2 b 1 obj\n\n"
NO_ID = "is not the number of a word (3), a multi-word token (3-4) or an empty node (3.1)"
LATE = "is not before its first word"
PROBLEMS: dict[str, dict[str, tuple[str, int, str]]] = {
    "fix the line (if it is cut off, the file was not written completely)": {
        "nine columns": ("1\ta\t_\t_\t_\t_\t0\troot\t_\n", 4, "expected 10 columns, got 9"),
        "eleven columns": ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\t_\n", 4, "expected 10 columns, got 11"),
        "a cut line": ("1 a 0 root\n2\tb\t_\tX", 5, "expected 10 columns, got 4"),
    },
    "number the words of every sentence from 1": {
        "an ID that is none": ("x a 0 root\n", 4, f"'x' {NO_ID}"),
        "half a range": ("1- a 0 root\n", 4, f"'1-' {NO_ID}"),
        "three numbers": ("1-2-3 a 0 root\n", 4, f"'1-2-3' {NO_ID}"),
        "no ID": ("\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", 4, f"'' {NO_ID}"),
    },
    "number the words of every sentence from 1, without gaps": {
        "a gap": ("1 a 0 root\n3 b 1 obj\n", 5, "expected the word 2 next, got 3"),
        "words from 0 on": ("0 a 0 root\n1 b 0 obj\n", 4, "expected the word 1 next, got 0"),
        "an ID twice": ("1 a 0 root\n1 b 1 obj\n", 5, "expected the word 2 next, got 1"),
        "a token with a gap": ("1-3 abc\n1 a 0 root\n3 c 1 x\n", 6, "expected the word 2 next, got 3"),
    },
    "write it before its words, which have the numbers of its range": {
        "a token behind its words": ("1 a 0 root\n2 b 1 x\n1-2 ab\n", 6, f"the multi-word token 1-2 {LATE}"),
        "a token among its words": ("1 a 0 root\n1-2 ab\n2 b 1 x\n", 5, f"the multi-word token 1-2 {LATE}"),
        "a token too early": ("2-3 bc\n1 a 0 x\n2 b 1 x\n3 c 1 x\n", 4, f"the multi-word token 2-3 {LATE}"),
        "a token without words": ("1-2 ab\n\n1 c 0 root\n2 d 1 x\n", 4, f"the multi-word token 1-2 {LATE}"),
        "a token alone at the end": ("1-2 ab", 4, f"the multi-word token 1-2 {LATE}"),
        "a token at the end": ("1 a 0 root\n2-3 bc", 5, f"the multi-word token 2-3 {LATE}"),
        "a token beyond its sentence": (
            "1-3 abc\n1 a 0 root\n2 b 1 x\n\n1 c 0 root\n",
            4,
            "the multi-word token 1-3 extends past the end of its sentence",
        ),
        "tokens that overlap": (
            "1-2 ab\n1 a 0 root\n2-3 bc\n2 b 1 x\n3 c 1 x\n",
            6,
            "the multi-word token 2-3 overlaps the previous one",
        ),
        "a token reversed": ("2-1 ab\n1 a 0 root\n2 b 1 x\n", 4, "the multi-word token 2-1 ends before it begins"),
    },
    "write it after its word": {
        "an empty node too early": ("1 a 0 root\n2.1 x\n2 b 1 x\n", 5, "found an empty node of word 2 after word 1"),
        "an empty node too late": ("1 a 0 root\n0.1 x\n", 5, "found an empty node of word 0 after word 1"),
    },
    "move it before the sentence": {
        "a comment inside": ("1 a 0 root\n# x\n2 b 1 x\n", 5, "found a comment inside a sentence"),
        "a comment within a token": ("1-2 ab\n# x\n1 a 0 x\n2 b 1 x\n", 5, "found a comment inside a sentence"),
    },
    "use the number of a word of the sentence, or 0 for the root": {
        "a head outside": ("1 a 0 x\n2 b 3 x\n", 5, "the head 3 is outside the sentence, which has 2 words"),
        "a head far outside": (
            "1 a 0 x\n2 b 1234567890 x\n",
            5,
            "the head 1234567890 is outside the sentence, which has 2 words",
        ),
        "a head that is no number": ("1 a 0 root\n2 b x x\n", 5, "the head 'x' is not a number"),
        "a head below zero": ("1 a 0 root\n2 b -1 x\n", 5, "the head '-1' is not a number"),
        "an empty node as head": ("1 a 0 root\n1.1 x\n2 b 1.1 x\n", 6, "the head '1.1' is not a number"),
        "an underscore as head": ("1 a 0 root\n2 b _ x\n", 5, "the head '_' is not a number"),
        "an empty head": ("1 a 0 root\n2\tb\t_\t_\t_\t_\t\tx\t_\t_\n", 5, "the head '' is not a number"),
    },
    "give one word the head 0": {
        "no root": ("1 a 2 x\n2 b 1 x\n", 4, "no word is the root of the sentence that begins here"),
        "the only word below itself": ("1 a 1 x\n", 4, "no word is the root of the sentence that begins here"),
    },
    "every word must lead to the root by its heads": {
        "a word below itself": ("1 a 0 root\n2 b 2 x\n", 5, "the word is its own head"),
        "a cycle of two": ("1 a 0 root\n2 b 3 x\n3 c 2 x\n", 5, "the words 2, 3 are a cycle"),
        "a cycle of three": ("1 a 3 x\n2 b 1 x\n3 c 2 x\n4 d 0 x\n", 4, "the words 1, 2, 3 are a cycle"),
        "words below a cycle": ("1 a 2 x\n2 b 3 x\n3 c 4 x\n4 d 3 x\n5 e 0 x\n", 6, "the words 3, 4 are a cycle"),
    },
}
"""By remedy: a sentence, the line of the problem behind a good sentence of three lines, and the finding."""


def rows_conllu_problems(text: str) -> str:
    """Lines of ten columns from `id form head relation`; comments, blank lines and lines with tabs stay as they are."""
    lines = []
    for line in text.split("\n"):
        number, form, head, relation = [*line.split(), *"____"][:4]
        is_row = line and not line.startswith("#") and "\t" not in line
        lines.append("\t".join([number, form, "_", "X", "Y", "_", head, relation, "_", "_"]) if is_row else line)
    return "\n".join(lines)


@pytest.fixture
def file_conllu_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "file.conllu") -> Path:
        Path(name).write_text(rows_conllu_problems(text))
        return Path(name)

    return write


def refusal(*paths: Path, **options: Any) -> str:
    with pytest.raises(eh.InputError) as error:
        eh.score(*paths, **options) if len(paths) > 1 else eh.read(*paths, **options)
    return str(error.value)


CASES = [
    pytest.param(text, line, f"{finding}; {remedy}.", id=name)
    for remedy, problems in PROBLEMS.items()
    for name, (text, line, finding) in problems.items()
]


@pytest.mark.parametrize(("text", "line", "sentence"), CASES)
def test_a_problem(file_conllu_problems: Write, text: str, line: int, sentence: str) -> None:
    assert refusal(file_conllu_problems(GOOD + text)) == f"file.conllu:{line}: {sentence}"


@pytest.mark.parametrize(("text", "line", "sentence"), CASES)
def test_a_problem_leaves_other_sentences_as_they_are(
    file_conllu_problems: Write, text: str, line: int, sentence: str
) -> None:
    found = check(file_conllu_problems(GOOD + text), ReadSettings())
    assert f"file.conllu:{line}: {sentence}" in [str(problem) for problem in found.problems]
    assert found.units >= 2


@pytest.mark.parametrize(("text", "line", "sentence"), CASES)
def test_a_problem_beside_another_file(file_conllu_problems: Write, text: str, line: int, sentence: str) -> None:
    """A check against the text of a gold standard finds it too, whatever the words that are left."""
    found = check(file_conllu_problems(GOOD + text), ReadSettings(), against=file_conllu_problems(GOOD, "gold.conllu"))
    assert f"file.conllu:{line}: {sentence}" in [str(problem) for problem in found.problems]


def test_a_multi_word_token_without_words_is_not_taken_for_one_of_the_next_sentence(
    file_conllu_problems: Write,
) -> None:
    checked = check(
        file_conllu_problems(f"{GOOD}1-2 xy\n\n{GOOD}"),
        ReadSettings(),
        against=file_conllu_problems(GOOD + GOOD, "gold.conllu"),
    )
    assert [problem.line for problem in checked.problems] == [4]


def test_all_problems_are_found_at_once(file_conllu_problems: Write) -> None:
    text = f"1 a 0 x\n2 b 3 x\n\n{GOOD}1 a 2 x\n2 b 1 x\n\n1-2 ab\n\n2 a 0 x\n"
    found = check(file_conllu_problems(GOOD + text), ReadSettings())
    assert [problem.line for problem in found.problems] == [5, 10, 13, 15]
    assert (found.sentences, found.units) == (2, 4)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("1 a x root\n", "the head 'x' is not a number"),
        ("2 a 0 root\n", "expected the word 1 next, got 2"),
        ("1\ta\t_\t_\t_\t_\t0\troot\t_\n", "expected 10 columns, got 9"),
    ],
    ids=["head", "ID", "columns"],
)
def test_a_problem_of_the_first_word_does_not_make_it_another_format(
    file_conllu_problems: Write, text: str, finding: str
) -> None:
    assert refusal(file_conllu_problems(text + "\n" + GOOD)).startswith(f"file.conllu:1: {finding}")
    assert refusal(file_conllu_problems(text + "\n" + GOOD), format="conllu").startswith(f"file.conllu:1: {finding}")


SAME = "both sides must have the same text, spaces aside."


@pytest.mark.parametrize(
    ("gold", "system", "sentence"),
    [
        (
            "1 x 0 root\n2 y 1 x\n3 z 1 x\n4 q 1 x\n",
            "1 x 0 root\n2 yw 1 x\n3 q 1 x\n",
            "system.conllu:5: found the text 'b x yw q' where gold.conllu:6 has 'x y z q'",
        ),
        (
            "1 c 0 root\n2 d 1 x\n",
            "1 c 0 root\n",
            "system.conllu:4: the system ends here, but gold.conllu:5 has the word 'd'",
        ),
        ("1 c 0 root\n", "", "system.conllu:2: the system ends here, but gold.conllu:4 has the word 'c'"),
        ("", "1 c 0 root\n", "system.conllu:4: found the word 'c' after the end of the gold standard"),
        (
            "1 c 0 root\n",
            "1 c 0 root\n2 d 1 x\n",
            "system.conllu:5: found the word 'd' after the end of the gold standard",
        ),
    ],
    ids=["other text", "too short", "a sentence too short", "a sentence too long", "too long"],
)
def test_texts_that_differ(file_conllu_problems: Write, gold: str, system: str, sentence: str) -> None:
    paths = file_conllu_problems(GOOD + gold, "gold.conllu"), file_conllu_problems(GOOD + system, "system.conllu")
    assert refusal(*paths) == f"{sentence}; {SAME}"


def test_multi_word_tokens_that_differ_are_shown_and_not_their_words(file_conllu_problems: Write) -> None:
    gold = file_conllu_problems("1-2 im\n1 in 0 root\n2 dem 1 x\n", "gold.conllu")
    system = file_conllu_problems("1-2 am\n1 in 0 root\n2 dem 1 x\n", "system.conllu")
    message = refusal(gold, system)
    assert "'am'" in message
    assert "'im'" in message


@pytest.mark.parametrize("form", ["", " ", "\u00a0"], ids=["none", "blank", "no-break space"])
def test_a_word_without_characters(file_conllu_problems: Write, form: str) -> None:
    path = file_conllu_problems(f"{GOOD}1\t{form}\t_\t_\t_\t_\t0\troot\t_\t_\n")
    assert refusal(path, path) == "file.conllu:4: this word has no characters; every word needs a form."


def test_a_multi_word_token_without_characters(file_conllu_problems: Write) -> None:
    path = file_conllu_problems(f"{GOOD}1-2\t" + "\t_" * 8 + f"\n{GOOD}")
    assert refusal(path, path).startswith("file.conllu:4: ")


def test_strictly_the_same_words_are_named_where_one_side_has_more(file_conllu_problems: Write) -> None:
    """The system's token has a third word."""
    gold = file_conllu_problems("1-2 ab\n1 a 0 root\n2 b 1 x\n", "gold.conllu")
    system = file_conllu_problems("1-3 ab\n1 a 0 root\n2 b 1 x\n3 c 1 x\n", "system.conllu")
    assert "found the word 'c'" in refusal(gold, system, align="strict")
