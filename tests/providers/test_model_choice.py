"""Which model is asked, and why."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.errors import ConfigError
from nanobot.providers.access import ModelSettings, ProviderSettings, accesses
from nanobot.providers.catalog import PRESETS, reasons
from nanobot.providers.choice import choose_model, list_models
from tests.fakes_http import chat_message, fake_model_server, json_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OLLAMA = "http://127.0.0.1:11434/v1"
LLAMACPP = "http://127.0.0.1:8080/v1"


def _listing(servers: Mapping[str, list[str]]) -> Callable[[str, str], list[str] | None]:
    def probe(base_url: str, api_key: str) -> list[str] | None:
        return servers.get(base_url)

    return probe


def _choose(
    requested: str | None = None, servers: Mapping[str, list[str]] | None = None, **more: Any
) -> Any:
    return choose_model(
        requested,
        environ=more.pop("environ", {}),
        probe=_listing(servers or {}),
        **more,
    )


KEYS = {
    "openai": ("OPENAI_API_KEY", "openai/gpt-5.5", "api.openai.com"),
    "anthropic": ("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-5-5", "api.anthropic.com"),
    "openrouter": ("OPENROUTER_API_KEY", "openrouter/openrouter/auto", "openrouter.ai"),
    "deepseek": ("DEEPSEEK_API_KEY", "deepseek/deepseek-chat", "api.deepseek.com"),
}


@pytest.mark.parametrize(("variable", "name", "host"), KEYS.values(), ids=KEYS)
def test_a_key_chooses_its_provider(variable: str, name: str, host: str) -> None:
    choice = _choose(environ={variable: "sk-123456"}, servers={OLLAMA: ["qwen3"]})

    assert (choice.name, choice.host) == (name, host)
    assert choice.reason == f"{variable} is set"
    assert choice.provider.get_default_model() == choice.model


def test_without_a_key_a_server_on_this_machine_is_asked() -> None:
    servers = {LLAMACPP: ["other"], OLLAMA: ["nomic-embed-text", "qwen3:8b"]}

    choice = _choose(servers=servers)

    assert choice.name == "ollama/qwen3:8b"
    assert choice.reason == "Ollama answers on 127.0.0.1:11434"
    assert choice.host == "127.0.0.1:11434"


@pytest.mark.parametrize("servers", [{}, {OLLAMA: []}, {OLLAMA: ["bge-m3"]}], ids=str)
def test_with_nothing_found_it_is_offline(servers: dict[str, list[str]]) -> None:
    choice = _choose(servers=servers)

    assert (choice.name, choice.host) == ("offline", "")
    assert choice.reason == "no key is set and no model server answers on this machine"


def test_a_name_goes_before_the_configuration_and_that_before_keys() -> None:
    configured = ModelSettings(model="deepseek/deepseek-chat")
    environ = {"OPENAI_API_KEY": "sk-123456", "DEEPSEEK_API_KEY": "sk-654321"}

    named = _choose("openai/gpt-4.1", environ=environ, configured=configured)
    from_file = _choose(environ=environ, configured=configured)

    assert (named.name, named.reason) == ("openai/gpt-4.1", "it was asked for")
    assert from_file.name == "deepseek/deepseek-chat"
    assert from_file.reason == "the configuration names it"


def test_a_name_may_hold_slashes() -> None:
    environ = {"OPENROUTER_API_KEY": "sk-123456"}

    assert _choose("openrouter/a/b:free", environ=environ).model == "a/b:free"


def test_a_provider_alone_takes_its_default_model() -> None:
    assert _choose("anthropic", environ={"ANTHROPIC_API_KEY": "k"}).model == "claude-sonnet-5-5"
    assert _choose("ollama", servers={OLLAMA: ["qwen3:8b"]}).model == "qwen3:8b"


def test_a_blank_key_is_none() -> None:
    assert _choose(environ={"OPENAI_API_KEY": "  "}).name == "offline"


WRONG: dict[str, tuple[str, str]] = {
    "spelled": ("opnai/gpt-5.5", r"There is no model provider 'opnai'\. Did you mean 'openai'\?"),
    "no_provider": ("gpt-5.5", r"named with its provider, as in openai/gpt-5\.5"),
    "claude": ("claude-opus-5", r"as in anthropic/claude-opus-5"),
    "no_key": ("openai/gpt-5.5", r"openai/gpt-5\.5 needs a key: set OPENAI_API_KEY\."),
    "no_server": ("lmstudio/x", r"No model server answers at 127\.0\.0\.1:1234 \(LM Studio\)"),
    "no_such_model": (
        "ollama/qwen33:8b",
        r"Ollama has no model 'qwen33:8b'\. Did you mean 'qwen3:8b'\? There are: qwen3:8b, llama",
    ),
    "no_file": ("local/", r"needs the path of a GGUF file"),
}


@pytest.mark.parametrize(("name", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_name_says_what_there_is(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        _choose(name, servers={OLLAMA: ["qwen3:8b", "llama"]})

    assert "\n" not in str(caught.value)


def test_ollamas_latest_tag_may_be_left_out() -> None:
    assert _choose("ollama/qwen3", servers={OLLAMA: ["qwen3:latest"]}).model == "qwen3:latest"


def test_a_base_url_of_ones_own_takes_a_model_that_it_lists() -> None:
    environ = {"OPENAI_API_KEY": "sk-123456", "OPENAI_BASE_URL": "http://10.0.0.5:8000/v1"}

    choice = _choose(environ=environ, servers={"http://10.0.0.5:8000/v1": ["mine"]})

    assert (choice.name, choice.host) == ("openai/mine", "10.0.0.5:8000")


def test_a_base_url_of_ones_own_without_a_list_wants_a_name() -> None:
    environ = {"OPENAI_API_KEY": "sk-123456", "OPENAI_BASE_URL": "http://10.0.0.5:8000/v1"}

    with pytest.raises(ConfigError, match="Name a model, as in openai/MODEL"):
        _choose(environ=environ)


def test_a_provider_of_the_configuration_may_be_named() -> None:
    mine = ProviderSettings(base_url="http://10.0.0.5:8000/v1", api_key="sk-123456")
    configured = ModelSettings(providers={"mine": mine})

    choice = _choose("mine/big", configured=configured)

    assert (choice.name, choice.host) == ("mine/big", "10.0.0.5:8000")


def test_a_misspelled_base_url_is_a_configuration_error() -> None:
    configured = ModelSettings(providers={"openai": ProviderSettings(base_url="10.0.0.5")})

    with pytest.raises(ConfigError, match="must be http"):
        _choose("openai/x", configured=configured, environ={"OPENAI_API_KEY": "sk-123456"})


OWN = "https://proxy.example/v1"
ELSEWHERE = "https://elsewhere.example/v1"
PAIRS: dict[str, tuple[ProviderSettings, dict[str, str], tuple[str, str]]] = {
    "environment": (
        ProviderSettings(),
        {"OPENAI_API_KEY": "env", "OPENAI_BASE_URL": ELSEWHERE},
        ("env", ELSEWHERE),
    ),
    "configuration": (ProviderSettings(api_key="file", base_url=OWN), {}, ("file", OWN)),
    "a_key_of_the_file_never_goes_to_a_url_of_the_environment": (
        ProviderSettings(api_key="file"),
        {"OPENAI_BASE_URL": ELSEWHERE},
        ("file", "https://api.openai.com/v1"),
    ),
    "the_file_goes_first": (
        ProviderSettings(api_key="file", base_url=OWN),
        {"OPENAI_API_KEY": "env", "OPENAI_BASE_URL": ELSEWHERE},
        ("file", OWN),
    ),
}


@pytest.mark.parametrize(("settings", "environ", "pair"), PAIRS.values(), ids=PAIRS)
def test_a_key_goes_only_where_it_is_meant_to(
    settings: ProviderSettings, environ: dict[str, str], pair: tuple[str, str]
) -> None:
    known = accesses(ModelSettings(providers={"openai": settings}), environ)

    openai = next(each for each in known if each.preset.name == "openai")
    assert (openai.key, openai.base_url) == pair


def test_no_provider_gets_the_key_of_another() -> None:
    known = accesses(ModelSettings(), {"OPENAI_API_KEY": "sk-123456"})

    assert [each.preset.name for each in known if each.key] == ["openai"]


async def test_the_chosen_provider_asks_the_server_that_was_found() -> None:
    with fake_model_server(json_answer(chat_message("hello"))) as server:
        server.models = {"object": "list", "data": [{"id": "tiny"}]}
        settings = ProviderSettings(base_url=server.url)
        configured = ModelSettings(providers={"ollama": settings})

        choice = choose_model(configured=configured, environ={})
        response = await choice.provider.chat([{"role": "user", "content": "x"}])
        await choice.provider.aclose()

    assert choice.name == "ollama/tiny"
    assert response.content == "hello"
    assert server.requests[0].body["model"] == "tiny"


def test_the_list_shows_what_is_there_and_what_is_missing() -> None:
    listings = list_models(
        environ={"OPENAI_API_KEY": "sk-123456"}, probe=_listing({OLLAMA: ["qwen3:8b"]})
    )

    lines = {each.name: (each.available, each.note) for each in listings}
    assert lines["openai/gpt-5.5"] == (True, "OPENAI_API_KEY is set")
    assert lines["anthropic/claude-sonnet-5-5"] == (False, "set ANTHROPIC_API_KEY")
    assert lines["ollama/qwen3:8b"] == (True, "Ollama answers")
    assert lines["offline"] == (True, "needs no model and no key")
    assert not [name for name in lines if name.startswith("lmstudio/")]


def test_no_repr_holds_a_key() -> None:
    settings = ModelSettings(providers={"openai": ProviderSettings(api_key="sk-very-secret")})

    choice = _choose("openai/gpt-5.5", configured=settings)

    assert "sk-very-secret" not in repr((settings, choice, accesses(settings, {})))


MODELS = {
    "gpt-5.5": True,
    "gpt-6.2-sol": True,
    "o3": True,
    "o4-mini": True,
    "openai/gpt-5-mini": True,
    "gpt-4.1": False,
    "gpt-4o-mini": False,
    "gpt-5-chat-latest": False,
    "qwen3": False,
    "omni": False,
}


@pytest.mark.parametrize(("model", "reasoning"), MODELS.items(), ids=MODELS)
def test_reasoning_models_are_known_by_name(model: str, reasoning: bool) -> None:
    assert reasons(model) is reasoning


def test_every_preset_has_one_name() -> None:
    names = [each.name for each in PRESETS]

    assert len(names) == len(set(names))


def test_choosing_imports_no_sdk() -> None:
    code = (
        "import sys; from nanobot.providers.choice import choose_model;"
        "choose_model('openai/gpt-5.5', environ={'OPENAI_API_KEY': 'sk-123456'});"
        "print(sorted({'openai', 'anthropic', 'httpx2', 'pydantic'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.strip() == "[]"
