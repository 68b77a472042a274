"""What a worker may do, and what it says where a library is missing."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.documents.faults import DocumentFault
from nanobot.workspace.landlock import landlock_version
from tests.documents.samples import package, paragraph, pdf, word

if TYPE_CHECKING:
    from pathlib import Path

_TRY = """
import resource, socket, sys
from nanobot.documents.worker import give_up_rights
give_up_rights(1 << 30)
def refused(what, *arguments):
    try:
        what(*arguments)
    except OSError as error:
        return type(error).__name__
    return "done"
print(refused(open, sys.argv[1]), refused(open, sys.argv[1] + ".new", "w"),
      refused(open, "/etc/hostname"), resource.getrlimit(resource.RLIMIT_AS)[0],
      resource.getrlimit(resource.RLIMIT_CORE)[1], resource.getrlimit(resource.RLIMIT_FSIZE)[1])
import decimal, email.mime.text
print(refused(socket.create_connection, ("127.0.0.1", int(sys.argv[2]))))
"""


@pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
def test_a_worker_opens_no_file_and_writes_none(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", _TRY, tmp_path / "secret.txt", "9"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert done[0] == f"PermissionError PermissionError PermissionError {1 << 30} 0 0"
    assert done[1] == ("PermissionError" if landlock_version() >= 4 else "ConnectionRefusedError")
    assert list(tmp_path.iterdir()) == [tmp_path / "secret.txt"]


_WITHOUT = """#!{python} -I
import sys
sys.modules["{library}"] = None
sys.argv = sys.argv[2:]
exec(sys.argv.pop(1))
"""
_LIBRARIES = {
    "pdf": ("pypdfium2", pdf(1), "Reading it needs pypdfium2, which is not installed"),
    "docx": ("lxml", word(paragraph("x")).getvalue(), "Reading it needs lxml"),
    "picture": ("PIL", b"\x89PNG\r\n\x1a\n", "Reading it needs Pillow"),
    "workbook": (
        "python_calamine",
        package({"xl/workbook.xml": ""}).getvalue(),
        "Reading it needs python-calamine",
    ),
}


@pytest.mark.parametrize(("library", "data", "said"), _LIBRARIES.values(), ids=_LIBRARIES.keys())
async def test_a_missing_library_is_named_with_the_way_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, data: bytes, said: str
) -> None:
    program = tmp_path / "python"
    program.write_text(_WITHOUT.format(python=sys.executable, library=library), encoding="ascii")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    (tmp_path / "a.bin").write_bytes(data)
    tool = ReadFileTool(tmp_path)

    with pytest.raises(DocumentFault, match=said) as caught:
        await tool.execute("a.bin")

    assert caught.value.hint == ('A person can install it: pip install "nanobot-tools[documents]"')
    tool.documents.close()
