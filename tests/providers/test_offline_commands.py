"""Exact commands: their words, their parameters, their faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.providers.offline.call import Call, command_line
from nanobot.providers.offline.commands import Fault, Topic
from nanobot.providers.offline.plan import make_plan
from nanobot.providers.offline.toolbox import open_toolbox
from tests.providers.offline_definitions import DEFINITIONS

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

_TOOLBOX = open_toolbox(DEFINITIONS, None)

_CALLS: dict[str, tuple[str, JsonObject]] = {
    "/ls": ("list_dir", {"path": "."}),
    "/ls src recursive=true": ("list_dir", {"path": "src", "recursive": "true"}),
    "/ls --recursive src": ("list_dir", {"path": "src", "recursive": True}),
    "/ls src --recursive false": ("list_dir", {"path": "src", "recursive": False}),
    "/ls src --no-recursive": ("list_dir", {"path": "src", "recursive": False}),
    "/ls src --max-entries 5": ("list_dir", {"path": "src", "max_entries": "5"}),
    "/list_dir docs": ("list_dir", {"path": "docs"}),
    "/read README.md": ("read_file", {"path": "README.md"}),
    "/cat README.md": ("read_file", {"path": "README.md"}),
    "/read README.md 5 10": ("read_file", {"path": "README.md", "offset": "5", "limit": "10"}),
    "/read 'a b.txt' limit=3": ("read_file", {"path": "a b.txt", "limit": "3"}),
    "/read a.md limit:=3": ("read_file", {"path": "a.md", "limit": 3}),
    '/read {"path": "a;b.md"}': ("read_file", {"path": "a;b.md"}),
    "/find '*.py' src": ("find_files", {"glob": "*.py", "path": "src"}),
    "/find readme": ("find_files", {"query": "readme"}),
    "/find": ("find_files", {}),
    r"/grep \bfoo\b src": ("grep", {"pattern": r"\bfoo\b", "path": "src"}),
    r"/grep a\ b": ("grep", {"pattern": "a b"}),
    r'/grep "say \"hi\"; \d+"': ("grep", {"pattern": r'say "hi"; \d+'}),
    "/grep x=1": ("grep", {"pattern": "x=1"}),
    "/grep 'path=a'": ("grep", {"pattern": "path=a"}),
    "/grep -- --force": ("grep", {"pattern": "--force"}),
    "/grep '--force'": ("grep", {"pattern": "--force"}),
    "/grep -v": ("grep", {"pattern": "-v"}),
    "/grep ''": ("grep", {"pattern": ""}),
    "/grep a'b'\"c\"": ("grep", {"pattern": "abc"}),
    "/grep it\\'s": ("grep", {"pattern": "it's"}),
    "/grep {foo}": ("grep", {"pattern": "{foo}"}),
    "/write a.txt 'one\ntwo\n'": ("write_file", {"path": "a.txt", "content": "one\ntwo\n"}),
    "/write a.txt $'one\\ntwo\\t\\'x\\''": (
        "write_file",
        {"path": "a.txt", "content": "one\ntwo\t'x'"},
    ),
    "/edit a.py 'a = 1' 'a = 2' --replace-all": (
        "edit_file",
        {"path": "a.py", "old_text": "a = 1", "new_text": "a = 2", "replace_all": True},
    ),
    '/patch edits:=[{"path": "a", "action": "add"}]': (
        "apply_patch",
        {"edits": [{"path": "a", "action": "add"}]},
    ),
    "/patch edits:='[1, 2]'": ("apply_patch", {"edits": [1, 2]}),
    "/patch '*** Begin Patch'": ("apply_patch", {"patch": "*** Begin Patch"}),
    "/run 'pytest -q; ls'": ("exec", {"command": "pytest -q; ls"}),
    "/weather.now Paris days=2": ("weather.now", {"city": "Paris", "days": "2"}),
    "/weather.now 'New York' tags=a tags=b": (
        "weather.now",
        {"city": "New York", "tags": ["a", "b"]},
    ),
    '/call weather.now {"city": "Rome",\n "days": 3}': ("weather.now", {"city": "Rome", "days": 3}),
    "/call find_files": ("find_files", {}),
}

_FAULTS = {
    "/raed a.md": "did you mean /read?",
    "/nothing": "there is no such command",
    "/read": "path missing",
    "/write a.txt": "content missing",
    "/edit a.txt": "old_text and new_text missing",
    "/read a.md b c d": "too many values at 'd'",
    "/read a.md path=b.md": "'path' is given twice",
    "/read a.md --limt 3": "there is no parameter 'limt'; did you mean 'limit'?",
    "/read a.md --limit": "--limit has no value",
    "/read 'a.md": "a quote ' is not closed",
    '/grep "a': 'a quote " is not closed',
    "/read a.md limit:=x": "not JSON",
    "/read a.md limit:=1x": "something follows the value",
    "/patch edits:=NaN": "not JSON",
    "/call": "the name of a tool is missing",
    "/call read_fil {}": "did you mean /read_file?",
    "/call read_file [1]": "no JSON object",
    "/call read_file {": "not JSON",
    '/call read_file {"path": "a"} b': "something follows the arguments",
    "/call read_file " + "[" * 100_000: "not JSON",
}


@pytest.mark.parametrize(("prompt", "call"), _CALLS.items(), ids=_CALLS)
def test_an_exact_command_is_one_call(prompt: str, call: tuple[str, JsonObject]) -> None:
    plan = make_plan(prompt, _TOOLBOX)

    assert [step.first for step in plan.steps] == [Call(*call)]
    assert (plan.faults, plan.left_out) == ((), ())


@pytest.mark.parametrize(("prompt", "reason"), _FAULTS.items(), ids=[k[:40] for k in _FAULTS])
def test_a_faulty_command_is_one_line_and_no_call(prompt: str, reason: str) -> None:
    plan = make_plan(prompt, _TOOLBOX)

    assert plan.steps == ()
    [fault] = plan.faults
    assert reason in fault.reason
    assert "\n" not in fault.reason


def test_several_commands_stand_on_lines_or_behind_semicolons() -> None:
    plan = make_plan("/ls;/read a.md ; /write b.txt 'x;y'\n\n/grep z\n", _TOOLBOX)

    tools = [step.first.tool for step in plan.steps]
    assert tools == ["list_dir", "read_file", "write_file", "grep"]


def test_one_faulty_command_keeps_all_from_running() -> None:
    plan = make_plan("/write a.txt x; /raed a.txt", _TOOLBOX)

    assert (plan.steps, plan.stopped) == ((), True)


def test_a_change_beside_what_is_not_understood_does_not_run() -> None:
    plan = make_plan("/write notes.txt hello\nworld and all", _TOOLBOX)

    assert (plan.steps, plan.stopped) == ((), True)
    assert [part.shown for part in plan.left_out] == ["world and all"]


def test_a_command_inside_other_text_only_reads() -> None:
    plan = make_plan("read a.md\n/write b.txt x\n/ls src", _TOOLBOX)

    assert [step.first.tool for step in plan.steps] == ["read_file", "list_dir"]
    assert [(part.why, part.word) for part in plan.left_out] == [("command", "write_file")]


@pytest.mark.parametrize("prompt", ["/read a.md; list docs", "list docs; /read a.md"])
def test_commands_and_plain_requests_stand_side_by_side(prompt: str) -> None:
    plan = make_plan(prompt, _TOOLBOX)

    assert {step.first.tool for step in plan.steps} == {"read_file", "list_dir"}


def test_a_path_is_no_command() -> None:
    plan = make_plan("/etc/passwd", _TOOLBOX)

    assert (plan.steps, plan.faults) == ((), ())
    assert [part.why for part in plan.left_out] == ["unclear"]


def test_a_tool_that_has_a_short_name_goes_first() -> None:
    own: JsonObject = {
        "type": "function",
        "function": {
            "name": "read",
            "description": "Mine.",
            "parameters": {"properties": {"book": {}}, "required": ["book"]},
        },
    }

    plan = make_plan("/read Ulysses; /cat a.md", open_toolbox([*DEFINITIONS, own], None))

    assert [step.first.tool for step in plan.steps] == ["read", "read_file"]


def test_a_parameter_outside_an_open_schema_is_handed_on() -> None:
    own: JsonObject = {"type": "function", "function": {"name": "free", "parameters": {}}}

    plan = make_plan("/free --depth 3 size:=2", open_toolbox([own], None))

    assert [step.first for step in plan.steps] == [Call("free", {"depth": "3", "size": 2})]


@pytest.mark.parametrize(
    ("prompt", "topic"),
    [
        ("/help", Topic("help")),
        ("/help read", Topic("help", "read")),
        ("/help /read", Topic("help", "read")),
        ("/read --help", Topic("help", "read_file")),
        ("/tools", Topic("tools")),
        ("help", Topic("help")),
        ("What can you do?", Topic("help")),
        ("list tools", Topic("tools")),
    ],
)
def test_help_is_a_topic(prompt: str, topic: Topic) -> None:
    assert make_plan(prompt, _TOOLBOX).topics == (topic,)


def test_the_usage_names_every_parameter() -> None:
    plan = make_plan("/write", _TOOLBOX)

    assert plan.faults == (Fault("/write", "path and content missing", "/write PATH CONTENT"),)
    assert _TOOLBOX.shapes["grep"].usage == (
        "/grep PATTERN [PATH] [glob=TEXT] [case_insensitive=true] [fixed_strings=true] "
        "[output_mode=TEXT] [head_limit=N]"
    )


_TEXT = st.text(st.characters(codec="utf-8"))


@given(path=_TEXT, old=_TEXT, new=_TEXT, every=st.booleans())
def test_the_shown_command_makes_the_same_call(path: str, old: str, new: str, every: bool) -> None:
    arguments: JsonObject = {"path": path, "old_text": old, "new_text": new}
    shown = command_line(Call("edit_file", {**arguments, "replace_all": every}), _TOOLBOX)

    plan = make_plan(shown, _TOOLBOX)

    written = {**arguments, "replace_all": "true" if every else "false"}
    assert [step.first for step in plan.steps] == [Call("edit_file", written)]
