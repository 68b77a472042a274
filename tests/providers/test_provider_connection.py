"""Faults on real sockets: what each protocol makes of a server that misbehaves."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from nanobot.errors import (
    AnswerTimeout,
    BadAnswer,
    KeyRejected,
    NetworkFault,
    ProviderError,
    RequestRefused,
)
from nanobot.providers.anthropic import AnthropicProvider
from nanobot.providers.base import LLMProvider, RetryPolicy
from nanobot.providers.connection import Connection, encoded
from nanobot.providers.endpoint import Endpoint
from nanobot.providers.openai import OpenAIProvider
from tests.fakes_http import (
    Answer,
    FakeModelServer,
    chat_chunks,
    chat_message,
    cut_stream,
    event_stream,
    fake_model_server,
    hang,
    json_answer,
    messages_events,
    raw_answer,
    responses_events,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

KEY = "sk-proj-abcdefghijklmnop"
USER = [{"role": "user", "content": "hello"}]
CALL_START = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
Protocol: TypeAlias = str


def _provider(protocol: Protocol, server: FakeModelServer, **more: Any) -> LLMProvider:
    if protocol == "messages":
        return AnthropicProvider(
            model="m", base_url=server.origin, api_key=KEY, key_source="MY_KEY", **more
        )
    api: Any = protocol
    return OpenAIProvider(
        model="m", base_url=server.url, api_key=KEY, key_source="MY_KEY", api=api, **more
    )


def _half_a_call(protocol: Protocol) -> list[Any]:
    """A stream up to the middle of a call."""
    if protocol == "chat":
        piece = {"id": "c1", "index": 0, "function": {"name": "f", "arguments": '{"a"'}}
        return chat_chunks({"content": "Hel"}, {"tool_calls": [piece]}, finish_reason=None)
    if protocol == "responses":
        text = {"type": "message", "content": [{"type": "output_text", "text": "Hel"}]}
        call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
        return responses_events(text, call, status=None)
    text_block = ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Hel"}])
    call_block = (CALL_START, [{"type": "input_json_delta", "partial_json": '{"a"'}])
    return messages_events(text_block, call_block, stop_reason=None)


def _whole(protocol: Protocol) -> Answer:
    if protocol == "chat":
        return json_answer(chat_message("answer"))
    text = {"type": "message", "content": [{"type": "output_text", "text": "answer"}]}
    if protocol == "responses":
        return json_answer({"object": "response", "status": "completed", "output": [text]})
    content = [{"type": "text", "text": "answer"}]
    return json_answer({"type": "message", "content": content, "stop_reason": "end_turn"})


@pytest.fixture
def server() -> Iterator[FakeModelServer]:
    with fake_model_server() as running:
        yield running


@pytest.fixture(params=["chat", "responses", "messages"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return str(request.param)


@pytest.fixture
async def provider(protocol: Protocol, server: FakeModelServer) -> AsyncIterator[LLMProvider]:
    made = _provider(protocol, server)
    made.retry = RetryPolicy(first_wait_s=0)
    yield made
    await made.aclose()


async def test_a_stream_cut_in_a_call_hands_over_nothing(
    provider: LLMProvider, protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [cut_stream(_half_a_call(protocol), named=protocol == "messages")]

    with pytest.raises(NetworkFault, match="broke off in the middle"):
        await provider.chat_stream(USER)


async def test_a_stream_that_just_ends_hands_over_nothing(
    provider: LLMProvider, protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [event_stream(_half_a_call(protocol), named=protocol == "messages", done=True)]

    with pytest.raises(NetworkFault, match="broke off in the middle"):
        await provider.chat_stream(USER)


async def test_a_cut_stream_is_asked_for_again_when_nobody_saw_it(
    provider: LLMProvider, protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [
        cut_stream(_half_a_call(protocol), named=protocol == "messages"),
        _whole(protocol),
    ]

    response = await provider.chat_stream_with_retry(USER)

    assert response.content == "answer"
    assert response.tool_calls == []
    assert len(server.requests) == 2


async def test_a_server_that_does_not_stream_is_understood(
    provider: LLMProvider, protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [_whole(protocol)]
    shown: list[str] = []

    async def show(piece: str) -> None:
        shown.append(piece)

    response = await provider.chat_stream(USER, on_content_delta=show)

    assert response.content == "answer"
    assert server.requests[0].body["stream"] is True


async def test_429_with_retry_after_and_500_are_tried_again(
    provider: LLMProvider, protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [
        json_answer({"error": {"message": "slow"}}, status=429, headers={"Retry-After": "0"}),
        json_answer({"error": {"message": "oops"}}, status=500),
        _whole(protocol),
    ]
    lines: list[str] = []

    async def told(line: str) -> None:
        lines.append(line)

    response = await provider.chat_with_retry(USER, on_retry_wait=told)

    assert response.content == "answer"
    assert len(server.requests) == 3
    assert "takes no more requests for now" in lines[0]
    assert "trying again in 0.0 s" in lines[0].lower()


async def test_the_sdks_own_retries_are_off(provider: LLMProvider, server: FakeModelServer) -> None:
    server.script = [json_answer({}, status=500), json_answer({}, status=500)]

    with pytest.raises(ProviderError):
        await provider.chat(USER)

    assert len(server.requests) == 1


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    "answer",
    [
        raw_answer(b'{"choices": [', headers={"Content-Type": "application/json"}),
        raw_answer(b"<html>It works!</html>"),
        json_answer([1, 2]),
        json_answer({"hello": "world"}),
        raw_answer(b"", headers={"Content-Type": "text/event-stream"}),
        raw_answer(b"data: {broken\n\n", headers={"Content-Type": "text/event-stream"}),
    ],
    ids=["cut_json", "html", "list", "other_object", "no_event", "broken_event"],
)
async def test_what_is_no_answer_is_a_bad_answer(
    provider: LLMProvider, server: FakeModelServer, answer: Answer, streamed: bool
) -> None:
    server.script = [answer]
    ask = provider.chat_stream if streamed else provider.chat

    with pytest.raises((BadAnswer, NetworkFault)):
        await ask(USER)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_hang_ends_at_the_deadline(
    protocol: Protocol, server: FakeModelServer, streamed: bool
) -> None:
    server.script = [hang()]
    provider = _provider(protocol, server, total_s=0.2)
    ask = provider.chat_stream if streamed else provider.chat

    with pytest.raises(AnswerTimeout, match="did not answer"):
        await ask(USER)

    await provider.aclose()


async def test_a_stream_that_falls_silent_ends_at_the_idle_gap(
    protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [hang(_half_a_call(protocol), named=protocol == "messages")]
    provider = _provider(protocol, server, idle_s=0.2)

    with pytest.raises(AnswerTimeout):
        await provider.chat_stream(USER)

    await provider.aclose()


async def test_cancelling_a_request_passes(provider: LLMProvider, server: FakeModelServer) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(handler: Any, asked: Any) -> None:
        loop.call_soon_threadsafe(arrived.set)
        hang()(handler, asked)

    server.script = [answer]
    task = asyncio.create_task(provider.chat_stream_with_retry(USER))
    await arrived.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_an_echoed_key_is_in_no_error_and_no_log(
    provider: LLMProvider,
    server: FakeModelServer,
    caplog: pytest.LogCaptureFixture,
    streamed: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    for status in (400, 500):
        server.script = [json_answer({"error": {"message": f"odd: {KEY}"}}, status=status)]
        ask = provider.chat_stream if streamed else provider.chat
        with pytest.raises(ProviderError) as caught:
            await ask(USER)

        error = caught.value
        assert KEY not in f"{error!r} {error.hint}"
        assert error.__cause__ is None
        assert error.__context__ is None
    assert KEY not in caplog.text
    assert KEY not in repr(provider)


async def test_a_rejected_key_says_which(provider: LLMProvider, server: FakeModelServer) -> None:
    server.script = [json_answer({"error": {"message": "no"}}, status=401)]

    with pytest.raises(KeyRejected, match=r"The key in MY_KEY was rejected by 127\.0\.0\.1"):
        await provider.chat(USER)


async def test_a_redirect_does_not_take_the_key_along(
    provider: LLMProvider, server: FakeModelServer
) -> None:
    with fake_model_server() as elsewhere:
        away = {"Location": f"{elsewhere.url}/chat/completions"}
        server.script = [raw_answer(b"", status=307, headers=away)]

        with pytest.raises(RequestRefused, match="redirect"):
            await provider.chat(USER)

        assert elsewhere.requests == []


async def test_a_closed_port_is_a_network_fault(protocol: Protocol) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    provider = _provider(protocol, FakeModelServer(port=port))

    with pytest.raises(NetworkFault, match=f"127.0.0.1:{port}") as caught:
        await provider.chat(USER)

    assert caught.value.hint == "Is the server running there?"
    await provider.aclose()


async def test_what_a_callback_raises_passes_as_it_is(
    provider: LLMProvider, protocol: Protocol, server: FakeModelServer
) -> None:
    server.script = [event_stream(_half_a_call(protocol), named=protocol == "messages")]

    async def fail(piece: str) -> None:
        raise OSError("the terminal is gone")

    with pytest.raises(OSError, match="the terminal is gone"):
        await provider.chat_stream(USER, on_content_delta=fail)


async def test_the_proxy_of_the_environment_is_not_used_on_this_machine(
    provider: LLMProvider,
    protocol: Protocol,
    server: FakeModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.script = [_whole(protocol)]

    assert (await provider.chat(USER)).content == "answer"


async def test_variables_meant_for_another_host_stay_here(
    provider: LLMProvider,
    protocol: Protocol,
    server: FakeModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: other-secret")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Secret: other-secret")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "other-secret")
    server.script = [_whole(protocol)]

    await provider.chat(USER)

    sent = server.requests[0].headers
    assert "openai-organization" not in sent
    assert "other-secret" not in str(sent)
    assert KEY in str(sent)


def test_one_provider_serves_one_event_loop_after_another(server: FakeModelServer) -> None:
    server.script = [_whole("chat"), _whole("chat")]
    provider = _provider("chat", server)

    async def once() -> str | None:
        response = await provider.chat(USER)
        await provider.aclose()
        return response.content

    assert [asyncio.run(once()) for _ in range(2)] == ["answer", "answer"]


class _CountedClient:
    """Opens slowly, answers at once."""

    caught: tuple[type[Exception], ...] = (ValueError,)
    opened = 0

    def __init__(self, endpoint: Endpoint) -> None:
        type(self).opened += 1

    async def post(self, path: str, content: bytes) -> bytes:
        return b'{"ok": true}'

    def stream(self, path: str, content: bytes) -> Any:
        raise NotImplementedError

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_requests_at_once_share_one_client() -> None:
    connection = Connection(Endpoint(base_url="http://h/v1"), _CountedClient)

    answers = await asyncio.gather(*[connection.post("/x", {}, model="m") for _ in range(5)])

    assert answers == [{"ok": True}] * 5
    assert _CountedClient.opened == 1


UNSAYABLE: dict[str, tuple[Any, bytes]] = {
    "lone_surrogate": ({"a": "x\ud83d"}, '{"a": "x\ufffd"}'.encode()),
    "infinity": ({"a": [float("inf")]}, b'{"a": [null]}'),
    "plain": ({"a": "☀"}, '{"a": "☀"}'.encode()),
}


@pytest.mark.parametrize(("body", "sent"), UNSAYABLE.values(), ids=UNSAYABLE)
def test_what_json_cannot_say_is_replaced(body: Any, sent: bytes) -> None:
    assert encoded(body) == sent
