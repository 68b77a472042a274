"""The tool that changes several files together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.builtin import (
    ApplyPatchTool,
    EditFileTool,
    ReadFileTool,
    WriteFileTool,
)
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace import FileStates

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (folder / "b.txt").write_text("alpha\nbeta\n", encoding="utf-8")
    return folder


_PATCH = """*** Begin Patch
*** Add File: new/deep/c.txt
+hello
*** Update File: a.txt
@@
 one
-two
+zwei
*** Update File: b.txt
*** Move to: moved/b.txt
@@
-beta
+gamma
*** End Patch
"""


def _wrapped(sections: str) -> str:
    return f"*** Begin Patch\n{sections}\n*** End Patch\n"


def _names(folder: Path) -> list[str]:
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    return sorted(name for name in found if not name.startswith(".nanobot"))


async def test_a_patch_adds_changes_and_moves_together(workspace: Path) -> None:
    text = await ApplyPatchTool(workspace).execute(patch=_PATCH)

    assert text.splitlines() == [
        "Changed 3 files:",
        "Added new/deep/c.txt",
        "Changed a.txt",
        "Moved b.txt to moved/b.txt",
    ]
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "one\nzwei\nthree\n"
    assert (workspace / "moved/b.txt").read_text(encoding="utf-8") == "alpha\ngamma\n"
    assert not (workspace / "b.txt").exists()


async def test_a_stale_hunk_leaves_every_file_and_folder_as_it_was(workspace: Path) -> None:
    before = _names(workspace)

    with pytest.raises(ToolError, match=r"b\.txt, hunk 1 does not fit") as caught:
        await ApplyPatchTool(workspace).execute(patch=_PATCH.replace("-beta", "-betta"))

    assert _names(workspace) == before
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "one\ntwo\nthree\n"
    assert "line 2" in caught.value.message


async def test_a_dry_run_shows_the_diff_and_changes_nothing(workspace: Path) -> None:
    before = _names(workspace)

    text = await ApplyPatchTool(workspace).execute(patch=_PATCH, dry_run=True)

    assert text.startswith("Nothing was changed (dry_run).")
    assert "-two" in text
    assert "+zwei" in text
    assert _names(workspace) == before


async def test_edits_of_one_file_are_made_in_order(workspace: Path) -> None:
    edits = [
        {"path": "a.txt", "action": "replace", "old_text": "two", "new_text": "2"},
        {"path": "a.txt", "action": "replace", "old_text": "2\nthree", "new_text": "2\n3"},
        {"path": "n.md", "action": "add", "new_text": "new\n"},
    ]

    await ApplyPatchTool(workspace).execute(edits=edits)

    assert (workspace / "a.txt").read_text(encoding="utf-8") == "one\n2\n3\n"
    assert (workspace / "n.md").read_text(encoding="utf-8") == "new\n"


_REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "neither": ({}, "give exactly one of edits and patch; neither is given"),
    "both": (
        {"edits": [{"path": "a", "action": "add", "new_text": ""}], "patch": _PATCH},
        "both are given",
    ),
    "no edits": ({"edits": []}, "edits must have at least 1 items"),
    "unknown action": (
        {"edits": [{"path": "a.txt", "action": "delete", "old_text": "x"}]},
        r"edits\[0\]\.action must be one of \['replace', 'add'\]; .*'\*\*\* Delete File: PATH'",
    ),
    "JSON around the patch": (
        {"patch": '{"patch": "*** Begin Patch"}'},
        "does not begin with '.*' but '.*\nGive the patch as plain text in 'patch', without JSON",
    ),
    "an object for a patch": (
        {"patch": {"patch": _PATCH}},
        "patch should be string; .* text itself",
    ),
    "another object around it": (
        {"input": {"patch": _PATCH}},
        "unexpected parameter input; give exactly one of edits and patch; neither is given",
    ),
    "an edit that is none": ({"edits": ["a.txt"]}, r"edits\[0\] should be object"),
    "no old_text": (
        {"edits": [{"path": "a.txt", "action": "replace", "new_text": "x"}]},
        r"missing required edits\[0\]\.old_text",
    ),
    "add over a file": (
        {"edits": [{"path": "a.txt", "action": "add", "new_text": "x"}]},
        r"'a\.txt' exists already",
    ),
    "missing": (
        {"edits": [{"path": "z", "action": "replace", "old_text": "a", "new_text": "x"}]},
        "'z' does not exist",
    ),
    "ambiguous": (
        {"edits": [{"path": "b.txt", "action": "replace", "old_text": "a", "new_text": "x"}]},
        r"edits\[0\], b\.txt: old_text stands in 3 places",
    ),
}


@pytest.mark.parametrize(("arguments", "said"), _REFUSED.values(), ids=_REFUSED.keys())
async def test_what_can_not_be_done_is_one_clear_error(
    workspace: Path, arguments: dict[str, Any], said: str
) -> None:
    registry = ToolRegistry()
    registry.register(ApplyPatchTool(workspace))
    before = _names(workspace)

    text = str(await registry.execute("apply_patch", arguments))

    assert re.search(said, text), text
    assert text.startswith("Error")
    assert _names(workspace) == before


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        (["a.txt"], r"edits\[0\] should be object"),
        ([{"path": 1, "action": "add", "new_text": ""}], r"edits\[0\]\.path should be string"),
        ([{"action": "add", "new_text": ""}], r"missing required edits\[0\]\.path"),
        ([{"path": "a.txt", "action": "delete"}], r"one of \['replace', 'add'\]; .* Delete File"),
        ([], "1 to 20 items"),
        ([{"path": "n", "action": "add", "new_text": ""}] * 21, "1 to 20 items"),
    ],
    ids=["no object", "no text", "no path", "unknown action", "none", "too many"],
)
async def test_a_direct_call_keeps_the_bounds(workspace: Path, edits: Any, said: str) -> None:
    tool = ApplyPatchTool(workspace)

    with pytest.raises(ToolError, match=said):
        await tool.execute(edits=edits)
    assert tool.changed_paths({"edits": edits}) == []
    assert await tool.preview({"edits": edits}) == ""


def _has_our_folder(workspace: Path) -> bool:
    return (workspace / ".nanobot").exists()


_OUTSIDE = ["..\\outside\\a", "C:\\x", "/outside/a", "a/../../b", "../x"]


@pytest.mark.parametrize("path", _OUTSIDE)
async def test_a_path_that_leaves_is_refused_on_every_platform(workspace: Path, path: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"

    with pytest.raises(OutsideWorkspace):
        await ApplyPatchTool(workspace).execute(patch=patch)


@pytest.mark.parametrize(
    "form", ["*** Add File: {}\n+x", "*** Delete File: {}"], ids=["add", "delete"]
)
async def test_a_path_with_a_nul_is_refused(workspace: Path, form: str) -> None:
    with pytest.raises(ToolError, match="holds a NUL character"):
        await ApplyPatchTool(workspace).execute(patch=_wrapped(form.format("a\0b")))


async def test_a_file_that_changed_since_it_was_read_is_not_patched(workspace: Path) -> None:
    states = FileStates()
    await ReadFileTool(workspace, file_states=states).execute("a.txt")
    (workspace / "a.txt").write_text("one\ntwo\nfour\n", encoding="utf-8")

    with pytest.raises(ToolError, match="changed since you last read it") as caught:
        await ApplyPatchTool(workspace, file_states=states).execute(patch=_PATCH)

    assert "+four" in caught.value.message
    assert _names(workspace) == ["a.txt", "b.txt"]


async def test_one_file_under_two_names_is_one_file(workspace: Path) -> None:
    (workspace / "link.txt").symlink_to("a.txt")
    edits = [
        {"path": "a.txt", "action": "replace", "old_text": "one", "new_text": "1"},
        {"path": "./link.txt", "action": "replace", "old_text": "two", "new_text": "2"},
    ]

    await ApplyPatchTool(workspace).execute(edits=edits)

    assert (workspace / "a.txt").read_text(encoding="utf-8") == "1\n2\nthree\n"
    assert (workspace / "link.txt").is_symlink()


@pytest.mark.parametrize(
    "section",
    ["*** Delete File: link.txt", "*** Update File: link.txt\n*** Move to: c.txt"],
    ids=["deleted", "moved"],
)
async def test_the_file_behind_a_link_does_not_go_by_the_name_of_the_link(
    workspace: Path, section: str
) -> None:
    (workspace / "link.txt").symlink_to("a.txt")
    before = _names(workspace)

    with pytest.raises(ToolError, match=r"'link\.txt' is a link to 'a\.txt'"):
        await ApplyPatchTool(workspace).execute(patch=_wrapped(section))

    assert _names(workspace) == before


async def test_a_file_goes_by_a_way_through_a_linked_folder(workspace: Path) -> None:
    (workspace / "folder").mkdir()
    (workspace / "folder/c.txt").write_text("c\n", encoding="utf-8")
    (workspace / "there").symlink_to("folder")

    await ApplyPatchTool(workspace).execute(patch=_wrapped("*** Delete File: there/c.txt"))

    assert _names(workspace / "folder") == []


async def test_a_file_that_moves_keeps_its_mode(workspace: Path) -> None:
    (workspace / "a.txt").chmod(0o751)
    section = "*** Update File: a.txt\n*** Move to: bin/a\n@@\n-two\n+2"

    await ApplyPatchTool(workspace).execute(patch=_wrapped(section))

    assert (workspace / "bin/a").read_text(encoding="utf-8") == "one\n2\nthree\n"
    assert (workspace / "bin/a").stat().st_mode & 0o777 == 0o751


async def test_what_is_no_text_moves_as_it_is_and_takes_no_hunk(workspace: Path) -> None:
    data = bytes(range(256))
    (workspace / "picture").write_bytes(data)
    tool = ApplyPatchTool(workspace)

    await tool.execute(patch=_wrapped("*** Update File: picture\n*** Move to: sub/picture"))
    with pytest.raises(ToolError, match="no UTF-8 text") as caught:
        await tool.execute(patch=_wrapped("*** Update File: sub/picture\n@@\n-a"))

    assert (workspace / "sub/picture").read_bytes() == data
    assert "moved or deleted" in caught.value.hint


async def test_a_hunk_that_fits_with_other_blanks_is_told(workspace: Path) -> None:
    (workspace / "a.txt").write_text("one  \ntwo\n", encoding="utf-8")
    section = "*** Update File: a.txt\n@@\n one\n-two\n+2"

    text = await ApplyPatchTool(workspace).execute(patch=_wrapped(section))

    assert "Changed a.txt (it fitted with other blanks at line ends, not exactly)" in text
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "one  \n2\n"


async def test_a_second_file_that_changed_since_it_was_read_keeps_the_first(
    workspace: Path,
) -> None:
    states = FileStates()
    await ReadFileTool(workspace, file_states=states).execute("b.txt")
    (workspace / "b.txt").write_text("alpha\nother\nbeta\n", encoding="utf-8")

    with pytest.raises(ToolError, match=r"b\.txt' changed since you last read it"):
        await ApplyPatchTool(workspace, file_states=states).execute(patch=_PATCH)

    assert (workspace / "a.txt").read_text(encoding="utf-8") == "one\ntwo\nthree\n"
    assert _names(workspace) == ["a.txt", "b.txt"]


async def test_a_refusal_and_a_dry_run_leave_not_even_our_own_folder(workspace: Path) -> None:
    tool = ApplyPatchTool(workspace)

    await tool.execute(patch=_PATCH, dry_run=True)
    await tool.preview({"patch": _PATCH})
    with pytest.raises(ToolError):
        await tool.execute(patch=_PATCH.replace("-beta", "-betta"))

    assert not _has_our_folder(workspace)


def test_every_path_that_changes_is_named_for_events_and_locks(workspace: Path) -> None:
    paths = ApplyPatchTool(workspace).changed_paths({"patch": _PATCH})

    assert paths == ["new/deep/c.txt", "a.txt", "b.txt", "moved/b.txt"]


async def test_the_question_shows_the_diff(workspace: Path) -> None:
    shown = await ApplyPatchTool(workspace).preview({"patch": _PATCH})

    assert "+zwei" in shown


async def test_half_a_pair_of_surrogates_is_mended_in_what_is_written(workspace: Path) -> None:
    await WriteFileTool(workspace).execute("n.txt", "a\ud83db\n")
    await EditFileTool(workspace).execute("n.txt", "a", "\ud83d\ude00")
    await ApplyPatchTool(workspace).execute(
        edits=[{"path": "m.txt", "action": "add", "new_text": "\ud83d"}]
    )

    assert (workspace / "n.txt").read_text(encoding="utf-8") == "\U0001f600\ufffdb\n"
    assert (workspace / "m.txt").read_text(encoding="utf-8") == "\ufffd"
