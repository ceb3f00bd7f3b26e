"""Column files: separators, columns, comments, documents, stacked and bare tags."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from time import process_time

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import BRACKETS
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes, name: str = "file.conll") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def words(annotation: Annotation) -> list[str]:
    tokens = annotation.corpus.tokens
    assert tokens is not None
    return [tokens[i] for i in range(len(tokens))]


TWO_SENTENCES = [("PER", 0, 0, 2), ("LOC", 1, 1, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "Ada\tB-PER\nLovelace\tI-PER\n\nin\tO\nLondon\tB-LOC\n\n",
        "Ada B-PER\nLovelace I-PER\n\nin O\nLondon B-LOC\n",
        "Ada   B-PER\nLovelace I-PER  \n\n\n\nin    O\nLondon B-LOC",
        "Ada\tB-PER\r\nLovelace\tI-PER\r\n\r\nin\tO\r\nLondon\tB-LOC\r\n",
        "Ada \t B-PER\r\nLovelace I-PER\r\n \r\nin O \r\nLondon\tB-LOC\r\n".replace("\t", " "),
        "\ufeffAda\tB-PER\nLovelace\tI-PER\n   \nin\tO\nLondon\tB-LOC\n",
        "\n\nAda NNP B-NP B-PER\nLovelace NNP I-NP I-PER\n\nin IN B-PP O\nLondon NNP B-NP B-LOC\n",
        "Ada\tB-PER\nLovelace\tI-PER\n\t\nin\tO\nLondon\tB-LOC\n",
    ],
    ids=["tabs", "spaces", "runs", "crlf", "crlf-spaces", "bom", "four-columns", "blank-with-tab"],
)
def test_the_same_text_however_it_is_laid_out(file, text: str) -> None:
    annotation = eh.read(file(text))
    assert words(annotation) == ["Ada", "Lovelace", "in", "London"]
    assert annotation.spans().rows() == TWO_SENTENCES


def test_columns_count_from_one_or_from_the_end(file) -> None:
    path = file("Ada B-NP B-PER\nin B-PP O\n")
    assert eh.read(path).spans().rows() == [("PER", 0, 0, 1)]
    assert eh.read(path, column=2).spans().rows() == [("NP", 0, 0, 1), ("PP", 0, 1, 2)]
    assert eh.read(path, column=-2).spans().rows() == eh.read(path, column=2).spans().rows()


def test_one_column_is_tags_without_tokens(file) -> None:
    annotation = eh.read(file("B-PER\nI-PER\nO\n\nB-LOC\n"))
    assert annotation.corpus.tokens is None
    assert annotation.spans().rows() == [("PER", 0, 0, 2), ("LOC", 1, 0, 1)]


def test_a_hash_begins_a_comment_only_if_the_number_of_columns_differs(file) -> None:
    annotation = eh.read(file("# a comment of five words\n#tag B-PER\n# O\n#x O y\nend O\n"))
    assert words(annotation) == ["#tag", "#", "end"]


def test_a_token_that_is_a_quotation_mark(file) -> None:
    annotation = eh.read(file('"\tO\nAda\tB-PER\n"\tO\n'))
    assert words(annotation) == ['"', "Ada", '"']


def test_tokens_with_spaces_in_a_file_with_tabs(file) -> None:
    assert words(eh.read(file("New York\tB-LOC\nis\tO\n"))) == ["New York", "is"]


@pytest.mark.parametrize("marker", ["-DOCSTART- -X- O O", "-DOCSTART-", "-DOCSTART- O"])
def test_documents(file, marker: str) -> None:
    text = f"{marker}\n\nAda NNP O B-PER\n\nBo NNP O O\n\n{marker}\n\nCy NNP O O\n"
    annotation = eh.read(file(text))
    assert words(annotation) == ["Ada", "Bo", "Cy"]
    assert annotation.corpus.documents.tolist() == [0, 2]


@pytest.mark.parametrize("size", [1, 7, 20, 1000])
def test_documents_do_not_depend_on_batches(example: Path, size: int) -> None:
    parts = list(batches(example / "gold.conll", ReadSettings(block_size=size), Vocabulary()))
    whole = Annotation.concatenate(parts)
    assert len(whole.corpus.documents) == 8
    assert whole.corpus.documents.tolist() == eh.read(example / "gold.conll").corpus.documents.tolist()
    assert sum(len(part.corpus.documents) - part.corpus.continues for part in parts) == 8


@pytest.mark.parametrize("size", [1, 50, 4096])
def test_batches_of_any_size_read_the_same(example: Path, size: int) -> None:
    for name in ("gold", "crf", "tagger"):
        path = example / f"{name}.conll"
        whole = eh.read(path)
        parts = Annotation.concatenate(list(batches(path, ReadSettings(block_size=size), Vocabulary())))
        assert parts.spans().rows() == whole.spans().rows()
        assert words(parts) == words(whole)
        assert (parts.corpus.lines + parts.corpus.first_line).tolist() == (
            whole.corpus.lines + whole.corpus.first_line
        ).tolist()
        assert parts.readings == whole.readings


def test_an_empty_tag_and_an_underscore_are_outside(file) -> None:
    annotation = eh.read(file("a\tB-PER\nb\t\nc\t_\nd\tB-PER\n"))
    assert annotation.spans().rows() == [("PER", 0, 0, 1), ("PER", 0, 3, 4)]


def test_stacked_tags(file) -> None:
    annotation = eh.read(file("University\tB-ORG\nof\tI-ORG\nBochum\tI-ORG|B-LOC\nis\tO\n"))
    assert annotation.spans().rows() == [("ORG", 0, 0, 3), ("LOC", 0, 2, 3)]


def test_repairs_are_counted_with_their_place(file) -> None:
    path = file("# made by hand\n\na B-PER\nb I-LOC\n\nc I-PER\nd B-LOC\ne B-PER\n")
    reading = eh.read(path).readings["spans"]
    assert (reading.encoding, reading.repaired, reading.first_repair) == ("iob2", 2, "line 4, 'I-LOC'")
    assert len(eh.read(path).spans()) == 5
    assert len(eh.read(path, repair="discard").spans()) == 3


def test_labels_longer_than_eight_bytes(file) -> None:
    text = "a B-creative-work\nb I-creative-work\nc B-creative-word\nd B-creative\ne B-Straße-und-Plätze-und-mehr\n"
    labels = [row[0] for row in eh.read(file(text)).spans().rows()]
    assert labels == ["creative-work", "creative-word", "creative", "Straße-und-Plätze-und-mehr"]


def test_tags_are_kept_as_the_file_spells_them(file) -> None:
    annotation = eh.read(file("a B-PER\nb O\n"))
    assert annotation["tags"].to_list() == ["B-PER", "O"]
    with pytest.raises(KeyError, match="has no layer 'trees'"):
        annotation["trees"]


HIPE = (
    "TOKEN\tNE-COARSE\tNE-NESTED\tMISC\n# corpus:document_id = one\nBank\tB-org\tO\t_\nof\tI-org\tO\t_\n"
    'Turin\tI-org\tB-loc\t_\n\n# corpus:document_id = two\n""""\tO\tO\t_\n'
)


