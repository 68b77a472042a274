"""What the tests of the search tools share: a small project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "README.md": "# Title\nTODO: more\n",
        "src/app.py": "def main():\n    return 1\n# TODO\n",
        "src/util.py": "VALUE = 1\n",
        "build/out.txt": "TODO in ignored\n",
        ".gitignore": "build/\n",
        ".hidden": "TODO hidden\n",
        ".env": "TODO=secret\n",
        "key.pem": "TODO secret\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path
