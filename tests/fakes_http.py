"""A model server of one's own over real sockets: each request gets the next scripted answer.

Answers are built by `json_answer`, `event_stream`, `cut_stream`, `hang`. A request that finds no
answer left gets status 599, and `FakeModelServer.requests` keeps everything that was asked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Json: TypeAlias = Any
Answer: TypeAlias = Callable[["_Handler", "Asked"], None]

__all__ = [
    "Answer",
    "Asked",
    "FakeModelServer",
    "chat_chunks",
    "chat_message",
    "cut_stream",
    "event_stream",
    "fake_model_server",
    "hang",
    "json_answer",
    "messages_events",
    "model_turn",
    "raw_answer",
    "responses_events",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that arrived."""

    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass(slots=True)
class FakeModelServer:
    """What a test sees of the server. `script` is consumed; `models` answers GET …/models."""

    script: list[Answer] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    models: Json = None
    port: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeModelServer

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(path=self.path, headers=headers, body=body)
        self.fake.requests.append(asked)
        answer = self.fake.script.pop(0) if self.fake.script else json_answer({}, status=599)
        answer(self, asked)

    def do_GET(self) -> None:
        if self.fake.models is None or not self.path.endswith("/models"):
            self.reply(404, b"not found", {"Content-Type": "text/plain"})
            return
        content = json.dumps(self.fake.models).encode()
        self.reply(200, content, {"Content-Type": "application/json"})

    def reply(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is given
        """Nothing: a test's output is its own."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no fault here."""


@contextmanager
def fake_model_server(*script: Answer) -> Iterator[FakeModelServer]:
    """A server on a free port of 127.0.0.1, closed at the end whatever hangs in it."""
    fake = FakeModelServer(script=list(script))
    handler = type("_Bound", (_Handler,), {"fake": fake})
    server = _Server(("127.0.0.1", 0), handler)
    fake.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def json_answer(
    body: Json, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    """A whole JSON body."""
    return raw_answer(
        json.dumps(body).encode(),
        status=status,
        headers={"Content-Type": "application/json", **(headers or {})},
    )


def raw_answer(
    content: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    """Any bytes as a body."""

    def answer(handler: _Handler, asked: Asked) -> None:
        handler.reply(status, content, headers or {"Content-Type": "text/html"})

    return answer


def event_stream(events: Sequence[Json], *, named: bool = False, done: bool = False) -> Answer:
    """Server-sent events, each in a chunk of its own; `named` adds `event:` lines."""

    def answer(handler: _Handler, asked: Asked) -> None:
        handler.begin_stream()
        for event in events:
            handler.chunk(_event(event, named=named))
        if done:
            handler.chunk(b"data: [DONE]\n\n")
        handler.chunk(b"")

    return answer


def cut_stream(events: Sequence[Json], *, named: bool = False) -> Answer:
    """Events, then the connection breaks in the middle of the body."""

    def answer(handler: _Handler, asked: Asked) -> None:
        handler.begin_stream()
        for event in events:
            handler.chunk(_event(event, named=named))
        handler.hang_up()

    return answer


def hang(events: Sequence[Json] = (), *, named: bool = False) -> Answer:
    """Events, if any, then silence until the server closes."""

    def answer(handler: _Handler, asked: Asked) -> None:
        if events:
            handler.begin_stream()
        for event in events:
            handler.chunk(_event(event, named=named))
        handler.fake.released.wait(timeout=30)
        handler.close_connection = True

    return answer


def model_turn(text: str = "", *calls: tuple[str, str, Json]) -> Answer:
    """One turn of a model, in the protocol of the request's path, streamed where it asks for it.

    A call is `(id, name, arguments)`; the name as the provider sends it.
    """

    def answer(handler: _Handler, asked: Asked) -> None:
        protocol = asked.path.rpartition("/")[2]
        events, whole = _TURNS[protocol](text, calls)
        if asked.body.get("stream"):
            event_stream(events, named=protocol == "messages")(handler, asked)
        else:
            json_answer(whole)(handler, asked)

    return answer


def _chat_turn(text: str, calls: Sequence[tuple[str, str, Json]]) -> tuple[list[Json], Json]:
    shaped = [(call_id, name, json.dumps(arguments)) for call_id, name, arguments in calls]
    reason = "tool_calls" if calls else "stop"
    pieces = [
        {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
        for index, (call_id, name, arguments) in enumerate(shaped)
    ]
    deltas = [{"content": piece} for piece in text] + [{"tool_calls": [each]} for each in pieces]
    events = chat_chunks(*deltas, finish_reason=reason)
    return events, chat_message(text or None, *shaped, finish_reason=reason)


def _responses_turn(text: str, calls: Sequence[tuple[str, str, Json]]) -> tuple[list[Json], Json]:
    items: list[Json] = []
    if text:
        items.append({"type": "message", "content": [{"type": "output_text", "text": text}]})
    for call_id, name, arguments in calls:
        shaped = {"call_id": call_id, "name": name, "arguments": json.dumps(arguments)}
        items.append({"type": "function_call", **shaped})
    events = responses_events(*items)
    return events, events[-1]["response"]


def _messages_turn(text: str, calls: Sequence[tuple[str, str, Json]]) -> tuple[list[Json], Json]:
    reason = "tool_use" if calls else "end_turn"
    blocks: list[tuple[Json, list[Json]]] = []
    whole: list[Json] = []
    if text:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": text}]))
        whole.append({"type": "text", "text": text})
    for call_id, name, arguments in calls:
        start = {"type": "tool_use", "id": call_id, "name": name}
        piece = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        blocks.append(({**start, "input": {}}, [piece]))
        whole.append({**start, "input": arguments})
    usage = {"input_tokens": 10, "output_tokens": 5}
    body = {"type": "message", "content": whole, "stop_reason": reason, "usage": usage}
    return messages_events(*blocks, stop_reason=reason), body


_TURNS = {
    "completions": _chat_turn,
    "responses": _responses_turn,
    "messages": _messages_turn,
}


def _event(event: Json, *, named: bool) -> bytes:
    name = f"event: {event['type']}\n" if named else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def chat_message(
    content: str | None = None, *calls: Json, finish_reason: str = "stop", **more: Json
) -> Json:
    """The body of a Chat Completions answer. A call is `(id, name, arguments as text)`."""
    shaped = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    message = {"role": "assistant", "content": content, "tool_calls": shaped, **more}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return {"object": "chat.completion", "choices": [choice], "usage": usage}


def chat_chunks(*deltas: Json, finish_reason: str | None = "stop") -> list[Json]:
    """The chunks of a Chat Completions stream, its end included unless that is None."""
    chunks: list[Json] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    if finish_reason is not None:
        last: Json = {"index": 0, "delta": {}, "finish_reason": finish_reason}
        usage: Json = {"prompt_tokens": 10, "completion_tokens": 5}
        chunks += [{"choices": [last]}, {"choices": [], "usage": usage}]
    return chunks


def messages_events(
    *blocks: tuple[Json, Sequence[Json]], stop_reason: str | None = "end_turn"
) -> list[Json]:
    """The events of a Messages stream: blocks as `(start, deltas)`, its end unless None."""
    usage = {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 1}
    events: list[Json] = [{"type": "message_start", "message": {"usage": usage}}]
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    if stop_reason is not None:
        ending = {"stop_reason": stop_reason}
        events += [
            {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
    return events


def responses_events(*items: Json, status: str | None = "completed") -> list[Json]:
    """The events of a Responses stream with these output items, its end unless None."""
    events: list[Json] = [{"type": "response.created", "response": {"status": "in_progress"}}]
    for item in items:
        events += [
            {"type": "response.output_text.delta", "delta": part["text"]}
            for part in item.get("content") or ()
        ]
        events.append({"type": "response.output_item.done", "item": item})
    if status is not None:
        usage = {"input_tokens": 10, "output_tokens": 5}
        response = {"object": "response", "status": status, "output": [*items], "usage": usage}
        events.append({"type": f"response.{status}", "response": {**response, "error": None}})
    return events