def test_a_header_names_the_columns(file) -> None:
    path = file(HIPE)
    assert eh.read(path, column="NE-COARSE").spans().rows() == [("org", 0, 0, 3)]
    assert words(eh.read(path, column="NE-COARSE")) == ["Bank", "of", "Turin", '"']
    assert eh.read(path, column=2).corpus.documents.tolist() == [0, 1]


def test_several_columns_are_levels(file) -> None:
    spans = eh.read(file(HIPE), column=["NE-COARSE", "NE-NESTED"]).spans()
    assert spans.rows() == [("org", 0, 0, 3), ("loc", 0, 2, 3)]
    assert spans.level.tolist() == [0, 1]


def test_a_header_with_several_columns_asks_which(file) -> None:
    with pytest.raises(
        eh.InputError, match="the header names several columns: NE-COARSE, NE-NESTED, MISC; specify the column"
    ):
        eh.read(file(HIPE))
    with pytest.raises(eh.InputError, match="column 'NE' does not exist, this line names TOKEN, NE-COARSE"):
        eh.read(file(HIPE), column="NE")
    with pytest.raises(eh.InputError, match="column 'NE' does not exist, the file has no header line"):
        eh.read(file("a O\n"), column="NE")


def test_empty_cells_at_the_end_of_a_line_are_dropped_and_said(file) -> None:
    reading = eh.read(file("a\tB-PER\nb\tO\t\t\n")).readings["spans"]
    assert reading.skipped == {"empty cells at the ends of lines": 1}
    reading = eh.read(file("a\tB-PER\r\nb\tO\t\r\n")).readings["spans"]
    assert reading.skipped == {"empty cells at the ends of lines": 1}


