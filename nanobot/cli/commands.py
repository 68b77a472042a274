"""The commands and their options. Each imports what it runs when it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nanobot.cli.failure import Failed, Stopped, log_to_stderr, tell, tell_error, tell_fault
from nanobot.cli.start import own_version
from nanobot.errors import ConfigError, NanobotError

_USAGE = 2
_INTERRUPTED = 130
_CONTEXT = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="nanobot",
    help="Let a model use tools on the files in front of you.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=_CONTEXT,
)
tools_app = typer.Typer(
    help="List, show, call and check tools.", no_args_is_help=True, rich_markup_mode=None
)
config_app = typer.Typer(
    help="The settings and where they come from.", no_args_is_help=True, rich_markup_mode=None
)
undo_app = typer.Typer(
    help="Take back what tools wrote.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(tools_app, name="tools")
app.add_typer(undo_app, name="undo")
app.add_typer(config_app, name="config")

WorkspaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", "-w", help="The folder the tools may use; default: this one."),
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Read this settings file instead of your own.")
]
ModelOption = Annotated[
    str | None, typer.Option("--model", "-m", help="PROVIDER/NAME, local/PATH.gguf or offline.")
]
ToolsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="WHICH",
        help="NAME,… uses only these; FILE.py or MODULE adds its tools. Repeatable.",
    ),
]
TurnsOption = Annotated[
    int | None,
    typer.Option(
        "--max-turns", min=1, metavar="N", help="How often the model is asked at most; default: 50."
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Run every call without asking.")]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="NAME", help="Run this tool without asking. Repeatable."),
]
ScopeOption = Annotated[str, typer.Option("--scope", help="Whose tools: core, subagent or memory.")]

WriteArgument = Annotated[
    int, typer.Argument(metavar="ID", min=1, help="The write, as `nanobot undo list` names it.")
]
AnywhereOption = Annotated[
    bool, typer.Option("--anywhere", help="The writes of tools that had no workspace.")
]


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"nanobot {own_version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Let a model use tools on the files in front of you."""


