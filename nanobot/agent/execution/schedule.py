"""The calls of one answer: which may go at once, and their outcomes in call order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.execution.call import RunState
    from nanobot.agent.execution.outcome import Outcome
    from nanobot.providers.base import ToolCallRequest


def partition(safe: Sequence[bool]) -> list[range]:
    """Positions in groups, in order: neighbours that are safe together, every other alone."""
    groups: list[range] = []
    for place, is_safe in enumerate(safe):
        if is_safe and groups and safe[groups[-1].start]:
            groups[-1] = range(groups[-1].start, place + 1)
        else:
            groups.append(range(place, place + 1))
    return groups


async def run_batch(
    requests: Sequence[ToolCallRequest],
    run: RunState,
    *,
    concurrent: bool,
    fail_on_tool_error: bool,
    limit: int = 16,
) -> list[Outcome]:
    """One outcome per request, in order. Later calls after a failure may be `not run`."""
    raise NotImplementedError


__all__ = ["partition", "run_batch"]
