"""The commands, their options, and what the documentation says of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

from nanobot.cli.commands import app, run_commands
from tests.cli.program import run_nanobot

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def _commands(command: object, name: str) -> Iterator[tuple[str, list[str]]]:
    below = getattr(command, "commands", None)
    if below:
        for word, child in below.items():
            yield from _commands(child, f"{name} {word}")
        return
    parameters = getattr(command, "params", [])
    yield name, [flag for each in parameters for flag in each.opts if flag.startswith("--")]


_ALL = dict(_commands(typer.main.get_command(app), "nanobot"))


@pytest.mark.parametrize("name", _ALL)
def test_every_command_and_option_is_documented(name: str) -> None:
    page = _PAGE.read_text(encoding="utf-8")
    section = page.partition(f"## `{name}`\n")[2].partition("\n## ")[0]

    assert section
    assert [flag for flag in _ALL[name] if f"`{flag}" not in section] == []


def test_nothing_documented_is_missing() -> None:
    page = _PAGE.read_text(encoding="utf-8")
    documented = {line[4:-1] for line in page.splitlines() if line.startswith("## `nanobot")}

    assert documented == set(_ALL)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bogus"], "No such command 'bogus'"),
        (["run", "--max-turns", "0", "x"], "--max-turns"),
        (["run", "--json", "--quiet", "x"], "--json and --quiet exclude each other."),
        (["run", "  "], "There is no prompt."),
        (["run", "--workspace", "absent", "x"], "The workspace absent is no folder."),
        (["run", "--model", "nosuch/x", "hello"], "There is no model provider 'nosuch'"),
        (["run", "--tools", "raed_file", "x"], "Did you mean 'read_file'?"),
        (["run", "--allow", "raed_file", "x"], "Did you mean 'read_file'?"),
        (["run", "--config", "absent.toml", "x"], "There is no configuration file absent.toml."),
        (["tools", "list", "--scope", "all"], "There is no scope 'all'"),
        (["tools", "call", "read_file", "README.md"], "'README.md' is no key=value."),
        (["tools", "call", "read_file", "README.md"], "Name the parameter, as in path=README.md"),
        (["run", "list", "files"], "Put the whole prompt into quotes"),
        (["tools", "call", "read_file", "path=a", "path=b"], "'path' is given twice"),
        (["tools", "call", "read_file", "limit:=x"], "The value of 'limit' is no JSON"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_told_on_standard_error_with_status_2(
    project: Path, words: list[str], message: str
) -> None:
    done = run_nanobot(*words, cwd=project)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nanobot: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("folder", ["/", "home"])
def test_the_root_and_the_home_folder_must_be_named(project: Path, folder: str) -> None:
    home = project.parent / "home"
    home.mkdir()
    cwd = home if folder == "home" else Path("/")

    done = run_nanobot("tools", "list", cwd=cwd, env={"HOME": str(home)})
    named = run_nanobot("tools", "list", "-w", str(cwd), cwd=cwd, env={"HOME": str(home)})

    assert done.returncode == 2
    assert f"name this one: --workspace {cwd}" in done.stderr
    assert done.stderr.count("\n") == 2
    assert named.returncode == 0


def test_a_settings_fault_is_one_line(project: Path) -> None:
    (project / "x.toml").write_text("modle = 'a'\n")

    done = run_nanobot("config", "show", "--config", "x.toml", cwd=project)

    assert done.returncode == 2
    assert done.stderr == ("nanobot: x.toml: there is no setting 'modle'. Did you mean 'model'?\n")


def test_settings_show_with_their_sources(project: Path) -> None:
    (project / "x.toml").write_text(
        "[providers.openai]\napi_key = 'sk-hush'\n[workspace]\nread_only = ['/usr']\n"
    )

    done = run_nanobot(
        "config", "show", "--config", "x.toml", cwd=project, env={"NANOBOT_MAX_TURNS": "9"}
    )

    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    assert rows["max_turns"] == ["9", "environment", "NANOBOT_MAX_TURNS"]
    assert rows["providers.openai.api_key"] == ["********", "file", "x.toml"]
    assert rows["workspace.read_only"][-3:] == ["['/usr']", "file", "x.toml"]
    assert rows["workspace.restrict"] == ["True", "default"]
    assert "sk-hush" not in done.stdout


def test_a_fault_of_ours_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_config: Path | None) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("nanobot.cli.listing.print_settings", broken)

    assert run_commands(["config", "show"]) == 1
    assert capsys.readouterr().err == (
        "nanobot: a fault in the program: RuntimeError: two\\nlines\n"
        "With NANOBOT_DEBUG=1 it shows where.\n"
    )


@pytest.mark.parametrize("words", [[], ["tools"], ["config"]], ids=" ".join)
def test_a_group_without_a_command_shows_its_help_on_standard_error(
    project: Path, words: list[str]
) -> None:
    done = run_nanobot(*words, cwd=project)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: nanobot")
    assert "\nCommands:\n" in done.stderr
