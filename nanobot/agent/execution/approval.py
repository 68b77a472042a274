"""Whether a call may run: allow, deny, ask or edit; a protocol and its plain policies.

A policy decides each prepared call. Without a policy every call is allowed, as in the original.
A decision `Ask` needs a person: a policy that has one asks and returns what they said; `Ask` that
reaches the call path is denied there, since nobody can answer.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from nanobot.agent.tools.base import Tool
    from nanobot.jsonvalue import JsonObject


def _unheard(ask: Ask, /) -> None:
    """Where nobody follows the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A prepared call: its tool and its arguments, cast and valid.

    `run_id` is the run it belongs to, "" outside one. A policy that asks a person calls
    `announce` first, so that whoever follows the run sees that it waits.
    """

    call_id: str
    tool: Tool
    arguments: JsonObject
    run_id: str = ""
    announce: Callable[[Ask], None] = _unheard


@dataclass(frozen=True, slots=True)
class Allow:
    """The call runs as it is."""


@dataclass(frozen=True, slots=True)
class AllowForRun:
    """A person's answer: this call runs, and so do later ones of the same tool in this run."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The call does not run; the model reads the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must say. `reason` is why they are asked."""

    reason: str


@dataclass(frozen=True, slots=True)
class Edit:
    """The call runs with these arguments instead, prepared anew."""

    arguments: JsonObject


Decision: TypeAlias = Allow | Deny | Ask | Edit
Answer: TypeAlias = Allow | AllowForRun | Deny | Edit

Person: TypeAlias = "Callable[[ApprovalRequest, Ask], Awaitable[Answer]]"
"""Asks a person and waits for the word: a terminal prompt, a dialog, a chat message."""


class Approval(Protocol):
    """A policy. One instance may serve many runs at once.

    A policy that raises denies the call; the fault is logged.
    """

    async def decide(self, request: ApprovalRequest, /) -> Decision:
        """The decision over one call."""


class AllowEverything:
    """Every call runs, as without a policy."""

    async def decide(self, request: ApprovalRequest, /) -> Decision:  # noqa: ARG002  # the protocol
        """Allow."""
        return Allow()


class AskBeforeChanges:
    """What is read-only and asks no question runs; anything else asks.

    Questions go to the person one after another, also where calls run at once.

    Args:
        person: who answers; None means that everything asked is denied.
        allow: names of tools that always run.
        allow_all: nothing asks.
    """

    def __init__(
        self,
        person: Person | None = None,
        *,
        allow: Iterable[str] = (),
        allow_all: bool = False,
    ) -> None:
        self._person = person
        self._allowed = frozenset(allow)
        self._allow_all = allow_all
        self._granted: set[tuple[str, str]] = set()
        self._turn = asyncio.Lock()

    async def decide(self, request: ApprovalRequest, /) -> Decision:
        """Allow what needs no word; else what the person says, or a denial where nobody is."""
        ask = self._question(request)
        if ask is None:
            return Allow()
        if self._person is None:
            return _nobody(request.tool.name, ask)
        async with self._turn:
            if self._is_allowed(request):
                return Allow()
            request.announce(ask)
            answer = await self._person(request, ask)
        if isinstance(answer, AllowForRun):
            self._granted.add((request.run_id, request.tool.name))
            return Allow()
        return answer

    def _question(self, request: ApprovalRequest) -> Ask | None:
        if self._is_allowed(request):
            return None
        reason = request.tool.question(request.arguments)
        if reason:
            return Ask(reason)
        return None if request.tool.read_only else Ask(f"'{request.tool.name}' may change things")

    def _is_allowed(self, request: ApprovalRequest) -> bool:
        name = request.tool.name
        return self._allow_all or name in self._allowed or (request.run_id, name) in self._granted


def _nobody(name: str, ask: Ask) -> Deny:
    return Deny(
        f"{ask.reason}, which needs a person's word, and nobody can be asked here. "
        f"The person who starts the run can allow it with --allow {name} or --yes"
    )


__all__ = [
    "Allow",
    "AllowEverything",
    "AllowForRun",
    "Answer",
    "Approval",
    "ApprovalRequest",
    "Ask",
    "AskBeforeChanges",
    "Decision",
    "Deny",
    "Edit",
    "Person",
]
