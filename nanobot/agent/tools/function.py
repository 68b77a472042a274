"""`@tool`: a `Tool` from a typed function, sync or async."""

from __future__ import annotations

import copy
import inspect
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.defaults import refused_defaults
from nanobot.agent.tools.definition import read_definition
from nanobot.errors import ToolSetupError
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from nanobot.agent.tools.context import ToolContext
    from nanobot.agent.tools.parameters import FunctionParameters
    from nanobot.jsonvalue import JsonObject


class FunctionTool(Tool):
    """A tool made of a function. Call it like the function; the agent calls `execute`.

    Args:
        function: sync (it runs in a thread) or async; each parameter takes an argument by name.
        name: default: the function's name.
        description: default: the docstring without its sections.
        read_only: whether a call changes nothing.
        exclusive: whether no other call may run beside it.
        scopes: which agents get it: `core`, `subagent`, `memory`.
        timeout_s: seconds a call may take; None for the run's default, `math.inf` for no deadline.
        title: for people.
        destructive, idempotent, open_world: hints for hosts; None says nothing.
        output_schema: default: from a return annotation that is a model, dataclass or TypedDict.

    Raises:
        ToolSetupError: a fault in the definition, with its place.
    """

    _plugin_discoverable: ClassVar[bool] = False

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        read_only: bool = False,
        exclusive: bool = False,
        scopes: Iterable[str] = ("core",),
        timeout_s: float | None = None,
        title: str = "",
        destructive: bool | None = None,
        idempotent: bool | None = None,
        open_world: bool | None = None,
        output_schema: JsonObject | None = None,
    ) -> None:
        from nanobot.agent.tools.parameters import FunctionParameters  # noqa: PLC0415  # pydantic

        self._function = function
        self._name = _name(function, name)
        self.context: ToolContext | None = None
        self._inner: FunctionParameters = FunctionParameters.of(function, self._name)
        self._description = self._inner.description if description is None else description
        self._read_only = read_only
        self._exclusive = exclusive
        self._is_async = _is_async(function)
        self.timeout_s = timeout_s
        self.title = title
        self.destructive = destructive
        self.idempotent = idempotent
        self.open_world = open_world
        self.output_schema = output_schema or self._inner.output_schema
        self._scopes = {scopes} if isinstance(scopes, str) else set(scopes)  # type: ignore[misc]  # the loader reads it on instances too
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__module__ = getattr(function, "__module__", __name__)
        definition = read_definition(self)
        for path, fault in refused_defaults(definition.parameters):
            raise ToolSetupError(fault, place=f"{self._name}, parameter '{path}'")

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self._name

    @property
    def description(self) -> str:
        """A manual for the model."""
        return self._description

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of its arguments, a fresh copy each time."""
        return copy.deepcopy(self._inner.schema)

    @property
    def read_only(self) -> bool:
        """Whether a call changes nothing."""
        return self._read_only

    @property
    def exclusive(self) -> bool:
        """Whether no other call may run beside it."""
        return self._exclusive

    def bound(self, ctx: ToolContext) -> Self:
        """The same tool with this context for a parameter of type `ToolContext`."""
        tool = copy.copy(self)
        tool.context = ctx
        return tool

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, with nothing added or checked."""
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self._name}>"

    async def execute(self, /, **kwargs: Any) -> Any:
        """Call the function with what its annotations say, made from JSON arguments.

        Raises:
            InvalidArguments: the schema admits them, but a validator of an annotation does not.
        """
        args, named = self._inner.arguments(kwargs, self.context)
        if self._is_async:
            result = await self._function(*args, **named)
        else:
            result = await in_thread(self._function, *args, **named)
            if inspect.isawaitable(result):
                result = await result
        return self._inner.jsonable(result)


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool = False,
    exclusive: bool = False,
    scopes: Iterable[str] = ("core",),
    timeout_s: float | None = None,
    title: str = "",
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    output_schema: JsonObject | None = None,
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool of a typed function: `@tool`, `@tool(read_only=True)` or `tool(function)`.

    The parameters come from the annotations (whatever pydantic understands), their descriptions
    from `Annotated[T, "text"]`, `Field(description=...)` or the docstring. A parameter annotated
    `ToolContext` or `RequestContext` is filled in and never shown to the model. The options are
    those of `FunctionTool`.

    Raises:
        ToolSetupError: a fault in the definition, with its place.
    """
    if function is not None:
        return _made(function, options)

    def made(function: Callable[..., Any]) -> FunctionTool:
        return _made(function, options)

    return made


@dataclass(frozen=True, slots=True)
class RefusedFunction:
    """A function that `@tool` could not make a tool of, and why."""

    function: object
    error: ToolSetupError


_refused: ContextVar[list[RefusedFunction] | None] = ContextVar("nanobot_refused", default=None)


@contextmanager
def collected_refusals() -> Iterator[list[RefusedFunction]]:
    """While it lasts, `@tool` notes what it refuses and leaves the function as it was.

    So that a check of a source finds every fault in it, not only the first.
    """
    refused: list[RefusedFunction] = []
    token = _refused.set(refused)
    try:
        yield refused
    finally:
        _refused.reset(token)


def _made(function: Callable[..., Any], options: dict[str, Any]) -> FunctionTool:
    refused = _refused.get()
    try:
        return FunctionTool(function, **options)
    except ToolSetupError as error:
        if refused is None:
            raise
        refused.append(RefusedFunction(function, error))
        return function  # type: ignore[return-value]  # only while a source is checked


def _name(function: object, name: str | None) -> str:
    if not callable(function) or isinstance(function, type):
        raise ToolSetupError(f"@tool takes a function, got {function!r}", place="@tool")
    given = getattr(function, "__name__", "") if name is None else name
    if not given or (name is None and given == "<lambda>"):
        raise ToolSetupError(
            "it has no name", place=repr(function), hint="Give one: @tool(name='...')."
        )
    return str(given)


def _is_async(function: Callable[..., Any]) -> bool:
    call = getattr(type(function), "__call__", None)  # noqa: B004  # an object with async __call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


__all__ = ["FunctionTool", "RefusedFunction", "collected_refusals", "tool"]
