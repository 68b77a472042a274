"""The environment of child processes."""

from __future__ import annotations

from nanobot.processes.environment import clean_environment

_HERE = {
    "PATH": "/usr/bin:.:relative:/bin",
    "HOME": "/home/me",
    "LC_ALL": "C.UTF-8",
    "OPENAI_API_KEY": "sk-hush",
    "LD_PRELOAD": "/evil.so",
    "BASH_ENV": "/evil.sh",
    "MY_NAME": "x",
}


def test_only_known_names_come_along() -> None:
    assert clean_environment(_HERE) == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/me",
        "LC_ALL": "C.UTF-8",
    }


def test_the_owner_may_add_names_but_none_that_loads_code() -> None:
    found = clean_environment(_HERE, allowed=["MY_NAME", "LD_PRELOAD", "BASH_ENV"])

    assert found["MY_NAME"] == "x"
    assert not {"LD_PRELOAD", "BASH_ENV"} & set(found)


def test_a_folder_added_to_the_path_is_a_value_and_no_command() -> None:
    found = clean_environment(_HERE, path_append=["/opt/x; touch c", "not/absolute"])

    assert found["PATH"] == "/usr/bin:/bin:/opt/x; touch c"
