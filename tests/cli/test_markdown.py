"""Markdown from a model."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from nanobot.cli.markdown import MarkdownBlocks, SafeMarkdown


def _rendered(text: str) -> str:
    console = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
    with console.capture() as capture:
        console.print(SafeMarkdown(text))
    return capture.get()


_SEEN = {
    "link with its URL": ("[here](http://evil.test/x)", "http://evil.test/x"),
    "HTML block": ("<div hidden>secret</div>", "<div hidden>secret</div>"),
    "HTML comment": ("a <!-- secret --> b", "<!-- secret -->"),
    "reference": ("[x]: http://evil.test", "http://evil.test"),
    "image": ("![alt](http://evil.test/i.png)", "http://evil.test/i.png"),
    "rich markup": ("[red]x[/red] [link=http://a]y[/link]", "[red]x[/red] [link=http://a]y[/link]"),
    "emoji code": (":boom:", ":boom:"),
    "entity of a control": ("a &#x202e; b", "&#x202e;"),
    "entity in a URL": ("[a](http://x/&#x202e;)", "%E2%80%AE"),
    "escape": ("\x1b]8;;http://x\x07y", r"\x1b]8;;http://x\x07y"),
    "escape in code": ("```\n\x1b[2J\n```", r"\x1b[2J"),
    "bidi in a table": ("|a|\n|-|\n|\u202ex|", r"\u202ex"),
}


@pytest.mark.parametrize(("text", "shown"), _SEEN.values(), ids=_SEEN)
def test_what_could_hide_or_act_is_seen(text: str, shown: str) -> None:
    output = _rendered(text)

    assert shown in output
    assert "\x1b]" not in output
    assert "\u202e" not in output


@given(
    st.text(alphabet=st.sampled_from("&#x1b2e0;[]()<>!`*~|\n\x1b\u202e\x9b\\ab:/-"), max_size=80)
)
def test_no_escape_ever_comes_out(text: str) -> None:
    output = _rendered(text)

    assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(output)


_CUTS = {
    "paragraphs": ("one\n\ntwo\n", ["one\n"], "two\n"),
    "fence with an empty line": ("```\na\n\nb\n```\n\nnext\n", ["```\na\n\nb\n```\n"], "next\n"),
    "list with an indented part": ("- a\n\n  more\n\n- b\n", ["- a\n\n  more\n"], "- b\n"),
    "longer fence holds a shorter": ("````\n```\n\nx\n", [], "````\n```\n\nx\n"),
    "carriage returns": ("one\r\n\r\ntwo\r\n", ["one\n"], "two\n"),
}


@pytest.mark.parametrize(("text", "blocks", "rest"), _CUTS.values(), ids=_CUTS)
def test_blocks_end_where_markdown_lets_them(text: str, blocks: list[str], rest: str) -> None:
    cutter = MarkdownBlocks()

    assert cutter.feed(text) == blocks
    assert cutter.finish() == rest
    assert cutter.pending == ""


@given(st.text(alphabet="a`~\n -#", max_size=60), st.data())
def test_pieces_give_the_blocks_of_the_whole(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(min_value=0, max_value=len(text)))
    whole, pieces = MarkdownBlocks(), MarkdownBlocks()

    expected = [*whole.feed(text), whole.finish()]

    assert [*pieces.feed(text[:cut]), *pieces.feed(text[cut:]), pieces.finish()] == expected
