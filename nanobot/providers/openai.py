"""`OpenAIProvider`: Chat Completions at any base URL, and OpenAI's Responses API."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from nanobot.agent.tools.shapes import NameMap, definition_names
from nanobot.providers.catalog import OPENAI_HOST, OPENAI_URL, reasons
from nanobot.providers.chat_stream import ChatStream
from nanobot.providers.connection import Connection
from nanobot.providers.endpoint import Endpoint
from nanobot.providers.openai_chat import ChatDialect, chat_body, read_chat
from nanobot.providers.openai_responses import read_responses, responses_body
from nanobot.providers.remote import Exchange, Question, RemoteProvider
from nanobot.providers.responses_stream import ResponsesStream
from nanobot.providers.sdk import OpenAIClient

if TYPE_CHECKING:
    from nanobot.providers.base import GenerationSettings


class OpenAIProvider(RemoteProvider):
    """A model that speaks OpenAI's protocol: OpenAI, Ollama, LM Studio, vLLM, OpenRouter, ….

    Args:
        model: the model that is asked where a request names none.
        api_key: its key; servers on this machine need none.
        base_url: up to and with `/v1`.
        key_source: where the key came from, for error texts.
        api: `chat`, `responses`, or `auto`: Responses for OpenAI's own reasoning models, which
            keep their reasoning between calls only there; Chat Completions for all else.
        generation: how it generates where a request does not say.
        total_s: seconds a whole request may take.
        idle_s: seconds a stream may be silent.

    Raises:
        ConfigError: a base URL or a key that can't be one.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: str = "",
        base_url: str = OPENAI_URL,
        key_source: str = "",
        api: Literal["auto", "chat", "responses"] = "auto",
        generation: GenerationSettings | None = None,
        total_s: float = 600.0,
        idle_s: float = 300.0,
    ) -> None:
        endpoint = Endpoint(
            base_url=base_url,
            api_key=api_key,
            key_source=key_source,
            total_s=total_s,
            idle_s=idle_s,
        )
        super().__init__(Connection(endpoint, OpenAIClient), model, generation)
        self._api = api

    def exchange_for(self, question: Question) -> Exchange:
        """The question as a request to Chat Completions or to Responses."""
        names = NameMap.of(definition_names(question.tools))
        official = self.host == OPENAI_HOST
        reasoning = reasons(question.model)
        if self._api == "responses" or (self._api == "auto" and official and reasoning):
            return _responses_exchange(question, names, reasoning=reasoning)
        dialect = ChatDialect(official=official, reasoning=reasoning)
        return _chat_exchange(question, names, dialect)


def _chat_exchange(question: Question, names: NameMap, dialect: ChatDialect) -> Exchange:
    body = chat_body(
        question.messages,
        question.tools,
        names,
        model=question.model,
        settings=question.settings,
        dialect=dialect,
        tool_choice=question.tool_choice,
    )
    return Exchange(
        path="/chat/completions",
        body=body,
        names=names,
        read=partial(read_chat, names=names),
        joiner=ChatStream,
        stream_options={"stream_options": {"include_usage": True}},
    )


def _responses_exchange(question: Question, names: NameMap, *, reasoning: bool) -> Exchange:
    body = responses_body(
        question.messages,
        question.tools,
        names,
        model=question.model,
        settings=question.settings,
        reasoning=reasoning,
        tool_choice=question.tool_choice,
    )
    return Exchange(
        path="/responses",
        body=body,
        names=names,
        read=partial(read_responses, names=names),
        joiner=ResponsesStream,
        stream_options={},
    )


__all__ = ["OpenAIProvider"]
