"""`OfflineProvider`: no model, but the same loop, guard, approval and events as with one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from nanobot.providers.base import LLMProvider, LLMResponse, ToolCallRequest
from nanobot.providers.offline.answer import Done, final_text, understood_text
from nanobot.providers.offline.plan import make_plan
from nanobot.providers.offline.steps import Result
from nanobot.providers.offline.toolbox import open_toolbox

if TYPE_CHECKING:
    from nanobot.providers.offline.call import Call
    from nanobot.providers.offline.plan import Plan
    from nanobot.providers.offline.steps import Step
    from nanobot.providers.offline.toolbox import Toolbox, ToolLookup

_HINT = "\n\n[Analyze the error above and try a different approach.]"
_CALL_ID = re.compile(r"offline_(\d+)")


class OfflineProvider(LLMProvider):
    """Answers exact commands and plain requests to read. Deterministic: it keeps no state.

    Args:
        tools: the registry of the run: it says which tools only read. Without it only the plain
            readers among the built-in tools do.
    """

    name: ClassVar[str] = "offline"
    host: ClassVar[str | None] = None
    """Nobody sees file contents."""

    def __init__(self, tools: ToolLookup | None = None) -> None:
        super().__init__()
        self._tools = tools

    def get_default_model(self) -> str:
        """`offline`: there is no other."""
        return "offline"

    async def chat(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,  # noqa: ARG002  # the provider's signature
        **options: Any,  # noqa: ARG002  # the same
    ) -> LLMResponse:
        """The next calls of what the last user message asks for, or the answer made of them."""
        toolbox = open_toolbox(tools, self._tools)
        at = _last_prompt(messages)
        plan = make_plan(_text(messages[at].get("content")) if at is not None else "", toolbox)
        after = messages[at + 1 :] if at is not None else []
        progress = _replay(plan, _results(after), toolbox)
        if not progress.calls:
            return LLMResponse(content=final_text(plan, progress.done, toolbox))
        begun = any(each.results for each in progress.done)
        return LLMResponse(
            content=None if begun else understood_text(plan, toolbox),
            tool_calls=_requests(progress.calls, messages),
            finish_reason="tool_calls",
        )


@dataclass(frozen=True, slots=True)
class _Progress:
    done: tuple[Done, ...]
    calls: tuple[Call, ...]


def _replay(plan: Plan, results: Sequence[Result], toolbox: Toolbox) -> _Progress:
    """Where the plan stands after these results, which came in the order of its calls."""
    had: list[list[Result]] = [[] for _ in plan.steps]
    used = 0
    while True:
        batch = _batch(plan.steps, had, toolbox)
        if not batch or used + len(batch) > len(results):
            done = tuple(map(Done, plan.steps, had))
            return _Progress(done, tuple(each.call for each in batch))
        for each, result in zip(batch, results[used:], strict=False):
            had[each.step].append(result)
        used += len(batch)


@dataclass(frozen=True, slots=True)
class _Planned:
    step: int
    call: Call


def _batch(
    steps: Sequence[Step], had: Sequence[Sequence[Result]], toolbox: Toolbox
) -> list[_Planned]:
    """The calls that go together: all that are due, but no change before a step that goes on."""
    batch: list[_Planned] = []
    for number, step in enumerate(steps):
        call = step.next_call(had[number])
        if call is None:
            continue
        if batch and not toolbox.reads(call.tool) and _goes_on(steps, batch):
            break
        batch.append(_Planned(number, call))
    return batch


def _goes_on(steps: Sequence[Step], batch: Sequence[_Planned]) -> bool:
    return any(steps[each.step].may_go_on for each in batch)


def _last_prompt(messages: Sequence[Mapping[str, Any]]) -> int | None:
    places = range(len(messages) - 1, -1, -1)
    return next((at for at in places if messages[at].get("role") == "user"), None)


def _text(content: object) -> str:
    """A message's text; blocks that are none stand in brackets."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else str(content)
    return "\n".join(map(_block_text, content))


def _block_text(block: object) -> str:
    if not isinstance(block, Mapping):
        return str(block)
    text = block.get("text")
    return text if isinstance(text, str) else f"[{block.get('type', 'block')}]"


def _results(messages: Sequence[Mapping[str, Any]]) -> list[Result]:
    """The results behind the prompt, in the order of the calls."""
    texts = {
        str(message.get("tool_call_id")): _text(message.get("content"))
        for message in messages
        if message.get("role") == "tool"
    }
    asked = [
        str(call.get("id")) for message in messages for call in message.get("tool_calls") or ()
    ]
    return [_result(texts.get(call_id)) for call_id in asked]


def _result(text: str | None) -> Result:
    if text is None:
        return Result("(no result)", failed=True)
    bare = text.rstrip().removesuffix(_HINT.strip())
    failed = bare != text.rstrip()
    return Result(bare.rstrip() if failed else text, failed=failed)


def _requests(
    calls: Sequence[Call], messages: Sequence[Mapping[str, Any]]
) -> list[ToolCallRequest]:
    """The calls with ids that the conversation does not hold yet."""
    known = [
        int(found[1])
        for message in messages
        for call in message.get("tool_calls") or ()
        if (found := _CALL_ID.fullmatch(str(call.get("id"))))
    ]
    start = max(known, default=0) + 1
    return [
        ToolCallRequest(f"offline_{number}", call.tool, dict(call.arguments))
        for number, call in enumerate(calls, start)
    ]


__all__ = ["OfflineProvider"]
