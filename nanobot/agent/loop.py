"""The loop: ask the model, run the calls, append the results, until it stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from nanobot.agent.calls import asking_message, call_event, own_calls, saying_message
from nanobot.agent.checkpoint import Checkpoints
from nanobot.agent.execution.call import RunState
from nanobot.agent.history import call_ids, result_message, shape
from nanobot.agent.hook import AgentHook, AgentHookContext, AgentRunHookContext
from nanobot.agent.host import injected, told
from nanobot.agent.request import ModelRequest
from nanobot.agent.round import CallRound
from nanobot.agent.stream import AnswerStream
from nanobot.agent.tally import Tally
from nanobot.agent.tools.context import bind_shown_results, reset_shown_results
from nanobot.agent.window import fitted, prompt_budget
from nanobot.events import (
    EventStream,
    ModelAnswered,
    ModelRequested,
    RunFinished,
    RunStarted,
    TurnFinished,
    TurnStarted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.history import Message
    from nanobot.agent.spec import AgentRunResult, AgentRunSpec
    from nanobot.providers.base import LLMResponse

_MOST_CUTS = 2
_MOST_BLANKS = 2

_CUT_CALL = (
    "Error: this call was cut by the answer's length limit and was not run. "
    "Send it again, complete: with shorter arguments, or split into several calls."
)
_CUT_DETAIL = "cut by the length limit, not run"
_GO_ON = (
    "[Your answer was cut by its length limit. Continue exactly where it stopped, "
    "without repeating anything.]"
)
_CUT_ANSWER = "\n\n[The answer was cut by the model's length limit.]"
_NUDGE = (
    "[Your last answer was empty. Answer the request now in plain text, or call a tool if "
    "something is still missing.]"
)
_NO_ANSWER = "The model gave no answer. Try again, or ask for less at once."
_MODEL_FAILED = "The model failed without saying why."
_AT_LIMIT = (
    "I stopped after {max_iterations} turns, the limit of this run, before the task was done. "
    "Ask me to go on, or raise the limit."
)


async def converse(provider: object, spec: AgentRunSpec) -> AgentRunResult:
    """Run the conversation to its end.

    Raises:
        Exception: what the provider, a hook or a host's checkpoint raises, after `on_error`.
        asyncio.CancelledError: the run was cancelled; its calls have ended, the checkpoint knows.
    """
    run = _Run(provider, spec)
    hook, tally = run.hook, run.tally
    summary = AgentRunHookContext(messages=tally.messages)
    tally.stop_reason = "cancelled"
    shown = bind_shown_results(run.shown_results)
    try:
        try:
            run.announce()
            await hook.before_run(summary)
            await run.take_turns()
        except Exception as error:
            tally.stop("error", None, f"{type(error).__name__}: {error}")
            tally.summarise(summary)
            summary.exception = error
            await hook.on_error(summary)
            raise
        tally.summarise(summary)
        if tally.error is not None:
            await hook.on_error(summary)
        await hook.after_run(summary)
        return tally.result()
    finally:
        tally.summarise(summary)
        try:
            await hook.on_finally(summary)
        finally:
            reset_shown_results(shown)
            run.conclude()


class _Run:
    """One run: the conversation as it grows, and who hears of it."""

    def __init__(self, provider: object, spec: AgentRunSpec) -> None:
        self._spec = spec
        self._request = ModelRequest(provider, spec)
        self._events = EventStream(*spec.observers)
        self._id = spec.run_id or uuid4().hex[:12]
        self._progress_streams = (
            spec.progress_callback is not None
            and spec.stream_progress_deltas
            and getattr(provider, "supports_progress_deltas", False) is True
        )
        self.hook = spec.hook or AgentHook()
        self.tally = Tally(shape(spec.initial_messages))
        self._messages = self.tally.messages
        self._sent: list[Message] = []
        self._ids = call_ids(self._messages)
        self._pieces: list[str] = []
        self._cuts = 0
        self._blanks = 0
        self._checkpoints = Checkpoints(spec.checkpoint_callback, self._request.model)
        state = RunState.for_run(
            spec.tools,
            run_id=self._id,
            approval=spec.approval,
            events=self._events,
            progress_callback=spec.progress_callback,
            workspace=spec.workspace,
            max_tool_result_chars=spec.max_tool_result_chars,
            tool_timeout_s=spec.tool_timeout_s,
        )
        self._round = CallRound(spec, state, self.hook, self.tally, self._checkpoints)

    def announce(self) -> None:
        """Tell the observers that it begins."""
        if self._events:
            root = getattr(self._spec.workspace, "root", self._spec.workspace)
            model = self._request.model
            self._events.emit(RunStarted(run_id=self._id, model=model, workspace=str(root or "")))

    def conclude(self) -> None:
        """Tell the observers that it ended."""
        if self._events:
            tally = self.tally
            self._events.emit(
                RunFinished(
                    run_id=self._id,
                    stop_reason=tally.stop_reason,
                    usage=dict(tally.usage),
                    error=tally.error,
                )
            )

    def shown_results(self) -> list[object]:
        """The contents of the results in the request that the model answered last."""
        return [message.get("content") for message in self._sent if message["role"] == "tool"]

    async def take_turns(self) -> None:
        """Turn after turn, until one is the last or the limit is reached."""
        limit = self._spec.max_iterations
        for turn in range(limit):
            context = AgentHookContext(turn, self._messages, session_key=self._spec.session_key)
            if self._events:
                self._events.emit(TurnStarted(run_id=self._id, turn=turn))
            await self.hook.before_iteration(context)
            response = await self._ask(context)
            goes_on = await self._follow(response, context, last=turn + 1 >= limit)
            await self.hook.after_iteration(context)
            if self._events:
                self._events.emit(TurnFinished(run_id=self._id, turn=turn))
            if not goes_on:
                return
        text = self._spec.max_iterations_message or _AT_LIMIT
        final = text.replace("{max_iterations}", str(limit))
        self.tally.stop("max_iterations", final)
        self._messages.append({"role": "assistant", "content": final})

    async def _ask(self, context: AgentHookContext) -> LLMResponse:
        tools = self._spec.tools.get_definitions()
        messages = self._sendable(tools)
        stream = AnswerStream(
            self._spec,
            self._events,
            self.hook,
            context,
            run_id=self._id,
            to_progress=self._progress_streams,
        )
        if self._events:
            self._events.emit(
                ModelRequested(
                    run_id=self._id,
                    turn=context.iteration,
                    model=self._request.model,
                    messages=len(messages),
                    tools=len(tools),
                )
            )
        response = await self._request.send(
            messages, tools, stream.listeners, streaming=stream.wanted
        )
        self._count(response, context)
        await self._hear(response, context, stream)
        return response

    def _sendable(self, tools: Sequence[dict[str, Any]]) -> list[Message]:
        budget = prompt_budget(
            self._spec.context_window_tokens,
            self._spec.context_block_limit,
            self._request.answer_tokens,
        )
        messages = fitted(shape(self._messages), tools, budget)
        if self._blanks:
            messages.append({"role": "user", "content": _NUDGE})
        self._sent = messages
        return messages

    def _count(self, response: LLMResponse, context: AgentHookContext) -> None:
        usage = response.usage or {}
        context.response, context.usage = response, usage
        self.tally.count(usage)
        if self._events:
            self._events.emit(
                ModelAnswered(
                    run_id=self._id,
                    turn=context.iteration,
                    content=response.content or "",
                    finish_reason=response.finish_reason,
                    calls=len(response.tool_calls),
                    usage=usage,
                )
            )

    async def _hear(
        self, response: LLMResponse, context: AgentHookContext, stream: AnswerStream
    ) -> None:
        """What the hook and the host hear once the answer is whole."""
        if response.reasoning_content and not context.streamed_reasoning:
            await self.hook.emit_reasoning(response.reasoning_content)
        if response.reasoning_content or context.streamed_reasoning:
            await self.hook.emit_reasoning_end()
        text = response.content
        if response.should_execute_tools and text and text.strip() and not stream.told_progress:
            await told(self._spec.progress_callback, text)

    async def _follow(
        self, response: LLMResponse, context: AgentHookContext, *, last: bool
    ) -> bool:
        """Do what the answer asks for; whether another turn follows."""
        if response.finish_reason == "error":
            return await self._fail(response, context)
        if response.should_execute_tools:
            return await self._call_tools(response, context, last=last)
        if response.finish_reason == "length" and (response.tool_calls or _said(response)):
            return await self._go_on_after_cut(response, context, last=last)
        return await self._finish(response.content, response, context, last=last)

    async def _fail(self, response: LLMResponse, context: AgentHookContext) -> bool:
        error = response.content or str(response.error or _MODEL_FAILED)
        final = self.hook.finalize_content(context, self._spec.error_message or error)
        await self._end_stream(context, resuming=False)
        self.tally.stop("error", final, error, context)
        return False

    async def _go_on_after_cut(
        self, response: LLMResponse, context: AgentHookContext, *, last: bool
    ) -> bool:
        """Let the model go on after its length limit, twice at most; cut calls never run."""
        self._cuts += 1
        if last or self._cuts > _MOST_CUTS:
            text = (response.content or "") + (_CUT_ANSWER if _said(response) else "")
            return await self._finish(text, response, context, last=True)
        await self._end_stream(context, resuming=True)
        if response.tool_calls:
            calls = own_calls(response.tool_calls, self._ids)
            self._messages.append(asking_message(response, calls))
            self._messages += [result_message(call.id, call.name, _CUT_CALL) for call in calls]
            context.tool_calls = calls
            context.tool_results = [_CUT_CALL] * len(calls)
            context.tool_events = [call_event(call.name, "error", _CUT_DETAIL) for call in calls]
            self.tally.tool_events += context.tool_events
        else:
            self._pieces.append(response.content or "")
            self._messages.append(saying_message(response.content, response))
            self._messages.append({"role": "user", "content": _GO_ON})
        return True

    async def _finish(
        self, text: str | None, response: LLMResponse, context: AgentHookContext, *, last: bool
    ) -> bool:
        """The final answer, unless it is blank or somebody has said something meanwhile."""
        whole = "".join([*self._pieces, text or ""]) if self._pieces else text
        final = self.hook.finalize_content(context, whole)
        if not (final and final.strip()):
            return await self._ask_again(context, last=last)
        message = saying_message(text if self._pieces else final, response)
        if message["content"]:
            self._messages.append(message)
        self._blanks = 0
        if not last and await self._take_injections():
            await self._end_stream(context, resuming=True)
            self._pieces.clear()
            return True
        await self._end_stream(context, resuming=False)
        self.tally.stop("completed", final, None, context)
        await self._checkpoints.save("final_response", context, message)
        return False

    async def _ask_again(self, context: AgentHookContext, *, last: bool) -> bool:
        self._blanks += 1
        goes_on = not last and self._blanks <= _MOST_BLANKS
        await self._end_stream(context, resuming=goes_on)
        if not goes_on:
            self.tally.stop("empty_final_response", _NO_ANSWER, _NO_ANSWER, context)
        return goes_on

    async def _end_stream(self, context: AgentHookContext, *, resuming: bool) -> None:
        if self.hook.wants_streaming():
            await self.hook.on_stream_end(context, resuming=resuming)

    async def _take_injections(self) -> bool:
        arrived = await injected(self._spec.injection_callback)
        self._messages += arrived
        self.tally.had_injections |= bool(arrived)
        return bool(arrived)

    async def _call_tools(
        self, response: LLMResponse, context: AgentHookContext, *, last: bool
    ) -> bool:
        """Run the calls of one answer and append a result for each, in their order."""
        self._pieces.clear()
        self._cuts = self._blanks = 0
        calls = own_calls(response.tool_calls, self._ids)
        await self._end_stream(context, resuming=True)
        await self._round.run(calls, asking_message(response, calls), context)
        if context.stop_reason is not None:
            return False
        if not last:
            await self._take_injections()
        return True


def _said(response: LLMResponse) -> bool:
    return bool(response.content and response.content.strip())


__all__ = ["converse"]
