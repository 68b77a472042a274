"""The documentation is true: its code runs, its links lead somewhere, its lists are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
_PAGES = [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(
    r"^(?P<mark>```+)(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=mark)\s*$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def _blocks(page: Path) -> list[str]:
    """The Python blocks of a page, in order; `python no-run` marks one that needs a key."""
    return [
        match["code"]
        for match in _FENCE.finditer(page.read_text(encoding="utf-8"))
        if match["info"].strip() == "python"
    ]


_WITH_CODE = [page for page in _PAGES if _blocks(page)]


def _id(page: Path) -> str:
    return str(page.relative_to(_ROOT))


@pytest.mark.parametrize("page", _WITH_CODE, ids=_id)
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text("\n\n".join(_blocks(page)), encoding="utf-8")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text("one\ntwo TODO\n", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path / "project",
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", _PAGES, ids=_id)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = [
        target
        for target in _LINK.findall(text)
        if "://" not in target
        and not target.startswith(("#", "mailto:"))
        and not (page.parent / target.split("#")[0]).exists()
    ]

    assert not broken


@pytest.mark.parametrize("page", _PAGES, ids=_id)
def test_no_page_names_a_path_of_one_machine(page: Path) -> None:
    assert not re.search(r"/(work|root|tmp/\w)/", page.read_text(encoding="utf-8"))


def test_the_page_of_the_built_in_tools_is_what_their_definitions_say() -> None:
    script = _ROOT / "scripts" / "tools_page.py"

    printed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True
    ).stdout

    page = (_ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert page == printed, "run: python scripts/tools_page.py > docs/tools.md"
