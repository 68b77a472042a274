"""Which providers there are: hosts, key variables, default models. One dated table.

The default models were checked on 2026-12-01 against the model lists that `openai` 3.57 and
`anthropic` 2.14 carry; a provider's own default (`openrouter/auto`) is taken where it has one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
ANTHROPIC_HOST = "api.anthropic.com"
ANTHROPIC_URL = f"https://{ANTHROPIC_HOST}"

_REASONING_MODEL = re.compile(r"(o[1-9]|gpt-([5-9]|[1-9]\d)|codex)(?!.*-chat)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One provider: how it is reached and what is asked there by default.

    `key_variable` is "" where no key is needed, as with a server on this machine; `model` is ""
    where the server's own list decides. `url_variable` names a variable that sets the base URL.
    """

    name: str
    title: str
    protocol: Literal["openai", "anthropic"] = "openai"
    base_url: str
    key_variable: str = ""
    url_variable: str = ""
    model: str = ""

    @property
    def local(self) -> bool:
        """Whether it is looked for on this machine."""
        return not self.key_variable


PRESETS: tuple[Preset, ...] = (
    Preset(
        name="openai",
        title="OpenAI",
        base_url=OPENAI_URL,
        key_variable="OPENAI_API_KEY",
        url_variable="OPENAI_BASE_URL",
        model="gpt-5.5",
    ),
    Preset(
        name="anthropic",
        title="Anthropic",
        protocol="anthropic",
        base_url=ANTHROPIC_URL,
        key_variable="ANTHROPIC_API_KEY",
        url_variable="ANTHROPIC_BASE_URL",
        model="claude-sonnet-5-5",
    ),
    Preset(
        name="openrouter",
        title="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        model="openrouter/auto",
    ),
    Preset(
        name="deepseek",
        title="DeepSeek",
        base_url="https://api.deepseek.com/v1",
        key_variable="DEEPSEEK_API_KEY",
        model="deepseek-chat",
    ),
    Preset(name="ollama", title="Ollama", base_url="http://127.0.0.1:11434/v1"),
    Preset(name="lmstudio", title="LM Studio", base_url="http://127.0.0.1:1234/v1"),
    Preset(name="llamacpp", title="llama.cpp", base_url="http://127.0.0.1:8080/v1"),
    Preset(name="vllm", title="vLLM", base_url="http://127.0.0.1:8000/v1"),
)
"""Every provider, in the order in which keys and servers are looked for."""

PROBED = ("ollama", "lmstudio", "llamacpp")
"""The servers on this machine that are looked for unasked."""


def preset(name: str) -> Preset | None:
    """The preset of that name."""
    return next((each for each in PRESETS if each.name == name), None)


def reasons(model: str) -> bool:
    """Whether an OpenAI model of that name reasons: then it takes an effort and no temperature."""
    return _REASONING_MODEL.match(model.rpartition("/")[2]) is not None


__all__ = [
    "ANTHROPIC_HOST",
    "ANTHROPIC_URL",
    "OPENAI_HOST",
    "OPENAI_URL",
    "PRESETS",
    "PROBED",
    "Preset",
    "preset",
    "reasons",
]
