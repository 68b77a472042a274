"""Before the program starts."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nanobot.cli.start import conflict, forget_working_folder, installed_versions
from tests.cli.program import NANOBOT, run_nanobot
from tests.cli.terminal import clean_environment

if TYPE_CHECKING:
    from pathlib import Path


def test_the_version_is_one_line(project: Path) -> None:
    done = run_nanobot("--version", cwd=project)

    assert done.returncode == 0
    assert done.stdout == f"nanobot {installed_versions(sys.path)['nanobot_tools']}\n"


def test_the_version_imports_no_command(project: Path) -> None:
    code = (
        "import sys; sys.argv[1:] = ['--version']; from nanobot.cli.main import main; main(); "
        "print(*sys.modules)"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert not {"typer", "rich", "pydantic", "nanobot.cli.commands"} & set(loaded.stdout.split())


@pytest.mark.parametrize("name", ["nanobot_ai-0.2.1.dist-info", "nanobot_ai-0.2.1-py3.11.egg-info"])
def test_it_refuses_to_start_beside_nanobot_ai(project: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "site" / name).mkdir(parents=True)

    done = run_nanobot("tools", "list", cwd=project, env={"PYTHONPATH": str(tmp_path / "site")})

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "pip uninstall nanobot-ai" in done.stderr


def test_other_distributions_are_no_conflict(tmp_path: Path) -> None:
    (tmp_path / "nanobot_aim-1.0.dist-info").mkdir()
    (tmp_path / "nanobot_tools-1.2.0.dist-info").mkdir()

    found = installed_versions([str(tmp_path), str(tmp_path / "absent")])

    assert found == {"nanobot_tools": "1.2.0"}
    assert conflict(found) == ""


def test_the_working_folder_leaves_the_import_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = ["", str(tmp_path), f"{tmp_path}/link", "/usr/lib", "."]

    forget_working_folder(path)

    assert path == ["/usr/lib"]


@pytest.mark.parametrize("command", [[NANOBOT], [sys.executable, "-m", "nanobot"]], ids=str)
def test_nothing_in_the_workspace_is_imported(project: Path, command: list[str]) -> None:
    for name in ("typer", "rich", "xllamacpp", "pydantic_settings"):
        (project / f"{name}.py").write_text("open('imported', 'w').close()\n")

    done = subprocess.run(
        [*command, "tools", "list"],
        cwd=project,
        env={**clean_environment(project.parent / "home"), "PYTHONPATH": os.pathsep},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "read_file" in done.stdout
    assert not (project / "imported").exists()
