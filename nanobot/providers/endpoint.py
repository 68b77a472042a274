"""Where a provider's requests go, and with which key."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from nanobot.errors import ConfigError

_HIDDEN = "[key]"
_SHORTEST_SECRET = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One base URL with its key. Neither the key nor the URL is part of its repr.

    `key_source` names where the key came from, for a person (`OPENAI_API_KEY`). `total_s` bounds a
    whole request in seconds, `idle_s` the time a stream may be silent.

    Raises:
        ConfigError: the URL is not http(s) with a host, or the key holds what no header may.
    """

    base_url: str = field(repr=False)
    api_key: str = field(default="", repr=False)
    key_source: str = ""
    total_s: float = 600.0
    idle_s: float = 300.0
    host: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", self.api_key.strip())
        object.__setattr__(self, "host", _host_of(self.base_url))
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise ConfigError(
                f"The key in {self.key_source or 'the configuration'} holds characters no key has",
                hint="Copy it again, without quotes, spaces or line ends.",
            )

    @property
    def local(self) -> bool:
        """Whether it is a server on this machine."""
        name = urlsplit(self.base_url).hostname or ""
        if name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    def scrubbed(self, text: str) -> str:
        """The text without this endpoint's secrets, where a server echoes them."""
        password = urlsplit(self.base_url).password or ""
        for secret in (self.api_key, password):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, _HIDDEN)
        return text


def _host_of(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        name, port = parts.hostname, parts.port
    except ValueError:
        name, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not name:
        raise ConfigError(
            f"The base URL of a provider must be http:// or https:// with a host, not "
            f"{base_url.rpartition('@')[2]!r}"
        )
    shown = f"[{name}]" if ":" in name else name
    return f"{shown}:{port}" if port else shown


__all__ = ["Endpoint"]
