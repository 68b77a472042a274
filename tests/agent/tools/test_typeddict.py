"""`typing.TypedDict` made readable for pydantic before Python 3.12."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest
from pydantic import TypeAdapter, ValidationError

from nanobot.agent.tools.typeddict import readable_type


class Base(TypedDict):
    """Has a key."""

    name: str


class Inner(Base, total=False):
    """Adds one that may be missing."""

    age: int


class Outer(TypedDict):
    """Holds others."""

    inner: list[Inner]
    note: NotRequired[str]


def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(readable_type(hint))


def test_required_and_optional_keys_keep_their_meaning() -> None:
    adapter = _adapter(Outer)

    assert adapter.validate_python({"inner": [{"name": "a"}]}) == {"inner": [{"name": "a"}]}
    with pytest.raises(ValidationError, match=r"inner\.0\.name"):
        adapter.validate_python({"inner": [{"age": 1}]})
    assert adapter.json_schema()["required"] == ["inner"]


@pytest.mark.parametrize(
    "hint",
    [
        list[Base],
        dict[str, Base],
        Base | None,
        Optional[Base],  # noqa: UP045  # the old spelling too
        Annotated[Base, "x"],
        tuple[Base, int],
    ],  # both spellings
    ids=str,
)
def test_it_is_found_inside_other_types(hint: Any) -> None:
    assert _adapter(hint).json_schema()


@pytest.mark.parametrize("hint", [int, list[int], Literal["a"], int | str, None, Any], ids=str)
def test_everything_else_stays_as_it_is(hint: Any) -> None:
    assert readable_type(hint) is hint
