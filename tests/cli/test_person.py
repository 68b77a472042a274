"""The person at the terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from nanobot.agent.execution.approval import Allow, AllowForRun, ApprovalRequest, Ask, Deny
from nanobot.agent.tools.base import Tool
from nanobot.cli.person import TerminalPerson
from nanobot.cli.screen import Screen

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject


class _Writer(Tool):
    name = "write_it"
    description = "Write."
    parameters = {"type": "object"}  # noqa: RUF012  # the contract's form

    def __init__(self, diff: str = "") -> None:
        self._diff = diff

    async def preview(self, params: JsonObject) -> str:
        if self._diff == "broken":
            raise ValueError("no diff")
        return self._diff

    async def execute(self, **kwargs: Any) -> str:
        return ""


async def _ask(
    *lines: str | None, arguments: JsonObject | None = None, diff: str = ""
) -> tuple[object, str]:
    out = io.StringIO()
    typed = iter(lines)

    async def line() -> str | None:
        return next(typed)

    person = TerminalPerson(Screen(Console(file=out, width=100), live=False), line)
    request = ApprovalRequest(call_id="1", tool=_Writer(diff), arguments=arguments or {})
    answer = await person(request, Ask("it may change things"))
    return answer, out.getvalue()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["y"], Allow()),
        ([" YES "], Allow()),
        (["a"], AllowForRun()),
        (["n"], Deny("the person said no")),
        (["n use the other file"], Deny("the person said no: use the other file")),
        ([None], Deny("the person is gone")),
        (["", "maybe", "yy", "n"], Deny("the person said no")),
    ],
    ids=str,
)
async def test_only_a_clear_word_is_an_answer(lines: list[str | None], answer: object) -> None:
    assert (await _ask(*lines))[0] == answer


async def test_the_question_shows_every_argument_and_the_diff() -> None:
    _, shown = await _ask("y", arguments={"path": "a.txt", "n": 3}, diff="-old\n+new\n")

    for part in ("write_it: it may change things", 'path: "a.txt"', "n: 3", "-old", "+new"):
        assert part in shown


async def test_a_long_argument_shows_its_length_and_v_shows_all() -> None:
    text = "a" * 1000 + "\nthe end"

    _, shown = await _ask("v", "n", arguments={"content": text})

    before, _, after = shown.partition("v: view all")
    assert "(1,008 characters in all; v shows them)" in before
    assert "the end" not in before
    assert "the end" in after


async def test_a_long_diff_is_cut_and_v_shows_all() -> None:
    diff = "".join(f"+line {number}\n" for number in range(100))

    _, shown = await _ask("v", "n", diff=diff)

    assert "40 lines more" in shown
    assert shown.count("+line 99") == 1


async def test_hostile_arguments_and_diffs_are_spelled_out() -> None:
    hostile = "\x1b[2J\u202e\x9b"

    _, shown = await _ask("v", "n", arguments={hostile: hostile + "\n" * 500}, diff=f"+{hostile}")

    assert not set("\x1b\u202e\x9b") & set(shown)
    assert r"\x1b[2J\u202e" in shown


async def test_a_broken_preview_still_asks() -> None:
    answer, shown = await _ask("n", diff="broken")

    assert answer == Deny("the person said no")
    assert "no preview: ValueError: no diff" in shown
