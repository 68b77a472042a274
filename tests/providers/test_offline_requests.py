"""Plain requests: the wordings that mean calls, and those that must not."""

from __future__ import annotations

import pytest

from nanobot.providers.offline.call import command_line
from nanobot.providers.offline.plan import Plan, make_plan
from nanobot.providers.offline.toolbox import open_toolbox
from tests.providers.offline_definitions import DEFINITIONS

_TOOLBOX = open_toolbox(DEFINITIONS, None)

_UNDERSTOOD = {
    "What files are here?": "/ls .",
    "list files": "/ls .",
    "ls": "/ls .",
    "show files": "/ls .",
    "what folders are there?": "/ls .",
    "what's in this folder?": "/ls .",
    "list the files in src": "/ls src",
    "list docs": "/ls docs",
    "show me everything in docs": "/ls docs",
    "what's in the docs folder?": "/ls docs",
    "what is in src/": "/ls src/",
    "list src and tests": "/ls src; /ls tests",
    "List all files recursively": "/ls . recursive=true",
    "show me the directory structure": "/ls . recursive=true",
    "show the tree of src": "/ls src recursive=true",
    "read README.md": "/read README.md",
    "Please read the file src/app.py": "/read src/app.py",
    "can you show me pyproject.toml?": "/read pyproject.toml",
    "I'd like to see README.md": "/read README.md",
    "open setup.cfg": "/read setup.cfg",
    "print the contents of notes.txt": "/read notes.txt",
    "give me the contents of LICENSE": "/read LICENSE",
    "cat Makefile": "/read Makefile",
    "what does README.md say?": "/read README.md",
    "What's in README.md?": "/read README.md",
    "read a.py, b.py and c.py": "/read a.py; /read b.py; /read c.py",
    'Read "my notes.txt"': "/read 'my notes.txt'",
    "read the readme": "/read README.md",
    "show me the first 10 lines of README.md": "/read README.md limit=10",
    "head -n 5 README.md": "/read README.md limit=5",
    "head README.md": "/read README.md limit=10",
    "print the top three lines of src/app.py": "/read src/app.py limit=3",
    "first line of go.mod": "/read go.mod limit=1",
    "lines 10-20 of src/app.py": "/read src/app.py offset=10 limit=11",
    "show lines 10 to 20 of src/app.py": "/read src/app.py offset=10 limit=11",
    "show me line 7 of src/app.py": "/read src/app.py offset=7 limit=1",
    "read src/app.py from line 50": "/read src/app.py offset=50",
    "last 5 lines of app.log": "/read app.log limit=1",
    "tail -n 20 app.log": "/read app.log limit=1",
    "tail app.log": "/read app.log limit=1",
    "show me the end of CHANGELOG.md": "/read CHANGELOG.md limit=1",
    "how many lines are in README.md?": "/read README.md limit=1",
    "tell me how many lines README.md has": "/read README.md limit=1",
    "count the lines in README.md": "/read README.md limit=1",
    "wc -l README.md": "/read README.md limit=1",
    "how long is README.md?": "/read README.md limit=1",
    "how many python files are there": "/find glob=*.py head_limit=1",
    "count the files in src": "/find path=src head_limit=1",
    "how many files are there in docs?": "/find path=docs head_limit=1",
    "how many TODOs are there in src?": "/grep TODO src output_mode=count head_limit=0",
    "how many times does ToolError appear in nanobot": (
        "/grep ToolError nanobot output_mode=count head_limit=0"
    ),
    'count the matches of "import os"': "/grep 'import os' output_mode=count head_limit=0",
    "find all python files": "/find glob=*.py",
    "find *.toml": "/find glob=*.toml",
    "find markdown files in docs": "/find path=docs glob=*.md",
    "list all the json files": "/find glob=*.json",
    "where is pyproject.toml?": "/find pyproject.toml",
    "is there a file called config.yaml?": "/find config.yaml",
    "find files named test_*.py": "/find glob=test_*.py",
    "find the file main.py": "/find main.py",
    "look for README.md in docs": "/find README.md docs",
    "where is the Dockerfile?": "/find Dockerfile",
    "grep TODO": "/grep TODO output_mode=content",
    'grep -rn "class Foo" src': "/grep 'class Foo' src output_mode=content",
    "find all TODOs": "/grep TODO output_mode=content",
    "search for 'def main' in nanobot": "/grep 'def main' nanobot output_mode=content",
    "grep for import os in src": "/grep 'import os' src output_mode=content",
    "search the code for retry": "/grep retry output_mode=content",
    "search src for TODO": "/grep TODO src output_mode=content",
    "search for os.path in src": "/grep os.path src fixed_strings=true output_mode=content",
    "search for todo ignoring case": "/grep todo case_insensitive=true output_mode=content",
    'look for "password" in all python files': "/grep password glob=*.py output_mode=content",
    "which files contain TODO?": "/grep TODO output_mode=files_with_matches",
    "which files import asyncio": "/grep asyncio output_mode=files_with_matches",
    'find files containing "hello world" in docs': (
        "/grep 'hello world' docs output_mode=files_with_matches"
    ),
    "which python files mention httpx?": "/grep httpx glob=*.py output_mode=files_with_matches",
    "where is run_call used?": r"/grep '\brun_call\b' output_mode=content",
    "who calls run_call?": r"/grep '\brun_call\b' output_mode=content",
    "does README.md mention pytest?": "/grep pytest README.md output_mode=content",
    "show me every line with TODO in src": "/grep TODO src output_mode=content",
    "read pyproject.toml and list docs": "/read pyproject.toml; /ls docs",
    "list the files and read README.md, then search for TODO in src": (
        "/ls .; /read README.md; /grep TODO src output_mode=content"
    ),
    "Show me src/app.py and the last 3 lines of app.log": "/read src/app.py; /read app.log limit=1",
    "1. list files\n2. read README.md": "/ls .; /read README.md",
    "Read README.md. List src!": "/read README.md; /ls src",
    "list files; list files": "/ls .",
}

