"""The official JSON Schema test suite, through `Schema.validate_json_schema_value`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools import Schema
from nanobot.errors import ToolSetupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DRAFTS = {
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
_OPTIONAL_EXCEPTIONS: dict[str, str] = {}
"""Optional files that don't pass whole, with the reason; docs/json-schema.md lists them too."""


@pytest.fixture(scope="session")
def suite(test_data: Path) -> Path:
    return test_data / "json-schema-test-suite"


@pytest.fixture(scope="session")
def resources(suite: Path) -> dict[str, Any]:
    remotes = suite / "remotes"
    return {
        f"http://localhost:1234/{path.relative_to(remotes).as_posix()}": json.loads(
            path.read_text(encoding="utf-8")
        )
        for path in sorted(remotes.rglob("*.json"))
    }


def _wrong(
    files: list[Path], draft: str, resources: dict[str, Any], *, formats: bool | None
) -> Iterator[str]:
    for file in files:
        for group in json.loads(file.read_text(encoding="utf-8")):
            schema = group["schema"]
            if isinstance(schema, dict) and "$schema" not in schema:
                schema = {"$schema": _DRAFTS[draft], **schema}
            for case in group["tests"]:
                place = f"{file.stem}: {group['description']}: {case['description']}"
                try:
                    faults = Schema.validate_json_schema_value(
                        case["data"], schema, formats=formats, resources=resources
                    )
                except ToolSetupError as error:
                    yield f"{place}: {error}"
                    continue
                if (not faults) is not case["valid"]:
                    yield place


@pytest.mark.parametrize("draft", _DRAFTS)
def test_every_required_test_holds(draft: str, suite: Path, resources: dict[str, Any]) -> None:
    files = sorted((suite / "tests" / draft).glob("*.json"))
    assert len(files) > 30

    assert list(_wrong(files, draft, resources, formats=None)) == []


@pytest.mark.parametrize("draft", _DRAFTS)
def test_every_format_test_holds(draft: str, suite: Path, resources: dict[str, Any]) -> None:
    files = sorted((suite / "tests" / draft / "optional" / "format").glob("*.json"))
    assert len(files) > 10

    assert list(_wrong(files, draft, resources, formats=True)) == []


@pytest.mark.parametrize("draft", _DRAFTS)
def test_other_optional_tests_hold_but_for_the_listed(
    draft: str, suite: Path, resources: dict[str, Any]
) -> None:
    folder = suite / "tests" / draft / "optional"
    wrong = list(_wrong(sorted(folder.glob("*.json")), draft, resources, formats=None))

    unexpected = [line for line in wrong if not line.startswith(tuple(_OPTIONAL_EXCEPTIONS))]
    assert unexpected == []
