"""`LocalProvider`: a GGUF file of the person's own as the model."""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nanobot.errors import AnswerTimeout, BadAnswer, ConfigError, ProviderError, RequestTooLong
from nanobot.providers.base import GenerationSettings, LLMProvider, LLMResponse
from nanobot.providers.connection import encoded
from nanobot.providers.endpoint import Endpoint
from nanobot.providers.faults import network_fault, status_fault
from nanobot.providers.local.conversation import chat_messages
from nanobot.providers.local.form import answer_form, read_answer
from nanobot.providers.local.modelfile import open_model_file
from nanobot.providers.local.server import ModelServer
from nanobot.providers.usage import openai_usage
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.local.server import Address

_ANSWER_TOKENS = 2_048
_TEMPERATURE = 0.3
_FITTINGS = 3
_DYING_S = 2.0
_OK = 200


class LocalProvider(LLMProvider):
    """Runs a model file in a process of its own, on this machine; needs the extra `local`.

    The file is looked at here and loaded with the first request. A call comes from an answer whose
    form the server enforces, so it always names a tool and its arguments fit the schema as far as
    a grammar can say it.

    Args:
        path: the GGUF file; `~` is the home folder.
        context_tokens: how much of a conversation the model sees at once, at most.
        load_timeout_s: how long loading may take, in seconds.
        answer_timeout_s: how long one answer may take, in seconds.
        generation: how the model generates where a request does not say.

    Raises:
        ConfigError: the extra is not installed, or the file is none that can be loaded.
    """

    name: ClassVar[str] = "local"
    host: ClassVar[str | None] = None
    """Nobody outside this machine sees file contents."""

    def __init__(
        self,
        path: str | Path,
        *,
        context_tokens: int = 8_192,
        load_timeout_s: float = 300,
        answer_timeout_s: float = 600,
        generation: GenerationSettings | None = None,
    ) -> None:
        super().__init__(generation)
        if find_spec("xllamacpp") is None:
            raise ConfigError(
                "A model file needs the extra 'local', which is not installed.",
                hint="Install it: pip install 'nanobot-tools[local]'",
            )
        file = open_model_file(_absolute(path))
        self._model = str(path)
        self._context_tokens = min(context_tokens, file.context_tokens or context_tokens)
        self._answer_timeout_s = answer_timeout_s
        self._server = ModelServer(
            file.path, context_tokens=self._context_tokens, load_timeout_s=load_timeout_s
        )

    def get_default_model(self) -> str:
        """The path, as it was given: there is no other model."""
        return self._model

    async def chat(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,  # noqa: ARG002  # the provider's signature
        **options: Any,
    ) -> LLMResponse:
        """One request, one answer: at most one call, or text.

        Raises:
            ConfigError: the model can't be loaded.
            ProviderError: it could not be asked, or did not answer in time.
        """
        address = await in_thread(self._server.start)
        settings = self.settings_for(options)
        answer_tokens = min(settings.max_tokens or _ANSWER_TOKENS, self._context_tokens // 2)
        body: JsonObject = {
            "max_tokens": answer_tokens,
            "temperature": _TEMPERATURE if settings.temperature is None else settings.temperature,
        }
        if tools:
            form = answer_form(tools, options.get("tool_choice"))
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": form},
            }
            body["reasoning_format"] = "none"  # the form has no room for thoughts
            body["chat_template_kwargs"] = {"enable_thinking": False}
        room = self._context_tokens - answer_tokens
        answer = await self._ask_within(address, body, (messages, tools or ()), room)
        return _response(answer, in_form=bool(tools))

    async def aclose(self) -> None:
        """End the model's process. Safe to call twice; a later request loads the model again."""
        await in_thread(self._server.close)

    async def _ask_within(
        self,
        address: Address,
        body: JsonObject,
        asked: tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]],
        room: int,
    ) -> JsonObject:
        """Ask; where the estimate of tokens was too low, once more with less of the history."""
        budget = room
        for _ in range(_FITTINGS):
            messages = chat_messages(*asked, budget)
            try:
                return await self._ask(address, {**body, "messages": [*messages]})
            except _TooLong as error:
                budget = min(budget * room // max(error.tokens, 1), budget) * 9 // 10
        raise RequestTooLong(
            f"The conversation is too long for the model's context of {self._context_tokens:,} "
            "tokens.",
            hint="Start a new conversation, give fewer tools, or choose another model.",
        )

    async def _ask(self, address: Address, body: JsonObject) -> JsonObject:
        import httpx2  # noqa: PLC0415  # heavy: on use

        headers = {"Authorization": f"Bearer {address.key}", "Content-Type": "application/json"}
        url = f"{address.url}/v1/chat/completions"
        endpoint = Endpoint(base_url=address.url, api_key=address.key)
        try:
            async with (
                asyncio.timeout(self._answer_timeout_s),
                httpx2.AsyncClient(trust_env=False, timeout=None) as client,
            ):
                answer = await client.post(url, content=encoded(body), headers=headers)
        except TimeoutError:
            raise AnswerTimeout(
                f"The model did not answer within {self._answer_timeout_s:g} s.",
                hint="It may be too big for this machine.",
            ) from None
        except httpx2.HTTPError as error:
            if await in_thread(self._server.dies, _DYING_S):
                raise ProviderError(
                    "The model's process ended while it answered.",
                    hint="Perhaps there was not enough memory: try a smaller model.",
                ) from None
            cause = str(error).rstrip(".") or type(error).__name__
            raise network_fault(cause, endpoint) from None
        told = _object_of(answer.content)
        if answer.status_code == _OK:
            return told
        tokens = _tokens_too_many(told)
        if tokens is not None:
            raise _TooLong(tokens)
        raise status_fault(answer.status_code, told, {}, endpoint, model=self._model)


class _TooLong(Exception):  # on its way to the next try, not an error
    def __init__(self, tokens: int) -> None:
        super().__init__(tokens)
        self.tokens = tokens


def _absolute(path: str | Path) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:  # no home folder
        return Path(path).absolute()


def _object_of(content: bytes) -> JsonObject:
    try:
        told = json.loads(content)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise BadAnswer("The model's process did not answer with a JSON object.")
    return told


def _tokens_too_many(told: JsonObject) -> int | None:
    error = told.get("error")
    tokens = error.get("n_prompt_tokens") if isinstance(error, dict) else None
    return tokens if isinstance(tokens, int) else None


def _response(answer: JsonObject, *, in_form: bool) -> LLMResponse:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise BadAnswer("The model's process answered without a message.")
    text = str(message.get("content") or "")
    cut = choice.get("finish_reason") == "length"
    if in_form:
        response = read_answer(text, cut=cut)
    else:
        response = LLMResponse(content=text, finish_reason="length" if cut else "stop")
        response.reasoning_content = str(message.get("reasoning_content") or "") or None
    response.usage = openai_usage(answer.get("usage"))
    return response


__all__ = ["LocalProvider"]
