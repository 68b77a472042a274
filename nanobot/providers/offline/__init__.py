"""The provider without a model: exact commands, and plain requests to read."""

from nanobot.providers.offline.provider import OfflineProvider

__all__ = ["OfflineProvider"]
