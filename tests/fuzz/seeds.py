"""Small valid files of every format, which mutations start from, with all that a format can say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import evenhand as eh
from conftest import EXAMPLE

TEXT = "Ada Lovelace lived in London 😀 ."


class Seed(NamedTuple):
    """The files of one input, by their names; the first is the one that is named, and mutated."""

    files: dict[str, bytes]
    task: str = "spans"
    format: str | None = None

    @property
    def name(self) -> str:
        return next(iter(self.files))


def _lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _words(*rows: str) -> str:
    return "".join("\t".join(row.split()) + "\n" for row in rows) + "\n"


TEXTS = {
    "columns.conll": "-DOCSTART-\tO\n\nAda\tB-PER\nLovelace\tI-PER\n#x\tO|B-LOC\n\n# a comment\nin\tO\nLondon\tB-LOC\n",
    "spaced.conll": "Ada NNP B-NP B-PER\nslept VBD O O\n\nin IN O O\nLondon NNP B-NP S-LOC\n",
    "header.conll": "TOKEN\tNE-COARSE\n# document_id = d1\nAda\tB-pers\nslept\tO\n\n# document_id = d2\nx\tO\n",
    "germeval.tsv": "#\turl\t[2009]\t\n1\tBank\tB-ORG\tO\n2\tTurin\tI-ORG\tB-LOCpart\n\n#\ty\n1\tx\tO\tO\t\n",
    "six.tsv": "#\tu\n1\tBank\tB-ORG\tO\tB-ORG\tO\n2\tTurin\tI-ORG\tB-LOC\tO\tB-LOC\n\n1\tx\tO\tO\tO\tO\n",
    "spans.tsv": "PER\t2\t3\t2, 3\nLOC\t1\t3\t1, 3\n\nNONE\t999\t999\t999\n\nORG\t1\t1\n\n",
    "prodigy.jsonl": _lines(
        {
            "text": TEXT,
            "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0}],
            "spans": [{"start": 0, "end": 12, "label": "PER", "token_start": 0, "token_end": 1}],
            "answer": "accept",
        },
        {"text": TEXT, "spans": [{"start": 0, "end": 28, "label": "X", "parts": [[0, 3], [22, 28]], "level": 1}]},
    ),
    "doccano.jsonl": _lines(
        {"id": 1, "text": TEXT, "label": [[22, 28, "LOC"], [0, 3, "PER"]]}, {"data": "x", "label": []}
    ),
    "entities.jsonl": _lines(
        {"text": TEXT, "entities": [{"id": 0, "start_offset": 0, "end_offset": 3, "label": "PER"}]}
    ),
    "tokens.jsonl": _lines({"tokens": TEXT.split(), "spans": [{"start": 0, "end": 2, "label": "PER"}]}),
    "tags.jsonl": _lines({"tokens": ["Ada", "slept"], "ner_tags": ["B-PER", "O"]}, {"tokens": [], "ner_tags": []}),
    "studio.json": json.dumps(
        [
            {
                "id": 1,
                "data": {"text": TEXT},
                "annotations": [
                    {"result": [{"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]},
                    {"was_cancelled": True, "result": []},
                ],
                "predictions": [],
            },
            {"data": {"text": "x"}, "predictions": [{"result": []}]},
        ]
    ),
    "trees.mrg": "(TOP (S (NP-SBJ (NNP Ada)) (VP (VBD slept)\n (-NONE- *T*)) (. .)))\n( (X (Y y)))\n",
}
WORDS = {
    "words.conllu": "# newdoc id = d1\n# text = ab c\n"
    + _words(
        "1-2 ab _ _ _ _ _ _ _ SpaceAfter=No",
        "1 a x X _ Case=Nom|A=B 2 dep:x 2:dep _",
        "2 b x X XX _ 0 root _ _",
        "2.1 e _ _ _ _ _ _ _ _",
        "3 c _ X _ _ 2 punct _ _",
    )
    + _words("1 d _ X _ _ 0 root _ _"),
    "plus.conllu": "# global.columns = ID FORM UPOS HEAD DEPREL\n" + _words("1 a X 2 dep", "2 b X 0 root"),
    "words.conllx": _words("1 a x N NN _ 2 SBJ _ _", "2 b x V VB f=1 0 ROOT _ _"),
    "words.conll09": _words("1 a a a N N _ _ 2 2 SBJ SBJ _ _ A0", "2 b b b V V _ _ 0 0 ROOT ROOT Y b.01 _"),
}
TAGS = {"tags.tsv": "Rain\tNOUN\nfell\tVERB\n.\tPUNCT\n\n\nIt\tPRON\nslept\tVERB\n"}
CHAINS = {
    "chains.conll": "#begin document (d/1); part 000\n"
    + _words("d/1 0 0 Ada NNP (0", "d/1 0 1 Lovelace NNP 0)|(1)", "d/1 0 2 slept VBD -")
    + _words("d/1 0 0 She PRP (0)", "d/1 0 1 woke VBD (1|(2", "d/1 0 2 here RB 2)|1)")
    + "#end document\n#begin document (d/1); part 001\n"
    + _words("d/1 1 0 x X (0)")
    + "#end document\n",
    "chains.conllu": "# newdoc id = d1\n# global.Entity = eid-etype-head-other\n"
    + _words(
        "1 Ada _ PROPN _ _ 2 nsubj _ Entity=(e1-person-1-",
        "2 L _ PROPN _ _ 0 root _ Entity=e1)",
        "2.1 _ _ PRON _ _ _ _ _ Entity=(e1-person-1-)",
        "3 x _ X _ _ 2 dep _ Entity=(e2[1/2]-x-1-)",
        "4 y _ X _ _ 2 dep _ _",
        "5 z _ X _ _ 2 dep _ Entity=(e2[2/2])",
    )
    + _words("1 she _ PRON _ _ 0 root _ Entity=(e1-person-1-)(e2-x-1-)"),
    "chains.jsonl": _lines(
        {
            "doc_key": "d1",
            "sentences": [["Ada", "slept"], ["She", "woke"]],
            "clusters": [[[0, 0], [2, 2]], [[1, 1]]],
            "pos": [["NNP", "VBD"], ["PRP", "VBD"]],
        },
        {"doc_key": "d2", "sentences": [["x"]], "clusters": [], "pos": [["X"]]},
    ),
}
LINKS = {
    "hipe.tsv": "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC\n# hipe2022:document_id = a\nBad\tB-loc\tQ9|Q8\t_\n"
    "Ems\tE-loc\tQ9|Q8\tEndOfSentence\nTom\tS-pers\tNIL\t_\n#x\tO\t_\t_\n# document_id = b\nRom\tO\tQ220\t-\n",
    "neleval.tsv": "a\t0\t4\tQ90\t0.9\tLOC\tQ1\t0.1\tLOC\na\t9\t9\tNIL\t1\tPER\nb\t2\t5\tQ5\t1\tORG\n",
    "links.jsonl": _lines(
        {"id": "a", "text": TEXT, "spans": [{"start": 0, "end": 12, "label": "PER", "links": ["Q7259", "NIL"]}]},
        {"id": "b", "text": TEXT, "spans": [{"start": 0, "end": 28, "parts": [[0, 3], [22, 28]], "links": []}]},
    ),
    "elevant.jsonl": _lines(
        {
            "id": 1,
            "text": TEXT,
            "entity_mentions": [{"span": [0, 3], "id": "Q7259", "candidates": ["Q1", {"entity_id": "Q2"}, None]}],
        },
        {"id": 2, "text": TEXT, "labels": [{"span": [22, 28], "entity_id": "Q84"}, {"span": [0, 3]}]},
    ),
}
RELATIONS = {
    "spert.json": json.dumps(
        [
            {
                "tokens": ["Ada", "left", "London"],
                "entities": [{"type": "PER", "start": 0, "end": 1}, {"type": "LOC", "start": 2, "end": 3}],
                "relations": [{"type": "left", "head": 0, "tail": 1}],
            },
            {"tokens": ["x"], "entities": [], "relations": []},
        ]
    ),
    "dygie.jsonl": _lines(
        {
            "doc_key": "d1",
            "sentences": [["Ada", "left", "London"], ["She", "slept"]],
            "ner": [[[0, 0, "PER"], [2, 2, "LOC"]], []],
            "relations": [[[0, 0, 2, 2, "left"]], [[3, 3, 4, 4, "does", 0.5]]],
        },
        {"doc_key": "d2", "sentences": [["x"]], "predicted_ner": [[]], "predicted_relations": [[]]},
    ),
    "relations.jsonl": _lines(
        {
            "id": "a",
            "text": TEXT,
            "spans": [
                {"id": 1, "start": 0, "end": 12, "label": "PER"},
                {"id": "x", "start": 0, "end": 28, "label": "LOC", "parts": [[0, 3], [22, 28]]},
            ],
            "relations": [{"head": 1, "tail": "x", "label": "lived_in"}, {"head": 1, "tail": 1, "label": "same-as"}],
        },
        {"id": "b", "text": "x", "spans": [], "relations": []},
    ),
}
FORMATS_NAMED = {"words.conllx": "conllx", "words.conll09": "conll2009"}
MANIFESTS = {
    "pairs.tsv": "# pairs\ngold\tcrf\ttagger\ngold.conll\tcrf.conll\ttagger.conll\n",
    "pairs.csv": 'gold,crf\n"gold.conll","crf.conll"\ngold.conll,tagger.conll\n',
    "pairs.jsonl": '{"gold": "gold.conll", "crf": "crf.conll"}\n{"gold": "crf.conll", "crf": "tagger.conll"}\n',
}
SUITE = """[[data]]
name = "north"
gold = "gold.conll"
systems = { crf = "crf.conll", tagger = "tagger.conll" }
column = 2
encoding = "iob2"
map = { PER = "MISC" }

