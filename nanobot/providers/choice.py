"""Which model is asked: the one that was named, else what is found, else `offline`.

The order: `--model`, the configuration's model, the first provider with a key, the first model
server on this machine, `offline`.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.errors import ConfigError
from nanobot.providers.access import Access, ModelSettings, ProviderSettings, accesses
from nanobot.providers.catalog import PROBED
from nanobot.providers.discovery import Probe, found_models, models_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.agent.tools.registry import ToolRegistry
    from nanobot.providers.base import LLMProvider

_NO_CHAT = re.compile(r"embed|rerank|whisper|\bbge-|\btts\b|moderation", re.IGNORECASE)
_NOTHING_FOUND = "no key is set and no model server answers on this machine"
_OFFLINE = "offline"
_LOCAL = "local"
_SHOWN_MODELS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The model that will be asked.

    `name` is how `--model` calls it (`openai/gpt-5.5`), `model` what the provider calls it,
    `reason` why it was taken; `host` will see what the tools read ("": nobody outside this
    program).
    """

    provider: LLMProvider
    model: str
    name: str
    reason: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelListing:
    """One line of `nanobot models`. `note` says why it is there, or what it lacks."""

    name: str
    available: bool
    note: str
    host: str


def choose_model(
    requested: str | None = None,
    *,
    configured: ModelSettings | None = None,
    environ: Mapping[str, str] | None = None,
    tools: ToolRegistry | None = None,
    probe: Probe = models_at,
) -> ModelChoice:
    """The model to ask, with the provider that asks it; nothing is sent to a model yet.

    Blocks for up to a second while servers on this machine are looked for, and longer where the
    list of a far server is needed: from a running event loop, call it in a thread.

    Args:
        requested: `provider/model`, `provider`, `local/PATH.gguf` or `offline`.
        configured: the user's configuration.
        environ: where keys are looked for; by default this process's environment.
        tools: the registry that the offline provider makes its commands from.
        probe: how the models at a base URL are listed.

    Raises:
        ConfigError: the name is none, its key is missing, or its server does not answer.
    """
    settings = configured or ModelSettings()
    search = _Search(
        known=accesses(settings, os.environ if environ is None else environ),
        settings=settings,
        tools=tools,
        probe=probe,
    )
    if requested:
        return _named(requested, "it was asked for", search)
    if settings.model:
        return _named(settings.model, "the configuration names it", search)
    return _with_key(search) or _on_this_machine(search) or _offline(_NOTHING_FOUND, search)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    known: Sequence[Access]
    settings: ModelSettings
    tools: ToolRegistry | None
    probe: Probe


def list_models(
    *,
    configured: ModelSettings | None = None,
    environ: Mapping[str, str] | None = None,
    probe: Probe = models_at,
) -> list[ModelListing]:
    """What can be asked here: each provider with or without its key, each model of a server here.

    Blocks for up to a second.
    """
    known = accesses(configured or ModelSettings(), os.environ if environ is None else environ)
    found = found_models([each.base_url for each in known if each.endpoint.local], probe)
    listings: list[ModelListing] = []
    for access in known:
        if access.base_url in found:
            note = f"{access.preset.title} answers"
            names = [f"{access.preset.name}/{model}" for model in found[access.base_url]]
            listings.extend(_listing(name, note, access) for name in names)
        elif not access.endpoint.local:
            listings.append(_remote_listing(access))
    note = "needs no model and no key"
    return [*listings, ModelListing(name=_OFFLINE, available=True, note=note, host="")]


def _listing(name: str, note: str, access: Access, *, available: bool = True) -> ModelListing:
    return ModelListing(name=name, available=available, note=note, host=access.endpoint.host)


def _remote_listing(access: Access) -> ModelListing:
    model = access.preset.model if access.at_home else ""
    name = f"{access.preset.name}/{model or 'MODEL'}"
    if access.key_is_missing:
        return _listing(name, f"set {access.preset.key_variable}", access, available=False)
    note = f"{access.source} is set" if access.key else "no key is set"
    return _listing(name, note, access)


def _named(name: str, reason: str, search: _Search) -> ModelChoice:
    provider, _, model = name.partition("/")
    if name == _OFFLINE:
        return _offline(reason, search)
    if provider == _LOCAL:
        return _local_file(model, reason)
    access = next((each for each in search.known if each.preset.name == provider), None)
    if access is None:
        raise _unknown_provider(name, [each.preset.name for each in search.known])
    if access.key_is_missing:
        raise ConfigError(
            f"{name} needs a key: set {access.preset.key_variable}.",
            hint=f"Or put it into the configuration as providers.{provider}.api_key.",
        )
    return _choice(access, _model(access, model, search.probe), reason, search.settings)


