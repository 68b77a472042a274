"""Repeats and violations, counted per run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.execution.call import run_call
from nanobot.agent.execution.guard import CallGuard, lookup_key
from nanobot.agent.execution.outcome import HINT, returned, shown_text
from nanobot.agent.tools.result import ToolResult
from nanobot.errors import BlockedAddress, OutsideWorkspace, RepeatedLookup
from tests.calls import FunctionTool, request, state_of

if TYPE_CHECKING:
    from pathlib import Path

_FETCH: dict[str, Any] = {"url": "http://example.test/a"}


async def _ok(**arguments: Any) -> str:
    return "ok"


def _key(**arguments: Any) -> str | None:
    return lookup_key("web_fetch", arguments)


@pytest.mark.parametrize(
    "other",
    [
        {"url": "HTTP://Example.TEST/a"},
        {"url": "http://example.test:80/a"},
        {"url": "http://example.test/a#part"},
        {"url": " http://example.test/a "},
        {"url": "http://example.test/a", "offset": 0, "extractMode": "markdown"},
        {"url": "http://example.test/a", "maxChars": 50000},
    ],
    ids=str,
)
def test_spellings_of_one_address_are_one_look_up(other: dict[str, Any]) -> None:
    assert _key(**other) == _key(**_FETCH)


@pytest.mark.parametrize(
    "other",
    [
        {"url": "http://example.test/A"},
        {"url": "http://example.test/a/"},
        {"url": "http://example.test/a?b=1"},
        {"url": "https://example.test/a"},
        {"url": "http://example.test:8080/a"},
        {"url": "http://user@example.test/a"},
        {"url": "http://example.test/a", "offset": 100},
        {"url": "http://example.test/a", "extractMode": "text"},
        {"url": "http://example.test/a", "maxChars": 100},
    ],
    ids=str,
)
def test_another_page_or_part_is_another_look_up(other: dict[str, Any]) -> None:
    assert _key(**other) != _key(**_FETCH)


def test_an_empty_path_is_the_root() -> None:
    assert _key(url="http://example.test") == _key(url="http://example.test/")


@pytest.mark.parametrize(
    "arguments",
    ['{"url": "http://example.test/a"}', {"arguments": _FETCH}, {"arguments": '{"url": "x"}'}],
    ids=str,
)
def test_arguments_in_any_wrapping_are_understood(arguments: object) -> None:
    assert lookup_key("web_fetch", arguments) is not None


@given(st.recursive(st.none() | st.text() | st.integers(), lambda s: st.dictionaries(st.text(), s)))
def test_no_arguments_break_the_guard(arguments: object) -> None:
    CallGuard().check("web_fetch", {"url": arguments})
    CallGuard().check("web_search", arguments)


def test_a_third_search_for_the_same_words_is_refused() -> None:
    guard = CallGuard()
    guard.check("web_search", {"query": "red pandas"})
    guard.check("web_search", {"query": " Red  PANDAS "})

    with pytest.raises(RepeatedLookup, match="repeated external lookup blocked"):
        guard.check("web_search", {"query": "red pandas", "count": 3})


async def _fetches(state: Any, times: int) -> list[str]:
    return [
        (await run_call(request("web_fetch", dict(_FETCH)), state)).detail for _ in range(times)
    ]


@pytest.mark.parametrize("read_only", [True, False])
async def test_the_third_fetch_is_not_executed(*, read_only: bool) -> None:
    fetched: list[str] = []

    async def fetch(url: str) -> str:
        fetched.append(url)
        return "page"

    state = state_of(FunctionTool(fetch, "web_fetch", read_only=read_only))

    assert await _fetches(state, 3) == ["page", "page", "repeated external lookup blocked"]
    assert len(fetched) == 2


async def test_a_blocked_repeat_is_an_ordinary_failure_that_says_what_to_do() -> None:
    state = state_of(FunctionTool(_ok, "web_fetch"))
    await _fetches(state, 2)

    outcome = await run_call(request("web_fetch", dict(_FETCH)), state)

    assert not outcome.soft
    assert not outcome.ran
    assert "Use the results you already have" in shown_text(outcome.content)
    assert shown_text(outcome.content).endswith(HINT)


@pytest.mark.parametrize(
    ("tool", "blocked"),
    [
        (FunctionTool(_ok, "write_file"), False),
        (FunctionTool(_ok, "list_dir", read_only=True), True),
    ],
    ids=["a change", "a read"],
)
async def test_a_change_in_between_allows_the_look_up_again(
    tool: FunctionTool, *, blocked: bool
) -> None:
    state = state_of(FunctionTool(_ok, "web_fetch", read_only=True), tool)
    await _fetches(state, 2)
    await run_call(request(tool.name), state)

    details = await _fetches(state, 1)

    assert (details == ["repeated external lookup blocked"]) is blocked


async def test_a_failed_change_does_not_allow_it() -> None:
    async def fail() -> str:
        return "Error: nothing written"

    state = state_of(FunctionTool(_ok, "web_fetch"), FunctionTool(fail, "write_file"))
    await _fetches(state, 2)
    await run_call(request("write_file"), state)

    assert await _fetches(state, 1) == ["repeated external lookup blocked"]


async def test_local_tools_may_repeat() -> None:
    state = state_of(FunctionTool(_ok, "write_stdin"))

    outcomes = [await run_call(request("write_stdin", {"chars": ""}), state) for _ in range(20)]

    assert {outcome.status for outcome in outcomes} == {"ok"}


async def _outside(path: str = "", command: str = "") -> str:
    if path:
        raise OutsideWorkspace(path)
    return "Error: Command blocked: path outside working dir"


async def test_the_third_try_at_one_target_is_final_through_whichever_tool(tmp_path: Path) -> None:
    state = state_of(
        FunctionTool(_outside, "read_file"), FunctionTool(_outside, "exec"), workspace=tmp_path
    )
    calls = [
        request("read_file", {"path": "/outside/a"}),
        request("exec", {"command": "cat /outside/a"}),
        request("exec", {"command": "python3 -c \"open('/outside/a')\""}),
    ]

    outcomes = [await run_call(one, state) for one in calls]

    labels = [outcome.detail.split(":")[0] for outcome in outcomes]
    assert labels == ["workspace_violation", "workspace_violation", "workspace_violation_escalated"]
    assert all(outcome.soft for outcome in outcomes)
    assert shown_text(outcomes[1].content).endswith(HINT)
    assert "final" in shown_text(outcomes[2].content)
    assert HINT not in shown_text(outcomes[2].content)


async def test_other_targets_have_counts_of_their_own(tmp_path: Path) -> None:
    state = state_of(FunctionTool(_outside, "read_file"), workspace=tmp_path)

    outcomes = [
        await run_call(request("read_file", {"path": f"/outside/{name}"}), state)
        for name in ("a", "b", "c", "d")
    ]

    assert {outcome.detail.split(":")[0] for outcome in outcomes} == {"workspace_violation"}


async def test_the_program_of_a_command_is_no_target(tmp_path: Path) -> None:
    state = state_of(FunctionTool(_outside, "exec"), workspace=tmp_path)

    outcomes = [
        await run_call(request("exec", {"command": f"/bin/cat /outside/{name}"}), state)
        for name in ("a", "b", "c")
    ]

    assert {outcome.detail.split(":")[0] for outcome in outcomes} == {"workspace_violation"}


async def test_a_blocked_address_is_soft_and_final_at_once() -> None:
    async def fetch() -> str:
        raise BlockedAddress("127.0.0.1")

    outcome = await run_call(request("web"), state_of(FunctionTool(fetch, "web")))

    assert outcome.soft
    assert outcome.detail.startswith("ssrf_violation: Internal/private URL detected")
    assert "can't be bypassed" in shown_text(outcome.content)


def _judged(value: object, arguments: object = None, root: Path | None = None) -> Any:
    outcome = returned("c1", "tool", value)
    CallGuard(root).judge(outcome, arguments or {})
    return outcome


@pytest.mark.parametrize(
    ("phrase", "label"),
    [
        ("Internal/private URL detected", "ssrf_violation"),
        ("Private/internal address", "ssrf_violation"),
        ("a private address", "ssrf_violation"),
        ("Path outside the configured workspace", "workspace_violation"),
        ("outside allowed directory", "workspace_violation"),
        ("working_dir is outside", "workspace_violation"),
        ("working_dir could not be resolved", "workspace_violation"),
        ("path outside working dir", "workspace_violation"),
        ("Path traversal detected", "workspace_violation"),
    ],
)
def test_third_party_texts_are_recognised_by_their_phrases(phrase: str, label: str) -> None:
    outcome = _judged(ToolResult.error(f"Refused: {phrase.upper()}."))

    assert outcome.soft
    assert outcome.detail.startswith(f"{label}: Refused")


def test_an_exception_is_recognised_by_its_message() -> None:
    outcome = _judged("Error executing tool: Path traversal detected")

    assert outcome.soft


@pytest.mark.parametrize(
    "value", ["a page about path traversal detected last year", "Error: no such file"], ids=str
)
def test_a_success_and_another_failure_are_no_violation(value: str) -> None:
    assert not _judged(value).soft


def test_a_failure_in_blocks_keeps_its_other_blocks() -> None:
    image = {"type": "image_url", "image_url": {"url": "x"}}
    text = {"type": "text", "text": "path traversal detected"}

    outcome = _judged(ToolResult("", is_error=True, blocks=[text, image]))

    assert outcome.content[:2] == [text, image]
    assert len(outcome.content) == 3


@pytest.mark.parametrize("key", ["path", "working_dir", "file_path", "destination"])
def test_the_target_of_a_text_is_found_in_the_arguments(key: str, tmp_path: Path) -> None:
    guard = CallGuard(tmp_path)
    outcomes = []
    for spelling in ("../out/a", str(tmp_path.parent / "out/a"), "x/../../out/./a"):
        outcome = returned("c1", "tool", "Error: outside the configured workspace")
        guard.judge(outcome, {key: spelling})
        outcomes.append(outcome)

    assert outcomes[2].detail.startswith("workspace_violation_escalated")
    assert outcomes[1].detail.startswith("workspace_violation:")
