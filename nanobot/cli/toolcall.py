"""`nanobot tools call`: one call through the call path, printed as the model would get it."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from nanobot.agent.execution.call import RunState, run_call
from nanobot.agent.tools.context import (
    RequestContext,
    bind_request_context,
    reset_request_context,
)
from nanobot.cli.eventloop import run_to_end
from nanobot.cli.failure import Failed
from nanobot.cli.keyboard import Keyboard
from nanobot.cli.person import TerminalPerson
from nanobot.cli.screen import Screen, stdout_console, terminal_console
from nanobot.cli.session import open_session, open_workspace
from nanobot.config import load_settings
from nanobot.errors import ConfigError
from nanobot.providers.base import ToolCallRequest
from nanobot.visible import visible
from nanobot.workspace import FileStates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from nanobot.agent.execution.outcome import Content, Outcome
    from nanobot.cli.session import Session, SessionOptions
    from nanobot.workspace import Workspace

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallWords:
    """A call as it was typed: pairs `key=value` or `key:=JSON`, or one JSON text."""

    name: str
    pairs: Sequence[str] = ()
    json_text: str | None = None

    def arguments(self) -> dict[str, object] | str:
        """The arguments as a model would give them; values of pairs are text.

        Raises:
            ConfigError: a pair that is none, a key twice, or both forms at once.
        """
        if self.json_text is not None:
            if self.pairs:
                raise ConfigError("Give key=value pairs or --json, not both.")
            return self.json_text
        found: dict[str, object] = {}
        for pair in self.pairs:
            key, sign, value = pair.partition("=")
            if not sign or not key:
                raise ConfigError(
                    f"'{pair}' is no key=value.",
                    hint="Name the parameter, as in path=README.md; see `nanobot tools show TOOL`.",
                )
            raw = key.endswith(":")
            key = key.removesuffix(":")
            if key in found:
                raise ConfigError(f"'{key}' is given twice; a list is key:='[…]'.")
            found[key] = _json(key, value) if raw else value
        return found


def call_tool(words: CallWords, options: SessionOptions, session_name: str | None) -> None:
    """Run one call and print what the model would get, exactly.

    On a terminal, characters that act or hide are escaped.

    Raises:
        ConfigError: the words are no call.
        Failed: the call failed; what the model would read about it is printed all the same.
    """
    arguments = words.arguments()
    states = None
    if session_name:
        workspace = open_workspace(options.workspace, load_settings(options.config))
        states = _states_file(workspace, session_name)
        options = replace(options, file_states=FileStates.load(states))
    session = open_session(options)
    outcome = run_to_end(partial(_call, words.name, arguments, session, session_name or ""))
    if states is not None and options.file_states is not None:
        options.file_states.save(states)
    text = content_text(outcome.content)
    _write(text)
    if outcome.status == "error":
        raise Failed


async def _call(
    name: str, arguments: dict[str, object] | str, session: Session, session_key: str
) -> Outcome:
    keyboard = Keyboard.find()
    asked_on = Screen(stdout_console())
    if not asked_on.rich:
        asked_on = Screen(terminal_console(), live=False)
    person = TerminalPerson(asked_on, keyboard.line) if keyboard else None
    state = RunState(
        tools=session.registry,
        approval=session.approval(person),
        tool_timeout_s=session.settings.tool_timeout_s,
    )
    token = bind_request_context(RequestContext(channel="cli", session_key=session_key or None))
    try:
        return await run_call(ToolCallRequest("call_1", name, arguments), state)
    finally:
        reset_request_context(token)


def content_text(content: Content) -> str:
    """What the model gets as text; each block that is none is described in brackets."""
    if isinstance(content, str):
        return content
    return "\n".join(map(_block_text, content))


def _block_text(block: Mapping[str, object]) -> str:
    text = block.get("text")
    if isinstance(text, str):
        return text
    kind = str(block.get("type") or "block")
    image = block.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    if isinstance(url, str):
        media, _, data = url.removeprefix("data:").partition(";base64,")
        size = f"{len(data) * 3 // 4:,} bytes" if data else url
        return f"[image: {media if data else 'address'}, {size}]"
    return f"[{kind}: {len(json.dumps(block, default=str)):,} characters of JSON]"


def _write(text: str) -> None:
    shown = visible(text) if sys.stdout.isatty() else text
    sys.stdout.write(shown if shown.endswith("\n") else shown + "\n")
    sys.stdout.flush()


def _json(key: str, value: str) -> object:
    try:
        found: object = json.loads(value)
    except ValueError as error:
        raise ConfigError(f"The value of '{key}' is no JSON: {error}.") from None
    return found


def _states_file(workspace: Workspace, name: str) -> Path:
    """Where a session's file states are kept, whatever its name."""
    plain = name if _PLAIN_NAME.fullmatch(name) else hashlib.sha256(name.encode()).hexdigest()[:24]
    folder = workspace.state_dir() / "sessions"
    folder.mkdir(exist_ok=True)
    return folder / f"{plain}.json"


__all__ = ["CallWords", "call_tool", "content_text"]
