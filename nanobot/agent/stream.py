"""An answer as it arrives: to the hook, to the observers, to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.agent.host import told
from nanobot.agent.request import Listeners
from nanobot.events import ModelRetried, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from nanobot.agent.hook import AgentHook, AgentHookContext
    from nanobot.agent.spec import AgentRunSpec
    from nanobot.events import EventStream


class AnswerStream:
    """Who hears what of one answer.

    The hook gets deltas where it wants streaming, every observer gets events, and the host's
    `progress_callback` gets the text in pieces where `to_progress` says so.
    """

    def __init__(
        self,
        spec: AgentRunSpec,
        events: EventStream,
        hook: AgentHook,
        context: AgentHookContext,
        *,
        run_id: str,
        to_progress: bool,
    ) -> None:
        self._spec = spec
        self._events = events
        self._hook = hook
        self._context = context
        self._run_id = run_id
        self._to_progress = to_progress
        self.hooked = hook.wants_streaming()
        self.told_progress = False

    @property
    def wanted(self) -> bool:
        """Whether anybody listens to pieces."""
        return self.hooked or self._to_progress or bool(self._events)

    @property
    def listeners(self) -> Listeners:
        """What the request calls."""
        return Listeners(text=self._text, reasoning=self._reasoning, retry=self._retry)

    async def _text(self, text: str) -> None:
        if not text:
            return
        if self._events:
            turn = self._context.iteration
            self._events.emit(TextDelta(run_id=self._run_id, turn=turn, text=text))
        if self.hooked:
            self._context.streamed_content = True
            await self._hook.on_stream(self._context, text)
        if self._to_progress:
            self.told_progress = True
            await told(self._spec.progress_callback, text)

    async def _reasoning(self, text: str) -> None:
        if not text:
            return
        if self._events:
            turn = self._context.iteration
            self._events.emit(ReasoningDelta(run_id=self._run_id, turn=turn, text=text))
        if self.hooked:
            self._context.streamed_reasoning = True
            await self._hook.emit_reasoning(text)

    async def _retry(self, line: str) -> None:
        if self._events:
            self._events.emit(
                ModelRetried(
                    run_id=self._run_id,
                    turn=self._context.iteration,
                    reason=str(getattr(line, "reason", line)),
                    wait_s=float(getattr(line, "wait_s", 0.0)),
                )
            )
        await told(self._spec.retry_wait_callback, line)


__all__ = ["AnswerStream"]
