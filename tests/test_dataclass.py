"""Data classes behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from evenhand.dataclass import dataclass

DECORATORS = {"ours": dataclass, "standard library": dataclasses.dataclass}


@dataclass(frozen=True)
class Place:
    """At the top of a module, so that it can be pickled."""

    start: int
    end: int = 9


@pytest.fixture(params=DECORATORS.values(), ids=DECORATORS)
def decorator(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def span(decorator: Any) -> type[Any]:
    """A frozen class with a field of every sort."""

    @decorator(frozen=True)
    class Span:
        """A span."""

        start: int
        end: int = 2
        parts: list[int] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)

    return Span


def test_arguments_and_defaults(span: type[Any]) -> None:
    assert [vars(span(1)), vars(span(1, end=3, parts=[4], note="x"))] == [
        {"start": 1, "end": 2, "parts": [], "note": ""},
        {"start": 1, "end": 3, "parts": [4], "note": "x"},
    ]
    assert span(1).parts is not span(1).parts


def test_wrong_arguments_are_refused_by_name(span: type[Any]) -> None:
    with pytest.raises(TypeError, match=r"Span\.__init__\(\) missing 1 required positional argument: 'start'"):
        span()
    with pytest.raises(TypeError, match=r"Span\.__init__\(\) got an unexpected keyword argument 'strat'"):
        span(strat=1)


def test_signature_before_the_first_object(span: type[Any]) -> None:
    assert list(inspect.signature(span).parameters) == ["start", "end", "parts", "note"]
    assert inspect.signature(span).parameters["start"].annotation == "int"


def test_representation_and_equality_leave_out_what_they_are_told_to(span: type[Any]) -> None:
    assert repr(span(1)).endswith("Span(start=1, end=2, parts=[])")
    assert span(1, note="x") == span(1)
    assert span(1) != span(2)
    assert span(1) != (1, 2, [])


def test_frozen_objects_cannot_be_changed_and_have_a_hash(decorator: Any) -> None:
    @decorator(frozen=True)
    class Label:
        """A label."""

        name: str

    label = Label("PER")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        label.name = "LOC"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del label.name
    with pytest.raises(FrozenInstanceError):
        label.other = 1
    assert {label: 1}[Label("PER")] == 1


def test_a_subclass_may_add_what_is_no_field(span: type[Any]) -> None:
    class Longer(span):  # type: ignore[misc]
        """No data class itself."""

    longer = Longer(1)
    longer.length = 2
    del longer.length
    with pytest.raises(FrozenInstanceError):
        longer.start = 2


def test_open_objects_can_be_changed_and_have_no_hash(decorator: Any) -> None:
    @decorator
    class Count:
        """A number of something."""

        value: int = 0

    count = Count()
    count.value += 1
    assert count == Count(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(count)


def test_own_methods_stay(decorator: Any) -> None:
    @decorator(frozen=True)
    class Name:  # noqa: PLW1641
        """A name that is compared without case."""

        text: str

        def __post_init__(self) -> None:
            object.__setattr__(self, "text", self.text.strip())

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Name) and self.text.lower() == other.text.lower()

        def __repr__(self) -> str:
            return f"<{self.text}>"

    assert Name(" Ada ") == Name("ada")
    assert repr(Name(" Ada ")) == "<Ada>"
    assert hash(Name("Ada")) == hash(Name("Ada "))


def test_fields_of_bases_come_first(decorator: Any, span: type[Any]) -> None:
    @decorator(frozen=True)
    class Linked(span):  # type: ignore[misc]
        """A span with a link."""

        end: int = 5
        link: str = "NIL"

    assert dataclasses.astuple(Linked(1)) == (1, 5, [], "", "NIL")
    assert dataclasses.replace(Linked(1), link="Q1").link == "Q1"


def test_keywords_and_fields_without_parameter(decorator: Any) -> None:
    @decorator(kw_only=True)
    class Answer:
        """Fields are given by name."""

        text: str = ""
        length: int = field(init=False)
        marks: list[str] = field(init=False, default_factory=list)

        def __post_init__(self) -> None:
            self.length = len(self.text)

    assert vars(Answer(text="four")) == {"text": "four", "length": 4, "marks": []}
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        Answer("four")


def test_rare_options_are_those_of_the_standard_library(decorator: Any) -> None:
    @decorator(frozen=True, order=True, slots=True)
    class Version:
        """Versions have an order."""

        major: int
        minor: int = 0

    assert max(Version(1, 2), Version(1, 10)) == Version(1, 10)
    assert not hasattr(Version(1), "__dict__")


def test_objects_can_be_pickled_and_copied() -> None:
    assert pickle.loads(pickle.dumps(Place(1))) == copy.deepcopy(Place(1)) == Place(1, 9)
