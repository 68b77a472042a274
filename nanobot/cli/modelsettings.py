"""The part of the settings that decides over the model, as the providers take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.providers.access import ModelSettings, ProviderSettings
from nanobot.providers.base import GenerationSettings

if TYPE_CHECKING:
    from nanobot.config import Settings


def model_settings(settings: Settings) -> ModelSettings:
    """The model, the providers with their keys, how models generate."""
    return ModelSettings(
        model=settings.model,
        providers={
            name: ProviderSettings(
                api_key=section.api_key.get_secret_value(),
                base_url=section.base_url,
                protocol=section.protocol,
                api=section.api,
            )
            for name, section in settings.providers.items()
        },
        generation=GenerationSettings(
            temperature=settings.temperature,
            max_tokens=settings.max_tokens,
            reasoning_effort=settings.reasoning_effort,
        ),
    )


__all__ = ["model_settings"]
