"""Where requests go: hosts, keys, what is kept out of sight."""

from __future__ import annotations

import pytest

from nanobot.errors import ConfigError
from nanobot.providers.endpoint import Endpoint

HOSTS = {
    "https://api.openai.com/v1": "api.openai.com",
    "http://user:secret@10.0.0.1:8000/v1": "10.0.0.1:8000",
    "http://[::1]:11434/v1": "[::1]:11434",
}
LOCAL = {
    "http://127.0.0.1:1/v1": True,
    "http://127.9.9.9/v1": True,
    "http://localhost:1234": True,
    "http://[::1]:1": True,
    "http://localhost.example.com": False,
    "http://10.0.0.1": False,
    "https://127.0.0.1.nip.io": False,
}


@pytest.mark.parametrize(("url", "host"), HOSTS.items(), ids=HOSTS)
def test_the_host_is_shown_without_credentials(url: str, host: str) -> None:
    assert Endpoint(base_url=url).host == host


@pytest.mark.parametrize(("url", "local"), LOCAL.items(), ids=LOCAL)
def test_only_loopback_is_local(url: str, local: bool) -> None:
    assert Endpoint(base_url=url).local is local


@pytest.mark.parametrize("url", ["", "api.openai.com", "ftp://x/v1", "http://", "http://h:bad/v1"])
def test_what_is_no_url_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError, match="must be http"):
        Endpoint(base_url=url)


def test_neither_key_nor_password_is_in_the_repr() -> None:
    endpoint = Endpoint(base_url="http://user:password1@host/v1", api_key="sk-very-secret")

    assert "sk-very-secret" not in repr(endpoint)
    assert "password1" not in repr(endpoint)


def test_a_wrong_url_is_named_without_its_password() -> None:
    with pytest.raises(ConfigError) as caught:
        Endpoint(base_url="ftp://user:password1@host/v1")

    assert "password1" not in str(caught.value)


@pytest.mark.parametrize("key", ["ключ-ключ", "sk-a\nb", "sk-“quoted”"])
def test_a_key_that_fits_no_header_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Endpoint(base_url="https://h/v1", api_key=key, key_source="OPENAI_API_KEY")

    assert "OPENAI_API_KEY" in str(caught.value)
    assert key not in str(caught.value)


def test_blanks_around_a_key_are_dropped() -> None:
    assert Endpoint(base_url="https://h/v1", api_key=" sk-1\n").api_key == "sk-1"


def test_secrets_are_scrubbed_from_a_text() -> None:
    endpoint = Endpoint(base_url="http://u:password1@h/v1", api_key="sk-123456")

    assert endpoint.scrubbed("sk-123456 and password1") == "[key] and [key]"
