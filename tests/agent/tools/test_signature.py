"""What `execute` takes, and where that contradicts the schema."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.signature import ExecuteSignature, contradictions, wrongly_optional

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanobot.jsonvalue import JsonObject


async def _named(path: str, limit: int = 1, *, force: bool = False) -> None: ...


def _any(path: str, **more: Any) -> None: ...


def _by_place(path: str, /) -> None: ...


@functools.wraps(_named)
async def _wrapped(*args: Any, **kwargs: Any) -> None: ...


def _signature(function: Callable[..., object]) -> ExecuteSignature:
    return ExecuteSignature.of(function)


def test_names_and_requirements_are_read() -> None:
    signature = _signature(_named)

    assert signature.names == {"path", "limit", "force"}
    assert signature.required == {"path"}
    assert (signature.takes_any, signature.is_async) == (False, True)


def test_a_plain_function_with_kwargs_takes_anything() -> None:
    signature = _signature(_any)

    assert (signature.takes_any, signature.is_async) == (True, False)


def test_a_wrapped_function_is_seen_through() -> None:
    assert _signature(_wrapped) == _signature(_named)


def test_what_has_no_signature_takes_anything() -> None:
    assert _signature({}.update).takes_any


_CASES: dict[str, tuple[Callable[..., object], JsonObject, list[str]]] = {
    "agree": (_named, {"properties": {"path": {}, "limit": {}}}, []),
    "declared, not taken": (_named, {"properties": {"path": {}, "gone": {}}}, ["gone"]),
    "required, not declared": (_named, {"properties": {"limit": {}}}, ["path"]),
    "only by place": (_by_place, {"properties": {"path": {}}}, ["path"]),
    "takes anything": (_any, {"properties": {"path": {}, "gone": {}}}, []),
    "root with a choice": (_named, {"anyOf": [{"properties": {"path": {}}}]}, []),
}


@pytest.mark.parametrize(("function", "schema", "names"), _CASES.values(), ids=_CASES.keys())
def test_calls_that_could_only_fail_are_named(
    function: Callable[..., object], schema: JsonObject, names: list[str]
) -> None:
    assert [name for name, _ in contradictions(schema, _signature(function))] == names


def test_what_execute_requires_and_the_schema_does_not_is_named() -> None:
    schema: JsonObject = {"properties": {"path": {}, "limit": {}}}

    assert wrongly_optional(schema, _signature(_named)) == ["path"]
    assert wrongly_optional({**schema, "required": ["path"]}, _signature(_named)) == []
