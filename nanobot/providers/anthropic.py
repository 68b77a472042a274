"""`AnthropicProvider`: Anthropic's Messages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nanobot.agent.tools.shapes import NameMap, definition_names
from nanobot.providers.anthropic_messages import messages_body, read_messages
from nanobot.providers.anthropic_stream import MessagesStream
from nanobot.providers.catalog import ANTHROPIC_URL
from nanobot.providers.connection import Connection
from nanobot.providers.endpoint import Endpoint
from nanobot.providers.remote import Exchange, Question, RemoteProvider
from nanobot.providers.sdk import AnthropicClient

if TYPE_CHECKING:
    from nanobot.providers.base import GenerationSettings


class AnthropicProvider(RemoteProvider):
    """A model that speaks Anthropic's Messages.

    Args:
        model: the model that is asked where a request names none.
        api_key: its key.
        base_url: without `/v1`.
        key_source: where the key came from, for error texts.
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
        base_url: str = ANTHROPIC_URL,
        key_source: str = "",
        generation: GenerationSettings | None = None,
        total_s: float = 600.0,
        idle_s: float = 300.0,
    ) -> None:
        endpoint = Endpoint(
            base_url=base_url.rstrip("/").removesuffix("/v1"),
            api_key=api_key,
            key_source=key_source,
            total_s=total_s,
            idle_s=idle_s,
        )
        super().__init__(Connection(endpoint, AnthropicClient), model, generation)

    def exchange_for(self, question: Question) -> Exchange:
        """The question as a request to Messages."""
        names = NameMap.of(definition_names(question.tools))
        body = messages_body(
            question.messages,
            question.tools,
            names,
            model=question.model,
            settings=question.settings,
            tool_choice=question.tool_choice,
        )
        return Exchange(
            path="/v1/messages",
            body=body,
            names=names,
            read=partial(read_messages, names=names),
            joiner=MessagesStream,
            stream_options={},
        )


__all__ = ["AnthropicProvider"]
