"""One endpoint over an SDK's client: JSON in, JSON or events out, deadlines, faults.

The SDKs bring authentication, TLS, proxies and the decoding of event streams. Their types stay
out: bodies are plain JSON here, so that a server's odd answer is ours to read. Their own retries
are off (`base.py` retries), redirects are not followed (a key header would follow them), and a
server on this machine is reached without the proxy of the environment.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from typing import TYPE_CHECKING, Protocol

from nanobot.providers.faults import (
    bad_answer,
    fault_of,
    message_fault,
    timeout_fault,
)
from nanobot.surrogates import mend_value
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from nanobot.errors import ProviderError
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.providers.endpoint import Endpoint

_QUIET_LOGGERS = ("openai", "anthropic", "httpx2", "httpcore2")


class Client(Protocol):
    """What is needed of an SDK's client. It raises the exceptions named in `caught`."""

    caught: tuple[type[Exception], ...]

    async def post(self, path: str, content: bytes) -> bytes:
        """Send a body; the body of the answer."""

    def stream(
        self, path: str, content: bytes
    ) -> AbstractAsyncContextManager[AsyncIterator[object]]:
        """Send a body; the events of the answer, or one whole answer where it is no stream."""

    async def aclose(self) -> None:
        """Close what is open."""


class Connection:
    """Requests to one endpoint. The client is made on first use, per event loop."""

    def __init__(self, endpoint: Endpoint, open_client: Callable[[Endpoint], Client]) -> None:
        self.endpoint = endpoint
        self._open_client = open_client
        self._client: Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()

    async def post(self, path: str, body: JsonObject, *, model: str) -> JsonObject:
        """The answer to one body.

        Raises:
            ProviderError: whatever went wrong; nothing of it holds the key.
        """
        client = await self._opened()
        fault: ProviderError
        try:
            async with asyncio.timeout(self.endpoint.total_s):
                answer = json.loads(await client.post(path, encoded(body)))
            if isinstance(answer, dict) and not answer.get("error"):
                return answer
            fault = self._fault_in(answer, model)
        except TimeoutError:
            fault = timeout_fault(self.endpoint, self.endpoint.total_s)
        except client.caught as error:
            fault = fault_of(error, self.endpoint, model=model)
        raise fault  # outside `except`: no SDK exception, with its request, hangs on it

    async def stream(
        self,
        path: str,
        body: JsonObject,
        on_event: Callable[[JsonObject], Awaitable[None]],
        *,
        model: str,
    ) -> None:
        """Hand each event of the answer to `on_event`, in order, until the stream ends.

        Raises:
            ProviderError: whatever went wrong on the way. What `on_event` raises passes as it is.
        """
        client = await self._opened()
        fault: ProviderError | None
        failed: Exception | None = None
        try:
            async with asyncio.timeout(self.endpoint.total_s):
                fault = await self._hand_over(client.stream(path, encoded(body)), on_event, model)
        except TimeoutError:
            fault = timeout_fault(self.endpoint, self.endpoint.total_s)
        except client.caught as error:
            fault = fault_of(error, self.endpoint, model=model)
        except _CallbackFailed as failure:
            fault, failed = None, failure.error
        if failed is not None:
            raise failed
        if fault is not None:
            raise fault

    async def _hand_over(
        self,
        stream: AbstractAsyncContextManager[AsyncIterator[object]],
        on_event: Callable[[JsonObject], Awaitable[None]],
        model: str,
    ) -> ProviderError | None:
        async with stream as events:
            async for event in events:
                if not isinstance(event, dict):
                    return bad_answer(f"a {type(event).__name__} as an event", self.endpoint)
                said = _error_in(event)
                if said is not None:
                    return message_fault(said, self.endpoint, model=model)
                try:
                    await on_event(event)
                except Exception as error:  # noqa: BLE001  # it leaves as it is
                    raise _CallbackFailed(error) from None
        return None

    async def aclose(self) -> None:
        """Close the client. Safe to call twice."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _opened(self) -> Client:
        """The client of this event loop. The SDK's import takes seconds: it runs in a thread."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._client, self._loop, self._opening = None, loop, asyncio.Lock()
        async with self._opening:
            if self._client is None:
                self._client = await in_thread(self._open_client, self.endpoint)
                _quiet()
            return self._client

    def _fault_in(self, answer: JsonValue, model: str) -> ProviderError:
        if isinstance(answer, dict):
            return message_fault(answer, self.endpoint, model=model)
        return bad_answer(f"a JSON {type(answer).__name__} instead of an object", self.endpoint)


class _CallbackFailed(Exception):  # a wrapper on its way out, not an error
    """What `on_event` raised, kept apart from what the connection raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _error_in(event: JsonObject) -> JsonValue:
    """What an event of a stream says went wrong; None where nothing did."""
    response = event.get("response")
    inner = response.get("error") if isinstance(response, dict) else None
    return event.get("error") or inner or (event if event.get("type") == "error" else None)


def encoded(body: JsonObject) -> bytes:
    """The body as JSON in UTF-8; what JSON can't say (lone surrogates, infinities) is replaced."""
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        mended = _finite(mend_value(body))
        return json.dumps(mended, ensure_ascii=False, allow_nan=False).encode()


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _quiet() -> None:
    """Keep the SDKs' debug logs off: they hold whole requests."""
    for name in _QUIET_LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))


__all__ = ["Client", "Connection", "encoded"]
