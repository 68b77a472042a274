"""Why a model could not be asked: what a server or a connection said → `ProviderError`. Pure.

Nothing of an SDK is imported: both name their exceptions alike, and what is read of one is its
`status_code`, `body` and the headers of its `response`. Whatever text of a server is shown was
scrubbed of the key first, and put on one line of at most 300 characters.
"""

from __future__ import annotations

import math
import re
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from nanobot.errors import (
    AnswerTimeout,
    BadAnswer,
    KeyRejected,
    NetworkFault,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    RequestRefused,
    RequestTooLong,
    ServerFault,
)
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.providers.endpoint import Endpoint

_LONGEST_TEXT = 300
_LONGEST_CAUSE = 8
_OVERLOADED = 529

_QUOTA = re.compile(
    r"insufficient_quota|insufficient balance|credit balance|exceeded your current quota"
    r"|billing|out of credits|payment required",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context length|context window|prompt is too long"
    r"|input is too long|too many (input )?tokens|available context size|context length"
    r"|request too large|request_too_large|string too long|input token count"
    r"|exceeds the (model's )?context",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"invalid_api_key|(invalid|incorrect|missing|expired)[ _-](x-)?api[ _-]key"
    r"|api[ _-]key (is )?(not valid|invalid|missing|expired)|authentication_error",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(r"model", re.IGNORECASE)
_OVERLOAD = re.compile(r"overloaded|server_error|api_error|internal|timeout", re.IGNORECASE)
_RATE = re.compile(r"rate[ _-]?limit|too many requests", re.IGNORECASE)


def fault_of(error: BaseException, endpoint: Endpoint, *, model: str = "") -> ProviderError:
    """What an exception of an SDK, of its HTTP library or of a deadline means."""
    if isinstance(error, ProviderError):
        return error
    family = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return status_fault(status, _body_of(error), headers, endpoint, model=model)
    if family & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return timeout_fault(endpoint)
    if family & {"APIConnectionError", "HTTPError", "OSError", "StreamError"}:
        return network_fault(_cause_of(error), endpoint)
    if "APIError" in family:
        return message_fault(_body_of(error), endpoint, model=model)
    return bad_answer(f"{type(error).__name__}: {error}", endpoint)


def status_fault(
    status: int,
    body: object,
    headers: Mapping[str, str],
    endpoint: Endpoint,
    *,
    model: str = "",
    now: float | None = None,
) -> ProviderError:
    """What an HTTP answer of that status says. `now` is a Unix time, for dates in its headers."""
    said = _said(body)
    where = f"{endpoint.host} ({status})"
    retry_after = retry_after_s(headers, time.time() if now is None else now)
    kind = _kind_of(status, said)
    if kind is KeyRejected:
        return _key_rejected(where, endpoint, status)
    if kind is QuotaExhausted and retry_after is not None and "insufficient_quota" not in said:
        kind = RateLimited  # a quota that comes back by itself, as Gemini's per minute
    text = _shown(body, endpoint)
    if kind is RequestRefused and 300 <= status < 400:  # noqa: PLR2004  # the class of redirects
        text = "it answers with a redirect, which is not followed so that the key stays here"
    message, hint = _words(kind, where, model)
    if kind is RateLimited and retry_after is not None:
        hint = f"It asks to wait {retry_after:g} s."
    if status == 404 and not _NO_MODEL.search(said):  # noqa: PLR2004  # not found
        hint = "Check the base URL: nothing answers there to this kind of request."
    return kind(
        f"{message}: {text}." if text else f"{message}.",
        hint=hint,
        status=status,
        retry_after=retry_after,
    )


def message_fault(body: object, endpoint: Endpoint, *, model: str = "") -> ProviderError:
    """What an error inside an answer of status 200 says: in a stream, or instead of an answer."""
    said = _said(body)
    code = _code_of(body)
    if code is not None:
        return status_fault(code, body, {}, endpoint, model=model)
    status = 429 if _RATE.search(said) else 500 if _OVERLOAD.search(said) else 400
    kind = _kind_of(status, said)
    message, hint = _words(kind, endpoint.host, model)
    if kind is KeyRejected:
        return _key_rejected(endpoint.host, endpoint, None)
    return kind(f"{message}: {_shown(body, endpoint) or 'no reason given'}.", hint=hint)


def timeout_fault(endpoint: Endpoint, seconds: float | None = None) -> AnswerTimeout:
    """No answer in time; `seconds` is how long was waited, where that is known."""
    waited = f" within {seconds:g} s" if seconds is not None else " in time"
    hint = "Is the model still loading, or too big for this machine?" if endpoint.local else ""
    return AnswerTimeout(f"{endpoint.host} did not answer{waited}.", hint=hint)


def network_fault(cause: str, endpoint: Endpoint) -> NetworkFault:
    """No connection, or one that broke."""
    hint = "Check the network, a proxy and the base URL."
    if endpoint.local:
        hint = "Is the server running there?"
    said = _one_line(endpoint.scrubbed(cause)) or "it broke"
    return NetworkFault(f"The connection to {endpoint.host} failed: {said}.", hint=hint)


def cut_stream(endpoint: Endpoint) -> NetworkFault:
    """A stream that ended before its answer was complete: nothing of it may run."""
    return NetworkFault(f"The answer of {endpoint.host} broke off in the middle.")


def bad_answer(what: str, endpoint: Endpoint) -> BadAnswer:
    """An answer that does not follow the protocol."""
    said = _one_line(endpoint.scrubbed(what))
    return BadAnswer(
        f"The answer of {endpoint.host} does not follow the protocol: {said}.",
        hint="Check that the base URL is that of a model server, /v1 included where it has one.",
    )


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `retry-after-ms` or `retry-after` (seconds or a date, RFC 9110 §10.2.3) ask."""
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return max(0.0, exact / 1000)
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None:
        return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(value or "").timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _kind_of(status: int, said: str) -> type[ProviderError]:  # noqa: PLR0911  # a table of statuses
    if status == 401 or (status in {400, 403} and _BAD_KEY.search(said)):  # noqa: PLR2004
        return KeyRejected
    if status == 402 or (status in {400, 403, 429} and _QUOTA.search(said)):  # noqa: PLR2004
        return QuotaExhausted
    if status == 413 or (status in {400, 422, 429, 500} and _TOO_LONG.search(said)):  # noqa: PLR2004
        return RequestTooLong
    if status == 429:  # noqa: PLR2004  # too many requests
        return RateLimited
    if status in {408, 504}:
        return AnswerTimeout
    if status >= 500 or status in {409, 425, _OVERLOADED}:  # noqa: PLR2004
        return ServerFault
    return RequestRefused


def _words(kind: type[ProviderError], where: str, model: str) -> tuple[str, str]:
    named = f"'{model}'" if model else "the model"
    table = {
        QuotaExhausted: (
            f"The account has no credit left, says {where}",
            "Add credit with the provider, or choose another model.",
        ),
        RequestTooLong: (
            f"The conversation is too long for {named}, says {where}",
            "Start a new conversation, or choose a model with a larger context.",
        ),
        RateLimited: (f"{where} takes no more requests for now", "Wait a little."),
        AnswerTimeout: (f"{where} did not answer in time", ""),
        ServerFault: (f"{where} failed", "The fault is the server's; try again later."),
    }
    refused = (
        f"{where} refused the request to {named}",
        "`nanobot models` lists the models that were found.",
    )
    return table.get(kind, refused)


def _key_rejected(where: str, endpoint: Endpoint, status: int | None) -> KeyRejected:
    if not endpoint.api_key:
        hint = f"Set {endpoint.key_source}." if endpoint.key_source else "Set one."
        return KeyRejected(f"{where} wants a key, and none is set.", hint=hint, status=status)
    source = endpoint.key_source or "the configuration"
    return KeyRejected(
        f"The key in {source} was rejected by {where}.",
        hint="Check it or set another.",
        status=status,
    )


def _body_of(error: BaseException) -> object:
    body = getattr(error, "body", None)
    return body if body is not None else str(error)


def _cause_of(error: BaseException) -> str:
    """The innermost cause that says something: the SDKs only say "Connection error."."""
    said = str(error) or type(error).__name__
    cause: BaseException | None = error
    for _ in range(_LONGEST_CAUSE):
        cause = cause.__cause__ or cause.__context__ if cause is not None else None
        if cause is not None and str(cause):
            said = str(cause)
    return said.rstrip(".")


def _said(body: object) -> str:
    """Everything an error says, codes too, for telling its kind."""
    detail = _detail(body)
    if isinstance(detail, dict):
        return " ".join(str(detail.get(key) or "") for key in ("code", "type", "message", "detail"))
    return str(detail or "")


def _shown(body: object, endpoint: Endpoint) -> str:
    """The part of an error that a person reads."""
    detail = _detail(body)
    if isinstance(detail, dict):
        detail = detail.get("message") or detail.get("detail") or detail.get("type") or ""
    return _one_line(endpoint.scrubbed(str(detail or ""))).rstrip(".")


def _detail(body: object) -> object:
    """The error object inside a body: `{"error": {…}}`, `{"error": "…"}` or the body itself."""
    if isinstance(body, dict) and body.get("error"):
        return body["error"]
    return body


def _code_of(body: object) -> int | None:
    detail = _detail(body)
    code = detail.get("code") if isinstance(detail, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code)
    return code if isinstance(code, int) and 400 <= code < 600 else None  # noqa: PLR2004


def _one_line(text: str) -> str:
    line = " ".join(visible_line(text.strip()).split())
    return line if len(line) <= _LONGEST_TEXT else f"{line[:_LONGEST_TEXT]}…"


__all__ = [
    "bad_answer",
    "cut_stream",
    "fault_of",
    "message_fault",
    "network_fault",
    "retry_after_s",
    "status_fault",
    "timeout_fault",
]
