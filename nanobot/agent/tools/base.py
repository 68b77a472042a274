"""`Tool`: what a model may call. `Schema`: one fragment of JSON Schema."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from nanobot.agent.tools import faultpath
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.validation import compile_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nanobot.agent.tools.context import ToolContext
    from nanobot.jsonvalue import JsonObject

_ToolClass = TypeVar("_ToolClass", bound="type[Tool]")


class Schema(ABC):
    """One fragment of JSON Schema."""

    @abstractmethod
    def to_json_schema(self) -> dict[str, Any]:
        """The fragment as a fresh dict."""

    def validate_value(self, value: Any, path: str = "") -> list[str]:
        """What is wrong with a value; empty when it is valid. `path` is where it stands."""
        return Schema.validate_json_schema_value(value, self.to_json_schema(), path)

    @staticmethod
    def validate_json_schema_value(
        val: Any,
        schema: Any,
        path: str = "",
        *,
        formats: bool | None = None,
        resources: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """What is wrong with a value under any schema; empty when it is valid.

        Args:
            val: the value, as `json.loads` gives it.
            schema: a JSON object, a boolean or a `Schema`.
            path: where the value stands, for the messages.
            formats: True asserts `format`, False ignores it, None follows the draft.
            resources: documents that references may lead to, by their URI.

        Raises:
            ToolSetupError: the schema can't be used. Nothing is fetched.
        """
        document = schema.to_json_schema() if isinstance(schema, Schema) else schema
        return compile_schema(document, formats=formats, resources=resources).faults(val, path)

    @staticmethod
    def resolve_json_schema_type(t: Any) -> str | None:
        """The one type that a `type` names beside null: `["string", "null"]` → `"string"`."""
        if isinstance(t, list):
            return next((kind for kind in t if isinstance(kind, str) and kind != "null"), None)
        return t if isinstance(t, str) else None

    @staticmethod
    def subpath(path: str, key: str) -> str:
        """The path of a property: `"a"`, `"b"` → `"a.b"`."""
        return faultpath.subpath(path, key)

    @staticmethod
    def fragment(value: Any) -> dict[str, Any]:
        """A `Schema` or a dict as a dict.

        Raises:
            TypeError: it is neither.
        """
        if isinstance(value, Schema):
            return value.to_json_schema()
        if isinstance(value, dict):
            return value
        raise TypeError(f"a schema fragment is a Schema or a dict, got {type(value).__name__}")


class Tool(ABC):
    """What a model may call.

    To the model: `name`, `description`, `parameters` (a JSON Schema of type object), as properties
    or class attributes. To the scheduler: `concurrency_safe`. To the loader: `_scopes`,
    `config_key`, `config_cls`, `enabled`, `create`. To a person and to MCP clients: `title`,
    `output_schema` and the hints.
    """

    title: str = ""
    output_schema: JsonObject | None = None
    timeout_s: float | None = None
    """Seconds a call may take. None: the run's default (120). `math.inf`: no deadline."""
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    _plugin_discoverable: ClassVar[bool] = True
    _scopes: ClassVar[set[str]] = {"core"}
    config_key: ClassVar[str] = ""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the model calls it."""

    @property
    @abstractmethod
    def description(self) -> str:
        """A manual for the model."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        raise NotImplementedError

    if not TYPE_CHECKING:  # a type checker can't see that `tool_parameters` supplies it
        parameters = property(abstractmethod(parameters.fget))

    @property
    def read_only(self) -> bool:
        """Whether a call changes nothing."""
        return False

    @property
    def exclusive(self) -> bool:
        """Whether no other call may run beside it, though it is read-only."""
        return False

    @property
    def concurrency_safe(self) -> bool:
        """Whether the scheduler may run it beside others."""
        return self.read_only and not self.exclusive

    @classmethod
    def config_cls(cls) -> type | None:
        """The settings model of the section `config_key`, if it has one."""
        return None

    @classmethod
    def enabled(cls, ctx: ToolContext) -> bool:  # noqa: ARG003  # for subclasses
        """Whether it can work in this context."""
        return True

    @classmethod
    def create(cls, ctx: ToolContext) -> Tool:  # noqa: ARG003  # for subclasses
        """An instance for this context."""
        return cls()

    def changed_paths(self, params: JsonObject) -> Sequence[str]:  # noqa: ARG002  # for subclasses
        """The files that a call with these arguments will change, as given or absolute."""
        return ()

    def question(self, params: JsonObject) -> str:  # noqa: ARG002  # for subclasses
        """Why a person should be asked before this call although it is read-only; "" if not."""
        return ""

    async def preview(self, params: JsonObject) -> str:  # noqa: ARG002  # for subclasses
        """What the call would change, for the person who is asked: a unified diff, or ""."""
        return ""

    @abstractmethod
    async def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Do it. Arguments arrive by name, cast and validated.

        Returns text (a `ToolResult` says whether it is a failure), a list of content blocks, or a
        JSON value. Raise `ToolError` for what the model can mend.
        """

    @staticmethod
    def error(text: object) -> ToolResult:
        """A failure that reads as `text`."""
        return ToolResult.error(text)

    def cast_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """The arguments made to fit `parameters`: without loss, or left as they are."""
        if not isinstance(params, dict):
            return params
        fitted: Any = compile_schema(self.parameters).fit(params).value
        return fitted if isinstance(fitted, dict) else params

    def validate_params(self, params: dict[str, Any]) -> list[str]:
        """What is wrong with the arguments; empty when they are valid."""
        if not isinstance(params, dict):
            return ["parameter should be object"]
        return compile_schema(self.parameters).faults(params)

    def to_schema(self) -> dict[str, Any]:
        """The definition in the form of Chat Completions."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.parameters,
            },
        }


def tool_parameters(schema: Any) -> Callable[[_ToolClass], _ToolClass]:
    """Class decorator that supplies `parameters`.

    The schema (a dict or a `Schema`) is copied when the class is made, and each access returns a
    fresh copy, so that no caller can change it.

    Raises:
        TypeError: it is neither a dict nor a `Schema`.
    """
    kept = copy.deepcopy(Schema.fragment(schema))

    def supply(cls: _ToolClass) -> _ToolClass:
        def parameters(self: Tool) -> dict[str, Any]:  # noqa: ARG001  # a property's signature
            """The JSON Schema of its arguments; a fresh copy each time."""
            return copy.deepcopy(kept)

        cls.parameters = property(parameters)  # type: ignore[method-assign, assignment]  # it supplies
        cls.__abstractmethods__ = frozenset(cls.__abstractmethods__ - {"parameters"})
        return cls

    return supply


__all__ = ["Schema", "Tool", "tool_parameters"]
