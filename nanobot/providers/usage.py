"""Token counts of every provider in the same words.

`prompt_tokens` are all that were read, from a cache or not; `cached_tokens` those of them that a
cache held; `reasoning_tokens` those of `completion_tokens` that nobody sees.
"""

from __future__ import annotations

from collections.abc import Mapping


def openai_usage(usage: object) -> dict[str, int]:
    """The usage of Chat Completions or of the Responses API."""
    prompt = _count(usage, "prompt_tokens") or _count(usage, "input_tokens")
    completion = _count(usage, "completion_tokens") or _count(usage, "output_tokens")
    cached = (
        _count(_of(usage, "prompt_tokens_details"), "cached_tokens")
        or _count(_of(usage, "input_tokens_details"), "cached_tokens")
        or _count(usage, "prompt_cache_hit_tokens")
    )
    reasoning = _count(_of(usage, "completion_tokens_details"), "reasoning_tokens") or _count(
        _of(usage, "output_tokens_details"), "reasoning_tokens"
    )
    return _counts(prompt, completion, cached, reasoning)


def anthropic_usage(usage: object) -> dict[str, int]:
    """The usage of Messages, whose `input_tokens` leave out what a cache held or took."""
    cached = _count(usage, "cache_read_input_tokens")
    written = _count(usage, "cache_creation_input_tokens")
    prompt = _count(usage, "input_tokens") + cached + written
    reasoning = _count(_of(usage, "output_tokens_details"), "thinking_tokens")
    return _counts(prompt, _count(usage, "output_tokens"), cached, reasoning)


def _counts(prompt: int, completion: int, cached: int, reasoning: int) -> dict[str, int]:
    if not prompt and not completion:
        return {}
    counts = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if cached:
        counts["cached_tokens"] = cached
    if reasoning:
        counts["reasoning_tokens"] = reasoning
    return counts


def _of(usage: object, key: str) -> object:
    return usage.get(key) if isinstance(usage, Mapping) else None


def _count(usage: object, key: str) -> int:
    value = _of(usage, key)
    return value if isinstance(value, int) and value > 0 else 0


__all__ = ["anthropic_usage", "openai_usage"]
