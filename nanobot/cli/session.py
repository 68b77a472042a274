"""What a command works with: settings, workspace, tools, approval, model."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from pydantic import ValidationError

from nanobot.agent.execution.approval import AskBeforeChanges
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.loader import ToolLoader
from nanobot.agent.tools.nearness import nearest_name
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.agent.tools.source import load_source
from nanobot.config import load_settings
from nanobot.errors import ConfigError
from nanobot.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.agent.execution.approval import Person
    from nanobot.config import LoadedSettings, Settings
    from nanobot.providers.choice import ModelChoice
    from nanobot.workspace import FileStates

_SCOPES = ("core", "subagent", "memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """What the flags of a command say. `tools` holds each `--tools` as given."""

    config: Path | None = None
    workspace: Path | None = None
    model: str | None = None
    tools: Sequence[str] = ()
    max_turns: int | None = None
    yes: bool = False
    allow: Sequence[str] = ()
    scope: str = "core"
    file_states: FileStates | None = None


@dataclass(slots=True, kw_only=True)
class Session:
    """Settings, workspace and tools of one command; made by `open_session`."""

    options: SessionOptions
    loaded: LoadedSettings
    workspace: Workspace
    registry: ToolRegistry
    session_key: str = field(default="")

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.loaded.settings

    @property
    def max_turns(self) -> int:
        """How many turns one run may take."""
        return self.options.max_turns or self.settings.max_turns

    def approval(self, person: Person | None) -> AskBeforeChanges:
        """The policy: `--yes` and `--allow`, the settings, else the person's word."""
        return AskBeforeChanges(
            person,
            allow=[*self.options.allow, *self.settings.allow],
            allow_all=self.options.yes or self.settings.ask == "nothing",
        )

    def choose_model(self) -> ModelChoice:
        """The model to ask. Looks for servers on this machine, so it may take a second."""
        from nanobot.cli.modelsettings import model_settings  # noqa: PLC0415  # slow to import
        from nanobot.providers.choice import choose_model  # noqa: PLC0415  # the same

        configured = model_settings(self.settings)
        return choose_model(self.options.model, configured=configured, tools=self.registry)


def open_session(options: SessionOptions) -> Session:
    """Read the settings, fence the workspace, load the tools.

    Raises:
        ConfigError: a setting or a flag that can't be used.
        ToolSetupError: a source named with `--tools` that can't be used.
    """
    loaded = load_settings(options.config)
    workspace = open_workspace(options.workspace, loaded)
    registry = _loaded_tools(options, loaded.settings, workspace)
    _check_allowed(options, registry)
    return Session(options=options, loaded=loaded, workspace=workspace, registry=registry)


def open_workspace(named: Path | None, loaded: LoadedSettings) -> Workspace:
    """The workspace: the named folder, else the current one unless that is `/` or the home folder.

    The settings say which other folders its tools may use; their own file no tool may write.

    Raises:
        ConfigError: it is no folder, or it must be named.
    """
    if named is None:
        here = Path.cwd()
        if here.resolve() in {Path("/"), Path.home().resolve()}:
            raise ConfigError(
                f"The workspace would be {here}, with everything below it.",
                hint=f"Go to a project's folder, or name this one: --workspace {here}",
            )
        named = here
    if not named.is_dir():
        raise ConfigError(f"The workspace {named} is no folder.")
    section = loaded.settings.workspace
    return Workspace(
        named,
        read_only_roots=section.read_only,
        writable_roots=section.writable,
        restrict=section.restrict,
        protected=[loaded.file],
    )


def _loaded_tools(
    options: SessionOptions, settings: Settings, workspace: Workspace
) -> ToolRegistry:
    if options.scope not in _SCOPES:
        raise ConfigError(f"There is no scope '{options.scope}'. There are: {', '.join(_SCOPES)}.")
    registry = ToolRegistry()
    loader = ToolLoader()
    context = ToolContext(
        config=_tool_config(loader, settings.tools),
        workspace=str(workspace.root),
        fence=workspace,
        file_state_store=options.file_states,
        timezone=os.environ.get("TZ") or "UTC",
    )
    loader.load(context, registry, scope=options.scope)
    selected, sources = _split_selection(options.tools, registry)
    if selected:
        for name in set(registry.tool_names) - set(selected):
            registry.unregister(name)
    for source in sources:
        load_source(source, context, registry)
    return registry


def _split_selection(
    given: Sequence[str], registry: ToolRegistry
) -> tuple[list[str], list[str | Path]]:
    """Names of tools to keep, and sources of more."""
    selected: list[str] = []
    sources: list[str | Path] = []
    for part in (part.strip() for text in given for part in text.split(",")):
        if registry.has(part):
            selected.append(part)
        elif part.endswith(".py") or "/" in part:
            sources.append(Path(part))
        elif part and _is_module(part):
            sources.append(part)
        elif part:
            file = f"{part}.py"
            near = file if Path(file).is_file() else nearest_name(part, registry.tool_names)
            guess = f" Did you mean '{near}'?" if near else ""
            raise ConfigError(f"--tools: '{part}' is no tool, no file and no module.{guess}")
    return selected, sources


def _is_module(name: str) -> bool:
    try:
        return all(word.isidentifier() for word in name.split(".")) and find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _check_allowed(options: SessionOptions, registry: ToolRegistry) -> None:
    for name in options.allow:
        if not registry.has(name):
            near = nearest_name(name, registry.tool_names)
            guess = f" Did you mean '{near}'?" if near else ""
            raise ConfigError(f"--allow: there is no tool '{name}'.{guess}")


def _tool_config(
    loader: ToolLoader, sections: Mapping[str, Mapping[str, object]]
) -> SimpleNamespace:
    """The sections of single tools as their own settings models; the rest as plain fields."""
    made = {key: SimpleNamespace(**section) for key, section in sections.items()}
    for tool in loader.discover():
        model = tool.config_cls()
        if tool.config_key and model is not None:
            made[tool.config_key] = _section(model, tool.config_key, sections)
    return SimpleNamespace(**made)


def _section(
    model: type, key: str, sections: Mapping[str, Mapping[str, object]]
) -> SimpleNamespace:
    try:
        section: SimpleNamespace = model(**sections.get(key, {}))
    except (ValidationError, TypeError) as error:
        said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise ConfigError(f"The settings in tools.{key} are wrong: {said}.") from None
    return section


__all__ = ["Session", "SessionOptions", "open_session", "open_workspace"]