_REFUSED = {
    "delete README.md": "change",
    "write a hello world program": "change",
    "create a file called x.txt": "change",
    "fix the bug in app.py": "change",
    "run the tests": "change",
    "rename a.py to b.py": "change",
    "edit README.md": "change",
    "replace foo with bar in src/app.py": "change",
    "please make it faster": "change",
    "could you commit the changes?": "change",
    "pip install requests": "change",
    "rm -rf /": "change",
    "explain this code": "unclear",
    "what does this project do": "unclear",
    "what is this repository about?": "unclear",
    "summarize README.md": "unclear",
    "why does the test fail?": "unclear",
    "how does the loop work?": "unclear",
    "how do I install this?": "unclear",
    "is this code good?": "unclear",
    "find bugs": "unclear",
    "look for errors": "unclear",
    "where is the bug?": "unclear",
    "search the web for python tutorials": "unclear",
    "search for functions that return None": "unclear",
    "which file is the largest?": "unclear",
    "compare a.py and b.py": "unclear",
    "translate README.md to German": "unclear",
    "hello": "unclear",
    "tell me a joke": "unclear",
    "show me a joke": "unclear",
    "read it": "unclear",
    "read my mind": "unclear",
    "open the door": "unclear",
    "count to ten": "unclear",
    "list functions": "unclear",
    "list reasons to use rust": "unclear",
    "show me how to delete files": "unclear",
    "open https://example.com/page": "unclear",
    "search the code and the web for cats": "unclear",
    "don't read secrets.txt": "held back",
    "never show README.md": "held back",
    "read everything except README.md": "held back",
    "if README.md exists, read it": "held back",
    "do not, under any circumstances, read secrets.txt": "held back",
    "list the files unless there are many": "held back",
    "use /read README.md": "unclear",
}


def _commands(plan: Plan) -> str:
    return "; ".join(command_line(step.first, _TOOLBOX) for step in plan.steps)


@pytest.mark.parametrize(("prompt", "commands"), _UNDERSTOOD.items(), ids=_UNDERSTOOD)
def test_a_usual_wording_means_these_calls(prompt: str, commands: str) -> None:
    plan = make_plan(prompt, _TOOLBOX)

    assert _commands(plan) == commands
    assert plan.left_out == ()


@pytest.mark.parametrize(("prompt", "why"), _REFUSED.items(), ids=_REFUSED)
def test_what_is_no_plain_request_to_read_makes_no_call(prompt: str, why: str) -> None:
    plan = make_plan(prompt, _TOOLBOX)

    assert plan.steps == ()
    assert {part.why for part in plan.left_out} == {why}


_MIXED = {
    "read README.md and fix the typo": ("/read README.md", ["fix the typo"]),
    "list the files, delete a.py and read b.py": ("/ls .; /read b.py", ["delete a.py"]),
    "read README.md\nexplain it": ("/read README.md", ["explain it"]),
    "read a.py. If it is long, stop": ("/read a.py", ["If it is long, stop"]),
}


@pytest.mark.parametrize(("prompt", "expected"), _MIXED.items(), ids=_MIXED)
def test_the_clear_part_runs_and_the_rest_is_named(
    prompt: str, expected: tuple[str, list[str]]
) -> None:
    plan = make_plan(prompt, _TOOLBOX)

    assert (_commands(plan), [part.shown for part in plan.left_out]) == expected


@pytest.mark.parametrize("name", ["ToolRegistry", "run()", "os.path.join"])
def test_a_definition_is_searched_in_the_ways_of_the_usual_languages(name: str) -> None:
    plan = make_plan(f"where is {name} defined?", _TOOLBOX)

    pattern = str(plan.steps[0].first.arguments["pattern"])
    assert name.removesuffix("()").rpartition(".")[2] in pattern
    assert "class|def" in pattern


def test_a_request_whose_tool_is_missing_says_so() -> None:
    only_reads = open_toolbox([d for d in DEFINITIONS if "read_file" in str(d)], None)

    plan = make_plan("search for TODO and read a.py", only_reads)

    assert [step.first.tool for step in plan.steps] == ["read_file"]
    assert [(part.why, part.word) for part in plan.left_out] == [("no tool", "grep")]


def test_more_than_twenty_requests_are_not_read_at_once() -> None:
    plan = make_plan("\n".join(f"read f{n}.py" for n in range(30)), _TOOLBOX)

    assert len(plan.steps) == 20
    assert [part.why for part in plan.left_out] == ["too many"]


def test_a_clause_that_means_very_many_calls_is_not_taken() -> None:
    words = " and ".join(f"T{n}" for n in range(9))

    plan = make_plan(f"search for {words} in {words}", _TOOLBOX)

    assert (plan.steps, [part.why for part in plan.left_out]) == ((), ["too many"])
