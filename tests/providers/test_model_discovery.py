"""Servers on this machine, over real sockets."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from nanobot.providers.discovery import found_models, models_at
from tests.fakes_http import fake_model_server


def _models(*names: str) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": name, "object": "model"} for name in names]}


def test_a_model_server_lists_its_models() -> None:
    with fake_model_server() as server:
        server.models = _models("a", "b")

        assert models_at(server.url) == ["a", "b"]
        assert models_at(f"{server.url}/") == ["a", "b"]


OTHERS: dict[str, Any] = {
    "not_found": None,
    "list": [1],
    "no_data": {"models": []},
    "data_of_another_kind": {"data": [{"name": "x"}]},
    "data_is_text": {"data": "x"},
    "text": "hello",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_another_server_is_no_model_server(body: Any) -> None:
    with fake_model_server() as server:
        server.models = body

        assert models_at(server.url) is None


def test_a_closed_port_is_no_model_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    assert models_at(f"http://127.0.0.1:{port}/v1") is None


def test_a_server_that_never_answers_holds_nothing_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, fake_model_server() as server:
        server.models = _models("a")
        silent_url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"

        assert found_models([silent_url, server.url]) == {server.url: ["a"]}


def test_a_probe_that_never_returns_is_left_behind() -> None:
    forever = threading.Event()

    def probe(base_url: str, api_key: str) -> list[str] | None:
        if base_url == "stuck":
            forever.wait()
        return [base_url]

    assert found_models(["stuck", "quick"], probe) == {"quick": ["quick"]}
    forever.set()
