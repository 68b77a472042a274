"""A model that follows a script, for tests, examples and demonstrations.

    script = [[("read_file", {"path": "a.txt"})], "It says hello."]
    with ScriptedProvider(script) as model:
        result = nanobot.run("What does a.txt say?", model=model, workspace=".")

Each request takes the next step. One request more than there are steps raises `UnexpectedRequest`;
leaving the `with` block, or `assert_finished`, raises `UnusedSteps` where steps are left.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from nanobot.providers.base import LLMProvider, LLMResponse, RetryPolicy, ToolCallRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from types import TracebackType

    from nanobot.providers.base import OnDelta

Call: TypeAlias = "ToolCallRequest | tuple[str, Any]"
"""A call as `(name, arguments)`, its id made up, or whole."""

Answer: TypeAlias = "LLMResponse | str | Call | Sequence[Call] | Exception"
"""A final text; a call or several at once; a whole response; an exception to raise."""

Reply: TypeAlias = (
    "Callable[[list[dict[str, Any]], list[dict[str, Any]]], Answer | Awaitable[Answer]]"
)
"""A function of the request's messages and tool definitions."""

Step: TypeAlias = "Answer | Reply"
"""What one request is answered with."""

_PIECES = re.compile(r"\S+\s*|\s+")


class UnexpectedRequest(AssertionError):
    """The script has no step for this request. `number` counts requests from 1."""

    def __init__(self, number: int, last_message: object) -> None:
        super().__init__(
            f"The script has no step for request {number}; its last message is {last_message!r}"
        )
        self.number = number


class UnusedSteps(AssertionError):
    """The script was not played to its end. `steps` are those that are left."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__(f"{len(steps)} steps of the script were not used: {list(steps)!r}")
        self.steps = tuple(steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedRequest:
    """What the model was asked: copies, so that a later change doesn't show."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    model: str | None
    options: dict[str, Any]


class ScriptedProvider(LLMProvider):
    """Answers from a list of steps, or always from one function.

    Args:
        steps: each a text (the final answer), a call `(name, arguments)` or a list of them, an
            `LLMResponse`, an exception to raise, or a function of `(messages, tools)` that gives
            one of these. A single function instead of a list answers every request.
        model: the name it goes by.

    `requests` holds what was asked. A `ProviderError` step is not tried again (see `retry`).
    Streaming gives the text word by word.
    """

    def __init__(self, steps: Iterable[Step] | Reply, *, model: str = "scripted") -> None:
        super().__init__()
        self.retry = RetryPolicy(attempts=1)
        self.requests: list[ScriptedRequest] = []
        self._always: Reply | None = steps if callable(steps) else None
        self._left: list[Step] = [] if callable(steps) else list(steps)
        self._model = model
        self._calls = 0

    def get_default_model(self) -> str:
        """The name given at the start."""
        return self._model

    async def chat(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        **options: Any,
    ) -> LLMResponse:
        """The next step.

        Raises:
            UnexpectedRequest: there is none.
            Exception: the step is one.
        """
        request = ScriptedRequest(
            messages=[dict(message) for message in messages],
            tools=list(tools or ()),
            model=model,
            options=options,
        )
        self.requests.append(request)
        answer = await self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return self._response(answer)

    async def chat_stream(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        *,
        on_content_delta: OnDelta | None = None,
        on_thinking_delta: OnDelta | None = None,
        **options: Any,
    ) -> LLMResponse:
        """The next step, its reasoning and its text word by word."""
        response = await self.chat(messages, tools, model, **options)
        await _stream(response.reasoning_content, on_thinking_delta)
        await _stream(response.content, on_content_delta)
        return response

    def assert_finished(self) -> None:
        """Raise `UnusedSteps` where steps are left."""
        if self._left:
            raise UnusedSteps(self._left)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.assert_finished()

    async def _answer(self, request: ScriptedRequest) -> Answer:
        step: Step
        if self._always is not None:
            step = self._always
        elif self._left:
            step = self._left.pop(0)
        else:
            last = request.messages[-1] if request.messages else None
            raise UnexpectedRequest(len(self.requests), last)
        if not callable(step):
            return step
        answer = step(request.messages, request.tools)
        return await answer if inspect.isawaitable(answer) else answer

    def _response(self, answer: LLMResponse | str | Call | Sequence[Call]) -> LLMResponse:
        if isinstance(answer, LLMResponse):
            return answer
        if isinstance(answer, str):
            return LLMResponse(content=answer)
        calls = [answer] if _is_call(answer) else list(answer)  # type: ignore[arg-type]  # narrowed
        return LLMResponse(
            tool_calls=[self._call(call) for call in calls], finish_reason="tool_calls"
        )

    def _call(self, call: object) -> ToolCallRequest:
        if isinstance(call, ToolCallRequest):
            return call
        if not isinstance(call, tuple) or len(call) != 2:  # noqa: PLR2004  # (name, arguments)
            raise TypeError(f"A call is (name, arguments), got {call!r}")
        name, arguments = call
        self._calls += 1
        return ToolCallRequest(id=f"call_{self._calls}", name=name, arguments=arguments)


def _is_call(step: object) -> bool:
    if isinstance(step, ToolCallRequest):
        return True
    return isinstance(step, tuple) and len(step) == 2 and isinstance(step[0], str)  # noqa: PLR2004  # (name, arguments)


async def _stream(text: str | None, listener: OnDelta | None) -> None:
    if listener is not None:
        for piece in _PIECES.findall(text or ""):
            await listener(piece)


__all__ = [
    "Answer",
    "Call",
    "Reply",
    "ScriptedProvider",
    "ScriptedRequest",
    "Step",
    "UnexpectedRequest",
    "UnusedSteps",
]
