"""Attachment: the three scores, tables by relation and distance, correct sentences, and which words count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from math import isnan
from pathlib import Path

import pytest

import evenhand as eh

Score = Callable[..., eh.Result]

GOLD = """
    She 2 nsubj
    eats 0 root
    fish 2 obj
    today 2 obl
    again 2 advmod
"""
SYSTEM = """
    She 2 nsubj
    eats 0 root
    fish 2 obl
    today 3 obl
    again 4 obj
"""
"""Two words are right, `fish` has a wrong relation, `today` a wrong head, `again` both."""


def conllu(text: str) -> str:
    """CoNLL-U from rows `form head relation`, with UPOS and XPOS behind them if need be."""
    lines, number = [], 0
    for row in text.strip().splitlines():
        number = number + 1 if row.strip() else 0
        form, head, relation, upos, xpos = [*row.split(), *"_____"][:5]
        lines.append("\t".join([str(number), form, "_", upos, xpos, "_", head, relation, "_", "_"]) if number else "")
    return "\n".join(lines) + "\n"


@pytest.fixture
def score(tmp_path: Path) -> Score:
    def scored(gold: str, system: str, **options: object) -> eh.Result:
        (tmp_path / "gold.conllu").write_text(conllu(gold))
        (tmp_path / "system.conllu").write_text(conllu(system))
        options = {"match": "uas,ls,las", **options}
        return eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", **options)  # type: ignore[typeddict-item]

    return scored


def headlines(result: eh.Result) -> list[float]:
    return [result[model].headline for model in ("uas", "ls", "las")]


def counted(result: eh.Result) -> list[str]:
    """The relations of all words of the gold standard that count."""
    return sorted(label for label, count in result.gold.labels.items() for _ in range(count))


def test_uas_ls_and_las_are_shares_of_words(score: Score) -> None:
    assert headlines(score(GOLD, SYSTEM)) == [3 / 5, 3 / 5, 2 / 5]


def test_the_four_verdicts(score: Score) -> None:
    """Where relations differ, a verdict counts for either."""
    counts: Counter[str] = Counter()
    for (*_, kind), count in score(GOLD, SYSTEM).tallies["trees"].cells().items():
        counts[kind] += int(count)
    assert counts == {
        "right": 2,
        "wrong_head": 1,
        "gold.wrong_relation": 1,
        "gold.both": 1,
        "system.wrong_relation": 1,
        "system.both": 1,
    }


def test_by_relation_recall_is_over_gold_words_and_precision_over_system_words(score: Score) -> None:
    """One word of the gold standard is an obl (today), two of the system are (fish, today)."""
    result = score(GOLD, SYSTEM)
    uas, ls, las = (result[model].labels["obl"] for model in ("uas", "ls", "las"))
    assert (uas.precision, uas.recall, uas.f1) == (1 / 2, 0, 0)
    assert (ls.precision, ls.recall, ls.f1) == (1 / 2, 1, 2 / 3)
    assert (las.precision, las.recall, las.f1) == (0, 0, 0)
    assert las.counts == {"correct": 0, "gold": 1, "system": 2}
    assert list(result["las"].labels) == ["advmod", "nsubj", "obj", "obl", "root"]


def test_relations_that_are_confused(score: Score) -> None:
    result = score(GOLD, SYSTEM)
    assert result["ls"].confusion == {"obj": {"obl": 1}, "advmod": {"obj": 1}}
    assert result["uas"].confusion is None
    assert result["las"].confusion is None


NINE_WORDS = "a 0 root\n" + "".join(f"{word} 1 dep\n" for word in "bcdefghi")


def test_distances_are_root_one_two_three_to_six_and_more(score: Score) -> None:
    """The heads of eight words are 1 to 8 words away."""
    rows = score(NINE_WORDS, NINE_WORDS)["uas"].distances
    assert {name: row["gold"] for name, row in rows.items()} == {"root": 1, "1": 1, "2": 1, "3-6": 4, "7+": 2}


@pytest.mark.parametrize(
    ("words", "distance"), [(1, "1"), (2, "2"), (3, "3-6"), (6, "3-6"), (7, "7+"), (70, "7+")], ids=str
)
def test_the_edges_of_distances_on_both_sides_of_the_head(score: Score, words: int, distance: str) -> None:
    """The first and the last of so many words and one more; those between are roots."""
    between = "x 0 root\n" * (words - 1)
    for text in (f"a 0 root\n{between}b 1 dep", f"a {words + 1} dep\n{between}b 0 root"):
        rows = score(text, text)["uas"].distances
        assert {name: row["gold"] for name, row in rows.items()} == {"root": words, distance: 1}


def test_by_distance_precision_is_over_the_distances_of_the_system(score: Score) -> None:
    """The system hangs the last word on the one before, not on the first: 1 instead of 8 words away."""
    rows = score(NINE_WORDS, NINE_WORDS.replace("i 1", "i 8"))["uas"].distances
    assert (rows["1"].precision, rows["1"].recall) == (1 / 2, 1)
    assert (rows["7+"].precision, rows["7+"].recall) == (1, 1 / 2)
    assert (rows["3-6"].precision, rows["3-6"].recall) == (1, 1)


def test_a_right_head_may_be_at_another_distance(score: Score) -> None:
    """The system splits `bc`, so that its `d` is three words from `a`."""
    result = score("a 0 root\n bc 1 dep\n d 1 dep", "a 0 root\n b 1 dep\n c 1 dep\n d 1 dep")
    assert result["uas"].distances["2"].recall == 1
    assert result["uas"].distances["3-6"].precision == 1


def test_a_sentence_is_correct_under_each_score_if_all_its_words_are(score: Score) -> None:
    """The second sentence has a wrong relation, the third wrong heads, the fourth a word with both."""
    gold = "a 0 root\n b 1 obj\n\n" * 4
    system = "a 0 root\n b 1 obj\n\n a 0 root\n b 1 obl\n\n a 2 root\n b 0 obj\n\n a 0 root\n b 0 obl\n\n"
    result = score(gold, system)
    assert [result[model].sentences.correct for model in ("uas", "ls", "las")] == [2, 2, 1]
    assert [result[model].sentences.total for model in ("uas", "ls", "las")] == [4, 4, 4]
    assert result["las"].sentences.share == 1 / 4


def test_a_sentence_without_a_word_that_counts_is_left_out(score: Score) -> None:
    gold = "a 0 root\n . 1 punct\n\n . 0 punct\n"
    sentences = score(gold, gold, punctuation="relation")["las"].sentences
    assert (sentences.correct, sentences.total) == (1, 1)
    assert score(gold, gold)["las"].sentences.total == 2


def test_a_word_that_does_not_count_leaves_its_sentence_correct(score: Score) -> None:
    gold, system = "a 0 root\n b 1 obj\n . 1 punct", "a 0 root\n b 1 obj\n . 2 punct"
    assert score(gold, system)["las"].sentences.correct == 0
    assert score(gold, system, punctuation="relation")["las"].sentences.correct == 1


MARKS = """
    Yes 3 discourse INTJ UH
    , 3 punct PUNCT ,
    costs 0 root VERB VBZ
    $ 5 nmod SYM $
    5 3 obj NUM CD
    + 3 cc SYM SYM
    … 3 punct:final PUNCT :
    。 3 dep PUNCT .
    ?! 3 flat X SYM
    a. 3 list X X
    's 3 case PART POS
