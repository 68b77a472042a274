"""`@tool`: tools from typed functions."""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import pytest
from pydantic import AfterValidator, BaseModel, Field

from nanobot.agent.tools import ToolRegistry, ToolResult, tool
from nanobot.agent.tools.context import (
    RequestContext,
    ToolContext,
    bind_request_context,
    reset_request_context,
)
from nanobot.errors import InvalidArguments, ToolSetupError

if TYPE_CHECKING:
    from nanobot.agent.tools.function import FunctionTool


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    """A point on the plane."""

    x: int
    y: int = 0


@dataclass
class Size:
    """A size."""

    width: int
    height: int


class Person(TypedDict):
    """A person."""

    name: str
    age: int


def _properties(made: FunctionTool) -> dict[str, Any]:
    properties = made.parameters["properties"]
    assert isinstance(properties, dict)
    return properties


async def _run(made: FunctionTool, given: dict[str, Any] | None = None, **more: Any) -> Any:
    """The arguments through a registry's checks, then the tool."""
    registry = ToolRegistry()
    registry.register(made)
    return await made.execute(**registry.prepare(made.name, {**(given or {}), **more}).arguments)


@tool(read_only=True, title="Add numbers", timeout_s=3)
def add(a: int, b: Annotated[int, "The second."] = 2) -> str:
    """Add two numbers.

    Args:
        a: The first.
        b: Never shown, for the annotation speaks.
    """
    return str(a + b)


def test_a_typed_function_becomes_a_tool() -> None:
    assert add.to_schema() == {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two numbers.",
            "parameters": {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "The first."},
                    "b": {"type": "integer", "description": "The second.", "default": 2},
                },
                "required": ["a"],
                "additionalProperties": False,
            },
        },
    }
    assert (add.title, add.timeout_s, add.concurrency_safe) == ("Add numbers", 3, True)


async def test_it_runs_with_its_arguments_and_is_still_a_function() -> None:
    assert await _run(add, a="3") == "5"
    assert add(1, b=1) == "2"


async def test_an_async_function_is_awaited_on_the_loop() -> None:
    @tool
    async def where() -> str:
        """Say which thread."""
        return threading.current_thread().name

    assert await _run(where) == threading.current_thread().name


async def test_a_sync_function_runs_in_a_thread() -> None:
    @tool
    def where() -> str:
        """Say which thread."""
        return threading.current_thread().name

    assert await _run(where) != threading.current_thread().name


def test_options_override_what_the_function_says() -> None:
    @tool(
        name="math.pi",
        description="Pi.",
        exclusive=True,
        scopes={"core", "memory"},
        destructive=False,
        idempotent=True,
        open_world=False,
    )
    def anything() -> str:
        return "3.14"

    assert (anything.name, anything.description, anything.exclusive) == ("math.pi", "Pi.", True)
    assert (anything.destructive, anything.idempotent, anything.open_world) == (False, True, False)
    assert anything._scopes == {"core", "memory"}  # the contract's name


def test_the_schema_is_a_fresh_copy_each_time() -> None:
    add.parameters["properties"].clear()

    assert "a" in _properties(add)


async def test_values_arrive_as_their_annotations_say() -> None:
    seen: dict[str, Any] = {}

    @tool
    def take(  # one of each kind
        colour: Colour,
        point: Point,
        size: Size,
        person: Person,
        when: datetime,
        price: Decimal,
        place: Path,
        kind: Literal["a", "b"],
        either: int | str,
        many: list[Point],
        unique: set[int],
        pair: tuple[int, str],
    ) -> None:
        """Take it."""
        seen.update(locals())

    await _run(
        take,
        colour="red",
        point={"x": 1},
        size={"width": 2, "height": 3},
        person={"name": "Ada", "age": 36},
        when="2030-01-02T03:04:05Z",
        price="1.10",
        place="a/b",
        kind="b",
        either="5",
        many=[{"x": 1, "y": 2}],
        unique=[1, 2],
        pair=[1, "x"],
    )

    assert seen["colour"] is Colour.RED
    assert (seen["point"], seen["size"]) == (Point(x=1), Size(2, 3))
    assert seen["person"] == {"name": "Ada", "age": 36}
    assert seen["when"] == datetime.fromisoformat("2030-01-02T03:04:05+00:00")
    assert (seen["price"], seen["place"], seen["kind"]) == (Decimal("1.10"), Path("a/b"), "b")
    assert (seen["either"], seen["many"]) == ("5", [Point(x=1, y=2)])
    assert (seen["unique"], seen["pair"]) == ({1, 2}, (1, "x"))


