"""The settings: from the user's own file, the environment, or a file named with `--config`.

The file is `config.toml` in the user's configuration folder; `--config` names another one instead.
Environment variables `NANOBOT_…` win over the file: `NANOBOT_MODEL`,
`NANOBOT_PROVIDERS__OPENAI__BASE_URL`. Nothing is ever read from the workspace: a cloned repository
can't redirect a key or run code.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from platformdirs import user_config_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from nanobot.errors import ConfigError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PREFIX = "NANOBOT_"
_SECRET_WORDS = ("key", "token", "secret", "password", "passwd", "credential", "authorization")
_MASK = "********"
_Place = tuple[str, ...]


class ProviderSection(BaseModel):
    """One model provider. A name of one's own needs a `base_url`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    api_key: SecretStr = Field(SecretStr(""), description="The key, if the environment has none")
    base_url: str = Field("", description="Where it is reached, if not at its usual place")
    protocol: Literal["openai", "anthropic"] = Field(
        "openai", description="What it speaks, for a name of your own"
    )
    api: Literal["auto", "chat", "responses"] = Field(
        "auto", description="Which OpenAI protocol is spoken"
    )


class WorkspaceSection(BaseModel):
    """Which folders the tools may use beside the workspace."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    read_only: list[str] = Field([], description="Folders that tools may read too")
    writable: list[str] = Field([], description="Folders that tools may read and write too")
    restrict: bool = Field(
        default=True, description="Whether tools may use nothing outside of these folders"
    )

    @field_validator("read_only", "writable")
    @classmethod
    def _folders(cls, given: list[str]) -> list[str]:
        for text in given:
            path = Path(text).expanduser()
            if not path.is_absolute():
                raise ValueError(f"'{text}' is a relative path; give an absolute one")
            if not path.is_dir():
                raise ValueError(f"'{text}' is no folder")
        return given


class Settings(BaseSettings):
    """Every setting, with its default."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        env_file=None,
        extra="forbid",
        frozen=True,
    )

    model: str = Field("", description="The model to ask: PROVIDER/NAME; empty: what is found")
    max_turns: Annotated[int, Field(ge=1, le=10_000)] = Field(
        50, description="How many times the model is asked in one run, at most"
    )
    tool_timeout_s: Annotated[float, Field(gt=0, le=86_400)] = Field(
        120, description="Seconds a call may take, where its tool does not say"
    )
    max_concurrent_calls: Annotated[int, Field(ge=1, le=256)] = Field(
        16, description="How many calls run at once, at most"
    )
    max_tool_result_chars: Annotated[int, Field(ge=1_000)] = Field(
        130_000, description="Longer results are saved and shown in part"
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        None, description="How freely the model generates; unset: its own default"
    )
    max_tokens: Annotated[int, Field(ge=1)] | None = Field(
        None, description="How long one answer may be; unset: the provider's default"
    )
    reasoning_effort: str | None = Field(
        None, description="How long a reasoning model thinks, in its provider's words"
    )
    ask: Literal["changes", "nothing"] = Field(
        "changes", description="Whether what is not read-only asks first"
    )
    allow: list[str] = Field([], description="Tools that run without asking")
    workspace: WorkspaceSection = Field(
        default_factory=lambda: WorkspaceSection.model_validate({}),
        description="Folders beside the workspace",
    )
    providers: dict[str, ProviderSection] = Field({}, description="Keys and places of models")
    tools: dict[str, dict[str, JsonValue]] = Field({}, description="Settings of single tools")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  # pydantic's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # the same
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # the same
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # the same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What `load_settings` merged, and nothing else."""
        return (init_settings,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value as a person reads it: dotted key, value (secrets masked), where it comes from."""

    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSettings:
    """The settings, and where each value that isn't a default comes from, by dotted key."""

    settings: Settings = field(repr=False)
    file: Path
    sources: Mapping[str, str]

    def described(self) -> list[Setting]:
        """Every value with its source, in the order of the model, fit to be shown."""
        found = _leaves(self.settings.model_dump(mode="python"))
        return [
            Setting(key=".".join(place), value=_shown(place, value), source=self._source(place))
            for place, value in found
        ]

    def _source(self, place: _Place) -> str:
        for depth in range(len(place), 0, -1):
            source = self.sources.get(".".join(place[:depth]))
            if source is not None:
                return source
        return "default"


def user_config_file() -> Path:
    """Where the user's own settings are, whether or not the file exists."""
    return user_config_path("nanobot", appauthor=False) / "config.toml"


def load_settings(config: Path | None = None) -> LoadedSettings:
    """The settings of this user.

    Args:
        config: read this file instead of the user's own; it must exist.

    Raises:
        ConfigError: a file that can't be read or is no TOML, an unknown key, a wrong value.
    """
    file = config or user_config_file()
    from_file = _read(file, required=config is not None)
    from_environment = _environment()
    named = {
        **{".".join(place): f"file {file}" for place, _ in _leaves(from_file)},
        **{
            ".".join(place): f"environment {_variable(place)}"
            for place, _ in _leaves(from_environment)
        },
    }
    try:
        settings = Settings(**_merged(from_file, from_environment))  # type: ignore[arg-type]  # validated there
    except ValidationError as error:
        raise _fault(error, from_environment, file) from None
    return LoadedSettings(settings=settings, file=file, sources=named)


def _read(file: Path, *, required: bool) -> dict[str, object]:
    try:
        with file.open("rb") as opened:
            return tomllib.load(opened)
    except FileNotFoundError:
        if required:
            raise ConfigError(f"There is no configuration file {file}.") from None
        return {}
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is no TOML: {error}.") from None


def _environment() -> dict[str, object]:
    """The `NANOBOT_…` variables, as nested as the model. Unknown top names are none of ours."""
    try:
        return dict(EnvSettingsSource(Settings)())
    except SettingsError as error:
        field = str(error).partition('"')[2].partition('"')[0]
        raise ConfigError(
            f"{_PREFIX}{field.upper()} is no JSON.",
            hint="A list or a table is given as JSON, as in NANOBOT_ALLOW='[\"write_file\"]'.",
        ) from None


def _merged(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        both = isinstance(under, dict) and isinstance(value, dict)
        merged[key] = _merged(under, value) if both else value  # type: ignore[arg-type]  # both are dicts
    return merged


def _leaves(table: Mapping[str, object], place: _Place = ()) -> Iterator[tuple[_Place, object]]:
    for key, value in table.items():
        here = (*place, str(key))
        if isinstance(value, dict) and value:
            yield from _leaves(value, here)
        else:
            yield here, value


def _fault(
    error: ValidationError, from_environment: Mapping[str, object], file: Path
) -> ConfigError:
    first = error.errors(include_url=False, include_context=False)[0]
    place = tuple(str(part) for part in first["loc"])
    key = ".".join(place)
    where = _variable(place) if _has(from_environment, place) else str(file)
    if first["type"] == "extra_forbidden":
        return ConfigError(f"{where}: there is no setting '{visible_line(key)}'.{_near(place)}")
    said = first["msg"].removeprefix("Value error, ")
    said = said[:1].lower() + said[1:]
    given = "" if _is_secret(place) else f", got {_short(first['input'])}"
    return ConfigError(f"{where}: the setting '{visible_line(key)}' is wrong: {said}{given}.")


def _near(place: _Place) -> str:
    fields = ProviderSection.model_fields if place[0] == "providers" else Settings.model_fields
    near = get_close_matches(place[-1], list(fields), n=1)
    if not near:
        return ""
    return f" Did you mean '{'.'.join((*place[:-1], near[0]))}'?"


def _has(table: Mapping[str, object], place: Sequence[str]) -> bool:
    here: object = table
    for part in place:
        if not isinstance(here, dict):
            return True
        if part not in here:
            return False
        here = here[part]
    return True


def _variable(place: _Place) -> str:
    return _PREFIX + "__".join(place).upper()


def _is_secret(place: _Place) -> bool:
    return any(word in part.casefold() for part in place[1:] for word in _SECRET_WORDS)


def _shown(place: _Place, value: object) -> str:
    if isinstance(value, SecretStr):
        return _MASK if value.get_secret_value() else ""
    if _is_secret(place) and value:
        return _MASK
    return _without_password(_short(value, 500))


def _short(value: object, length: int = 80) -> str:
    text = value if isinstance(value, str) else "" if value is None else repr(value)
    shown = visible_line(text)
    return shown if len(shown) <= length else f"{shown[:length]}…"


def _without_password(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    user, at, host = rest.partition("@")
    if mark and at and "/" not in user:
        return f"{scheme}://{_MASK}@{host}"
    return text


__all__ = [
    "LoadedSettings",
    "ProviderSection",
    "Setting",
    "Settings",
    "WorkspaceSection",
    "load_settings",
    "user_config_file",
]