[[data]]
name = "south"
gold = "gold.conll"
systems = { tagger = "tagger.conll", crf = "crf.conll" }
task = "spans"
"""
RECORDS = {
    "records.jsonl": _lines(
        {
            "id": "a",
            "text": TEXT,
            "value": {"name": "Ada", "items": [{"n": "lamp", "p": 12.5}, {"n": "2 m", "p": "1,200"}]},
        },
        {"id": "b", "value": {"name": None, "tags": ["red", "red", True], "day": "12 May 2020"}},
    ),
    "raw.jsonl": _lines(
        {"id": "a", "output": '```json\n{"name": "Ada", "items": [{"n": "lamp", "p": 12.5}]}\n```'},
        {
            "id": "b",
            "tool_calls": [{"function": {"name": "save", "arguments": '{"tags": ["red"], "day": "2020-05-12"}'}}],
        },
    ),
}
NAMED_TASKS = ("tags", "links", "relations", "records")
"""Tasks that are named, as files do not always show them."""
WEIGHTS = "LE = 0.5 FP + 0.5 FN  # Ortmann 2022\nBE = 0.5 TP + 0.25 * FP + .25 FN; LBE = FN\n"

SEEDS_READ_AS = {
    **dict.fromkeys(("columns.conll", "spaced.conll", "header.conll", "tags.tsv"), "conll"),
    **dict.fromkeys(("germeval.tsv", "six.tsv"), "germeval"),
    "spans.tsv": "spans",
    **dict.fromkeys(("prodigy.jsonl", "doccano.jsonl", "entities.jsonl", "tokens.jsonl", "tags.jsonl"), "jsonl"),
    "studio.json": "label-studio",
    **dict.fromkeys(("doc.ann", "doc.txt"), "brat"),
    "trees.mrg": "brackets",
    **dict.fromkeys(("words.conllu", "plus.conllu"), "conllu"),
    "words.conllx": "conllx",
    "words.conll09": "conll2009",
    "chains.conll": "conll2012",
    "chains.conllu": "corefud",
    "chains.jsonl": "coref-jsonl",
    "hipe.tsv": "hipe",
    "neleval.tsv": "neleval",
    "links.jsonl": "jsonl",
    "elevant.jsonl": "elevant",
    "linked.ann": "brat",
    "spert.json": "spert",
    "dygie.jsonl": "dygie",
    "relations.jsonl": "relation-jsonl",
    "related.ann": "brat",
    "docs.spacy": "spacy",
    **dict.fromkeys(("records.jsonl", "raw.jsonl"), "records"),
    **dict.fromkeys(("table.parquet", "tagged.parquet"), "parquet"),
    **dict.fromkeys(("table.arrow", "tagged.arrow", "table.arrows", "tagged.arrows"), "arrow"),
    "set/state.json": "huggingface",
}
"""The format that each seed is recognised as."""


def seeds() -> dict[str, Seed]:
    """All seeds, by name; without those whose packages are not installed."""
    all_seeds = {name: Seed({name: text.encode()}) for name, text in TEXTS.items()}
    all_seeds |= {name: Seed({name: text.encode()}, "trees", FORMATS_NAMED.get(name)) for name, text in WORDS.items()}
    all_seeds |= {name: Seed({name: text.encode()}, "tags") for name, text in TAGS.items()}
    all_seeds |= {name: Seed({name: text.encode()}, "chains") for name, text in CHAINS.items()}
    standoff = "T1\tPER 0 12\tAda Lovelace\nT2\tLOC 0 3;22 28\tAda London\nR1\tIn Arg1:T1 Arg2:T2\n#1\tNote T1\tx\n"
    all_seeds |= {name: Seed({name: text.encode()}, "links") for name, text in LINKS.items()}
    linked = "T1\tPER 0 12\tAda Lovelace\nN1\tReference T1 Wikidata:Q7259\tAda\nN2\tReference T1 NIL\n"
    all_seeds["linked.ann"] = Seed({"linked.ann": linked.encode(), "linked.txt": TEXT.encode()}, "links")
    all_seeds |= {name: Seed({name: text.encode()}, "relations") for name, text in RELATIONS.items()}
    related = f"{standoff}*\tsame-as T1 T2\nE1\tMove:T1 To2:T2 By:E1\nR2\tOf Arg1:E1 Arg2:T2\n"
    all_seeds["related.ann"] = Seed({"related.ann": related.encode(), "related.txt": TEXT.encode()}, "relations")
    all_seeds |= {name: Seed({name: text.encode()}, "records") for name, text in RECORDS.items()}
    all_seeds["doc.ann"] = Seed({"doc.ann": standoff.encode(), "doc.txt": TEXT.encode()})
    all_seeds["doc.txt"] = Seed({"doc.txt": TEXT.encode(), "doc.ann": standoff.encode()})
    all_seeds |= dict(_tables())
    all_seeds |= dict(_datasets())
    all_seeds |= dict(_spacy())
    return all_seeds


def companions() -> dict[str, bytes]:
    """The files that manifests and suites name."""
    all_companions = {}
    for name in ("gold.conll", "crf.conll", "tagger.conll"):
        all_companions[name] = b"".join((EXAMPLE / name).read_bytes().partition(b"\n\n")[:2])
    return all_companions


def saved_results() -> dict[str, str]:
    """Results as JSON, by the class that loads them."""
    gold, first, second = (EXAMPLE / name for name in ("gold.conll", "crf.conll", "tagger.conll"))
    quick: Any = {"resamples": 10, "match": ("exact", "fair")}
    compared = eh.compare(gold, [first, second], trials=10, resamples=10, show="new_error", limit=3, top=2)
    scored = EXAMPLE / "scored.jsonl"
    return {
        "Agreement": eh.agree([gold, first], resamples=10).to_json(),
        "Causes": eh.causes(gold, first).to_json(),
        "Confidence": eh.confidence(scored.with_name("gold.conll"), scored, resamples=10).to_json(),
        "Result": eh.score(gold, first).to_json(),
        "Results": eh.score(gold, [first, second], match=("exact", "ts", "semeval")).to_json(),
        "Ranking": eh.rank(gold, [first, second], **quick).to_json(),
        "Comparison": compared.to_json(),
    }


def _arrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        return None


def _table(arrow: Any) -> Any:
    span = arrow.struct([("start", arrow.int64()), ("end", arrow.int64()), ("label", arrow.string())])
    return arrow.table(
        {
            "tokens": [["Ada", "Lovelace", "😀"], [], ["in", "London"]],
            "tags": [["B-PER", "I-PER", "O"], [], ["O", "B-LOC"]],
            "spans": arrow.array(
                [[{"start": 0, "end": 2, "label": "PER"}], [], [{"start": 1, "end": 2, "label": "LOC"}]],
                arrow.list_(span),
            ),
            "document": ["a", "a", "b"],
        }
    )


def _tables() -> Iterator[tuple[str, Seed]]:
    arrow = _arrow()
    if arrow is None:
        return
    table = _table(arrow)
    for name, chosen in (("table", table), ("tagged", table.select(["tokens", "tags"]))):
        sink = arrow.BufferOutputStream()
        import_module("pyarrow.parquet").write_table(chosen, sink)
        yield f"{name}.parquet", Seed({f"{name}.parquet": sink.getvalue().to_pybytes()})
        for form, new in (("arrow", arrow.ipc.new_file), ("arrows", arrow.ipc.new_stream)):
            sink = arrow.BufferOutputStream()
            with new(sink, chosen.schema) as writer:
                writer.write_table(chosen)
            yield f"{name}.{form}", Seed({f"{name}.{form}": sink.getvalue().to_pybytes()})


def _datasets() -> Iterator[tuple[str, Seed]]:
    """A dataset of Hugging Face, of whose files one is mutated at a time."""
    arrow = _arrow()
    if arrow is None:
        return
    table = arrow.table({"tokens": [["Ada", "slept"], ["x"]], "ner_tags": [[1, 0], [0]]})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    value = {"dtype": "string", "_type": "Value"}
    label = {"names": ["O", "B-PER"], "_type": "ClassLabel"}
    features = {"tokens": {"feature": value, "_type": "List"}, "ner_tags": {"feature": label, "_type": "List"}}
    files = {
        "set/data-00000-of-00001.arrow": sink.getvalue().to_pybytes(),
        "set/dataset_info.json": json.dumps({"features": features}, indent=1).encode(),
        "set/state.json": json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}).encode(),
    }
    for name in files:
        yield name, Seed({name: files[name], **files}, format=None)


def _spacy() -> Iterator[tuple[str, Seed]]:
    try:
        tokens, vocab = import_module("spacy.tokens"), import_module("spacy.vocab")
    except ImportError:
        return
    doc = tokens.Doc(vocab.Vocab(), words=["Ada", "Lovelace", "slept"], sent_starts=[True, False, False])
    doc.set_ents([tokens.Span(doc, 0, 2, label="PER")])
    yield "docs.spacy", Seed({"docs.spacy": tokens.DocBin(docs=[doc]).to_bytes()})


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
