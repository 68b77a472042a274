"""Which files usually hold secrets, by their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.sensitive import may_be_sensitive, sensitive_globs, sensitive_reason


@pytest.mark.parametrize(
    ("path", "held"),
    [
        (".env", "environment secrets"),
        ("a/.ENV.local", "environment secrets"),
        ("home/.ssh/config", "keys"),
        (".nanobot/journal/3-4096-1796121896/0.before", "earlier versions of files"),
        ("sub/.nanobot/journal/running/1/0.before", "earlier versions of files"),
    ],
)
def test_a_file_of_secrets_is_known_by_its_path(path: str, held: str) -> None:
    assert sensitive_reason(path.split("/")).startswith(held)


@pytest.mark.parametrize(
    "path", ["README.md", "id_rsa.pub", ".nanobot/results/1.txt", "journal/0.before", "ssh/config"]
)
def test_an_ordinary_file_is_not(path: str) -> None:
    assert sensitive_reason(path.split("/")) == ""


def test_the_globs_name_the_journal_too() -> None:
    assert "**/.[nN][aA][nN][oO][bB][oO][tT]/[jJ][oO][uU][rR][nN][aA][lL]/**" in sensitive_globs()


_PIECES = [
    ".env",
    "id_rsa",
    "x.pem",
    ".SSH",
    "secrets.json",
    "a",
    "/",
    ".pub",
    "service-account",
    "é",
]


@given(
    st.lists(st.sampled_from(_PIECES), max_size=5)
    .map("".join)
    .filter(lambda path: path[-1:] != "/")
)
def test_the_quick_look_overlooks_none(path: str) -> None:
    assert may_be_sensitive(path.encode()) or not sensitive_reason(path.split("/"))


def test_the_quick_look_doubts_few() -> None:
    assert not may_be_sensitive(b"src/app/environment.py")