@app.command()
def run(
    prompt: Annotated[
        str | None,
        typer.Argument(help="What to do; - or nothing reads it from standard input."),
    ] = None,
    *,
    workspace: WorkspaceOption = None,
    model: ModelOption = None,
    tools: ToolsOption = None,
    max_turns: TurnsOption = None,
    yes: YesOption = False,
    allow: AllowOption = None,
    json_lines: Annotated[
        bool, typer.Option("--json", help="Print the events as JSON lines, and nothing else.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")] = False,
    save_svg: Annotated[
        Path | None, typer.Option("--save-svg", help="Save a picture of the run here.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Answer one prompt with the tools."""
    from nanobot.cli.run import RunOutput, run_prompt  # noqa: PLC0415  # slow to import
    from nanobot.cli.session import SessionOptions  # noqa: PLC0415  # the same

    options = SessionOptions(
        config=config,
        workspace=workspace,
        model=model,
        tools=tools or (),
        max_turns=max_turns,
        yes=yes,
        allow=allow or (),
    )
    output = RunOutput(json_lines=json_lines, quiet=quiet, picture=save_svg)
    run_prompt(prompt, options, output)


@app.command()
def chat(
    *,
    workspace: WorkspaceOption = None,
    model: ModelOption = None,
    tools: ToolsOption = None,
    max_turns: TurnsOption = None,
    yes: YesOption = False,
    allow: AllowOption = None,
    config: ConfigOption = None,
) -> None:
    """Talk turn by turn, with history and completion."""
    from nanobot.cli.chat import chat_in_terminal  # noqa: PLC0415  # slow to import
    from nanobot.cli.session import SessionOptions  # noqa: PLC0415  # the same

    chat_in_terminal(
        SessionOptions(
            config=config,
            workspace=workspace,
            model=model,
            tools=tools or (),
            max_turns=max_turns,
            yes=yes,
            allow=allow or (),
        )
    )


@app.command()
def demo(
    save_svg: Annotated[
        Path | None, typer.Option("--save-svg", help="Save a picture of the demo here.")
    ] = None,
) -> None:
    """Play a scripted run over the real tools in a copied sample project."""
    from nanobot.cli.demo import play_demo  # noqa: PLC0415  # slow to import

    play_demo(save_svg)


@app.command()
def models(config: ConfigOption = None) -> None:
    """List the models that can be asked here."""
    from nanobot.cli.listing import print_models  # noqa: PLC0415  # slow to import

    print_models(config)


@config_app.command("show")
def config_show(config: ConfigOption = None) -> None:
    """Show each setting with its source; keys are masked."""
    from nanobot.cli.listing import print_settings  # noqa: PLC0415  # slow to import

    print_settings(config)


@tools_app.command("list")
def tools_list(
    workspace: WorkspaceOption = None,
    tools: ToolsOption = None,
    scope: ScopeOption = "core",
    config: ConfigOption = None,
) -> None:
    """List the tools: name, scopes, flags, source."""
    from nanobot.cli.session import SessionOptions  # noqa: PLC0415  # slow to import
    from nanobot.cli.toolbox import print_tools  # noqa: PLC0415  # the same

    print_tools(SessionOptions(config=config, workspace=workspace, tools=tools or (), scope=scope))


@tools_app.command("show")
def tools_show(
    name: Annotated[str, typer.Argument(help="The tool.")],
    workspace: WorkspaceOption = None,
    tools: ToolsOption = None,
    scope: ScopeOption = "core",
    config: ConfigOption = None,
) -> None:
    """Show a tool's manual and schema, as a model gets them."""
    from nanobot.cli.session import SessionOptions  # noqa: PLC0415  # slow to import
    from nanobot.cli.toolbox import print_tool  # noqa: PLC0415  # the same

    print_tool(
        name, SessionOptions(config=config, workspace=workspace, tools=tools or (), scope=scope)
    )


@tools_app.command("call")
def tools_call(
    name: Annotated[str, typer.Argument(help="The tool.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(help="key=value (text, made to fit the schema) or key:=JSON."),
    ] = None,
    *,
    json_text: Annotated[
        str | None, typer.Option("--json", help="All arguments as one JSON object.")
    ] = None,
    workspace: WorkspaceOption = None,
    tools: ToolsOption = None,
    yes: YesOption = False,
    allow: AllowOption = None,
    scope: ScopeOption = "core",
    session: Annotated[
        str | None,
        typer.Option("--session", help="Keep what was read under this name between calls."),
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Call one tool and print exactly what a model would get."""
    from nanobot.cli.session import SessionOptions  # noqa: PLC0415  # slow to import
    from nanobot.cli.toolcall import CallWords, call_tool  # noqa: PLC0415  # the same

    options = SessionOptions(
        config=config,
        workspace=workspace,
        tools=tools or (),
        yes=yes,
        allow=allow or (),
        scope=scope,
    )
    words = CallWords(name=name, pairs=arguments or (), json_text=json_text)
    call_tool(words, options, session)


@tools_app.command("check")
def tools_check(
    source: Annotated[str, typer.Argument(help="MODULE or FILE.py; its code is run.")],
) -> None:
    """Check what the loader finds in a source: each fault with its line."""
    from nanobot.cli.toolbox import check_tools  # noqa: PLC0415  # slow to import

    check_tools(source)


@undo_app.command("list")
def undo_list(
    *,
    limit: Annotated[
        int, typer.Option("--limit", min=0, metavar="N", help="How many at most; 0: all.")
    ] = 50,
    workspace: WorkspaceOption = None,
    anywhere: AnywhereOption = False,
) -> None:
    """List what tools wrote, newest first: id, time, tool, files."""
    from nanobot.cli.undo import print_writes  # noqa: PLC0415  # slow to import

    print_writes(workspace, anywhere=anywhere, limit=limit)


@undo_app.command("show")
def undo_show(
    number: WriteArgument, *, workspace: WorkspaceOption = None, anywhere: AnywhereOption = False
) -> None:
    """Show what changed from before a write until now."""
    from nanobot.cli.undo import print_write  # noqa: PLC0415  # slow to import

    print_write(number, workspace, anywhere=anywhere)


@undo_app.command("restore")
def undo_restore(
    number: WriteArgument,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Also overwrite files that were changed after it.")
    ] = False,
    workspace: WorkspaceOption = None,
    anywhere: AnywhereOption = False,
) -> None:
    """Put back what stood there before a write; this can be undone too."""
    from nanobot.cli.undo import restore_write  # noqa: PLC0415  # slow to import

    restore_write(number, workspace, anywhere=anywhere, force=force)


def run_commands(arguments: list[str] | None = None) -> int:
    """Run the command that the arguments name; the exit status. Faults become one line each."""
    log_to_stderr()
    try:
        status = app(args=arguments, prog_name="nanobot", standalone_mode=False)
    except (Failed, Stopped) as end:
        return end.status
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except (BrokenPipeError, SystemExit):
        raise
    except Exception as error:  # noqa: BLE001  # the last line before the interpreter
        return _told(error)
    return status if isinstance(status, int) else 0


def _told(error: Exception) -> int:
    """Say what was wrong; the exit status for it."""
    if isinstance(error, typer.TyperException):
        message = error.format_message()
        if message.startswith("Usage: "):  # a group without a command tells its whole help
            sys.stderr.write(message + "\n")
        else:
            tell(message, _usage_hint(error))
        return error.exit_code
    if isinstance(error, NanobotError):
        tell_error(error)
        return _USAGE if isinstance(error, ConfigError) else 1
    tell_fault(error)
    return 1


def _usage_hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "nanobot"
    if path == "nanobot run" and "unexpected extra argument" in error.format_message():
        return 'Put the whole prompt into quotes: nanobot run "list the files"'
    return f"Try '{path} --help'."


__all__ = [
    "app",
    "chat",
    "config_show",
    "demo",
    "models",
    "run",
    "run_commands",
    "tools_call",
    "tools_check",
    "tools_list",
    "tools_show",
    "undo_list",
    "undo_restore",
    "undo_show",
]
