"""`nanobot chat`: turn by turn, with history and completion."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from platformdirs import user_state_path
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.history import FileHistory, InMemoryHistory

from nanobot.agent.runner import AgentRunner
from nanobot.cli.eventloop import run_to_end
from nanobot.cli.failure import Failed, Stopped, tell
from nanobot.cli.keyboard import Keyboard
from nanobot.cli.person import TerminalPerson
from nanobot.cli.run import model_line, opening_messages, run_spec
from nanobot.cli.screen import Screen, stdout_console
from nanobot.cli.session import open_session
from nanobot.cli.view import RunView
from nanobot.errors import ToolError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import History

    from nanobot.cli.session import Session, SessionOptions
    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.choice import ModelChoice
    from nanobot.workspace import Workspace

_COMMANDS = {
    "/exit": "leave (Ctrl-D too)",
    "/clear": "forget the conversation",
    "/tools": "list the tools",
}
_WELCOME = "/exit leaves, /clear forgets, /tools lists; Ctrl-C stops an answer"
_STOPPED_NOTE = "(The person stopped this answer before it was complete.)"
_MOST_COMPLETIONS = 200


def chat_in_terminal(options: SessionOptions) -> None:
    """Answer prompt after prompt, each a line, until the input ends.

    On a terminal with an editor, history and completion; else one line of standard input after
    the other.

    Raises:
        ConfigError: a flag or setting that can't be used.
        Failed: not on a terminal, and an answer failed.
    """
    session = open_session(options)
    chat = _Chat(session, session.choose_model())
    chat.screen.prose(model_line(chat.choice), "dim")
    if sys.stdin.isatty() and sys.stdout.isatty():
        chat.screen.prose(_WELCOME, "dim")
        _talk(chat)
    else:
        _read_through(chat)


class _Chat:
    """One conversation."""

    def __init__(self, session: Session, choice: ModelChoice) -> None:
        self.session = session
        self.choice = choice
        self.screen = Screen(stdout_console())
        self._messages: list[JsonObject] = []
        self._keyboard = Keyboard.find()

    def answer(self, prompt: str) -> bool:
        """Answer one prompt, or follow a command; whether it went well. A stop is no fault."""
        if prompt == "/clear":
            self._messages = []
            self.screen.line(("The conversation is forgotten.", "dim"))
            return True
        if prompt == "/tools":
            self.screen.line(", ".join(sorted(self.session.registry.tool_names)))
            return True
        opening = opening_messages(self.session, prompt)
        messages = [*self._messages, opening[1]] if self._messages else opening
        view = RunView(self.screen)
        try:
            return run_to_end(partial(self._run, messages, view))
        except Stopped as stopped:
            view.stopped()
            if stopped.status != Stopped.INTERRUPTED:
                raise
            note: JsonObject = {"role": "assistant", "content": _STOPPED_NOTE}
            self._messages = [*messages, note]
            return True

    async def _run(self, messages: list[JsonObject], view: RunView) -> bool:
        keyboard = self._keyboard
        person = TerminalPerson(self.screen, keyboard.line) if keyboard else None
        approval = self.session.approval(person)
        spec = run_spec(self.session, self.choice, messages, approval, [view])
        try:
            result = await AgentRunner(self.choice.provider).run(spec)
        finally:
            self.screen.close()
            await self.choice.provider.aclose()
        failed = result.stop_reason not in {"completed", "max_iterations"}
        view.final(None if failed else result.final_content, None)
        view.summary()
        if failed:
            tell(result.error or f"the run ended early: {result.stop_reason}")
        else:
            self._messages = list(result.messages)
        return not failed


def _talk(chat: _Chat) -> None:
    editor: PromptSession[str] = PromptSession(
        history=_history(),
        completer=_Words(chat.session.workspace, chat.session.registry.tool_names),
        complete_while_typing=False,
    )
    while True:
        try:
            prompt = editor.prompt("› ").strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if prompt == "/exit":
            return
        if prompt:
            chat.answer(prompt)


def _read_through(chat: _Chat) -> None:
    well = True
    for line in sys.stdin:
        prompt = line.strip()
        if prompt == "/exit":
            break
        if prompt:
            chat.screen.line(("› ", "dim"), prompt)
            well = chat.answer(prompt) and well
    if not well:
        raise Failed


def _history() -> History:
    """Prompts of earlier chats, readable by their owner alone; in memory where no file can be."""
    file = user_state_path("nanobot", appauthor=False) / "history"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))


class _Words(Completer):
    """Completes commands at the start, and paths of the workspace anywhere."""

    def __init__(self, workspace: Workspace, tools: Sequence[str]) -> None:
        self._workspace = workspace
        self._commands = {**_COMMANDS, **{f"/call {name}": "" for name in sorted(tools)}}

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002  # prompt_toolkit's signature
    ) -> Iterable[Completion]:
        """What the word before the cursor may become."""
        line = document.text_before_cursor
        if line.startswith("/"):
            for command, meaning in self._commands.items():
                if command.startswith(line):
                    yield Completion(command, start_position=-len(line), display_meta=meaning)
        word = document.get_word_before_cursor(WORD=True)
        if word and not word.startswith("/"):
            yield from (Completion(path, start_position=-len(word)) for path in self._paths(word))

    def _paths(self, word: str) -> list[str]:
        folder, _, start = word.rpartition("/")
        try:
            place = self._workspace.resolve(folder or ".")
            found = [
                f"{folder}/{entry.name}".lstrip("/") + ("/" if entry.is_dir() else "")
                for entry in place.iterdir()
                if entry.name.startswith(start)
            ]
        except (OSError, ToolError):
            return []
        seen = [path for path in found if path == visible_line(path)]
        return sorted(seen)[:_MOST_COMPLETIONS]


__all__ = ["chat_in_terminal"]