GERMEVAL = "#\thttp://x\t[2009]\t\n1\tBank\tB-ORG\tO\n2\tTurin\tI-ORG\tB-LOC\n\n#\ty\n1\tx\tO\tO\n"


def test_germeval_files_have_two_levels(file) -> None:
    annotation = eh.read(file(GERMEVAL))
    assert annotation.readings["spans"].format == "germeval"
    assert words(annotation) == ["Bank", "Turin", "x"]
    assert annotation.spans().rows() == [("ORG", 0, 0, 2), ("LOC", 0, 1, 2)]
    with pytest.raises(eh.InputError, match="expected 6 columns for gold and prediction, got 4"):
        eh.score(file(GERMEVAL))


def test_gold_and_prediction_before_a_trailing_tab(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("a\tB-X\tB-X\t\nb\tO\tB-X\t\n\n")
    result = eh.score(path)
    assert (result.gold.reading.column, result.reading.column) == ("2", "3")
    assert (result.gold.units, result.predicted) == (1, 2)


def test_a_header_with_a_tab_at_its_end(file) -> None:
    """Found by mutated files: the header has an empty cell more than the lines below."""
    path = file("TOKEN\tNE-COARSE\t\nAda\tB-PER\n\n")
    assert eh.read(path).spans().rows() == [("PER", 0, 0, 1)]
    bad = file("TOKEN\tNE-COARSE\t\n# d\n")
    with pytest.raises(eh.EvenhandError):
        eh.read(bad)


# Lines of very many blanks or brackets are read, or refused, at once: none of these tests would end in tim


BLANKS = " " * 100_000
DECLARED = "# global.Entity = eid\n"
WORD = "\t".join(["1", "w", *"_______", "Entity=(e1)"]) + "\n"


def names(path: Path, text: str) -> tuple[str, ...]:
    path.write_text(text)
    return eh.read(path).corpus.names


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (f"(a){BLANKS};{BLANKS}part{BLANKS}007{BLANKS};{BLANKS}", "a_7"),
        (f"{BLANKS}a{BLANKS}", "a"),
        (f"{BLANKS}a b;{BLANKS}", "a b"),
        (f"(a{BLANKS}", f"(a{BLANKS}".strip()),
        (f"a{BLANKS}b", f"a{BLANKS}b"),
        (f"a part 0{'0' * 5000}1", "a_1"),
        (f"a part {'9' * 5000}", f"a_{'9' * 5000}"),
    ],
    ids=["everywhere", "around", "with a semicolon", "no parenthesis", "within", "long part", "longer part"],
)
def test_marks_of_conll2012(tmp_path: Path, mark: str, name: str) -> None:
    assert names(tmp_path / "file.conll", f"#begin document {mark}\na 0 0 w (1)\n#end document\n") == (name,)


def test_a_mark_of_blanks_has_no_name(tmp_path: Path) -> None:
    with pytest.raises(eh.InputError, match=r"file.conll:1: the document has no name"):
        names(tmp_path / "file.conll", f"#begin document{BLANKS}\na 0 0 w (1)\n")


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        (f"#{BLANKS}newdoc{BLANKS}id{BLANKS}={BLANKS}a{BLANKS}", "a"),
        (f"# newdoc id ={BLANKS}", "1"),
        (f"# newdoc{BLANKS}", "1"),
        (f"# newdoc id{BLANKS}x", ""),
        (f"#{BLANKS}x", ""),
    ],
    ids=["everywhere", "without a name", "without anything", "without an equals sign", "another comment"],
)
def test_marks_of_corefud(tmp_path: Path, comment: str, name: str) -> None:
    assert names(tmp_path / "file.conllu", f"{comment}\n{DECLARED}{WORD}") == (name,)


