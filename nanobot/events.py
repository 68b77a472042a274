"""What happened, as frozen records, to any number of observers.

Every record carries `run_id` and `at`, a monotonic time in seconds (`time.monotonic`). Records of
one call share its `call_id`. An observer is a plain function of one event; one that raises is
logged and changes nothing. Observers run on the event loop and must return quickly.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nanobot.jsonvalue import JsonObject

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run began. `model` is the provider's name for it; `workspace` a path or ""."""

    run_id: str
    model: str
    workspace: str = ""
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """A run ended. `stop_reason` as in `AgentRunResult`, or `cancelled`."""

    run_id: str
    stop_reason: str
    usage: Mapping[str, int]
    error: str | None = None
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """One iteration of the loop began. `turn` counts from 0."""

    run_id: str
    turn: int
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """One iteration of the loop ended."""

    run_id: str
    turn: int
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequested:
    """A request goes to the model, with this many messages and tool definitions."""

    run_id: str
    turn: int
    model: str
    messages: int
    tools: int
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRetried:
    """A request failed and will be sent again after `wait_s`."""

    run_id: str
    turn: int
    reason: str
    wait_s: float
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the model's answer, as it streams."""

    run_id: str
    turn: int
    text: str
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta:
    """A piece of the model's reasoning, as it streams."""

    run_id: str
    turn: int
    text: str
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswered:
    """The model's answer is complete. `calls` is how many tools it wants called."""

    run_id: str
    turn: int
    content: str
    finish_reason: str
    calls: int
    usage: Mapping[str, int]
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """A call reached the call path. `arguments` as the model gave them."""

    run_id: str
    call_id: str
    name: str
    arguments: JsonObject | str | None
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """A running tool reports: the last lines of a command, a count, a stage."""

    run_id: str
    call_id: str
    name: str
    text: str
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAsked:
    """A policy wants a person's word before the call runs. `reason` says why."""

    run_id: str
    call_id: str
    name: str
    reason: str
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided:
    """The decision over a call: `allow`, `deny` (with its reason) or `edit`."""

    run_id: str
    call_id: str
    name: str
    decision: Literal["allow", "deny", "edit"]
    reason: str = ""
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdited:
    """A call is about to change, changed, or failed to change a file. Counts are lines."""

    run_id: str
    call_id: str
    name: str
    path: str
    phase: Literal["start", "end", "error"]
    added: int = 0
    deleted: int = 0
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFinished:
    """A call has its result. `content` is what the model gets; blocks are counted in brackets."""

    run_id: str
    call_id: str
    name: str
    status: Literal["ok", "error"]
    detail: str
    content: str
    seconds: float
    at: float = field(default_factory=monotonic)


Event: TypeAlias = (
    RunStarted
    | RunFinished
    | TurnStarted
    | TurnFinished
    | ModelRequested
    | ModelRetried
    | TextDelta
    | ReasoningDelta
    | ModelAnswered
    | CallStarted
    | CallProgress
    | ApprovalAsked
    | ApprovalDecided
    | FileEdited
    | CallFinished
)

Observer: TypeAlias = "Callable[[Event], object]"


class EventStream:
    """Hands each event to every observer, in the order they subscribed.

    An empty stream is false, so that a hot path can skip building records nobody reads.
    """

    __slots__ = ("_observers",)

    def __init__(self, *observers: Observer) -> None:
        self._observers: tuple[Observer, ...] = observers

    def __bool__(self) -> bool:
        return bool(self._observers)

    def subscribe(self, observer: Observer) -> None:
        """Add an observer; it sees the events from now on."""
        self._observers = (*self._observers, observer)

    def unsubscribe(self, observer: Observer) -> None:
        """Remove an observer; one that is not there is no fault."""
        self._observers = tuple(known for known in self._observers if known is not observer)

    def emit(self, event: Event) -> None:
        """Hand one event to every observer. A failing observer is logged, never raised."""
        for observer in self._observers:
            try:
                observer(event)
            except Exception:  # noqa: BLE001  # foreign code
                _log.exception("An observer failed on %s", type(event).__name__)


__all__ = [
    "ApprovalAsked",
    "ApprovalDecided",
    "CallFinished",
    "CallProgress",
    "CallStarted",
    "Event",
    "EventStream",
    "FileEdited",
    "ModelAnswered",
    "ModelRequested",
    "ModelRetried",
    "Observer",
    "ReasoningDelta",
    "RunFinished",
    "RunStarted",
    "TextDelta",
    "TurnFinished",
    "TurnStarted",
]
