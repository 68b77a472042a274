"""The content of messages, and whatever else a conversation may hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot.agent.tools.shapes import NameMap
from nanobot.providers.anthropic_messages import anthropic_turns
from nanobot.providers.connection import encoded
from nanobot.providers.content import ImagePart, OtherPart, TextPart, parts_of, text_of
from nanobot.providers.openai_chat import ChatDialect, chat_messages
from nanobot.providers.openai_responses import responses_input

DATA = "iVBORw0KGgo="
IMAGE = ImagePart(media_type="image/png", data=DATA)
FILE: dict[str, Any] = {"type": "file", "file": {"file_id": "f1"}}

PARTS: dict[str, tuple[Any, list[Any]]] = {
    "nothing": (None, []),
    "blank": ("", []),
    "text": ("x", [TextPart(text="x")]),
    "texts": ([{"type": "text", "text": "a"}, {"type": "text", "text": ""}], [TextPart(text="a")]),
    "bare_strings": (["a", "b"], [TextPart(text="a"), TextPart(text="b")]),
    "chat_image": (
        [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}],
        [IMAGE],
    ),
    "mcp_image": ([{"type": "image", "data": DATA, "mimeType": "image/PNG"}], [IMAGE]),
    "anthropic_image": (
        [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}],
        [IMAGE],
    ),
    "image_elsewhere": (
        [{"type": "image_url", "image_url": {"url": "https://h/x.png", "detail": "low"}}],
        [ImagePart(url="https://h/x.png", detail="low")],
    ),
    "image_of_no_base64": (
        [{"type": "image", "data": "☀", "mimeType": "image/png"}],
        [OtherPart(part={"type": "image", "data": "☀", "mimeType": "image/png"})],
    ),
    "file": ([FILE], [OtherPart(part=FILE)]),
    "json": ({"a": 1}, [TextPart(text='{"a": 1}')]),
}


@pytest.mark.parametrize(("content", "parts"), PARTS.values(), ids=PARTS)
def test_every_form_of_content_is_read(content: Any, parts: list[Any]) -> None:
    assert parts_of(content) == parts


def test_the_text_leaves_the_other_parts_out() -> None:
    content = [{"type": "text", "text": "a"}, FILE, {"type": "text", "text": "b"}]

    assert text_of(content) == "a\nb"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
_PART = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url", "image", "file", "thinking"])},
    optional={"text": _JSON, "image_url": _JSON, "data": _JSON, "source": _JSON},
)
_CALL = st.fixed_dictionaries(
    {}, optional={"id": _JSON, "function": st.dictionaries(st.text(), _JSON) | _JSON}
)
_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"])},
    optional={
        "content": _JSON | st.lists(_PART),
        "tool_calls": st.lists(_CALL | _JSON) | st.none(),
        "tool_call_id": _JSON,
        "reasoning_content": st.text() | st.none(),
    },
)


@settings(max_examples=50)
@given(st.lists(_MESSAGE, max_size=5))
def test_no_conversation_is_too_odd_to_be_sent(messages: list[dict[str, Any]]) -> None:
    names = NameMap.of([])

    shaped = [
        chat_messages(messages, names, ChatDialect()),
        responses_input(messages, names),
        anthropic_turns(messages, names),
    ]

    for each in shaped:
        assert encoded({"messages": [*each]})