@pytest.mark.parametrize("separator", ["\t", " "])
def test_blanks_at_the_end_of_one_of_many_lines(tmp_path: Path, separator: str) -> None:
    line = separator.join(["a", "0", "0", "w", "(1)"])
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document (a)\n{line}{BLANKS}\r\n" + f"{line}\n" * 20_000)
    assert len(eh.read(path).chains()) == 20_001


def test_blanks_between_cells(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document (a)\na{BLANKS}0{BLANKS}0{BLANKS}w{BLANKS}(1)\n{BLANKS}\n")
    found = eh.read(path)
    assert found.corpus.tokens is not None
    assert (found.corpus.tokens[0], len(found.chains())) == ("w", 1)


@pytest.mark.parametrize(
    "cell",
    ["(" * 3_000_000, ")" * 3_000_000, "(1)" * 1_000_000, "(" + "x" * 3_000_000, "|" * 3_000_000],
    ids=["open", "closed", "whole", "name", "bars"],
)
def test_cells_of_megabytes_are_refused(tmp_path: Path, cell: str) -> None:
    conll, conllu = tmp_path / "file.conll", tmp_path / "file.conllu"
    conll.write_text(f"#begin document (a)\na 0 0 w {cell}\n")
    with pytest.raises(eh.InputError) as error:
        eh.read(conll)
    size = f"{len(cell):,}"
    sentence = f"the coreference annotation of a word has {size} bytes, more than 100,000; {BRACKETS.remedy}."
    assert str(error.value) == f"{conll}:2: {sentence}"
    entity = cell.replace("|", "x")
    conllu.write_text(DECLARED + WORD.replace("(e1)", entity))
    with pytest.raises(eh.InputError, match="the coreference annotation of a word has"):
        eh.read(conllu)


@pytest.mark.parametrize(
    ("cell", "count"),
    [("(1)" * 33_000, 33_000), ("(1" * 25_000 + "1)" * 25_000, 25_000)],
    ids=["whole", "nested"],
)
def test_thousands_of_brackets_are_read(tmp_path: Path, cell: str, count: int) -> None:
    assert len(cell) <= BRACKETS.value
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document (a)\na 0 0 w {cell}\n")
    assert len(eh.read(path).chains()) == count


@pytest.mark.parametrize("cell", ["(" * 99_000, "x" * 99_000, "(x" + ")" * 99_000])
def test_thousands_of_other_characters_are_refused_and_not_all_shown(tmp_path: Path, cell: str) -> None:
    for name, text in (
        ("file.conll", f"#begin document (a)\na 0 0 w {cell}\n"),
        ("file.conllu", DECLARED + WORD.replace("(e1)", cell)),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(eh.InputError, match="is not a coreference annotation") as error:
            eh.read(tmp_path / name)
        assert len(error.value.problem.finding) < 150


def test_thousands_of_parts_of_one_entity(tmp_path: Path) -> None:
    """Two tokens each, which follow each other, are a mention; and so are the first and the last, around all."""
    rows = []
    for number in range(1, 40_001):
        entity = f"Entity=(e1[{2 - number % 2}/2])"
        rows.append("\t".join([str(number), "w", *"_______", entity]) + "\n")
    path = tmp_path / "file.conllu"
    path.write_text(DECLARED + "".join(rows))
    assert len(eh.read(path).chains()) == 20_000


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "line"),
    [
        *product(("file.txt", "file.conllu"), ("\n", "\r\n", "    \n", "\t\t\n", "# a comment\n")),
        ("file.conllu", "#\n"),
    ],
)
def test_millions_of_lines_without_tokens(tmp_path: Path, name: str, line: str) -> None:
    """50 MB of line ends took 23 s of CPU time; 8 MB took up to 5 s, and take less than one."""
    (tmp_path / name).write_text(line * (8_000_000 // len(line)), newline="")
    begin = process_time()
    CliRunner().invoke(main, ["check", str(tmp_path / name)])
    assert process_time() - begin < 2
