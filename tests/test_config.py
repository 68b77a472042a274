"""The settings and their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanobot.config import ProviderSection, Settings, load_settings
from nanobot.errors import ConfigError


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    for name in ("MODEL", "MAX_TURNS", "ALLOW", "PROVIDERS__OPENAI__API_KEY"):
        monkeypatch.delenv(f"NANOBOT_{name}", raising=False)
    file = tmp_path / "home" / ".config" / "nanobot" / "config.toml"
    file.parent.mkdir(parents=True)
    return file


def test_without_a_file_every_value_is_the_default(config_file: Path) -> None:
    loaded = load_settings()

    assert loaded.settings.max_turns == 50
    assert {setting.source for setting in loaded.described()} == {"default"}


def test_the_environment_wins_over_the_file(
    config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text('model = "openai/a"\nmax_turns = 7\n')
    monkeypatch.setenv("NANOBOT_MODEL", "openai/b")

    loaded = load_settings()

    assert (loaded.settings.model, loaded.settings.max_turns) == ("openai/b", 7)
    assert loaded.sources["model"] == "environment NANOBOT_MODEL"
    assert loaded.sources["max_turns"] == f"file {config_file}"


def test_a_section_is_merged_from_both(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config_file.write_text('[providers.openai]\nbase_url = "http://127.0.0.1:1/v1"\n')
    monkeypatch.setenv("NANOBOT_PROVIDERS__OPENAI__API_KEY", "sk-hush")

    section = load_settings().settings.providers["openai"]

    assert section.base_url == "http://127.0.0.1:1/v1"
    assert section.api_key.get_secret_value() == "sk-hush"


def test_a_named_file_replaces_the_users_own(config_file: Path, tmp_path: Path) -> None:
    config_file.write_text("max_turns = 7\n")
    other = tmp_path / "other.toml"
    other.write_text('model = "offline"\n')

    settings = load_settings(other).settings

    assert (settings.model, settings.max_turns) == ("offline", 50)


@pytest.mark.parametrize("name", ["nanobot.toml", "config.toml", ".env", ".nanobot/config.toml"])
def test_a_file_in_the_workspace_changes_nothing(
    config_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    workspace = tmp_path / "workspace"
    (workspace / name).parent.mkdir(parents=True)
    (workspace / name).write_text("NANOBOT_MODEL='evil/model'\nmodel = 'evil/model'\n")
    monkeypatch.chdir(workspace)

    assert load_settings().settings.model == ""


_FAULTS = {
    "unknown key": ("modle = 'x'", r"no setting 'modle'.* Did you mean 'model'\?"),
    "unknown key of a provider": (
        "[providers.openai]\napi_kee = 'x'",
        r"no setting 'providers.openai.api_kee'.*'providers.openai.api_key'",
    ),
    "wrong type": ("max_turns = 'many'", r"'max_turns' is wrong: .*got many"),
    "out of bounds": ("max_turns = 0", r"'max_turns' is wrong: .*greater than or equal to 1"),
    "no TOML": ("model = [", r"is no TOML: "),
    "not UTF-8": ("model = '\udcff'", r"is no TOML"),
}


@pytest.mark.parametrize(("text", "message"), _FAULTS.values(), ids=_FAULTS)
def test_a_fault_is_one_line_with_the_file(config_file: Path, text: str, message: str) -> None:
    config_file.write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(ConfigError, match=message) as caught:
        load_settings()

    assert str(config_file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fault_of_the_environment_names_the_variable(
    config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text("max_turns = 7\n")
    monkeypatch.setenv("NANOBOT_MAX_TURNS", "0")

    with pytest.raises(ConfigError, match=r"^NANOBOT_MAX_TURNS: "):
        load_settings()


def test_a_list_that_is_no_json_names_the_variable(
    config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOBOT_ALLOW", "write_file")

    with pytest.raises(ConfigError, match=r"^NANOBOT_ALLOW is no JSON"):
        load_settings()


def test_a_named_file_must_exist(config_file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no configuration file .*absent\.toml"):
        load_settings(tmp_path / "absent.toml")


def test_secrets_are_masked(config_file: Path) -> None:
    config_file.write_text(
        "[providers.openai]\napi_key = 'sk-hush'\nbase_url = 'https://me:sk-hush@example.test/v1'\n"
        "[tools.web]\nsearch_token = 'sk-hush'\nproxy = 'on'\n"
    )

    loaded = load_settings()
    shown = {setting.key: setting.value for setting in loaded.described()}

    assert "sk-hush" not in f"{shown}{loaded!r}"
    assert shown["tools.web.proxy"] == "on"
    assert shown["providers.openai.base_url"] == "https://********@example.test/v1"


def test_a_wrong_key_is_not_repeated_in_the_message(config_file: Path) -> None:
    config_file.write_text("[providers.openai]\napi_key = ['sk-hush']\n")

    with pytest.raises(ConfigError) as caught:
        load_settings()

    assert "sk-hush" not in str(caught.value)


@pytest.mark.parametrize("name", [*Settings.model_fields, *ProviderSection.model_fields])
def test_every_setting_is_documented(name: str) -> None:
    page = Path(__file__).resolve().parents[1] / "docs" / "configuration.md"

    assert f"{name}`" in page.read_text(encoding="utf-8") or f"`{name}." in page.read_text()


def test_folders_beside_the_workspace_are_absolute_and_there(
    config_file: Path, tmp_path: Path
) -> None:
    config_file.write_text(f'[workspace]\nread_only = ["{tmp_path}"]\nrestrict = false\n')

    section = load_settings().settings.workspace

    assert section.read_only == [str(tmp_path)]
    assert not section.restrict


@pytest.mark.parametrize(
    ("folder", "said"), [("here", "is a relative path"), ("/no/such", "is no folder")]
)
def test_a_folder_that_is_none_is_one_line(config_file: Path, folder: str, said: str) -> None:
    config_file.write_text(f'[workspace]\nwritable = ["{folder}"]\n')

    with pytest.raises(ConfigError, match=f"'workspace.writable' is wrong: '{folder}' {said}"):
        load_settings()