"""
ALL_MARKS = ["case", "cc", "dep", "discourse", "flat", "list", "nmod", "obj", "punct", "punct", "root"]
POLICIES = {
    "keep": [],
    "relation": ["punct", "punct"],
    "form": ["dep", "flat", "punct", "punct"],
    "pos:PUNCT": ["dep", "punct", "punct"],
    "pos:PUNCT,SYM": ["cc", "dep", "flat", "nmod", "punct", "punct"],
    "pos:SYM": ["cc", "flat", "nmod"],
    "pos:$": ["nmod"],
    "pos:,": ["punct"],
    "pos:, :": ["punct", "punct"],
    "pos: , . ": ["dep", "punct"],
    "pos:PUNCT, UH": ["dep", "discourse", "punct", "punct"],
    "pos:NOTHING": [],
}
"""The words that each policy leaves out, by their relations: `,` and `…` are puncts, `$`, `+` and `。` are not."""


@pytest.mark.parametrize("policy", POLICIES)
def test_punctuation(score: Score, policy: str) -> None:
    expected = list((Counter(ALL_MARKS) - Counter(POLICIES[policy])).elements())
    found = score(MARKS, MARKS, punctuation=policy)
    assert counted(found) == sorted(expected)
    assert found["las"].overall["gold"] == len(expected)


def test_the_gold_standard_says_what_is_punctuation(score: Score) -> None:
    """The system's tags and relations do not count, so that it cannot leave its errors out."""
    gold, system = "a 0 root X X\n b 1 obj X X", "a 0 root X X\n b 1 punct PUNCT PUNCT"
    for policy in ("relation", "pos:PUNCT"):
        assert headlines(score(gold, system, punctuation=policy)) == [1, 1 / 2, 1 / 2]
        assert headlines(score(system, gold, punctuation=policy)) == [1, 1, 1]
        assert score(gold, system, punctuation=policy).predicted_labels == {"punct": 1, "root": 1}
        assert score(system, gold, punctuation=policy).predicted_labels == {"root": 1}


