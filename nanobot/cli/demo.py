"""`nanobot demo`: a scripted run over the real tools in a copied sample project."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanobot.agent.execution.approval import Allow
from nanobot.agent.runner import AgentRunner
from nanobot.cli.eventloop import run_to_end
from nanobot.cli.failure import Failed
from nanobot.cli.keyboard import Keyboard
from nanobot.cli.person import TerminalPerson, show_arguments, show_question
from nanobot.cli.picture import Picture
from nanobot.cli.run import opening_messages, run_spec
from nanobot.cli.screen import Screen, stdout_console
from nanobot.cli.session import SessionOptions, open_session
from nanobot.cli.view import RunView
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.choice import ModelChoice
from nanobot.providers.scripted import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.execution.approval import Answer, ApprovalRequest, Ask, Person
    from nanobot.cli.session import Session
    from nanobot.providers.scripted import Reply

_PROMPT = "The accountant says our prices are wrong. Find out why, and mend it."
_LABEL = (
    "This is a demo: the model's part is a script. The tools, the files, the refusals and the "
    "question are real; the project is a copy of a sample."
)
_OWN_FILES = 'On your own files:  nanobot run "list the files and read README.md"'
_CONNECT = (
    "Connect a model:    export OPENAI_API_KEY=…  (or ANTHROPIC_API_KEY, or start Ollama; see "
    "nanobot models)"
)
_PACE_S = 0.7
_DENIED = "denied"

_STEPS: tuple[tuple[str, tuple[tuple[str, dict[str, Any]], ...]], ...] = (
    (
        "I look at the project first: three reads at once.",
        (
            ("list_dir", {"path": ".", "recursive": True}),
            ("read_file", {"path": "README.md"}),
            ("grep", {"pattern": "VAT", "path": "shop", "output_mode": "content"}),
        ),
    ),
    (
        "Now the file itself. (The script names an argument that does not exist.)",
        (("read_file", {"path": "shop/prices.py", "lines": 20}),),
    ),
    (
        "The message says what was wrong, so I send the call again, mended.",
        (("read_file", {"path": "shop/prices.py", "limit": 20}),),
    ),
    (
        "Is there something about it next to the project? (There is a fence around it.)",
        (("read_file", {"path": "../accounts.txt"}),),
    ),
    (
        "That is outside the workspace. I have what I need: the README says 20 %.",
        (
            (
                "edit_file",
                {"path": "shop/prices.py", "old_text": "VAT = 0.19", "new_text": "VAT = 0.20"},
            ),
        ),
    ),
)
_MENDED = (
    "`shop/prices.py` used a VAT rate of **19 %**, and the README says **20 %**. I changed "
    "`VAT = 0.19` to `VAT = 0.20`, so a net price of 10.00 now gives 12.00."
)
_LEFT = (
    "`shop/prices.py` uses a VAT rate of **19 %**, and the README says **20 %**. You did not want "
    "the change, so the file is as it was."
)


def play_demo(save_svg: Path | None) -> None:
    """Play it in a folder that is removed afterwards.

    Raises:
        Failed: a part of the run went otherwise than it should.
        Stopped: by a signal.
    """
    with tempfile.TemporaryDirectory(prefix="nanobot-demo-") as folder:
        project = Path(folder) / "corner-shop"
        with as_file(files("nanobot.cli") / "sample") as sample:
            shutil.copytree(sample, project, ignore=shutil.ignore_patterns("__pycache__"))
        empty = Path(folder) / "settings.toml"
        empty.touch()
        session = open_session(SessionOptions(config=empty, workspace=project))
        run_to_end(partial(_play, session, save_svg))


async def _play(session: Session, save_svg: Path | None) -> None:
    screen = Screen(stdout_console())
    keyboard = Keyboard.find()
    picture = Picture(save_svg) if save_svg else None
    screens = [screen, *([picture.screen] if picture else [])]
    for each in screens:
        each.prose(_LABEL, "bold")
        each.line(("> ", "dim"), _PROMPT)
        each.line()
    views = [RunView(each) for each in screens]
    asking = TerminalPerson(screen, keyboard.line) if keyboard and screen.rich else None
    person: Person = asking or _DemoPerson(screens)
    provider = ScriptedProvider(script(_PACE_S if screen.rich else 0), model="scripted demo")
    choice = ModelChoice(provider=provider, model="scripted demo", name="", reason="", host="")
    spec = run_spec(
        session, choice, opening_messages(session, _PROMPT), session.approval(person), views
    )
    try:
        result = await AgentRunner(provider).run(spec)
    except asyncio.CancelledError:
        views[0].stopped()
        raise
    finally:
        screen.close()
    for view in views:
        view.final(result.final_content, result.error)
        view.summary()
    for each in screens:
        each.line()
        each.prose(_OWN_FILES)
        each.prose(_CONNECT)
    if picture:
        picture.save()
    if result.stop_reason != "completed":
        raise Failed


class _DemoPerson:
    """Says yes where nobody can be asked, and says so."""

    def __init__(self, screens: Sequence[Screen]) -> None:
        self._screens = screens

    async def __call__(self, request: ApprovalRequest, ask: Ask) -> Answer:
        diff = await request.tool.preview(request.arguments)
        for screen in self._screens:
            with screen.paused():
                show_question(screen, request, ask)
                show_arguments(screen, request, diff, whole=False)
                screen.line(("  Run it? No terminal to ask on: the demo answers yes", "yellow"))
        return Allow()


def script(pace_s: float) -> list[Reply]:
    """The model's part: each step waits a moment, so that a person can follow."""
    return [*(partial(_say, number, pace_s) for number in range(len(_STEPS))), _conclude]


async def _say(
    number: int, pace_s: float, _messages: list[dict[str, Any]], _tools: list[dict[str, Any]]
) -> LLMResponse:
    await asyncio.sleep(pace_s)
    text, calls = _STEPS[number]
    requests = [
        ToolCallRequest(f"call_{number}_{place}", name, arguments)
        for place, (name, arguments) in enumerate(calls)
    ]
    return LLMResponse(content=text, tool_calls=requests, finish_reason="tool_calls")


def _conclude(messages: list[dict[str, Any]], _tools: list[dict[str, Any]]) -> str:
    return _LEFT if _DENIED in str(messages[-1].get("content")) else _MENDED


__all__ = ["play_demo", "script"]
