"""The official SDKs as clients of a `Connection`: imported on use, which takes a second or more.

Both stand on `httpx2`. What they read from the environment beside the key (organisation, project,
headers) goes only to their own host, or to a base URL that the same environment names.
"""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.providers.catalog import ANTHROPIC_HOST, OPENAI_HOST

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx2

    from nanobot.providers.endpoint import Endpoint

_NO_KEY = "none"
_CONNECT_S = 15.0
_JSON_HEADERS = {"Content-Type": "application/json"}
_WHOLE_BODIES = ("application/json", "text/html")


class OpenAIClient:
    """The SDK `openai` over plain JSON."""

    def __init__(self, endpoint: Endpoint) -> None:
        import openai  # noqa: PLC0415  # heavy: on use

        own = _variables_apply(endpoint, OPENAI_HOST, "OPENAI_BASE_URL")
        foreign = () if own else _header_names(os.environ.get("OPENAI_CUSTOM_HEADERS", ""))
        self._transport = _Transport.of(endpoint)
        self.caught: tuple[type[Exception], ...] = (openai.OpenAIError, *self._transport.caught)
        self._stream_cls = openai.AsyncStream[object]
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or _NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=self._transport.http,
            default_headers=dict.fromkeys(foreign, openai.omit),  # type: ignore[arg-type]  # as its manual says
        )
        self._client.admin_api_key = None
        if not own:
            self._client.organization = None
            self._client.project = None

    async def post(self, path: str, content: bytes) -> bytes:
        """Send a body; the body of the answer."""
        response = await self._client.post(
            path,
            cast_to=self._transport.response,
            content=content,
            options={"timeout": self._transport.whole, "headers": _JSON_HEADERS},
        )
        return response.content

    @asynccontextmanager
    async def stream(self, path: str, content: bytes) -> AsyncIterator[AsyncIterator[object]]:
        """Send a body; the events of the answer."""
        stream = await self._client.post(
            path,
            cast_to=object,
            content=content,
            options={"timeout": self._transport.pieces, "headers": _JSON_HEADERS},
            stream=True,
            stream_cls=self._stream_cls,
        )
        async with stream:
            yield _events(stream, stream.response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


class AnthropicClient:
    """The SDK `anthropic` over plain JSON."""

    def __init__(self, endpoint: Endpoint) -> None:
        import anthropic  # noqa: PLC0415  # heavy: on use

        own = _variables_apply(endpoint, ANTHROPIC_HOST, "ANTHROPIC_BASE_URL")
        foreign = () if own else _header_names(os.environ.get("ANTHROPIC_CUSTOM_HEADERS", ""))
        self._transport = _Transport.of(endpoint)
        self.caught: tuple[type[Exception], ...] = (
            anthropic.AnthropicError,
            *self._transport.caught,
        )
        self._stream_cls = anthropic.AsyncStream[object]
        self._client = anthropic.AsyncAnthropic(
            api_key=endpoint.api_key or _NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=self._transport.http,
            default_headers=dict.fromkeys(foreign, anthropic.omit),  # type: ignore[arg-type]  # as its manual says
            open_telemetry=False,
        )

    async def post(self, path: str, content: bytes) -> bytes:
        """Send a body; the body of the answer."""
        response = await self._client.post(
            path,
            cast_to=self._transport.response,
            content=content,
            options={"timeout": self._transport.whole, "headers": _JSON_HEADERS},
        )
        return response.content

    @asynccontextmanager
    async def stream(self, path: str, content: bytes) -> AsyncIterator[AsyncIterator[object]]:
        """Send a body; the events of the answer."""
        stream = await self._client.post(
            path,
            cast_to=object,
            content=content,
            options={"timeout": self._transport.pieces, "headers": _JSON_HEADERS},
            stream=True,
            stream_cls=self._stream_cls,
        )
        async with stream:
            yield _events(stream, stream.response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Transport:
    """What of `httpx2` both need."""

    http: httpx2.AsyncClient
    response: type[httpx2.Response]
    whole: httpx2.Timeout
    pieces: httpx2.Timeout
    caught: tuple[type[Exception], ...]

    @classmethod
    def of(cls, endpoint: Endpoint) -> _Transport:
        import httpx2  # noqa: PLC0415  # heavy: on use

        def timeout(seconds: float) -> httpx2.Timeout:
            return httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_S))

        return cls(
            http=httpx2.AsyncClient(follow_redirects=False, trust_env=not endpoint.local),
            response=httpx2.Response,
            whole=timeout(endpoint.total_s),
            pieces=timeout(endpoint.idle_s),
            caught=(httpx2.HTTPError, httpx2.StreamError, OSError, ValueError),
        )


async def _events(
    stream: AsyncIterator[object], response: httpx2.Response
) -> AsyncIterator[object]:
    """The events of a stream, or the one whole body of a server that does not stream."""
    if response.headers.get("content-type", "").startswith(_WHOLE_BODIES):
        yield json.loads(await response.aread())
        return
    async for event in stream:
        yield event


def _variables_apply(endpoint: Endpoint, official: str, variable: str) -> bool:
    named = os.environ.get(variable, "").rstrip("/")
    return endpoint.host == official or endpoint.base_url.rstrip("/") == named


def _header_names(lines: str) -> tuple[str, ...]:
    """The names in a variable of `Name: value` lines, as the SDKs read it."""
    pairs = (line.partition(":") for line in lines.splitlines())
    return tuple(name.strip() for name, colon, _ in pairs if colon)


__all__ = ["AnthropicClient", "OpenAIClient"]
