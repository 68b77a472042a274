"""The exception tree: what can go wrong, and who can mend it.

```
NanobotError
├── ToolError               the model reads its message and its hint and can do better
│   ├── UnknownTool         no tool of that name
│   ├── InvalidArguments    the arguments do not fit the tool's schema
│   ├── CallDenied          an approval policy or a person said no
│   ├── RepeatedLookup      the same external look-up again, with nothing changed in between
│   ├── ToolTimeout         the tool did not answer within its deadline
│   ├── OutsideWorkspace    a path leaves the workspace; carries the target
│   └── BlockedAddress      an address that may not be reached; carries the target
├── ToolSetupError          a person must mend a tool's definition; shows when it loads
├── ConfigError             a person must mend a setting or a flag
└── ProviderError           the model could not be asked
    ├── KeyRejected         no key, or one the provider does not accept
    ├── QuotaExhausted      the account has no credit left
    ├── RateLimited         too many requests; may be tried again
    ├── RequestTooLong      the conversation does not fit the model's context
    ├── RequestRefused      the provider will not take this request or this model
    ├── ServerFault         the provider failed; may be tried again
    ├── NetworkFault        no connection, or one that broke; may be tried again
    ├── AnswerTimeout       no answer within the deadline; may be tried again
    └── BadAnswer           an answer that does not follow the protocol
```

Code reads the fields. The message says what was wrong, with the value; the hint says what to do
next. `str(error)` is the message alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Sequence


class NanobotError(Exception):
    """Root of the tree. `message` says what was wrong; `hint` what to do next, or ""."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ToolError(NanobotError):
    """A call failed in a way that the model can read about and mend. Tools raise it."""


class UnknownTool(ToolError):
    """No tool of that name. `near` is the closest registered name, or None."""

    def __init__(self, message: str, *, name: str, near: str | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.near = near


class InvalidArguments(ToolError):
    """The arguments do not fit the schema of the tool `name`; `faults` names each place."""

    def __init__(self, message: str, *, name: str, faults: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.faults = tuple(faults)

    @classmethod
    def of(cls, name: str, faults: Sequence[str]) -> Self:
        """The refusal that lists these faults, each with its place."""
        message = f"Invalid parameters for tool '{name}': {'; '.join(faults)}"
        return cls(message, name=name, faults=faults)


class CallDenied(ToolError):
    """An approval policy or a person refused the call of the tool `name`, for `reason`."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The call of '{name}' was denied: {reason}")
        self.name = name
        self.reason = reason


class RepeatedLookup(ToolError):
    """The same external look-up a third time, with nothing changed in between."""


class ToolTimeout(ToolError):
    """The tool `name` did not answer within `seconds`."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(
            f"'{name}' did not answer within {seconds:g} s and was stopped",
            hint="Ask for less at once, or try another way.",
        )
        self.name = name
        self.seconds = seconds


class OutsideWorkspace(ToolError):
    """A path leaves the workspace. `target` is the resolved path that was meant."""

    def __init__(self, target: str, message: str = "", *, hint: str = "") -> None:
        super().__init__(
            message or f"Path '{target}' is outside the configured workspace",
            hint=hint or "Use a path inside the workspace.",
        )
        self.target = target


class BlockedAddress(ToolError):
    """A network address that may not be reached. `target` is the host or address, no secrets."""

    def __init__(self, target: str, message: str = "", *, hint: str = "") -> None:
        super().__init__(
            message or f"Internal/private URL detected: '{target}' may not be reached", hint=hint
        )
        self.target = target


class ToolSetupError(NanobotError):
    """A fault in a tool's definition. `place` is where: a parameter, a JSON pointer, a line."""

    def __init__(self, message: str, *, place: str = "", hint: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.place = place


class ConfigError(NanobotError):
    """A setting or a flag that a person must mend."""


class ProviderError(NanobotError):
    """The model could not be asked.

    `status` is the HTTP status where there was one; `retry_after` the seconds the provider asked
    to wait, where it did. `retryable` says whether the same request may succeed later.
    """

    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


class KeyRejected(ProviderError):
    """No key, or one the provider does not accept."""


class QuotaExhausted(ProviderError):
    """The account has no credit left; waiting does not help."""


class RateLimited(ProviderError):
    """Too many requests at once; may be tried again after `retry_after`."""

    retryable = True


class RequestTooLong(ProviderError):
    """The conversation does not fit the model's context window."""


class RequestRefused(ProviderError):
    """The provider will not take this request, or does not know this model."""


class ServerFault(ProviderError):
    """The provider failed (5xx) or is overloaded; may be tried again."""

    retryable = True


class NetworkFault(ProviderError):
    """No connection, or one that broke in the middle; may be tried again."""

    retryable = True


class AnswerTimeout(ProviderError):
    """No answer within the deadline; may be tried again."""

    retryable = True


class BadAnswer(ProviderError):
    """An answer that does not follow the protocol, such as a body that is not JSON."""

    retryable = True


__all__ = [
    "AnswerTimeout",
    "BadAnswer",
    "BlockedAddress",
    "CallDenied",
    "ConfigError",
    "InvalidArguments",
    "KeyRejected",
    "NanobotError",
    "NetworkFault",
    "OutsideWorkspace",
    "ProviderError",
    "QuotaExhausted",
    "RateLimited",
    "RepeatedLookup",
    "RequestRefused",
    "RequestTooLong",
    "ServerFault",
    "ToolError",
    "ToolSetupError",
    "ToolTimeout",
    "UnknownTool",
]
