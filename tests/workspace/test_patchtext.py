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
        "```diff\n\n*** Begin Patch\n*** Delete File: d\n*** End Patch\n\n```\n",
        "```\napply_patch <<EOF\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF\n```",
        "*** Begin Patch\n*** Delete File:d\n\n*** End Patch",
        "apply <<'EOF'\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF\n",
        "\n\n*** Begin Patch\r\n*** Delete File: d\r\n*** End Patch\r\n",
    ],
    ids=[
        "fence",
        "fence of a kind",
        "fence and here-document",
        "no blank",
        "here-document",
        "CRLF",
    ],
)
def test_what_wraps_the_whole_patch_means_nothing(text: str) -> None:
    assert parse_patch(text) == (DeleteFile(path="d"),)


def test_the_head_of_a_git_hunk_names_its_anchor_alone() -> None:
    (update,) = parse_patch(_wrapped("*** Update File: b\n@@ -1,2 +1,3 @@ class A:\n+x"))

    assert isinstance(update, UpdateFile)
    assert update.hunks[0].anchors == ("class A:",)


def test_an_anchor_of_blanks_alone_is_none() -> None:
    (update,) = parse_patch(_wrapped("*** Update File: b\n@@   \n-x"))

    assert isinstance(update, UpdateFile)
    assert update.hunks[0].anchors == ()


_BROKEN = {
    "no begin": ("*** Update File: a\n@@\n+x\n", "does not begin with"),
    "no end": ("*** Begin Patch\n*** Delete File: a\n", "does not end with"),
    "JSON": ('{"patch": "*** Begin Patch"}', r"does not begin with .* but '\{"),
    "prose before": ("Here it is:\n*** Begin Patch\n*** End Patch", "but 'Here it is:'"),
    "nothing": ("\n", "does not begin with"),
    "more after the end": (_wrapped("*** Delete File: a") + "*** Delete File: b", "goes on after"),
    "an end in the context alone": (
        "*** Begin Patch\n*** Update File: a\n *** End Patch",
        "be cut",
    ),
    "another patch inside": (_wrapped("*** Delete File: a\n*** Begin Patch"), "No file begins at"),
    "a hunk of no file": (_wrapped("@@\n-a"), "No file begins at the line '@@'"),
    "unknown word below a hunk": (
        _wrapped("*** Update File: a\n-x\n*** Rename: b"),
        "'... Rename: b'",
    ),
    "a move below a hunk": (
        _wrapped("*** Update File: a\n-x\n*** Move to: b"),
        "a, hunk 1: a line begins",
    ),
    "an end above a hunk's last line": (
        _wrapped("*** Update File: a\n@@\n-x\n@@\n-y\n*** End of File\n-z"),
        "a, hunk 2: a line begins",
    ),
    "no new name": (_wrapped("*** Update File: a\n*** Move to:"), "'... Move to:' names no file"),
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
    with pytest.raises(PatchRefused, match=said) as caught:
        parse_patch(text)
    assert caught.value.hint
    assert "\n" not in caught.value.message


def test_blank_lines_without_number_take_no_time() -> None:
    added, updated = parse_patch(
        _wrapped("*** Add File: a\n+x" + "\n" * 300_000 + "*** Update File: b\n-x" + "\n" * 300_000)
    )

    assert added == AddFile(path="a", text="x\n")
    assert isinstance(updated, UpdateFile)
    assert updated.hunks[0].lines == (HunkLine("-", "x"),)
