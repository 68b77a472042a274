"""What a run is given and what it gives back: `AgentRunSpec`, `AgentRunResult`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.execution.call import ToolSource
    from nanobot.agent.hook import AgentHook
    from nanobot.events import Observer
    from nanobot.workspace import Workspace

Callback: TypeAlias = "Callable[..., object]"
"""A plain or an async function of the host."""


@dataclass(slots=True)
class AgentRunSpec:
    """One run.

    Args:
        initial_messages: the conversation so far, in the form of Chat Completions. A damaged one is
            mended (`history.shape`); the list itself is never changed.
        tools: a `ToolRegistry`, or any object with `get_definitions` and `execute`.
        model: the provider's name of the model; None or "" means the provider's default.
        max_iterations: how many times the model is asked at most.
        max_tool_result_chars: longer results are saved under the workspace and shown in part; None
            means no bound.
        temperature, max_tokens, reasoning_effort: sent only where set.
        hook: stations of the run, see `AgentHook`.
        error_message: the final content after a model's failure, in place of what failed.
        max_iterations_message: the final content at the limit; `{max_iterations}` is filled in.
        concurrent_tools: neighbouring calls that are `concurrency_safe` run at once.
        fail_on_tool_error: a failing call ends the run as `tool_error`.
        workspace: where long results are saved and paths are shown relative to.
        session_key: the session the run belongs to; hooks see it.
        context_window_tokens: the model's context window; the oldest blocks are left out of a
            request that would not fit (`window.fitted`). None: nothing is left out.
        context_block_limit: the tokens a request may take, in place of what the window gives.
        progress_callback: called with the text that comes with calls, and by file edits with the
            keyword `file_edit_events` if it takes that.
        checkpoint_callback: called with a dict at each phase, see `CONTRACT.md` §6.
        injection_callback: called before each further turn and before the end; gives messages that
            arrived meanwhile (text, or messages); takes `limit` if it has that keyword.
        retry_wait_callback: called with one line before the provider waits and asks again.
        stream_progress_deltas: where the provider says `supports_progress_deltas`, the text goes to
            `progress_callback` in pieces, as it arrives.
        llm_timeout_s: seconds for one request, retries included. None: 600; 0 or infinite: no
            bound.
        approval: the policy over each call; None allows all.
        observers: each gets every event of the run (`nanobot.events`).
        tool_timeout_s: seconds for a call of a tool that sets no `timeout_s` of its own.
        max_concurrent_calls: at most so many calls run at once.
        run_id: the id in events; None: a random one.
    """

    initial_messages: list[dict[str, Any]]
    tools: ToolSource
    model: str | None
    max_iterations: int
    max_tool_result_chars: int | None
    temperature: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    hook: AgentHook | None = None
    error_message: str | None = None
    max_iterations_message: str | None = None
    concurrent_tools: bool = False
    fail_on_tool_error: bool = False
    workspace: Path | str | Workspace | None = None
    session_key: str | None = None
    context_window_tokens: int | None = None
    context_block_limit: int | None = None
    progress_callback: Callback | None = None
    checkpoint_callback: Callback | None = None
    injection_callback: Callback | None = None
    retry_wait_callback: Callback | None = None
    stream_progress_deltas: bool = True
    llm_timeout_s: float | None = None
    approval: Approval | None = None
    observers: tuple[Observer, ...] = ()
    tool_timeout_s: float = 120
    max_concurrent_calls: int = 16
    run_id: str | None = None


@dataclass(slots=True)
class AgentRunResult:
    """How a run ended.

    `stop_reason`: `completed`, `tool_error`, `error`, `empty_final_response` or `max_iterations`;
    `error` is the reason in words for the second to fourth. `messages` is the whole conversation,
    ready to be the start of the next run. `tools_used` names each call that was made, in order;
    `tool_events` are records `{"name", "status": "ok" | "error", "detail"}`. `usage` sums the
    tokens of all requests.
    """

    final_content: str | None
    messages: list[dict[str, Any]]
    tools_used: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    stop_reason: str = "completed"
    error: str | None = None
    tool_events: list[dict[str, str]] = field(default_factory=list)
    had_injections: bool = False


__all__ = ["AgentRunResult", "AgentRunSpec", "Callback"]
