"""Hooks: what a host may do at each station of a run.

Order of a run with one turn of calls: before_run, before_iteration, before_execute_tools,
after_iteration, before_iteration, finalize_content, after_iteration, after_run, on_finally. A soft
error (`AgentRunResult.error` is set) adds on_error before after_run; an exception calls on_error,
with `exception` set, and on_finally, and is raised again; a cancelled run calls on_finally alone.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from nanobot.providers.base import LLMResponse, ToolCallRequest

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AgentHookContext:
    """One iteration, as it goes on. `messages` is the run's own list.

    `tool_results` are the contents the model gets, in the order of `tool_calls`; `tool_events` the
    records `{"name", "status", "detail"}`. `streamed_content` and `streamed_reasoning` say whether
    deltas reached the hook. `final_content`, `stop_reason` and `error` are set in the last one.
    """

    iteration: int
    messages: list[dict[str, Any]]
    response: LLMResponse | None = None
    usage: dict[str, int] = field(default_factory=dict)
    tool_calls: list[ToolCallRequest] = field(default_factory=list)
    tool_results: list[Any] = field(default_factory=list)
    tool_events: list[dict[str, str]] = field(default_factory=list)
    streamed_content: bool = False
    streamed_reasoning: bool = False
    final_content: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    session_key: str | None = None


@dataclass(slots=True)
class AgentRunHookContext:
    """A whole run: empty at `before_run`, complete at `after_run`. `exception` is what ended it."""

    messages: list[dict[str, Any]]
    final_content: str | None = None
    tools_used: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    stop_reason: str | None = None
    error: str | None = None
    tool_events: list[dict[str, str]] = field(default_factory=list)
    had_injections: bool = False
    exception: BaseException | None = None


class AgentHook:
    """Does nothing at every station. Subclass it and override what matters.

    Args:
        reraise: inside a `CompositeHook`, an exception of this hook ends the run instead of being
            logged.
    """

    reraise: bool = False

    def __init__(self, reraise: bool = False) -> None:
        self.reraise = reraise

    async def before_run(self, context: AgentRunHookContext) -> None:
        """Before the first iteration."""

    async def after_run(self, context: AgentRunHookContext) -> None:
        """After a run that has a result, soft errors included."""

    async def on_error(self, context: AgentRunHookContext) -> None:
        """After a soft error (`error` is set) or an exception (`exception` is set too)."""

    async def on_finally(self, context: AgentRunHookContext) -> None:
        """At the end of every run, a cancelled one included."""

    def wants_streaming(self) -> bool:
        """Whether `on_stream` should get the text as it arrives."""
        return False

    async def before_iteration(self, context: AgentHookContext) -> None:
        """Before the model is asked."""

    async def on_stream(self, context: AgentHookContext, delta: str) -> None:
        """A piece of the model's text."""

    async def on_stream_end(self, context: AgentHookContext, *, resuming: bool) -> None:
        """The text of this answer is complete; `resuming`: calls or another turn follow."""

    async def before_execute_tools(self, context: AgentHookContext) -> None:
        """Before the calls in `context.tool_calls` run."""

    async def emit_reasoning(self, reasoning_content: str | None) -> None:
        """A piece of the model's reasoning, or all of it where it does not stream."""

    async def emit_reasoning_end(self) -> None:
        """The reasoning of this answer is complete."""

    async def after_iteration(self, context: AgentHookContext) -> None:
        """After the calls and their results, or after the final answer."""

    def finalize_content(
        self,
        context: AgentHookContext,  # noqa: ARG002  # for subclasses
        content: str | None,
    ) -> str | None:
        """The final answer as it should be given out; here unchanged."""
        return content


class CompositeHook(AgentHook):
    """Several hooks as one, called in their order.

    A member that raises is logged and the others go on, unless it, or this one, was made with
    `reraise=True`. `finalize_content` is a pipeline without isolation: each member gets what the
    one before it gave.
    """

    def __init__(self, hooks: Iterable[AgentHook] = (), reraise: bool = False) -> None:
        super().__init__(reraise)
        self._hooks = list(hooks)

    async def before_run(self, context: AgentRunHookContext) -> None:
        """As `AgentHook.before_run`, for each member."""
        await self._each(lambda hook: hook.before_run(context))

    async def after_run(self, context: AgentRunHookContext) -> None:
        """As `AgentHook.after_run`, for each member."""
        await self._each(lambda hook: hook.after_run(context))

    async def on_error(self, context: AgentRunHookContext) -> None:
        """As `AgentHook.on_error`, for each member."""
        await self._each(lambda hook: hook.on_error(context))

    async def on_finally(self, context: AgentRunHookContext) -> None:
        """As `AgentHook.on_finally`, for each member."""
        await self._each(lambda hook: hook.on_finally(context))

    def wants_streaming(self) -> bool:
        """Whether any member wants it."""
        return any(self._wants_streaming(hook) for hook in self._hooks)

    async def before_iteration(self, context: AgentHookContext) -> None:
        """As `AgentHook.before_iteration`, for each member."""
        await self._each(lambda hook: hook.before_iteration(context))

    async def on_stream(self, context: AgentHookContext, delta: str) -> None:
        """As `AgentHook.on_stream`, for each member."""
        await self._each(lambda hook: hook.on_stream(context, delta))

    async def on_stream_end(self, context: AgentHookContext, *, resuming: bool) -> None:
        """As `AgentHook.on_stream_end`, for each member."""
        await self._each(lambda hook: hook.on_stream_end(context, resuming=resuming))

    async def before_execute_tools(self, context: AgentHookContext) -> None:
        """As `AgentHook.before_execute_tools`, for each member."""
        await self._each(lambda hook: hook.before_execute_tools(context))

    async def emit_reasoning(self, reasoning_content: str | None) -> None:
        """As `AgentHook.emit_reasoning`, for each member."""
        await self._each(lambda hook: hook.emit_reasoning(reasoning_content))

    async def emit_reasoning_end(self) -> None:
        """As `AgentHook.emit_reasoning_end`, for each member."""
        await self._each(lambda hook: hook.emit_reasoning_end())

    async def after_iteration(self, context: AgentHookContext) -> None:
        """As `AgentHook.after_iteration`, for each member."""
        await self._each(lambda hook: hook.after_iteration(context))

    def finalize_content(self, context: AgentHookContext, content: str | None) -> str | None:
        """What the last member gives, each fed with the one before."""
        for hook in self._hooks:
            content = hook.finalize_content(context, content)
        return content

    async def _each(self, station: Callable[[AgentHook], Awaitable[None]]) -> None:
        for hook in self._hooks:
            try:
                await station(hook)
            except Exception:
                if self._passes_on(hook):
                    raise
                _log.exception("The hook %s failed", type(hook).__name__)

    def _wants_streaming(self, hook: AgentHook) -> bool:
        try:
            return hook.wants_streaming()
        except Exception:
            if self._passes_on(hook):
                raise
            _log.exception("The hook %s failed", type(hook).__name__)
            return False

    def _passes_on(self, hook: AgentHook) -> bool:
        return self.reraise or bool(getattr(hook, "reraise", False))


__all__ = ["AgentHook", "AgentHookContext", "AgentRunHookContext", "CompositeHook"]
