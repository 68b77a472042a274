"""Whether a call may run: allow, deny, ask or edit; a protocol and its plain policies.

A policy decides each prepared call. Without a policy every call is allowed, as in the original.
A decision `Ask` needs a person: a policy that has one asks and returns what they said; `Ask` that
reaches the call path is denied there, since nobody can answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nanobot.agent.tools.base import Tool
    from nanobot.jsonvalue import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A prepared call: its tool and its arguments, cast and valid."""

    call_id: str
    tool: Tool
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Allow:
    """The call runs as it is."""


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
Answer: TypeAlias = Allow | Deny | Edit

Person: TypeAlias = "Callable[[ApprovalRequest, Ask], Awaitable[Answer]]"
"""Asks a person and waits for the word: a terminal prompt, a dialog, a chat message."""


class Approval(Protocol):
    """A policy. One instance may serve many runs at once."""

    async def decide(self, request: ApprovalRequest, /) -> Decision:
        """The decision over one call."""


class AskBeforeChanges:
    """What is read-only and asks no question runs; anything else asks.

    Args:
        person: who answers; None means that everything asked is denied.
        allow: names of tools that always run.
        allow_all: nothing asks.
    """

    # built by the execution part
