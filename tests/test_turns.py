from __future__ import annotations

import threading
import time

import pytest

from nanobot.turns import Turns


def test_threads_take_turns() -> None:
    turns, inside, most = Turns(), [0], [0]

    def work() -> None:
        for _ in range(50):
            with turns.one():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0)
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1]


def test_a_turn_that_hangs_holds_nobody_up_for_long() -> None:
    turns = Turns(longest_wait_s=0.02)
    begun, over = threading.Event(), threading.Event()

    def hang() -> None:
        with turns.one():
            begun.set()
            over.wait()

    thread = threading.Thread(target=hang)
    thread.start()
    begun.wait()
    for _ in range(3):
        with turns.one():
            pass
    over.set()
    thread.join()

    with turns.one():
        assert not thread.is_alive()


def test_an_error_ends_its_turn() -> None:
    turns = Turns(longest_wait_s=3_600)
    for _ in range(2):
        with pytest.raises(KeyError), turns.one():
            _ = dict[str, int]()["missing"]
