"""What a run has come to so far: how it ends, what it used, what it counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nanobot.agent.spec import AgentRunResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.agent.history import Message
    from nanobot.agent.hook import AgentHookContext, AgentRunHookContext


@dataclass(slots=True)
class Tally:
    """The growing counterpart of `AgentRunResult`; the fields mean the same."""

    messages: list[Message]
    final_content: str | None = None
    tools_used: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    stop_reason: str = "completed"
    error: str | None = None
    tool_events: list[dict[str, str]] = field(default_factory=list)
    had_injections: bool = False

    def stop(
        self,
        reason: str,
        final: str | None,
        error: str | None = None,
        context: AgentHookContext | None = None,
    ) -> None:
        """Note how the run ends, also in the context of its last turn."""
        self.stop_reason, self.final_content, self.error = reason, final, error
        if context is not None:
            context.stop_reason, context.final_content, context.error = reason, final, error

    def count(self, usage: Mapping[str, object]) -> None:
        """Add the tokens of one answer."""
        for name, tokens in usage.items():
            if isinstance(tokens, int):
                self.usage[name] = self.usage.get(name, 0) + tokens

    def summarise(self, summary: AgentRunHookContext) -> None:
        """Fill the hooks' view of the run, with copies."""
        summary.messages = self.messages
        summary.final_content = self.final_content
        summary.tools_used = list(self.tools_used)
        summary.usage = dict(self.usage)
        summary.stop_reason = self.stop_reason
        summary.error = self.error
        summary.tool_events = list(self.tool_events)
        summary.had_injections = self.had_injections

    def result(self) -> AgentRunResult:
        """What the run gives back."""
        return AgentRunResult(
            final_content=self.final_content,
            messages=self.messages,
            tools_used=self.tools_used,
            usage=self.usage,
            stop_reason=self.stop_reason,
            error=self.error,
            tool_events=self.tool_events,
            had_injections=self.had_injections,
        )


__all__ = ["Tally"]
