"""What sessions have seen: kept apart, bounded, saved and loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanobot.workspace.excerpt import Excerpt
from nanobot.workspace.identity import Identity
from nanobot.workspace.seen import Seen
from nanobot.workspace.states import FileStates

_HERE = Identity(dev=1, ino=2, size=3, mtime_ns=4, ctime_ns=5)


def _seen(text: str, *, first: int = 1) -> Seen:
    return Seen.of(Excerpt(first=first, last=first, rows=[f"{first}| {text}"]), 1_000)


def test_sessions_do_not_see_what_others_read() -> None:
    states = FileStates()
    states.read("a", Path("/f"), _HERE, shown=("1+1", "print"))

    assert states.shown("a", Path("/f"), "1+1") == "print"
    assert states.shown("b", Path("/f"), "1+1") == ""
    assert states.known("b", Path("/f")) is None


def test_text_is_bounded_the_oldest_going_first_and_digests_stay() -> None:
    states = FileStates(most_text=50_000)
    for number in range(10):
        states.read("", Path(f"/{number}"), _HERE, shown=("1+1", ""), seen=_seen("x" * 10_000))

    known = [states.known("", Path(f"/{number}")) for number in range(10)]
    kept = [bool(each.seen["1+1"].rows) for each in known if each]
    assert kept == [False] * 6 + [True] * 4
    assert all(each and each.seen["1+1"].print == _seen("x" * 10_000).print for each in known)


def test_the_same_range_read_often_takes_its_room_once() -> None:
    states = FileStates(most_text=25_000)
    states.read("", Path("/other"), _HERE, shown=("1+1", ""), seen=_seen("y" * 10_000))
    for _ in range(20):
        states.read("", Path("/f"), _HERE, shown=("1+1", ""), seen=_seen("x" * 10_000))

    other = states.known("", Path("/other"))
    assert other
    assert other.seen["1+1"].rows


def test_a_file_in_another_state_is_known_by_the_last_read_alone() -> None:
    states = FileStates()
    states.read("", Path("/f"), _HERE, shown=("1+1", "a"), seen=_seen("one"))
    later = Identity(dev=1, ino=2, size=3, mtime_ns=9, ctime_ns=9)

    states.read("", Path("/f"), later, shown=("2+1", "b"), seen=_seen("two", first=2))

    known = states.known("", Path("/f"))
    assert known
    assert (known.identity, [seen.first for seen in known.seen.values()]) == (later, [2])


def test_a_write_makes_earlier_answers_void() -> None:
    states = FileStates()
    states.read("", Path("/f"), _HERE, shown=("1+1", "a"), seen=_seen("one"))

    states.wrote("", Path("/f"), _HERE, "digest", "two\n")

    known = states.known("", Path("/f"))
    assert known
    assert (known.written, known.text, known.seen) == ("digest", "two\n", {})
    assert states.shown("", Path("/f"), "1+1") == ""


def test_states_are_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    states = FileStates()
    states.read("s", Path("/f"), _HERE, shown=("1+1", "a"), seen=_seen("é\u2028"))
    states.wrote("s", Path("/gone"), None, "")

    states.save(tmp_path / "states.json")
    loaded = FileStates.load(tmp_path / "states.json")

    assert loaded.known("s", Path("/f")) == states.known("s", Path("/f"))
    assert loaded.known("s", Path("/gone")) == states.known("s", Path("/gone"))
    assert loaded.shown("s", Path("/f"), "1+1") == "a"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", '[["s","/f",{}]]', '[["s","/f",{"identity":null,"shown":[],"seen":{}}]]'],
)
def test_a_broken_file_of_states_is_like_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "states.json").write_text(text, encoding="utf-8")

    assert FileStates.load(tmp_path / "states.json").known("s", Path("/f")) is None


def test_a_session_can_be_forgotten_alone() -> None:
    states = FileStates()
    for session in ("a", "b"):
        states.read(session, Path("/f"), _HERE, shown=("1+1", "p"), seen=_seen("x"))

    states.forget("a")

    assert states.known("a", Path("/f")) is None
    assert states.known("b", Path("/f")) is not None
