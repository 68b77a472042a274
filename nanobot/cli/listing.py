"""`nanobot models` and `nanobot config show`: what there is, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.cli.modelsettings import model_settings
from nanobot.cli.screen import Screen, stdout_console
from nanobot.cli.table import print_rows
from nanobot.config import load_settings
from nanobot.providers.choice import list_models

if TYPE_CHECKING:
    from pathlib import Path


def print_models(config: Path | None) -> None:
    """Each model that can be asked here, and what the others lack."""
    found = list_models(configured=model_settings(load_settings(config).settings))
    rows = [
        ("✓" if each.available else "–", each.name, each.note, each.host or "nobody outside")
        for each in found
    ]
    print_rows(Screen(stdout_console()), ("", "model", "why", "sees file contents"), rows)


def print_settings(config: Path | None) -> None:
    """Each setting with its value and source."""
    loaded = load_settings(config)
    screen = Screen(stdout_console())
    there = "" if loaded.file.is_file() else " (not there)"
    screen.line((f"file {loaded.file}{there}", "dim"))
    rows = [(each.key, each.value or "–", each.source) for each in loaded.described()]
    print_rows(screen, ("setting", "value", "source"), rows)


__all__ = ["print_models", "print_settings"]
