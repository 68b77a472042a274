"""Which models a server lists: whether it answers `/v1/models` as a model server does.

Asked with the standard library, straight to the socket: no SDK, no proxy, no redirect. What does
not look like a list of models (`{"data": [{"id": …}]}`) is no model server.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from nanobot.providers.endpoint import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from nanobot.jsonvalue import JsonValue

Probe: TypeAlias = "Callable[[str, str], list[str] | None]"
"""From a base URL and a key ("" for none) to the models there; None where no server answers."""

_NEAR_STEP_S = 0.3
_FAR_STEP_S = 5.0
_TOTAL_S = 1.0
_LONGEST_BODY = 4_000_000


def models_at(base_url: str, api_key: str = "") -> list[str] | None:
    """The ids of the models a server lists, in its order; None where none answers as one.

    A server on this machine has 0.3 s for the connection and for each wait, another one 5 s.

    Raises:
        ConfigError: a base URL or a key that can't be one.
    """
    endpoint = Endpoint(base_url=base_url, api_key=api_key)
    parts = urlsplit(base_url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    timeout_s = _NEAR_STEP_S if endpoint.local else _FAR_STEP_S
    headers = {"Accept": "application/json"}
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {endpoint.api_key}"
    connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/models", headers=headers)
        response = connection.getresponse()
        if response.status != http.client.OK:
            return None
        return _ids(json.loads(response.read(_LONGEST_BODY)))
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return None
    finally:
        connection.close()


def found_models(base_urls: Iterable[str], probe: Probe = models_at) -> Mapping[str, list[str]]:
    """What each base URL lists, all asked at once; who has not answered in 1 s is left out."""
    found: dict[str, list[str]] = {}
    urls = list(base_urls)

    def ask(url: str) -> None:
        models = probe(url, "")
        if models is not None:
            found[url] = models

    threads = [threading.Thread(target=ask, args=(url,), daemon=True) for url in urls]
    ends = time.monotonic() + _TOTAL_S
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, ends - time.monotonic()))
    return {url: found[url] for url in urls if url in found}


def _ids(answer: JsonValue) -> list[str] | None:
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        return None
    ids = [item.get("id") for item in data if isinstance(item, dict)]
    named = [model for model in ids if isinstance(model, str) and model]
    return named if len(named) == len(data) else None


__all__ = ["Probe", "found_models", "models_at"]
