"""CorefUD: brackets and their fields, mentions with gaps, empty nodes, documents, POS, and which files are it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from chain_files import Document, content, converted, written
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.check import Checked, check
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

Read = Callable[..., Annotation]
DECLARED = "# global.Entity = eid-etype-head-other\n"
NEW = "# newdoc id = d\n"


def rows(text: str) -> str:
    """Lines of ten columns from `id form brackets upos xpos`, of which - is none; comments and blank lines stay."""
    lines = []
    for line in text.split("\n"):
        number, form, entity, upos, xpos = [*line.split(), *"-----"][:5]
        misc = "_" if entity == "-" else f"Entity={entity}"
        cells = [number, form, "_", upos.replace("-", "_"), xpos.replace("-", "_"), "_", "_", "_", "_", misc]
        lines.append("\t".join(cells) if line.strip() and not line.startswith("#") else line)
    return "\n".join(lines)


def document(*sentences: str, head: str = NEW + DECLARED) -> str:
    """Sentences of words with these brackets: `(e1 - e1)`."""
    written = ["".join(f"{n} w {cell}\n" for n, cell in enumerate(each.split(), 1)) for each in sentences]
    return rows(head + "\n".join(written)) + "\n"


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    monkeypatch.chdir(tmp_path)

    def read(text: str, name: str = "file.conllu", **options: object) -> Annotation:
        Path(name).write_bytes(text.encode())
        return eh.read(name, **options)

    return read


def chains(annotation: Annotation) -> list[list[list[tuple[int, ...]]]]:
    """By document and chain the tokens of every mention."""
    outcome = annotation.chains()
    listed: list[dict[int, list[tuple[int, ...]]]] = [{} for _ in annotation.corpus.names]
    columns = (outcome.document, outcome.chain, outcome.start, outcome.end, outcome.shape)
    for at, chain, start, end, shape in zip(*(column.tolist() for column in columns), strict=True):
        gaps = outcome.vocabulary.shapes[shape]
        tokens = tuple(token for token in range(start, end) if token - start not in gaps)
        listed[at].setdefault(chain, []).append(tokens)
    return [list(each.values()) for each in listed]


def words(annotation: Annotation) -> list[str]:
    tokens = annotation.corpus.tokens
    assert tokens is not None
    return [tokens[place] for place in range(len(tokens))]


def pos(annotation: Annotation) -> list[str] | None:
    return annotation["pos"].to_list() if "pos" in annotation.layers else None  # type: ignore[union-attr]


# Brackets


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        ("(e1-person-1- - e1)", [[(0, 1, 2)]]),
        ("(e1-person-1-) -", [[(0,)]]),
        ("(e1) (e1", None),
        ("(e1-x-1-new:1,y:2 e1) (e1)", [[(0, 1), (2,)]]),
        ("(e3 e3)(e4-x-1-)(e5-y-2- e5)", [[(0, 1)], [(1,)], [(1, 2)]]),
        ("(e1-x(e2-y-1-) (e3-z-1-)e1)", [[(0, 1)], [(0,)], [(1,)]]),
        ("(e1(e1 (e1) e1) e1)", [[(0, 1, 2, 3), (0, 1, 2), (1,)]]),
        ("(e1 (e2 e1) e2)", [[(0, 1, 2)], [(1, 2, 3)]]),
        ("(e1)(e1)(e2) -", [[(0,), (0,)], [(0,)]]),
        ("(1-person-1- 1) (01-person-1-)", [[(0, 1)], [(2,)]]),
        ("- -", []),
    ],
    ids=[
        *("several words", "one word", "never closed", "attributes", "several in a cell", "with singles", "nested"),
        *("crossing", "repeated", "numbers", "none"),
    ],
)
def test_brackets(read: Read, brackets: str, expected: list | None) -> None:
    if expected is None:
        with pytest.raises(eh.InputError, match="never closed"):
            read(document(brackets))
        return
    assert chains(read(document(brackets))) == [expected]


def test_mentions_reach_across_sentences_but_not_documents(read: Read) -> None:
    assert chains(read(document("- (e1", "- -", "e1) (e1)"))) == [[[(1, 2, 3, 4), (5,)]]]
    two = document("(e1) (e2") + document("e2)", head="# newdoc id = e\n")
    with pytest.raises(eh.InputError, match=r"file.conllu:4: a mention opens here that is never closed"):
        read(two)


def test_entities_belong_to_their_document(read: Read) -> None:
    both = read(document("(e1) (e2)") + document("(e2) (e1) (e1)", head="# newdoc id = e\n"))
    assert chains(both) == [[[(0,)], [(1,)]], [[(0,)], [(1,), (2,)]]]
    assert both.chains().chain.tolist() == [0, 1, *both.chains().chain.tolist()[2:]]
    assert len(set(both.chains().chain.tolist())) == 4


@pytest.mark.parametrize(
    ("declared", "brackets"),
    [
        ("eid-etype-head-other", "(e1-p-1- e1) (e1-p-1-)"),
        ("eid", "(e1 e1) (e1)"),
        ("etype-eid-head", "(p-e1-1 e1) (q-e1-1)"),
        ("etype-head-eid", "(p-1-e1 e1) (q-1-e1)"),
        ("GRP-etype-infstat-minspan-link-identity", "(1-p-new-1-coref-Who 1) (1-q-giv:act-1-ana)"),
        ("entity-GRP-infstat-MIN-coref_type-identity", "(p-1-new-1-coref-Who 1) (q-1-giv:act-1-ana)"),
    ],
)
def test_the_declaration_says_which_field_names_the_entity(read: Read, declared: str, brackets: str) -> None:
    """GRP is what the English GUM calls it, first behind the type and later before it."""
    text = document(brackets, head=f"{NEW}# global.Entity = {declared}\n")
    assert chains(read(text)) == [[[(0, 1), (2,)]]]


def test_the_declaration_holds_for_all_documents(read: Read) -> None:
    head = "{}# global.Entity = etype-eid\n"
    text = document("(p-e1 e1)", head=head.format(NEW)) + document("(q-e1) (q-e2)", head="# newdoc id = e\n")
    assert chains(read(text)) == [[[(0, 1)]], [[(0,)], [(1,)]]]


def test_other_attributes_of_misc(read: Read) -> None:
    misc = "Bridge=e1<e2|Entity=(e1-p-1-)|SpaceAfter=No|SplitAnte=e1<e2|MyEntity=(e9)"
    text = document("(e1 e1)").replace("Entity=(e1", misc).replace("Entity=e1)", "X=e1)|Entity=(e1)")
    assert chains(read(text)) == [[[(0,), (1,)]]]


# Mentions with gaps


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        ("(e1[1/2]-x-1-) - (e1[2/2]-x-1-)", [[(0, 2)]]),
        ("(e1[1/2] e1[1/2]) - (e1[2/2] - e1[2/2])", [[(0, 1, 3, 4, 5)]]),
        ("(e1[1/3]) - (e1[2/3]) - (e1[3/3]) (e1)", [[(0, 2, 4), (5,)]]),
        ("(e1[1/2]) (e2[1/2]) (e1[2/2]) (e2[2/2])", [[(0, 2)], [(1, 3)]]),
        ("(e1[1/2]) (e1[1/3]) (e1[2/2]) (e1[2/3]) (e1[3/3])", [[(0, 2), (1, 3, 4)]]),
        ("(e1[1/2]) - (e1[2/2]) (e1[1/2]) - (e1[2/2])", [[(0, 2), (3, 5)]]),
        ("(e1[1/2]) (e1) (e1[2/2])", [[(0, 2), (1,)]]),
        ("(e1(e1[1/2]) - (e1[2/2])e1)", [[(0, 1, 2), (0, 2)]]),
        ("(e1[1/2]) (e1[2/2])", [[(0, 1)]]),
    ],
    ids=[
        *("two parts", "of several words", "three parts", "interleaved", "of one entity", "in a row", "around another"),
        *("of the same bounds", "without a gap"),
    ],
)
def test_parts_make_a_mention_with_gaps(read: Read, brackets: str, expected: list) -> None:
    assert chains(read(document(brackets))) == [expected]


def test_parts_of_one_entity_within_each_other_close_last_in_first_out(read: Read) -> None:
    found = read(document("(e1[1/2]) (e1[1/2]) - (e1[2/2]) (e1[2/2])"))
    assert chains(found) == [[[(0, 4), (1, 3)]]]


def test_parts_in_several_sentences(read: Read) -> None:
    assert chains(read(document("(e1[1/2]) -", "(e1[2/2])"))) == [[[(0, 2)]]]


def test_gaps_tell_mentions_apart(read: Read, tmp_path: Path) -> None:
    key = read(document("(e1[1/2]) - (e1[2/2]) (e1)"), "key.conllu")
    response = read(document("(e1 - e1) (e1)"), "response.conllu")
    found = eh.score(key, response, mention_match="exact")
    assert (found["mentions"].precision, found["mentions"].recall) == (0.5, 0.5)
    assert eh.score(key, response)["mentions"].f1 == 1, "the head is the same"
    assert eh.score(key, key)["mela"].f1 == 1


# Empty nodes and tokens of several words


def test_empty_nodes_are_tokens_and_may_be_mentions(read: Read) -> None:
    annotation = read(rows(f"{NEW}{DECLARED}0.1 _ (e1)\n1 gone (e2\n1.1 she (e1)\n1.2 it e2)\n2 . (e2)\n"))
    assert words(annotation) == ["_", "gone", "she", "it", "."]
    assert chains(annotation) == [[[(0,), (2,)], [(1, 2, 3), (4,)]]]
    assert annotation.corpus.bounds.tolist() == [0, 5]
    assert [annotation.corpus.line(token) for token in range(5)] == [3, 4, 5, 6, 7]


def test_empty_nodes_count_for_the_documents_behind_them(read: Read) -> None:
    found = read(rows(f"{NEW}{DECLARED}1 a (e1)\n1.1 b (e1)\n\n# newdoc id = e\n1 c -\n2 d (e1)\n"))
    assert (found.corpus.documents.tolist(), chains(found)) == ([0, 1], [[[(0,), (1,)]], [[(1,)]]])


def test_tokens_of_several_words_are_none_of_their_own(read: Read) -> None:
    annotation = read(
        rows(f"{NEW}{DECLARED}1-2 im (e9)\n1 in -\n2 dem (e1\n3 Haus e1)\n\n1-2 zur -\n1 zu -\n2 der (e1)\n")
    )
    assert words(annotation) == ["in", "dem", "Haus", "zu", "der"]
    assert chains(annotation) == [[[(1, 2), (4,)]]]
    assert annotation.corpus.bounds.tolist() == [0, 3, 5]


# Documents


def test_documents_have_the_names_of_their_marks(read: Read) -> None:
    parts = [document("(e1) -", "-"), document("(e1)", head="# newdoc id = a/b c\n# sent_id = 3\n")]
    annotation = read("".join(parts) + document("-", "-", head="#newdoc id=e\n# newpar id = 1\n"))
    assert annotation.corpus.names == ("d", "a/b c", "e")
    assert annotation.corpus.documents.tolist() == [0, 2, 3]
    assert annotation.corpus.bounds.tolist() == [0, 2, 3, 4, 5, 6]


def test_a_mark_may_stand_behind_other_comments(read: Read) -> None:
    found = read(document("-") + document("(e1)", head="# sent_id = 2\n# newdoc id = e\n# text = w\n"))
    assert (found.corpus.names, chains(found)) == (("d", "e"), [[], [[(0,)]]])


def test_documents_without_a_name_have_numbers(read: Read) -> None:
    text = document("-") + document("-", head="# newdoc\n") + document("-", head="# newdoc id = \n")
    assert read(text).corpus.names == ("d", "2", "3")


def test_a_file_without_marks_is_one_document(read: Read) -> None:
    found = read(document("(e1)", "(e1)", head=DECLARED))
    assert (found.corpus.names, chains(found)) == (("",), [[[(0,), (1,)]]])
    assert eh.score(found, read(document("(e1)", "(e2)", head=DECLARED), "other.conllu"))["mentions"].f1 == 1


def test_sentences_before_the_first_mark_are_a_document(read: Read) -> None:
    found = read(document("(e1)", "-", head=DECLARED) + document("(e1)", head=NEW))
    assert (found.corpus.names, found.corpus.documents.tolist()) == (("", "d"), [0, 2])
    assert chains(found) == [[[(0,)]], [[(0,)]]]


@pytest.mark.parametrize("size", [1, 10, 25, 40, 100, 1000])
def test_batches_of_any_size_read_the_same(read: Read, size: int) -> None:
    heads = [NEW + DECLARED, "# newdoc id = e\n", "# sent_id = 1\n# newdoc id = f\n", "# newdoc\n", "# newdoc id = g\n"]
    brackets = ["(e1[1/2]) (e2 (e1[2/2])e2)", "(e1) (e1)", "- -", "(e2 - e2)(e1)", "(e1)"]
    text = "".join(document(item, "-", item, head=head) for head, item in zip(heads, brackets, strict=True))
    whole = read(text)
    found = list(batches(Path("file.conllu"), ReadSettings(block_size=size), Vocabulary()))
    parts = Annotation.concatenate(found)
    assert (len(found) > 1) == (size < 1000)
    assert parts.corpus.names == whole.corpus.names == ("d", "e", "f", "4", "g")
    assert words(parts) == words(whole)
    assert chains(parts) == chains(whole)
    assert parts.corpus.bounds.tolist() == whole.corpus.bounds.tolist()
    lines = [[item.corpus.line(token) for token in range(len(words(whole)))] for item in (parts, whole)]
    assert lines[0] == lines[1]


def test_only_marks_of_documents_end_batches(read: Read) -> None:
    """A comment that begins like one is none, wherever blocks end."""
    text = document("(e1 -") + document("e1)", head="# newdoc_note = new\n") + document("-", head="# newdocument\n")
    assert chains(read(text)) == [[[(0, 1, 2)]]]
    parts = Annotation.concatenate(list(batches(Path("file.conllu"), ReadSettings(block_size=20), Vocabulary())))
    assert (parts.corpus.names, chains(parts)) == (("d",), [[[(0, 1, 2)]]])


# POS


def test_pos_are_upos_or_else_xpos(read: Read) -> None:
    both = rows(f"{NEW}{DECLARED}1 a (e1) DET DT\n2 b (e1) NOUN NN\n")
    assert pos(read(both)) == ["DET", "NOUN"]
    assert pos(read(both, column="pos=xpos")) == ["DT", "NN"]
    assert pos(read(both, column="pos=upos")) == ["DET", "NOUN"]
    only = rows(f"{NEW}{DECLARED}1 a (e1) - DT\n2 b (e1) - NN\n")
    assert pos(read(only)) == ["DT", "NN"]
    assert pos(read(only, column="pos=upos")) is None
    assert pos(read(document("(e1)"))) is None
    assert pos(read(rows(f"{NEW}{DECLARED}1 a (e1)\n2 b (e1) NOUN\n"))) == ["_", "NOUN"]


# Which files are CorefUD


def test_a_declaration_makes_a_file_of_chains(read: Read) -> None:
    tree = "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\tEntity=(e1)\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    found = read(NEW + DECLARED + tree)
    assert (found.reading.format, list(found.layers)) == ("corefud", ["chains", "pos"])
    trees = read(NEW + DECLARED + tree, task="trees")
    assert (trees.reading.format, trees.trees().head.tolist()) == ("conllu", [0, 1])
    assert read(NEW + DECLARED + tree, task="tags").reading.format == "conllu"
    assert read(NEW + tree).reading.format == "conllu"
    assert chains(read(NEW + tree, format="corefud")) == [[[(0,)]]]
    assert read(NEW + DECLARED + tree, "file.txt").reading.format == "corefud"
    assert read(NEW + "# text = global.Entity = a\n" + tree).reading.format == "conllu"


# CorefUD that cannot be read: what was found, in which line, and what a check reports of it


Check = Callable[[str], Checked]
HEAD = "# newdoc id = d\n# global.Entity = eid-etype\n"
"""The words of a file begin in line 3."""
REMEDY = "write Entity=(e1), or (e1 and e1) at the first and last word of a mention"


def word(number: object, misc: str = "_", form: str = "w") -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


def sentence(*brackets: str) -> str:
    cells = ["_" if each == "-" else f"Entity={each}" for each in brackets]
    return "".join(word(number, cell) for number, cell in enumerate(cells, 1)) + "\n"


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.chdir(tmp_path)

    def checked(text: str) -> Checked:
        Path("file.conllu").write_text(text)
        return check(Path("file.conllu"), ReadSettings())

    return checked


PROBLEMS: dict[str, tuple[str, str]] = {
    "never closed": (
        sentence("-", "(e1-x", "-"),
        "4: a mention opens here that is never closed in its document; close it.",
    ),
    "never opened": (
        sentence("-", "e1)"),
        "4: a mention closes here that was not opened in its document; open it before.",
    ),
    "another name": (
        sentence("(e1", "e2)"),
        "3: a mention opens here that is never closed in its document; close it.",
    ),
    "another part": (
        sentence("(e1[1/2]", "e1[2/2])"),
        "3: a mention opens here that is never closed in its document; close it.",
    ),
    "in another document": (
        sentence("(e1") + "# newdoc id = e\n" + sentence("e1)"),
        "3: a mention opens here that is never closed in its document; close it.",
    ),
    "no bracket": (sentence("-", "e1"), f"4: 'Entity=e1' is not a coreference annotation; {REMEDY}."),
    "an empty bracket": (sentence("()"), f"3: 'Entity=()' is not a coreference annotation; {REMEDY}."),
    "something behind": (sentence("(e1)x"), f"3: 'Entity=(e1)x' is not a coreference annotation; {REMEDY}."),
    "two closings": (sentence("(e1))"), f"3: 'Entity=(e1))' is not a coreference annotation; {REMEDY}."),
    "columns": (
        sentence("-") + "1\tw\t_\n",
        "5: expected 10 columns, got 3; fix the line (if it is cut off, the file was not written completely).",
    ),
    "numbers": (
        sentence("-") + word(1) + word(3),
        "6: expected the word 2 next, got 3; number the words of every sentence from 1, without gaps.",
    ),
    "a document twice": (
        sentence("-") + "# newdoc id = d\n" + sentence("-"),
        "5: the document d already began in line 1; give every document a different name.",
    ),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_are_raised_and_reported(checked: Check, case: str) -> None:
    text, problem = PROBLEMS[case]
    found = checked(HEAD + text)
    assert str(found.problems[0]) == f"file.conllu:{problem}"
    with pytest.raises(eh.InputError) as error:
        eh.read("file.conllu")
    assert str(error.value) == f"file.conllu:{problem}"


@pytest.mark.parametrize(
    "brackets",
    [
        ["(e1[1/2])", "(e1)"],
        ["(e1[2/2])", "(e1)"],
        ["(e1[1/3])", "(e1[2/3])"],
        ["(e1[1/2])", "(e1[1/2])", "-", "(e1[2/2])"],
    ],
    ids=["the first only", "the second only", "two of three", "two firsts"],
)
def test_a_mention_must_have_all_of_its_parts(checked: Check, brackets: list[str]) -> None:
    found = checked(HEAD + sentence(*brackets))
    assert [problem.line for problem in found.problems] == [3]


def test_a_field_too_few(checked: Check) -> None:
    text = sentence("(p-e1-1)", "(p)").join(["# newdoc id = d\n# global.Entity = etype-eid\n", ""])
    assert [str(each) for each in checked(text).problems] == [
        f"file.conllu:4: 'Entity=(p)' is not a coreference annotation; {REMEDY}."
    ]


def test_a_check_reports_all_problems(checked: Check) -> None:
    sentences = [sentence("(e1", "x", "e2)"), sentence("()", "(e3)"), word(1) + word(2).replace("\t_\n", "\n") + "\n"]
    again = "# newdoc id = d\n" + sentence("(e1)", "e1)")
    problems = checked(HEAD + "".join(sentences) + sentence("(e4)") + again)
    assert [(each.line, each.kind) for each in problems.problems] == [
        (3, "chain"),
        (4, "chain"),
        (5, "chain"),
        (7, "chain"),
        (11, "columns"),
        (15, "document"),
        (17, "chain"),
    ]
    assert (problems.units, problems.unit, problems.sentences) == (3, "mentions", 4)


def test_fields_hold_behind_a_sentence_that_is_left_out(checked: Check) -> None:
    broken = "# newdoc id = d\n# global.Entity = etype-eid\n1\tw\n\n"
    found = checked(broken + sentence("(p-e1", "e1)"))
    assert [problem.line for problem in found.problems] == [3]


def test_documents_begin_with_a_sentence_that_is_left_out(checked: Check) -> None:
    found = checked(HEAD + sentence("(e1", "-") + "# newdoc id = e\n1\tw\n\n" + sentence("e1)"))
    assert [problem.line for problem in found.problems] == [3, 7, 9]


def test_a_document_three_times(checked: Check) -> None:
    again = "# newdoc id = d\n" + sentence("-")
    finding = "the document d already began in line 1"
    assert [(each.line, each.finding) for each in checked(HEAD + sentence("-") + again + again).problems] == [
        (5, finding),
        (8, finding),
    ]


def test_no_word_at_all(checked: Check) -> None:
    assert [str(each) for each in checked(HEAD).problems] == [
        "file.conllu: the file has no sentences; check how it was written, or specify its --format."
    ]


@pytest.mark.parametrize("column", ["xpos", "pos=lemma", "pos=4", "word=upos", 4])
def test_other_columns_are_refused(checked: Check, column: int | str) -> None:
    checked(HEAD + sentence("(e1)"))
    with pytest.raises(eh.SettingError, match=f"{column!r} is not a column of CorefUD; write pos=upos or pos=xpos"):
        eh.read("file.conllu", column=column)


# CorefUD as convert writes it: what other tools ask for (udapi 0.5.2, and the validator of Universal Depen


HEAD_WRITTEN_COREFUD = "# newdoc id = d\n# global.Entity = eid\n"


def misc(path: Path) -> list[tuple[str, str]]:
    """The number and the last cell of every word."""
    lines = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(cells[0], cells[-1].removeprefix("Entity=")) for cells in lines]


def rewritten(folder: Path, text: str, head: str = HEAD_WRITTEN_COREFUD) -> Path:
    """A file of words with numbers and brackets (`1 a (e1)`), once more."""
    rows = [line.split() for line in text.splitlines()]
    misc = ["_" if row[2:] in ([], ["-"]) else f"Entity={row[2]}" for row in rows]
    lines = ["\t".join([*row[:2], *"_______", cell]) if row else "" for row, cell in zip(rows, misc, strict=True)]
    source = folder / "source.conllu"
    source.write_text(head + "\n".join(lines) + "\n")
    return converted(source, "corefud")[0]


def test_fields_are_declared_and_every_mention_has_a_head(tmp_path: Path) -> None:
    found = [Document(name, [["a", "b", "c"]], [], [[(0, 2), (1, 1)], [(2, 2)]]) for name in "xy"]
    path, _ = converted(written(tmp_path, found, tagged=False), "corefud")
    lines = path.read_text().splitlines()
    assert lines[:2] == ["# newdoc id = x", "# global.Entity = eid-etype-head-other"]
    assert [cell for _, cell in misc(path)][:3] == ["(e1--1", "(e1--1)", "(e2--1)e1)"]


def test_no_entity_is_in_two_documents(tmp_path: Path) -> None:
    """Whatever the batches are: other tools take all entities of one name for the same."""
    found = [Document(name, [["a", "b"]], [], [[(0, 0)], [(1, 1)]]) for name in "xyz"]
    source = written(tmp_path, found, tagged=False)
    cells = [cell for _, cell in misc(converted(source, "corefud")[0])]
    assert cells == ["(e1--1)", "(e2--1)", "(e3--1)", "(e4--1)", "(e5--1)", "(e6--1)"]
    assert [cell for _, cell in misc(converted(source, "corefud", size=1)[0])] == cells


def test_all_parts_of_a_mention_have_its_head(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "1 a (e1[1/2]\n2 b e1[1/2])\n3 c -\n4 d (e1[2/2])\n")
    assert [cell for _, cell in misc(path)] == ["(e1[1/2]--1", "e1[1/2])", "_", "(e1[2/2]--1)"]


@pytest.mark.parametrize(("fields", "head"), [("", 1), ("-x-2", 2), ("-x-3", 3)])
def test_heads_are_kept(tmp_path: Path, fields: str, head: int) -> None:
    """Without a head, a mention that begins with an empty node is a zero, and stays one."""
    text = f"1 a -\n1.1 b (e1{fields}(e2)\n1.2 c -\n2 d e1)\n"
    path = rewritten(tmp_path, text, HEAD_WRITTEN_COREFUD + "# global.Entity = eid-etype-head\n")
    assert [cell for _, cell in misc(path)] == ["_", f"(e1--{head}(e2--1)", "_", "e1)"]
    assert eh.score(tmp_path / "source.conllu", path)["mentions"].f1 == 1


def test_empty_nodes_stay_empty_nodes(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "0.1 a (e1)\n1 b (e2\n1.1 c -\n1.3 d e2)\n2 e (e1)\n\n1 f -\n1.1 g (e1)\n")
    assert [number for number, _ in misc(path)] == ["0.1", "1", "1.1", "1.3", "2", "1", "1.1"]
    source = tmp_path / "source.conllu"
    kept = Document("d", [list("abcde"), list("fg")], [], [[(0, 0), (4, 4), (6, 6)], [(1, 3)]])
    assert content(source) == content(path) == [kept]
    assert eh.score(source, path)["mentions"].f1 == 1


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [
        ([[(0, 0)], [(0, 1)]], ["(e2--1(e1--1)", "e2)", "_"]),
        ([[(1, 1)], [(0, 1)]], ["(e2--1", "(e1--1)e2)", "_"]),
        ([[(0, 1)], [(1, 1)], [(1, 2)]], ["(e1--1", "e1)(e3--1(e2--1)", "e3)"]),
        ([[(0, 0), (2, 2)], [(0, 1), (2, 2)]], ["(e1--1)(e2--1", "e2)", "(e1--1)(e2--1)"]),
    ],
    ids=["behind those that open", "before those that close", "both", "in order where spans repeat"],
)
def test_where_brackets_of_one_word_stand(tmp_path: Path, mentions: list, expected: list[str]) -> None:
    source = written(tmp_path, [Document("d", [["a", "b", "c"]], [], mentions)], tagged=False)
    assert [cell for _, cell in misc(converted(source, "corefud")[0])] == expected


@pytest.mark.parametrize(
    ("mentions", "said"),
    [
        ([[(0, 1)]], "Note: 1 mention reaches across sentences, which "),
        ([[(0, 1)], [(0, 2)]], "Note: 2 mentions reach across sentences, which "),
        ([[(1, 2)]], ""),
    ],
)
def test_mentions_across_sentences_are_kept_and_said(tmp_path: Path, mentions: list, said: str) -> None:
    source = written(tmp_path, [Document("d", [["a"], ["b", "c"]], [], mentions)], tagged=False)
    target = tmp_path / "out.conllu"
    found = CliRunner().invoke(main, ["convert", str(source), str(target)], prog_name="evenhand")
    more = "corefud can represent, but udapi and its scorer refuse.\n" if said else ""
    assert (found.exit_code, found.stderr) == (0, said + more)
    assert eh.score(source, target)["mentions"].f1 == 1