def test_titles_that_only_repeat_names_are_left_out() -> None:
    @tool
    def put(point: Point, title: str, named: Annotated[int, Field(title="N")] = 1) -> None:
        """Put it."""

    assert "title" not in put.parameters
    assert "title" not in put.parameters["$defs"]["Point"]
    assert "title" not in put.parameters["$defs"]["Point"]["properties"]["x"]
    assert _properties(put)["title"] == {"type": "string"}
    assert _properties(put)["named"]["title"] == "N"


def test_optional_parameters_and_fields_keep_their_meaning() -> None:
    @tool
    def find(
        query: Annotated[str, Field(min_length=2, description="Words.")],
        limit: int = Field(10, ge=1, le=50),
        after: str | None = None,
    ) -> None:
        """Find it."""

    assert find.parameters["required"] == ["query"]
    assert _properties(find) == {
        "query": {"type": "string", "minLength": 2, "description": "Words."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "after": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    }


async def test_a_default_that_is_no_json_stays_out_of_the_schema_and_works() -> None:
    marker = object()

    @tool
    def take(value: Any = marker, numbers: list[int] = Field(default_factory=lambda: [7])) -> str:  # noqa: B008  # as authors write it
        """Take it."""
        return f"{value is marker} {numbers}"

    assert _properties(take)["value"] == {}
    assert await _run(take) == "True [7]"


async def test_odd_parameter_names_are_right() -> None:
    @tool
    def odd(  # one of each
        self: str, args: int, kwargs: int, name: str, schema: str, config: str, cls: int,
        model_config: int, _hidden: int, copy: int, context: int, function: int, ctx: int = 0,
    ) -> str:  # fmt: skip
        """Take odd names."""
        return f"{self}{args}{kwargs}{name}{schema}{config}{cls}{model_config}{_hidden}{copy}"

    given: dict[str, Any] = {
        "self": "s", "args": 1, "kwargs": 2, "name": "n", "schema": "c", "config": "f", "cls": 3,
        "model_config": 4, "_hidden": 5, "copy": 6, "context": 7, "function": 8,
    }  # fmt: skip

    assert set(odd.parameters["required"]) == given.keys()
    assert await _run(odd, given) == "s12ncf3456"


async def test_positional_only_parameters_are_filled_in_order() -> None:
    @tool
    def power(base: int, exponent: int = 2, /, *, sign: int = 1) -> int:
        """Raise it."""
        return sign * int(base**exponent)

    assert await _run(power, base=3, sign=-1) == -9
    assert await _run(power, exponent=3, base=2) == 8


async def test_a_bound_method_and_a_partial_become_tools() -> None:
    class Counter:
        def __init__(self, start: int) -> None:
            self.value = start

        def add(self, number: int) -> int:
            """Add to it."""
            self.value += number
            return self.value

    counted = functools.partial(Counter(0).add, 5)

    assert await _run(tool(Counter(10).add), number=1) == 11
    assert await _run(tool(name="five", description="Add five.")(counted)) == 5


async def test_the_contexts_are_filled_in_and_never_shown() -> None:
    @tool
    def who(
        greeting: str,
        ctx: ToolContext,
        request: RequestContext,
        later: RequestContext | None = None,
    ) -> str:
        """Greet."""
        return f"{greeting} {ctx.timezone} {request.channel} {later and later.channel}"

    bound = who.bound(ToolContext(timezone="Mars/Base"))
    token = bind_request_context(RequestContext(channel="cli"))
    try:
        inside = await bound.execute(greeting="hi")
    finally:
        reset_request_context(token)

    assert list(_properties(who)) == ["greeting"]
    assert inside == "hi Mars/Base cli cli"
    assert await who.execute(greeting="hi") == "hi UTC  None"


async def test_what_an_annotation_refuses_is_an_invalid_argument() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError(f"{value} is odd")
        return value

    @tool
    def half(points: list[dict[str, Annotated[int, AfterValidator(even)]]]) -> int:
        """Halve it."""
        return len(points)

    with pytest.raises(InvalidArguments) as caught:
        await half.execute(points=[{"a": 2}, {"a": 3}])

    assert caught.value.message == "Invalid parameters for tool 'half': points[1].a: 3 is odd"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, None),
        ("text", "text"),
        (3, 3),
        ({"a": [date(2030, 1, 2)]}, {"a": ["2030-01-02"]}),
        (Point(x=1), {"x": 1, "y": 0}),
        ([Size(1, 2)], [{"width": 1, "height": 2}]),
        (Colour.RED, "red"),
        ([{"type": "text", "text": "t"}], [{"type": "text", "text": "t"}]),
    ],
    ids=str,
)
async def test_what_is_returned_becomes_json(result: Any, expected: Any) -> None:
    @tool
    def give() -> Any:
        """Give it."""
        return result

    assert await _run(give) == expected


