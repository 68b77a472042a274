"""Events as JSON lines."""

from __future__ import annotations

import io
import json

from nanobot.cli.jsonlines import JsonLines
from nanobot.events import CallStarted, TextDelta


def test_each_event_is_one_ascii_line_with_its_kind() -> None:
    out = io.StringIO()
    write = JsonLines(out)

    write(CallStarted(run_id="r", call_id="1", name="grep", arguments={"a": [1]}, at=2.5))
    write(TextDelta(run_id="r", turn=0, text="\x1b\u202eä\n", at=3.0))

    lines = out.getvalue().splitlines()
    assert json.loads(lines[0]) == {
        "event": "call_started",
        "run_id": "r",
        "call_id": "1",
        "name": "grep",
        "arguments": {"a": [1]},
        "at": 2.5,
    }
    assert json.loads(lines[1])["text"] == "\x1b\u202eä\n"
    assert out.getvalue().isascii()
    assert "\x1b" not in out.getvalue()
