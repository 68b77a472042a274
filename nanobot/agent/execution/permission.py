"""The approval of one prepared call: the policy asked, its decision carried out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal

from nanobot.agent.execution.approval import Allow, ApprovalRequest, Ask, Deny, Edit
from nanobot.agent.execution.preparation import Unprepared, prepared, tool_of
from nanobot.agent.tools.base import Tool
from nanobot.errors import CallDenied
from nanobot.events import ApprovalAsked, ApprovalDecided

if TYPE_CHECKING:
    from nanobot.agent.execution.approval import Approval, Decision
    from nanobot.agent.execution.preparation import ToolSource
    from nanobot.agent.tools.registry import Prepared
    from nanobot.events import EventStream
    from nanobot.providers.base import ToolCallRequest

_log = logging.getLogger(__name__)


async def permitted(
    ready: Prepared | Unprepared,
    request: ToolCallRequest,
    source: ToolSource,
    approval: Approval,
    *,
    run_id: str,
    events: EventStream | None,
    inside_execute: bool,
) -> Prepared | Unprepared:
    """The call as it may run: as it was, or with the arguments that an edit gave it.

    A policy that raises, or that answers something that is no decision, denies. Where a foreign
    source has no `Tool` to show, the policy sees one of that name that may change anything.

    Raises:
        CallDenied: it may not run.
        ToolError: the arguments of an edit do not fit.
    """
    teller = _Teller(events, run_id, request)
    asked = ApprovalRequest(
        call_id=request.id,
        tool=_tool(ready, request.name, source),
        arguments=ready.arguments if isinstance(ready.arguments, dict) else {},
        run_id=run_id,
        announce=teller.asked,
    )
    decision = await _decided(approval, asked, request.name)
    if isinstance(decision, Allow):
        teller.decided("allow")
        return ready
    if isinstance(decision, Edit):
        teller.decided("edit")
        return prepared(source, request.name, decision.arguments, inside_execute=inside_execute)
    reason = decision.reason
    if isinstance(decision, Ask):
        teller.asked(decision)
        reason = f"{reason}, which needs a person's word, and nobody can be asked here"
    teller.decided("deny", reason)
    raise CallDenied(request.name, reason)


async def _decided(approval: Approval, asked: ApprovalRequest, name: str) -> Decision:
    try:
        decision: object = await approval.decide(asked)
    except Exception:  # noqa: BLE001  # logged; a policy that fails denies
        _log.exception("The approval policy failed on a call of %s", name)
        return Deny("the approval policy failed")
    if isinstance(decision, (Allow, Deny, Ask, Edit)):
        return decision
    _log.error("The approval policy answered %r for a call of %s", decision, name)
    return Deny("the approval policy gave no decision")


def _tool(ready: Prepared | Unprepared, name: str, source: ToolSource) -> Tool:
    tool = tool_of(source, name) if isinstance(ready, Unprepared) else ready.tool
    return tool if isinstance(tool, Tool) else _Unseen(name)


class _Teller:
    """What is decided, as events."""

    def __init__(self, events: EventStream | None, run_id: str, request: ToolCallRequest) -> None:
        self._events = events
        self._run_id = run_id
        self._request = request

    def asked(self, ask: Ask) -> None:
        if self._events:
            self._events.emit(
                ApprovalAsked(
                    run_id=self._run_id,
                    call_id=self._request.id,
                    name=self._request.name,
                    reason=ask.reason,
                )
            )

    def decided(self, decision: Literal["allow", "deny", "edit"], reason: str = "") -> None:
        if self._events:
            self._events.emit(
                ApprovalDecided(
                    run_id=self._run_id,
                    call_id=self._request.id,
                    name=self._request.name,
                    decision=decision,
                    reason=reason,
                )
            )


class _Unseen(Tool):
    """Stands for a tool of a foreign source, so that a policy has something to decide over."""

    description = "A tool of the host's own source."

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        return {"type": "object"}

    async def execute(self, **kwargs: Any) -> Any:
        raise NotImplementedError


__all__ = ["permitted"]
