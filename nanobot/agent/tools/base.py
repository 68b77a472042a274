"""`Tool`: what a model may call. `Schema`: one fragment of JSON Schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from nanobot.agent.tools.result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.tools.context import ToolContext
    from nanobot.jsonvalue import JsonObject


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
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""

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

    # cast_params, validate_params, to_schema: see CONTRACT §1
