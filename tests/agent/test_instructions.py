from __future__ import annotations

from datetime import date

from nanobot.agent.instructions import system_text

_DAY = date(2026, 12, 1)


def test_it_names_the_day_the_workspace_and_the_rules() -> None:
    text = system_text(today=_DAY, workspace="/ws")

    assert "Today is Tuesday, 2026-12-01." in text
    assert "Your workspace is /ws." in text
    assert "Rules:" in text


def test_without_tools_there_are_no_rules_for_them() -> None:
    text = system_text(today=_DAY, has_tools=False)

    assert "tool" not in text
    assert "workspace" not in text
