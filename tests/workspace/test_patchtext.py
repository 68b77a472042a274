"""The text form of a patch."""

from __future__ import annotations

import pytest

from nanobot.workspace.patchtext import (
    AddFile,
    DeleteFile,
    HunkLine,
    PatchRefused,
    UpdateFile,
    parse_patch,
)


def _wrapped(body: str) -> str:
    return f"*** Begin Patch\n{body}\n*** End Patch\n"


def test_each_section_is_read() -> None:
    added, updated, deleted = parse_patch(
        _wrapped(
            "*** Add File: a\n+x\n+\n*** Update File: b\n*** Move to: c\n"
            "@@ def f():\n ctx\n-old\n+new\n*** Delete File: d"
        )
    )

    assert added == AddFile(path="a", text="x\n\n")
    assert deleted == DeleteFile(path="d")
    assert isinstance(updated, UpdateFile)
    assert (updated.path, updated.move_to) == ("b", "c")
    assert updated.hunks[0].anchors == ("def f():",)
    assert updated.hunks[0].lines == (
        HunkLine(" ", "ctx"),
        HunkLine("-", "old"),
        HunkLine("+", "new"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "```\n*** Begin Patch\n*** Delete File: d\n*** End Patch\n```",
        "apply <<'EOF'\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF\n",
        "\n\n*** Begin Patch\r\n*** Delete File: d\r\n*** End Patch\r\n",
    ],
    ids=["fence", "here-document", "CRLF"],
)
def test_what_wraps_the_whole_patch_means_nothing(text: str) -> None:
    assert parse_patch(text) == (DeleteFile(path="d"),)


def test_the_head_of_a_git_hunk_names_its_anchor_alone() -> None:
    (update,) = parse_patch(_wrapped("*** Update File: b\n@@ -1,2 +1,3 @@ class A:\n+x"))

    assert isinstance(update, UpdateFile)
    assert update.hunks[0].anchors == ("class A:",)


_BROKEN = {
    "no begin": ("*** Update File: a\n@@\n+x\n", "does not begin with"),
    "no end": ("*** Begin Patch\n*** Delete File: a\n", "does not end with"),
    "no file": (_wrapped(""), "names no file"),
    "no path": (_wrapped("*** Add File: "), "names no file"),
    "unknown section": (_wrapped("*** Rename File: a"), "No file begins at the line"),
    "no plus": (_wrapped("*** Add File: a\nx"), "a: a line of the new file does not begin"),
    "no hunk": (_wrapped("*** Update File: a"), "a: the update has no hunk"),
    "no change": (_wrapped("*** Update File: a\n@@\n ctx"), "a, hunk 1: it adds and removes"),
    "no sign": (_wrapped("*** Update File: a\n@@\n-x\nctx"), "a, hunk 1: a line begins with"),
    "lines after a delete": (_wrapped("*** Delete File: a\n+x"), "nothing may follow"),
}


@pytest.mark.parametrize(("text", "said"), _BROKEN.values(), ids=_BROKEN.keys())
def test_a_broken_form_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(PatchRefused, match=said):
        parse_patch(text)