@pytest.mark.parametrize("policy", ["", "pos", "pos:", "relations", "keep:PUNCT"])
def test_policies_that_there_are_not(score: Score, policy: str) -> None:
    with pytest.raises(eh.SettingError, match="choose keep, relation, form, spacy, or list tags: pos:PUNCT,SYM"):
        score(GOLD, GOLD, punctuation=policy)


def test_labels_and_exclude_choose_by_the_relation_in_the_gold_standard(score: Score) -> None:
    """The system's second obj, `again`, is an advmod."""
    assert counted(score(GOLD, SYSTEM, labels="obj,obl")) == ["obj", "obl"]
    assert headlines(score(GOLD, SYSTEM, labels="obj,obl")) == [1 / 2, 1 / 2, 0]
    assert counted(score(GOLD, SYSTEM, exclude="obj,obl")) == ["advmod", "nsubj", "root"]
    assert headlines(score(GOLD, SYSTEM, exclude="obj,obl")) == [2 / 3, 2 / 3, 2 / 3]


def test_what_is_left_out_is_missing_from_the_precision_of_other_relations(score: Score) -> None:
    """Of the system's two words that are obl, `fish` is an obj in the gold standard."""
    assert score(GOLD, SYSTEM)["ls"].labels["obl"].precision == 1 / 2
    assert score(GOLD, SYSTEM, exclude="obj")["ls"].labels["obl"].precision == 1


def test_subtypes_count_only_if_asked_for(score: Score) -> None:
    gold, system = "a 2 nsubj:pass\n b 0 root\n c 2 obl:agent", "a 2 nsubj\n b 0 root\n c 2 obl:agent"
    assert headlines(score(gold, system)) == [1, 1, 1]
    assert list(score(gold, system)["las"].labels) == ["nsubj", "obl", "root"]
    result = score(gold, system, subtypes=True)
    assert headlines(result) == [1, 2 / 3, 2 / 3]
    assert result["ls"].confusion == {"nsubj:pass": {"nsubj": 1}}
    assert counted(score(gold, system, subtypes=True, labels="nsubj:pass")) == ["nsubj:pass"]
    assert counted(score(gold, system, labels="nsubj")) == ["nsubj"]


@pytest.mark.parametrize(("format", "correct"), [("conllu", 1), ("conllx", 1 / 2)])
def test_the_format_says_whether_relations_have_subtypes_also_in_memory(
    tmp_path: Path, format: str, correct: float
) -> None:
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text(conllu("a 2 nsubj:pass\n b 0 root"))
    system.write_text(conllu("a 2 nsubj\n b 0 root"))
    assert eh.score(gold, system, format=format)["las"].headline == correct
    in_memory = eh.read(gold, format=format), eh.read(system, format=format)
    assert eh.score(*in_memory)["las"].headline == correct


def test_relations_can_be_mapped_on_one_side_or_both(score: Score) -> None:
    """With one name for obj and obl, `fish` is right; where the system's obl become obj, `today` is wrong too."""
    assert headlines(score(GOLD, SYSTEM, map={"obl": "obj"})) == [3 / 5, 4 / 5, 3 / 5]
    assert headlines(score(GOLD, SYSTEM, map={"system:obl": "obj"})) == [3 / 5, 3 / 5, 3 / 5]


DO_NOT_GO = "do 3 aux\n n't 3 advmod\n go 0 root"
DONT_GO = "don't 2 aux\n go 0 root"


def test_a_word_that_the_system_does_not_have_is_wrong(score: Score) -> None:
    result = score(DO_NOT_GO, DONT_GO)
    assert headlines(result) == [1 / 3, 1 / 3, 1 / 3]
    assert result["uas"].overall.counts == {"correct": 1, "gold": 3, "system": 2}
    assert (result["las"].labels["aux"].precision, result["las"].labels["aux"].recall) == (0, 0)
    assert result["ls"].confusion == {"aux": {"": 1}, "advmod": {"": 1}, "": {"aux": 1}}
    assert result["las"].sentences.correct == 0


