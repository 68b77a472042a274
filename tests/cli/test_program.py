"""The program without a terminal, as processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import NANOBOT, run_nanobot
from tests.cli.terminal import clean_environment

_HOSTILE = str(Path(__file__).with_name("hostile_tools.py"))
_OFFLINE = ("--model", "offline")


def test_a_run_shows_the_model_each_call_the_answer_and_the_sum(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "list the files and read README.md", cwd=project)

    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0].startswith("model offline (it was asked for) · nobody outside")
    assert any(line.startswith("✓ list_dir") for line in lines)
    assert any(line.startswith('✓ read_file path="README.md"') for line in lines)
    assert "Some text with TODO." in done.stdout
    assert lines[-1].startswith("2 calls · no tokens · ")
    assert "\x1b" not in done.stdout


def test_the_prompt_may_come_from_standard_input(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "-", cwd=project, stdin="/read README.md\n")

    assert done.returncode == 0, done.stderr
    assert "Some text with TODO." in done.stdout


def test_quiet_prints_the_answer_alone(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "--quiet", "/read README.md", cwd=project)

    assert "Some text with TODO." in done.stdout
    assert "✓" not in done.stdout
    assert done.stderr == ""


def test_json_prints_events_alone(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "--json", "/read README.md", cwd=project)

    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_finished"
    assert "call_finished" in kinds
    assert done.stderr.startswith("nanobot: model offline")


def test_what_is_not_read_only_is_denied_without_a_terminal(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "/write new.txt hello", cwd=project)

    assert not (project / "new.txt").exists()
    assert "--allow write_file or --yes" in done.stdout


@pytest.mark.parametrize("flag", [["--yes"], ["--allow", "write_file"]], ids=str)
def test_a_flag_lets_it_run(project: Path, flag: list[str]) -> None:
    done = run_nanobot("run", *_OFFLINE, *flag, "/write new.txt hello", cwd=project)

    assert (project / "new.txt").read_text().strip() == "hello"
    assert "changed new.txt" in done.stdout.splitlines()[-1]


def test_a_selection_leaves_the_other_tools_out(project: Path) -> None:
    done = run_nanobot("tools", "list", "--tools", "read_file,grep", cwd=project)

    names = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert names == ["grep", "read_file"]


def test_a_file_adds_its_tools_to_the_others(project: Path) -> None:
    done = run_nanobot("tools", "list", "--tools", _HOSTILE, cwd=project)

    names = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert {"paint", "hostile", "read_file"} <= set(names)


def test_hostile_text_reaches_no_output_of_a_run(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "--tools", _HOSTILE, "/call hostile {}", cwd=project)

    assert done.returncode == 0, done.stderr
    assert not set("\x1b\x07\x9b\u202e\u200b") & set(done.stdout + done.stderr)
    assert r"\x1b]0;owned" in done.stdout


def test_a_call_prints_exactly_what_a_model_gets(project: Path) -> None:
    done = run_nanobot("tools", "call", "read_file", "path=README.md", "limit=1", cwd=project)

    assert done.returncode == 0
    assert done.stdout.startswith("1| # Title\n")
    assert "Use offset=2 to continue" in done.stdout
    assert done.stderr == ""


def test_a_failed_call_prints_what_a_model_gets_with_status_1(project: Path) -> None:
    done = run_nanobot("tools", "call", "read_file", "--json", '{"path": "absent"}', cwd=project)

    assert done.returncode == 1
    assert done.stdout.startswith("Error")
    assert done.stdout.endswith("[Analyze the error above and try a different approach.]\n")


def test_a_misspelled_argument_is_refused(project: Path) -> None:
    done = run_nanobot("tools", "call", "read_file", "path=README.md", "lines=1", cwd=project)

    assert done.returncode == 1
    assert "unexpected parameter lines" in done.stdout


def test_a_call_that_asks_is_denied_without_a_terminal(project: Path) -> None:
    words = ("tools", "call", "write_file", "path=new.txt", "content=hi")

    assert run_nanobot(*words, cwd=project).returncode == 1
    assert not (project / "new.txt").exists()
    assert run_nanobot(*words, "--yes", cwd=project).returncode == 0
    assert (project / "new.txt").read_text() == "hi"


def test_tools_use_the_folders_beside_the_workspace_as_the_settings_say(project: Path) -> None:
    for name in ("reference", "scratch", "elsewhere"):
        (project.parent / name).mkdir()
        (project.parent / name / "a.txt").write_text(name)
    (project / "x.toml").write_text(
        f"[workspace]\nread_only = ['{project.parent}/reference']\n"
        f"writable = ['{project.parent}/scratch']\n"
    )

    def call(tool: str, name: str, *words: str) -> tuple[int, str]:
        path = f"path={project.parent}/{name}/a.txt"
        flags = ("--config", "x.toml", "--yes")
        done = run_nanobot("tools", "call", tool, path, *words, *flags, cwd=project)
        return done.returncode, done.stdout

    assert call("read_file", "reference")[1].startswith("1| reference")
    assert call("write_file", "scratch", "content=new")[0] == 0
    assert (project.parent / "scratch/a.txt").read_text() == "new"
    assert "may only be read" in call("write_file", "reference", "content=new")[1]
    code, said = call("read_file", "elsewhere")
    assert (code, "reference' (to read only)" in said) == (1, True)


def test_no_tool_writes_the_settings_in_use(project: Path) -> None:
    (project / "x.toml").write_text("max_turns = 3\n")
    words = ("tools", "call", "write_file", "path=src/../x.toml", "content=", "--yes")

    done = run_nanobot(*words, "--config", "x.toml", cwd=project)

    assert done.returncode == 1
    assert "it is nanobot's own configuration" in done.stdout
    assert (project / "x.toml").read_text() == "max_turns = 3\n"


def test_a_session_keeps_what_was_read_between_calls(project: Path) -> None:
    words = ("tools", "call", "read_file", "path=README.md")

    first = run_nanobot(*words, "--session", "a/b", cwd=project)
    again = run_nanobot(*words, "--session", "a/b", cwd=project)
    other = run_nanobot(*words, "--session", "c", cwd=project)

    assert "# Title" in first.stdout
    assert again.stdout.startswith("[File unchanged since last read: README.md]")
    assert "# Title" in other.stdout
    assert (project / ".nanobot" / ".gitignore").read_text() == "*\n"


def test_show_prints_manual_and_schema(project: Path) -> None:
    done = run_nanobot("tools", "show", "read_file", cwd=project)

    assert done.returncode == 0
    assert '"offset": {' in done.stdout


def test_show_of_an_unknown_tool_names_the_nearest(project: Path) -> None:
    done = run_nanobot("tools", "show", "readfile", cwd=project)

    assert done.returncode == 1
    assert "Did you mean 'read_file'?" in done.stderr


def test_check_names_each_fault_with_its_line(project: Path) -> None:
    broken = "from nanobot import tool\n\n\n@tool\ndef bare(x: int) -> str:\n    return ''\n"
    (project / "broken.py").write_text(broken)

    good = run_nanobot("tools", "check", _HOSTILE, cwd=project)
    bad = run_nanobot("tools", "check", "broken.py", cwd=project)

    assert good.returncode == 0, good.stdout
    assert "hostile (core, read_only)" in good.stdout
    assert bad.returncode == 1
    assert "broken.py:4: " in bad.stdout


def test_models_are_listed_with_what_they_lack(project: Path) -> None:
    done = run_nanobot("models", cwd=project)

    assert done.returncode == 0
    assert "set OPENAI_API_KEY" in done.stdout
    assert "offline" in done.stdout


def test_the_demo_runs_to_its_end_without_a_terminal(project: Path) -> None:
    picture = project / "demo.svg"
    done = run_nanobot("demo", "--save-svg", str(picture), cwd=project)

    assert done.returncode == 0, done.stderr
    for part in (
        "the model's part is a script",
        "unexpected parameter lines",
        "outside the configured workspace",
        "-VAT = 0.19",
        "+VAT = 0.20",
        "the demo answers yes",
        "OPENAI_API_KEY",
    ):
        assert part in done.stdout
    svg = picture.read_text()
    assert svg.startswith("<svg")
    assert "url(http" not in svg
    assert "@font-face" not in svg


def test_chat_answers_line_after_line(project: Path) -> None:
    done = run_nanobot(
        "chat", *_OFFLINE, cwd=project, stdin="/read README.md\n/tools\n/exit\n/read x\n"
    )

    assert done.returncode == 0, done.stderr
    assert "Some text with TODO." in done.stdout
    assert "grep" in done.stdout
    assert "1 call" in done.stdout


def test_an_end_is_not_held_back_by_a_stuck_tool(project: Path) -> None:
    done = run_nanobot("run", *_OFFLINE, "--tools", _HOSTILE, "/call stuck {}", cwd=project)

    assert "did not answer within 0.3 s" in done.stdout


def test_ctrl_c_stops_a_run_and_says_what_was_done(project: Path) -> None:
    command = [NANOBOT, "run", *_OFFLINE, "--tools", _HOSTILE, "--json", "/call slow {}"]
    with subprocess.Popen(
        command,
        cwd=project,
        env=clean_environment(project.parent / "home"),
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as program:
        assert program.stdout is not None
        while "call_started" not in program.stdout.readline():
            assert program.poll() is None
        os.kill(program.pid, signal.SIGINT)
        rest = program.communicate(timeout=30)[0]

    assert program.returncode == 130
    assert json.loads(rest.splitlines()[-1])["stop_reason"] == "cancelled"


@pytest.mark.parametrize(("flag", "first"), [("", "model offline"), ("--json", '{"event"')])
def test_a_reader_that_leaves_is_no_fault(flag: str, first: str, project: Path) -> None:
    line = f"{NANOBOT} run {flag} {' '.join(_OFFLINE)} '/read README.md' | head -1"

    done = subprocess.run(
        ["sh", "-c", line],
        cwd=project,
        env=clean_environment(project.parent / "home"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.startswith(first)
    assert "Traceback" not in done.stderr
    assert "observer failed" not in done.stderr
