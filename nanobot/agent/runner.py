"""`AgentRunner`: the public face of the loop.

registry = ToolRegistry()
registry.register(MyTool())
spec = AgentRunSpec(
initial_messages=[{"role": "user", "content": "What is 6 times 7?"}],
tools=registry,
model=None,
max_iterations=10,
max_tool_result_chars=20_000,
)
result = await AgentRunner(provider).run(spec)
"""

from __future__ import annotations

from nanobot.agent.loop import converse
from nanobot.agent.spec import AgentRunResult, AgentRunSpec


class AgentRunner:
    """Runs conversations with one provider; one instance may serve many runs at once.

    Args:
        provider: an `LLMProvider`, or any object with `chat_with_retry(**kwargs)` or `chat`.
    """

    def __init__(self, provider: object) -> None:
        self.provider = provider

    async def run(self, spec: AgentRunSpec) -> AgentRunResult:
        """Ask the model, run its calls, append the results, until it stops.

        A model's failure, a late answer and the turn limit are results, see
        `AgentRunResult.stop_reason`.

        Raises:
            Exception: what the provider, a hook or the host's checkpoint raises.
            asyncio.CancelledError: the run was cancelled; every call has ended before.
        """
        return await converse(self.provider, spec)


__all__ = ["AgentRunResult", "AgentRunSpec", "AgentRunner"]
