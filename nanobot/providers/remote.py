"""`RemoteProvider`: a provider behind HTTP, over one `Connection`."""

from __future__ import annotations

import logging
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from nanobot.agent.tools.shapes import definition_names
from nanobot.errors import NetworkFault, RequestRefused
from nanobot.providers.base import GenerationSettings, LLMProvider, LLMResponse
from nanobot.providers.faults import bad_answer, cut_stream
from nanobot.providers.refusal import refused_tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from nanobot.agent.tools.names import NameMap
    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.base import OnDelta
    from nanobot.providers.chat_stream import Delta
    from nanobot.providers.connection import Connection

_log = logging.getLogger(__name__)
_MOST_REFUSED = 8


class Joiner(Protocol):
    """Joins the events of a stream to the answer they are."""

    @property
    def complete(self) -> bool:
        """Whether the answer is whole."""

    def add(self, event: Mapping[str, Any]) -> Delta:
        """Take one event; what it adds to show comes back."""

    def answer(self) -> JsonObject:
        """The answer, in the form of one that was not streamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked, before it takes a protocol's form."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    model: str
    settings: GenerationSettings
    tool_choice: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request in a protocol's form, and how its answer is read.

    `read` raises `ValueError` or `TypeError` for what is no answer.
    """

    path: str
    body: JsonObject
    names: NameMap
    read: Callable[[Mapping[str, Any]], LLMResponse]
    joiner: Callable[[], Joiner]
    stream_options: JsonObject


class RemoteProvider(LLMProvider):
    """A provider behind HTTP. Subclasses say how a question is put: `exchange_for`."""

    def __init__(
        self, connection: Connection, model: str, generation: GenerationSettings | None = None
    ) -> None:
        super().__init__(generation)
        self._connection = connection
        self._model = model
        self._refused: frozenset[str] = frozenset()

    @abstractmethod
    def exchange_for(self, question: Question) -> Exchange:
        """The question in the form of the protocol."""

    @property
    def host(self) -> str:
        """The host, and port where one is named, that sees what is asked."""
        return self._connection.endpoint.host

    def get_default_model(self) -> str:
        """The model that is asked where none is named."""
        return self._model

    async def chat(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        **options: Any,
    ) -> LLMResponse:
        """One request, one answer. Options: the fields of `GenerationSettings`, `tool_choice`.

        Raises:
            ProviderError: the model could not be asked.
        """

        async def send(exchange: Exchange, model: str) -> JsonObject:
            return await self._connection.post(exchange.path, exchange.body, model=model)

        return await self._ask(self._question(messages, tools, model, options), send)

    async def chat_stream(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        *,
        on_content_delta: OnDelta | None = None,
        on_thinking_delta: OnDelta | None = None,
        **options: Any,
    ) -> LLMResponse:
        """The same, with the text in pieces as it arrives.

        Raises:
            ProviderError: the model could not be asked, or its answer broke off: then no call
                of it is handed over.
        """

        async def send(exchange: Exchange, model: str) -> JsonObject:
            joiner = exchange.joiner()
            begun = False

            async def on_event(event: JsonObject) -> None:
                nonlocal begun
                begun = True
                delta = joiner.add(event)
                if delta.reasoning and on_thinking_delta is not None:
                    await on_thinking_delta(delta.reasoning)
                if delta.content and on_content_delta is not None:
                    await on_content_delta(delta.content)

            body = {**exchange.body, "stream": True, **exchange.stream_options}
            try:
                await self._connection.stream(exchange.path, body, on_event, model=model)
            except NetworkFault:
                if begun:
                    raise cut_stream(self._connection.endpoint) from None
                raise
            if not begun:
                raise bad_answer("a stream without an event", self._connection.endpoint)
            if not joiner.complete:
                raise cut_stream(self._connection.endpoint)
            return joiner.answer()

        return await self._ask(self._question(messages, tools, model, options), send)

    async def aclose(self) -> None:
        """Close the connection. Safe to call twice; a later request opens it again."""
        await self._connection.aclose()

    def _question(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None,
        model: str | None,
        options: Mapping[str, Any],
    ) -> Question:
        return Question(
            messages=messages,
            tools=tools or (),
            model=model or self._model,
            settings=self.settings_for(options),
            tool_choice=options.get("tool_choice"),
        )

    async def _ask(
        self, question: Question, send: Callable[[Exchange, str], Awaitable[JsonObject]]
    ) -> LLMResponse:
        """Send; where the server refuses one tool, go on without it, now and later."""
        while True:
            exchange = self.exchange_for(self._without_refused(question))
            try:
                return self._read(exchange, await send(exchange, question.model))
            except RequestRefused as refusal:
                shown = refused_tool(refusal.message, exchange.body)
                if shown is None or len(self._refused) >= _MOST_REFUSED:
                    raise
                name = exchange.names.from_provider(shown)
                _log.warning("The tool %r was left out: %s", name, refusal.message)
                self._refused |= {name}

    def _without_refused(self, question: Question) -> Question:
        if not self._refused:
            return question
        kept = [t for t in question.tools if not self._refused & {*definition_names([t])}]
        return replace(question, tools=kept)

    def _read(self, exchange: Exchange, answer: JsonObject) -> LLMResponse:
        try:
            return exchange.read(answer)
        except (ValueError, TypeError) as error:
            raise bad_answer(str(error), self._connection.endpoint) from None


__all__ = ["Exchange", "Joiner", "Question", "RemoteProvider"]
