"""The text of HTML, whatever is written into it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.documents.htmltext import text_of_html


def _text(source: str) -> list[str]:
    return list(text_of_html(source))


_PAGES = {
    "blocks": ("<h1>Hi</h1><p>one <b>two</b>\n three<br>four<hr></p>", ["Hi", "", "one two three", "four"]),
    "entities": ("a &amp; b &lt;c&gt; &#8364; &nbsp;d &unknown; &", ["a & b <c> € d &unknown; &"]),
    "list": ("<ul><li>a<li><p>b</p></ul>", ["- a", "- b"]),
    "rows": ("<table><tr><td>a<td> b </td><tr><th>c</table>", ["a\tb", "c"]),
    "code": ("<pre>a\n  b</pre>c  d", ["a", "b", "c d"]),
    "no tags": ("1 < 2 > 0 <3 a<", ["1 < 2 > 0 <3 a<"]),
    "script": ("a<script>if (x</script >b<STYLE>p{}</style>c", ["abc"]),
    "script that never ends": ("a<script>b</scrip>c", ["a"]),
    "comment": ("a<!-- b > c -->d<!-->e", ["ade"]),
    "comment that never ends": ("a<!-- b", ["a"]),
    "declaration": ("<!DOCTYPE html>a<?xml?>b<![if !mso]>c</ x>d</>e", ["abcde"]),
    "tag that never ends": ('a<b title="x', ["a"]),
    "quotes": ("<a title='>\"' href=it's>x</a><a x=\">\">y", ["xy"]),
    "stray quote": ('<p class=a">x</p><p>y</p>', ["x", "", "y"]),
    "title": ("<head><title>t</title></head><body>x", ["x"]),
    "template": ("<template>a<template>b</template>c</template>d", ["d"]),
    "hidden": ("<div hidden>a<div>b</div>c</div>d", ["d", "[1 hidden element left out]"]),
    "hidden by style": (
        '<span style="color:red; DISPLAY : none">a</span><i style="visibility:hidden">b</i>c',
        ["c", "[2 hidden elements left out]"],
    ),
    "hidden by an escaped style": (
        '<span style="display&#58;none">a</span>b',
        ["b", "[1 hidden element left out]"],
    ),
    "hidden paragraph left open": ("<p hidden>a<p>b", ["b", "[1 hidden element left out]"]),
    "script in a hidden one": (
        "<div hidden>a<script></div></script>b</div>c",
        ["c", "[1 hidden element left out]"],
    ),
    "not hidden": (
        '<div class="hidden-xs" style="overflow:hidden;opacity:0.5" data-x="hidden">a</div>',
        ["a"],
    ),
    "long number": (f"&#{'9' * 9999};x", ["\ufffdx"]),
}  # fmt: skip


@pytest.mark.parametrize(("source", "lines"), _PAGES.values(), ids=_PAGES.keys())
def test_a_page_is_what_a_person_sees_of_it(source: str, lines: list[str]) -> None:
    assert _text(source) == lines


_REPEATED = (
    "<", "</", "<!", "<!--", "<?", "<a", '<a href="', "<a b='", "<script", "<script>", "<style>a",
    "<div>", "<div hidden>", "</a", "<![CDATA[", "&", "&#", "<p hidden>", "<b><i><a>", "<pre>\r", "=",
    "<a =", "<td>", '="', "<li>",
)  # fmt: skip


@pytest.mark.timeout(30)
@pytest.mark.parametrize("piece", _REPEATED)
def test_what_takes_minutes_in_other_parsers_is_read_before_the_deadline(piece: str) -> None:
    lines = _text(piece * (400_000 // len(piece)))

    assert sum(map(len, lines)) <= 800_000


@given(
    st.lists(
        st.sampled_from(
            [*_REPEATED, ">", "x", "</div>", "</script>", "-->", "'", '"', " hidden", "\n"]
        )
        | st.text(max_size=5)
    ).map("".join)
)
def test_any_text_gives_clean_lines(source: str) -> None:
    for line in text_of_html(source):
        assert not set("\n\r\x1b") & set(line)
