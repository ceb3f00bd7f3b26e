"""Answers that repeat the text with tags, marks or links in it."""

from __future__ import annotations

import pytest

from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import KnownLabels, MarkedText, ReadAnswer, Shape

LABELS = KnownLabels(["PER", "LOC", "B", "title"])


def read(answer: str, shape: Shape = "xml", label: str | None = None, document: str = "") -> ReadAnswer:
    return read_answer(answer, shape, LABELS, label, document)


def marked(answer: str, shape: Shape = "xml", label: str | None = None, document: str = "") -> MarkedText:
    found = read(answer, shape, label, document).marked
    assert found is not None
    return found


def spans(answer: str, shape: Shape = "xml", label: str | None = None, document: str = "") -> list[tuple[str, str]]:
    found = marked(answer, shape, label, document)
    return [(found.text[start:end], name) for start, end, name in found.spans]


@pytest.mark.parametrize("name", ["span", "mark", "entity", "ent", "ne", "e", "tag", "annotation", "SPAN"])
@pytest.mark.parametrize(
    "attribute", ["class", "type", "label", "data-label", "data-entity", "entity", "category", "name"]
)
def test_tags_that_carry_their_label(name: str, attribute: str) -> None:
    assert spans(f'<{name} id="x" {attribute}="PER">Ada</{name}>') == [("Ada", "PER")]
    assert spans(f"<{name} {attribute}='PER' x>Ada</{name}> <{name} {attribute}=LOC>Rome</{name}>") == [
        ("Ada", "PER"),
        ("Rome", "LOC"),
    ]


def test_the_first_attribute_counts_and_one_of_its_classes() -> None:
    assert spans('<span type="LOC" class="PER">Ada</span>') == [("Ada", "PER")]
    assert spans('<span class="entity PER">Ada</span>') == [("Ada", "PER")]
    assert spans('<span class="new class">Ada</span>') == [("Ada", "new class")]


def test_carriers_without_a_label_have_the_one_asked_for() -> None:
    assert spans("<entity>Ada</entity> <mark>Bob</mark>", label="PER") == [("Ada", "PER"), ("Bob", "PER")]
    assert read("<entity>Ada</entity>") == ReadAnswer(malformed=1, marked=MarkedText("Ada", ()))
    assert read('<span style="x">Ada</span>') == ReadAnswer(marked=MarkedText("Ada", ()))


def test_labels_are_respelled_or_stand_as_they_are() -> None:
    found = read('<per>Ada</PER> <CITY>Rome</CITY> <span class="B-LOC">Bonn</span>')
    assert found.marked == MarkedText("Ada Rome Bonn", ((0, 3, "PER"), (4, 8, "CITY"), (9, 13, "LOC")))
    assert found.respelled == 2


def test_tags_nest_and_cross_and_come_in_the_order_of_opening() -> None:
    assert spans("<LOC>New <PER>York</LOC> Times</PER>") == [("New York", "LOC"), ("York Times", "PER")]
    assert spans("<PER>a <PER>b</PER> c</PER>") == [("a b c", "PER"), ("b", "PER")]
    assert spans('<span class="PER">a <span>b</span> c</span>') == [("a b c", "PER")]


def test_tags_without_a_partner_are_counted() -> None:
    assert marked("<PER>Ada and <PER>Bob</PER> </LOC></x>") == MarkedText("Ada and Bob ", ((8, 11, "PER"),), 1, 2)


def test_spans_are_stripped_and_empty_ones_malformed() -> None:
    found = read("<PER> Ada\n</PER><LOC> </LOC><LOC></LOC><PER/>")
    assert found == ReadAnswer(malformed=2, marked=MarkedText(" Ada\n ", ((1, 4, "PER"),)))
    assert read("Ada<PER></PER>Bob") == ReadAnswer(malformed=1, marked=MarkedText("AdaBob", ()))


def test_tags_of_html_are_dropped() -> None:
    answer = "<!DOCTYPE html><html><body><p>Ada <b>met</b><br/>Bob</p><p>in <i>R</i>ome</p></body></html></b><!-- x -->"
    assert marked(answer).text.split() == ["Ada", "met", "Bob", "in", "Rome"]
    assert marked(answer).unclosed == marked(answer).unopened == 0


def test_a_label_may_be_a_tag_of_html() -> None:
    assert spans("<title>Emma</title> <TITLE>Emma</TITLE> <B>x</B> <b>y</b>") == [
        ("Emma", "title"),
        ("Emma", "title"),
        ("x", "B"),
    ]


def test_angles_that_are_no_tags_stay() -> None:
    text = "1 < 2 > 1 <3 <- -> <> </> a<b"
    assert marked(text).text == text


def test_tags_that_stand_in_the_document_are_text() -> None:
    document = "use <unk> if a <b and b> c"
    found = marked("use <unk> if a <b and b> <PER>c</PER>", document=document)
    assert found == MarkedText(document, ((25, 26, "PER"),))


def test_entities_are_decoded_unless_the_document_has_some() -> None:
    assert marked("R&amp;D &lt;PER&gt; &#65;&#x42; &nosuch; AT&T &copy 1").text == "R&D <PER> AB &nosuch; AT&T &copy 1"
    assert marked("R&amp;D &quot;x&quot;", document="R&amp;D").text == "R&amp;D &quot;x&quot;"
    assert spans("a &amp; <PER>b &amp; c</PER>", document="a & b & c") == [("b & c", "PER")]
    assert marked("&#" + "1" * 5000 + ";").text == "&#" + "1" * 5000 + ";"


@pytest.mark.parametrize("shape", ["xml", "markdown", "marks"])
def test_a_fenced_block_counts_alone(shape: Shape) -> None:
    assert marked("Here:\n```html\nAda\n```\nDone.", shape).text.strip() == "Ada"
    assert marked("```\nAda\n```\n```\nBob\n```", shape).text.strip() == "Bob"
    assert marked("```\nAda", shape, document="``` is a fence").text == "```\nAda"


def test_links_of_markdown() -> None:
    answer = "[New [York](LOC) Times](per) of [1] and [a](http://a.b) and [Rome](CITY)"
    annotation = read(answer, "markdown")
    assert annotation.marked is not None
    assert spans(answer, "markdown") == [("New York Times", "PER"), ("York", "LOC"), ("Rome", "CITY")]
    assert annotation.marked.text == "New York Times of [1] and [a](http://a.b) and Rome"
    assert annotation.respelled == 1


def test_links_without_a_partner() -> None:
    assert marked("Ada](PER) [Bob", "markdown") == MarkedText("Ada Bob", (), unclosed=1, unopened=1)
    assert marked("[Ada](PER) [0, 1", "markdown", document="Ada [0, 1") == MarkedText("Ada [0, 1", ((0, 3, "PER"),))
    assert marked("f[x](y)", "markdown", document="f[x](y)") == MarkedText("f[x](y)", ())


def test_marks_have_the_label_asked_for() -> None:
    assert spans("@@Ada## and @@@@Bob## Smith##", "marks", "PER") == [
        ("Ada", "PER"),
        ("Bob Smith", "PER"),
        ("Bob", "PER"),
    ]
    assert read("@@Ada##", "marks") == ReadAnswer(malformed=1, marked=MarkedText("Ada", ()))


def test_marks_without_a_partner() -> None:
    assert marked("@@Ada ## Bob ## @@", "marks", "PER") == MarkedText("Ada  Bob  ", ((0, 3, "PER"),), 1, 1)
    assert marked("## @@Ada##", "marks", "PER", document="## Ada") == MarkedText("## Ada", ((3, 6, "PER"),))