def test_a_word_that_only_the_system_has_counts_for_precision(score: Score) -> None:
    """`don't` is missing, `do` and `n't` are extra; under `form`, punctuation among the latter is left out."""
    result = score(DONT_GO, DO_NOT_GO)
    assert result["las"].overall.counts == {"correct": 1, "gold": 2, "system": 3}
    assert (result["las"].precision, result["las"].recall) == (1 / 3, 1 / 2)
    gold, system = "etc. 2 advmod\n go 0 root", "etc 3 advmod\n . 3 punct\n go 0 root"
    assert score(gold, system)["las"].overall["system"] == 3
    assert score(gold, system, punctuation="form")["las"].overall["system"] == 2


def test_an_extra_word_leaves_its_sentence_correct(score: Score) -> None:
    """Sentences are those of the gold standard, and so are the words that make them right."""
    gold, system = "a 0 root\n bc 1 punct", "a 0 root\n b 1 x\n c 1 x"
    assert score(gold, system, punctuation="relation")["las"].sentences.correct == 1


def test_tokens_must_be_equal_if_asked_for(score: Score) -> None:
    with pytest.raises(eh.InputError, match=r"system\.conllu:1: found the word \"don't\" where .*:1 has the word 'do'"):
        score(DO_NOT_GO, DONT_GO, align="strict")


def test_by_position_words_may_be_other_words(score: Score) -> None:
    assert headlines(score("a 0 root\n b 1 obj", "x 0 root\n y 1 obl", align="position")) == [1, 1 / 2, 1 / 2]
    with pytest.raises(eh.InputError, match=r"system\.conllu:1: this sentence has 2 words where the one at .*:1 has 3"):
        score(DO_NOT_GO, DONT_GO, align="position")


def test_heads_that_the_gold_standard_lacks_are_told_apart_in_a_page(tmp_path: Path) -> None:
    """Two systems divide the first word and attach the second one to different halves."""
    rows = {
        "gold": ["1 ab _ X _ _ 2 dep _ _", "2 c _ X _ _ 0 root _ _"],
        "one": ["1 a _ X _ _ 0 root _ SpaceAfter=No", "2 b _ X _ _ 1 dep _ _", "3 c _ X _ _ 1 dep _ _"],
        "two": ["1 a _ X _ _ 0 root _ SpaceAfter=No", "2 b _ X _ _ 1 dep _ _", "3 c _ X _ _ 2 dep _ _"],
    }
    for name, lines in rows.items():
        text = "\n".join("\t".join(line.split()) for line in lines)
        (tmp_path / f"{name}.conllu").write_text(f"{text}\n\n")
    gold, *systems = (tmp_path / f"{name}.conllu" for name in rows)
    report = eh.report(gold, systems, trials=0, resamples=0)
    assert report.comparison is not None
    assert report.comparison.pair("one", "two").different == 1
    assert sum(len(set(answers)) > 1 for answers in report.units.units().answers.T.tolist()) == 1


# `--column feats`: features of words are compared as sets


GOLD_FEATURES = ["Case=Nom|Number=Sing", "_", "Case=Acc|PronType=Int,Rel", "Case=Dat"]
SYSTEM_FEATURES = ["Number=Sing|Case=Nom", "_", "PronType=Int,Rel|Case=Acc|Case=Acc", "Case=Nom"]
"""The last word is wrong; the others have the same features in another order, or twice."""


def accuracy(result: eh.Result) -> float:
    return result["accuracy"].headline


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    for name, features in (("gold", GOLD_FEATURES), ("system", SYSTEM_FEATURES)):
        rows = [f"{n}\tw\tw\tNOUN\tN\t{each}\t0\troot\t_\t_\n" for n, each in enumerate(features, 1)]
        (tmp_path / f"{name}.conllu").write_text("".join(rows))
    return tmp_path / "gold.conllu", tmp_path / "system.conllu"


@pytest.mark.parametrize("column", ["feats", "FEATS", 6])
def test_the_order_of_features_does_not_matter(files: tuple[Path, Path], column: str | int) -> None:
    result = eh.score(*files, task="tags", column=column)
    assert (accuracy(result), result.gold.labels) == (
        0.75,
        {"Case=Acc|PronType=Int,Rel": 1, "Case=Dat": 1, "Case=Nom|Number=Sing": 1, "_": 1},
    )