async def test_a_tool_result_comes_through_as_it_is() -> None:
    failure = ToolResult.error("no")

    @tool
    def give() -> str:
        """Give it."""
        return failure

    assert await _run(give) is failure


async def test_a_result_without_a_json_form_is_named() -> None:
    @tool
    def give() -> object:
        """Give it."""
        return object()

    with pytest.raises(TypeError, match="returned a object, which has no JSON form"):
        await _run(give)


@pytest.mark.parametrize("kind", [Point, Size, Person])
def test_a_structured_return_type_gives_an_output_schema(kind: Any) -> None:
    def give() -> Any:
        """Give it."""

    give.__annotations__["return"] = kind

    schema = tool(give).output_schema
    assert schema is not None
    assert schema["type"] == "object"
    assert "title" not in schema


def test_text_gives_no_output_schema() -> None:
    assert add.output_schema is None


def _no_description(a: int) -> None: ...


def _stars(*args: int) -> None:
    """Take many."""


def _double_stars(**kwargs: int) -> None:
    """Take any."""


def _unbound(self, a: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001  # on purpose
    """Lack an object."""


def _foreign_type(a: int, lock: threading.Event) -> None:
    """Take what no JSON can be."""


def _refused_default(a: Annotated[int, Field(ge=1)] = 0) -> None:
    """Default to what is refused."""


def _wrong_default(a: int = "x") -> None:  # type: ignore[assignment]  # on purpose
    """Default to another type."""


def _unknown_annotation(a: NoSuchType) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Have an unknown type."""


def _generator() -> Any:
    """Yield."""
    yield 1


_FAULTS: dict[str, tuple[Any, str, str]] = {
    "no description": (_no_description, "_no_description.description", "no description"),
    "*args": (_stars, "_stars, parameter '*args'", "can't be told"),
    "**kwargs": (_double_stars, "_double_stars, parameter '**kwargs'", "can't be told"),
    "unbound method": (_unbound, "_unbound, parameter 'self'", "method without its object"),
    "foreign type": (_foreign_type, "_foreign_type, parameter 'lock'", "no JSON form"),
    "refused default": (_refused_default, "_refused_default, parameter 'a'", "default is refused"),
    "wrong default": (_wrong_default, "_wrong_default, parameter 'a'", "default is refused"),
    "unknown type": (_unknown_annotation, "_unknown_annotation", "NoSuchType"),
    "generator": (_generator, "_generator", "yields"),
    "lambda": (lambda: 1, "<function", "no name"),
    "class": (Point, "@tool", "takes a function"),
    "no function": (3, "@tool", "takes a function"),
}


@pytest.mark.parametrize(("function", "place", "message"), _FAULTS.values(), ids=_FAULTS.keys())
def test_a_fault_is_refused_when_the_tool_is_made(function: Any, place: str, message: str) -> None:
    with pytest.raises(ToolSetupError, match=message) as caught:
        tool(function)

    assert caught.value.place.startswith(place)


def test_types_local_to_a_function_are_found() -> None:
    class Local(BaseModel):
        n: int

    @tool
    def take(value: Local) -> None:
        """Take it."""

    assert "Local" in take.parameters["$defs"]


class Endless(TypedDict):
    """Refers to itself."""

    next: Endless | None


def test_a_typed_dict_that_refers_to_itself_ends_in_a_refusal_or_a_tool() -> None:
    def take(value: Endless) -> None:
        """Take it."""

    try:
        made = tool(take)
    except ToolSetupError as error:
        assert error.place.endswith("parameter 'value'")  # noqa: PT017  # before Python 3.12
    else:
        assert "Endless" in made.parameters["$defs"]