def _with_key(search: _Search) -> ModelChoice | None:
    for access in search.known:
        if access.key and access.preset.key_variable:
            model = _model(access, "", search.probe)
            return _choice(access, model, f"{access.source} is set", search.settings)
    return None


def _on_this_machine(search: _Search) -> ModelChoice | None:
    asked = [each for each in search.known if each.preset.name in PROBED and each.endpoint.local]
    found = found_models([each.base_url for each in asked], search.probe)
    for access in asked:
        models = _chat_models(found.get(access.base_url, []))
        if models:
            reason = f"{access.preset.title} answers on {access.endpoint.host}"
            return _choice(access, models[0], reason, search.settings)
    return None


def _offline(reason: str, search: _Search) -> ModelChoice:
    from nanobot.providers.offline import OfflineProvider  # noqa: PLC0415  # on use

    provider = OfflineProvider(tools=search.tools)
    return ModelChoice(provider=provider, model=_OFFLINE, name=_OFFLINE, reason=reason, host="")


def _local_file(path: str, reason: str) -> ModelChoice:
    if not path:
        raise ConfigError(
            "local/ needs the path of a GGUF file, as in --model local/models/name.gguf"
        )
    from nanobot.providers.local import LocalProvider  # noqa: PLC0415  # on use

    name = f"{_LOCAL}/{path}"
    return ModelChoice(provider=LocalProvider(path), model=path, name=name, reason=reason, host="")


def _choice(access: Access, model: str, reason: str, settings: ModelSettings) -> ModelChoice:
    return ModelChoice(
        provider=_provider(access, model, settings),
        model=model,
        name=f"{access.preset.name}/{model}",
        reason=reason,
        host=access.endpoint.host,
    )


def _provider(access: Access, model: str, settings: ModelSettings) -> LLMProvider:
    from nanobot.providers.anthropic import AnthropicProvider  # noqa: PLC0415  # on use
    from nanobot.providers.openai import OpenAIProvider  # noqa: PLC0415  # on use

    if access.preset.protocol == "anthropic":
        return AnthropicProvider(
            model=model,
            api_key=access.key,
            base_url=access.base_url,
            key_source=access.source,
            generation=settings.generation,
        )
    return OpenAIProvider(
        model=model,
        api_key=access.key,
        base_url=access.base_url,
        key_source=access.source,
        api=access.api,
        generation=settings.generation,
    )


def _model(access: Access, model: str, probe: Probe) -> str:
    """The model's name at its server; where the server's list says what there is, one of it."""
    far = bool(access.preset.key_variable)
    if far and (model or (access.at_home and access.preset.model)):
        return model or access.preset.model
    models = probe(access.base_url, access.key)
    if models is None:
        return _unlisted(access, model)
    if not model:
        return next(iter(_chat_models(models)), "") or _unlisted(access, "")
    for name in (model, f"{model}:latest"):
        if name in models:
            return name
    if far:
        return model
    shown = ", ".join(models[:_SHOWN_MODELS]) or "none"
    more = len(models) - _SHOWN_MODELS
    raise ConfigError(
        f"{access.preset.title} has no model '{model}'.{_near(model, models)} "
        f"There are: {shown}{f' and {more} more' if more > 0 else ''}."
    )


def _unlisted(access: Access, model: str) -> str:
    """The name as it was given, for a server of one's own that has no list."""
    host = access.endpoint.host
    if access.preset.name in PROBED or (access.endpoint.local and not model):
        raise ConfigError(
            f"No model server answers at {host} ({access.preset.title}).",
            hint="Start it, or choose another model; `nanobot models` lists what was found.",
        )
    if not model:
        raise ConfigError(f"Name a model, as in {access.preset.name}/MODEL: {host} lists none.")
    return model


def _chat_models(models: Sequence[str]) -> list[str]:
    return [model for model in models if not _NO_CHAT.search(model)]


def _unknown_provider(name: str, known: Sequence[str]) -> ConfigError:
    provider = name.partition("/")[0]
    names = [*known, _OFFLINE]
    guess = _near(provider, names)
    if "/" not in name and not guess:
        maker = "anthropic" if name.startswith("claude") else "openai"
        guess = f" A model is named with its provider, as in {maker}/{name}."
    listed = ", ".join(known)
    return ConfigError(
        f"There is no model provider '{provider}'.{guess} "
        f"There are: {listed}, local/PATH.gguf, offline."
    )


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


__all__ = [
    "ModelChoice",
    "ModelListing",
    "ModelSettings",
    "ProviderSettings",
    "choose_model",
    "list_models",
]