def test_values_are_compared_as_they_stand(tmp_path: Path) -> None:
    for name, features in (("gold", "PronType=Int,Rel"), ("system", "PronType=Rel,Int")):
        (tmp_path / f"{name}.conllu").write_text(f"1\tw\tw\tNOUN\tN\t{features}\t0\troot\t_\t_\n")
    assert accuracy(eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", task="tags", column="feats")) == 0


def test_of_annotations(files: tuple[Path, Path]) -> None:
    gold, system = (eh.read(path, task="tags", column="feats") for path in files)
    assert accuracy(eh.score(gold, system, task="tags")) == 0.75


def test_of_tables_with_a_header(tmp_path: Path) -> None:
    for name, features in (("gold", GOLD_FEATURES), ("system", SYSTEM_FEATURES)):
        rows = [f"w{n}\tNOUN\t{each}\n" for n, each in enumerate(features)]
        (tmp_path / f"{name}.tsv").write_text("form\tupos\tfeats\n" + "".join(rows))
    assert accuracy(eh.score(tmp_path / "gold.tsv", tmp_path / "system.tsv", task="tags", column="feats")) == 0.75


def test_systems_are_compared_by_sets_too(files: tuple[Path, Path]) -> None:
    gold, system = files
    found = eh.compare(gold, {"one": gold, "two": system}, task="tags", column="feats", show="new_error")
    assert [found.scores[name] for name in ("one", "two")] == [1.0, 0.75]
    (unit,) = found.shown_units
    assert (unit.gold, unit.answers) == ("Case=Dat", {"one": "Case=Dat", "two": "Case=Nom"})


def test_labels_are_chosen_in_any_order(files: tuple[Path, Path]) -> None:
    gold, system = files
    chosen = eh.score(gold, system, task="tags", column="feats", labels=["Number=Sing|Case=Nom"])
    assert (chosen.gold.units, accuracy(chosen)) == (1, 1.0)


def test_features_are_mapped_in_any_order(files: tuple[Path, Path]) -> None:
    """The equals signs of features belong to the labels, not to the map."""
    gold, system = files
    mapped = eh.score(gold, system, task="tags", column="feats", map={"Number=Sing|Case=Nom": "Case=Dat"})
    assert (mapped.gold.labels["Case=Dat"], accuracy(mapped)) == (2, 0.75)


def test_other_columns_are_compared_as_they_stand(tmp_path: Path) -> None:
    for name, tag in (("gold", "b|a"), ("system", "a|b")):
        (tmp_path / f"{name}.conllu").write_text(f"1\tw\tw\tNOUN\t{tag}\t_\t0\troot\t_\t_\n")
    assert accuracy(eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", task="tags", column="xpos")) == 0


# Annotation that a system lacks


def test_scores_of_annotation_that_a_system_lacks_are_undefined(tmp_path: Path) -> None:
    """ELAS without DEPS and XPOS without tags are not 0; UFeats of words without features stay as in the official script."""
    folder = Path(eh.__file__).parent / "examples" / "trees"
    lines = (folder / "gold.conllu").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    with_deps = [[*row[:8], f"{row[6]}:{row[7]}", row[9]] if row[0].isdigit() else row for row in rows]
    without = [[*row[:4], "_", "_", *row[6:8], "_", row[9]] if row[0].isdigit() else row for row in rows]
    for name, table in (("gold", with_deps), ("bare", without), ("full", with_deps)):
        (tmp_path / f"{name}.conllu").write_text("\n".join("\t".join(row) for row in table) + "\n", encoding="utf-8")
    files = tmp_path / "gold.conllu", [tmp_path / "bare.conllu", tmp_path / "full.conllu"]
    results = eh.score(*files)
    bare = {name: score.headline for name, score in results["bare"].scores.items()}
    assert {name for name in bare if isnan(bare[name])} == {"conll18-xpos", "conll18-alltags", "elas", "eulas"}
    assert bare["conll18-ufeats"] > 0
    assert not any(isnan(score.headline) for score in results["full"].scores.values())
    assert "system bare: has no XPOS, so XPOS and AllTags are undefined." in results.notes
    assert "system bare: has no DEPS, so ELAS and EULAS are undefined." in results.notes
    saved = results.to_dict()["systems"][0]["scores"]["elas"]
    assert (saved["headline"], saved["overall"]["f1"], saved["overall"]["gold"]) == (None, None, 855)
    assert str(eh.Results.from_json(results.to_json())) == str(results)
    ranking = eh.rank(*files, match="elas,las", resamples=20, trials=0)
    assert (ranking["elas"]["bare"].rank, ranking["elas"]["bare"].interval) == (None, None)
    assert "–" in str(eh.summarize(*files, trials=20, resamples=20))
    refusal = "System bare has no DEPS, so elas cannot be compared; remove it, or compare by las."
    commands = partial(eh.compare, *files), partial(eh.report, *files), partial(eh.gate, files[0], *files[1])
    for command in commands:
        with pytest.raises(eh.SettingError) as caught:
            command(by="elas")
        assert str(caught.value) == refusal
    assert eh.compare(*files, trials=0, resamples=0).scores["bare"] == results["bare"]["las"].headline
