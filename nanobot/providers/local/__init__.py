"""The provider that runs a model file of the person's own (the extra `local`)."""

from nanobot.providers.local.provider import LocalProvider

__all__ = ["LocalProvider"]
