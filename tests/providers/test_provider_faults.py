"""What a server or a connection said → the error a person reads."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.errors import (
    AnswerTimeout,
    BadAnswer,
    KeyRejected,
    NetworkFault,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    RequestRefused,
    RequestTooLong,
    ServerFault,
)
from nanobot.providers.endpoint import Endpoint
from nanobot.providers.faults import fault_of, message_fault, retry_after_s, status_fault

KEY = "sk-proj-abcdefghijklmnop"
ENDPOINT = Endpoint(base_url="https://api.openai.com/v1", api_key=KEY, key_source="OPENAI_API_KEY")
LOOPBACK = Endpoint(base_url="http://127.0.0.1:11434/v1")


def _openai(message: str, code: str = "", kind: str = "") -> dict[str, Any]:
    return {"error": {"message": message, "code": code or None, "type": kind or None}}


STATUSES: dict[str, tuple[int, object, type[ProviderError]]] = {
    "openai_bad_key": (401, _openai("Incorrect API key provided"), KeyRejected),
    "gemini_bad_key_is_a_400": (400, _openai("API key not valid. Pass a valid one."), KeyRejected),
    "openai_quota_is_a_429": (429, _openai("You exceeded", "insufficient_quota"), QuotaExhausted),
    "anthropic_credit_is_a_400": (
        400,
        {"type": "error", "error": {"message": "Your credit balance is too low to access"}},
        QuotaExhausted,
    ),
    "deepseek_balance": (402, _openai("Insufficient Balance"), QuotaExhausted),
    "rate": (429, _openai("Rate limit reached", "rate_limit_exceeded"), RateLimited),
    "too_large_for_its_rate": (429, _openai("Request too large for gpt-x"), RequestTooLong),
    "openai_context": (400, _openai("maximum context length is 8192"), RequestTooLong),
    "openai_context_code": (400, _openai("no", "context_length_exceeded"), RequestTooLong),
    "anthropic_context": (400, _openai("prompt is too long: 9 tokens > 8"), RequestTooLong),
    "llamacpp_context": (
        400,
        _openai("the request exceeds the available context size"),
        RequestTooLong,
    ),
    "body_too_large": (413, "<html>", RequestTooLong),
    "no_model": (
        404,
        _openai("The model `gpt-9` does not exist", "model_not_found"),
        RequestRefused,
    ),
    "ollama_no_model": (404, {"error": "model 'x' not found"}, RequestRefused),
    "no_such_path": (404, "404 page not found", RequestRefused),
    "forbidden": (403, _openai("Country not supported"), RequestRefused),
    "schema": (400, _openai("Invalid schema for function 'x'"), RequestRefused),
    "too_many_asked_for": (400, _openai("max_tokens exceeds the maximum of 8"), RequestRefused),
    "redirect": (307, "", RequestRefused),
    "timeout": (408, "", AnswerTimeout),
    "gateway_timeout": (504, "", AnswerTimeout),
    "overloaded": (529, {"error": {"type": "overloaded_error"}}, ServerFault),
    "server": (500, "oops", ServerFault),
    "conflict": (409, "", ServerFault),
}


@pytest.mark.parametrize(("status", "body", "kind"), STATUSES.values(), ids=STATUSES)
def test_a_status_is_told_apart(status: int, body: object, kind: type[ProviderError]) -> None:
    fault = status_fault(status, body, {}, ENDPOINT, model="gpt-9")

    assert type(fault) is kind
    assert fault.status == status
    assert "api.openai.com" in fault.message
    assert "\n" not in fault.message


def test_a_rejected_key_names_where_the_key_came_from() -> None:
    fault = status_fault(401, _openai("Incorrect API key"), {}, ENDPOINT)

    assert fault.message == ("The key in OPENAI_API_KEY was rejected by api.openai.com (401).")
    assert fault.hint == "Check it or set another."


def test_a_missing_key_says_which_to_set() -> None:
    endpoint = Endpoint(base_url="https://api.openai.com/v1", key_source="OPENAI_API_KEY")

    fault = status_fault(401, "", {}, endpoint)

    assert fault.message == "api.openai.com (401) wants a key, and none is set."
    assert fault.hint == "Set OPENAI_API_KEY."


@pytest.mark.parametrize("status", [400, 403, 404, 429, 500])
def test_a_key_that_the_server_echoes_is_not_shown(status: int) -> None:
    fault = status_fault(status, _openai(f"your key {KEY} is odd"), {}, ENDPOINT)

    assert KEY not in str(fault) + fault.hint + repr(fault)
    assert "[key]" in fault.message


def test_a_long_text_of_a_server_is_clipped_and_made_visible() -> None:
    fault = status_fault(500, "\x1b[31m" + "x" * 10_000, {}, ENDPOINT)

    assert len(fault.message) < 400
    assert "\x1b" not in fault.message


ERRORS_INSIDE: dict[str, tuple[object, type[ProviderError]]] = {
    "openrouter_code": ({"code": 429, "message": "slow down"}, RateLimited),
    "openrouter_code_as_text": ({"code": "502", "message": "upstream"}, ServerFault),
    "anthropic_overloaded": ({"type": "overloaded_error", "message": "x"}, ServerFault),
    "responses_rate": ({"code": "rate_limit_exceeded", "message": "x"}, RateLimited),
    "responses_server": ({"code": "server_error", "message": "x"}, ServerFault),
    "text": ("model is too small", RequestRefused),
    "context": ({"message": "maximum context length"}, RequestTooLong),
    "key": ({"type": "authentication_error", "message": "x"}, KeyRejected),
}


@pytest.mark.parametrize(("body", "kind"), ERRORS_INSIDE.values(), ids=ERRORS_INSIDE)
def test_an_error_inside_an_answer_is_told_apart(body: object, kind: type[ProviderError]) -> None:
    assert type(message_fault({"error": body}, ENDPOINT)) is kind


EXCEPTIONS: dict[str, tuple[Exception, type[ProviderError]]] = {
    "timeout": (TimeoutError(), AnswerTimeout),
    "refused": (ConnectionRefusedError(111, "Connection refused"), NetworkFault),
    "json": (ValueError("Expecting value"), BadAnswer),
}


@pytest.mark.parametrize(("error", "kind"), EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_an_exception_is_told_apart(error: Exception, kind: type[ProviderError]) -> None:
    assert type(fault_of(error, LOOPBACK)) is kind


def test_a_connection_error_tells_its_innermost_cause() -> None:
    error = OSError("Connection error.")
    error.__cause__ = OSError("all attempts failed")
    error.__cause__.__cause__ = OSError("[Errno 111] Connection refused")

    fault = fault_of(error, LOOPBACK)

    assert "[Errno 111] Connection refused" in fault.message
    assert fault.hint == "Is the server running there?"


def test_a_quota_that_comes_back_is_a_rate() -> None:
    body = _openai("You exceeded your current quota, check your plan and billing details")

    assert type(status_fault(429, body, {"retry-after": "30"}, ENDPOINT)) is RateLimited
    assert type(status_fault(429, body, {}, ENDPOINT)) is QuotaExhausted


WAITS: dict[str, tuple[dict[str, str], float | None]] = {
    "seconds": ({"retry-after": "7"}, 7.0),
    "fraction": ({"retry-after": "0.5"}, 0.5),
    "milliseconds_go_first": ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
    "date": ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 70.0),
    "date_that_has_passed": ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
    "negative": ({"retry-after": "-5"}, 0.0),
    "word": ({"retry-after": "soon"}, None),
    "not_finite": ({"retry-after": "inf"}, None),
    "none": ({}, None),
}


@pytest.mark.parametrize(("headers", "seconds"), WAITS.values(), ids=WAITS)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=30.0) == seconds
