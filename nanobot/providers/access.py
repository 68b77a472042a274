"""Where each provider is reached, and with which key. Pure: the environment is handed in.

A key goes only to the host it is meant for. One from the environment goes to its provider's host,
or to the base URL that the configuration or the environment names for that provider; one from the
configuration goes to the base URL beside it, or to the provider's host, never to a base URL of the
environment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from nanobot.providers.catalog import PRESETS, Preset, preset
from nanobot.providers.endpoint import Endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.providers.base import GenerationSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """What the configuration says of one provider. A name of one's own needs a `base_url`."""

    api_key: str = field(default="", repr=False)
    base_url: str = ""
    protocol: Literal["openai", "anthropic"] = "openai"
    api: Literal["auto", "chat", "responses"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The part of the configuration that decides over the model."""

    model: str = ""
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    generation: GenerationSettings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One provider with its base URL and key. `source` names where the key is, or would be."""

    preset: Preset
    base_url: str
    key: str = field(repr=False)
    source: str
    api: Literal["auto", "chat", "responses"]

    @property
    def endpoint(self) -> Endpoint:
        """The same as an endpoint.

        Raises:
            ConfigError: a base URL or a key that can't be one.
        """
        return Endpoint(base_url=self.base_url, api_key=self.key, key_source=self.source)

    @property
    def key_is_missing(self) -> bool:
        """Whether it wants a key that is not there; a server on this machine wants none."""
        return bool(self.preset.key_variable) and not self.key and not self.endpoint.local

    @property
    def at_home(self) -> bool:
        """Whether the base URL is the provider's usual one, so that its default model is there."""
        return self.base_url.rstrip("/") == self.preset.base_url.rstrip("/")


def accesses(configured: ModelSettings, environ: Mapping[str, str]) -> list[Access]:
    """Every known provider, then those that only the configuration names."""
    own = [
        Preset(name=name, title=name, protocol=settings.protocol, base_url=settings.base_url)
        for name, settings in configured.providers.items()
        if preset(name) is None and settings.base_url
    ]
    return [
        _access(each, configured.providers.get(each.name, ProviderSettings()), environ)
        for each in (*PRESETS, *own)
    ]


def _access(known: Preset, settings: ProviderSettings, environ: Mapping[str, str]) -> Access:
    own_key = settings.api_key.strip()
    variable_key = environ.get(known.key_variable, "").strip() if known.key_variable else ""
    url = settings.base_url
    if not own_key and not url and known.url_variable:
        url = environ.get(known.url_variable, "").strip()
    from_configuration = bool(own_key) or not known.key_variable
    return Access(
        preset=known,
        base_url=url or known.base_url,
        key=own_key or variable_key,
        source=f"providers.{known.name}.api_key" if from_configuration else known.key_variable,
        api=settings.api,
    )


__all__ = ["Access", "ModelSettings", "ProviderSettings", "accesses"]
