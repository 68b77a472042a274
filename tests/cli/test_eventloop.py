"""A loop that ends in time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from nanobot.cli.eventloop import run_to_end
from nanobot.cli.failure import Stopped


async def _interrupt(number: int) -> None:
    os.kill(os.getpid(), number)
    await asyncio.sleep(30)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminate"])
def test_a_signal_cancels_and_is_told(number: int) -> None:
    with pytest.raises(Stopped) as stopped:
        run_to_end(lambda: _interrupt(number))

    assert stopped.value.status == 128 + number


def test_the_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)

    assert run_to_end(lambda: asyncio.sleep(0, "done")) == "done"
    assert signal.getsignal(signal.SIGINT) is before


_STUCK = """
import asyncio, threading, time
from nanobot.cli.eventloop import run_to_end
from nanobot.threads import in_thread

async def main():
    loop = asyncio.get_running_loop()
    loop.run_in_executor(None, threading.Event().wait)
    waiting = asyncio.ensure_future(in_thread(threading.Event().wait))
    await asyncio.sleep(0.05)
    waiting.cancel()
    print("answer", flush=True)

run_to_end(main)
"""


def test_stuck_threads_do_not_hold_the_end_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STUCK], capture_output=True, text=True, timeout=20, check=True
    )

    assert done.stdout == "answer\n"


_DEAF = """
import asyncio, os, signal
from nanobot.cli.eventloop import run_to_end

async def main():
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            os.kill(os.getpid(), signal.SIGINT)

run_to_end(main)
"""


def test_a_second_ctrl_c_ends_what_will_not_stop() -> None:
    done = subprocess.run([sys.executable, "-c", _DEAF], timeout=20, check=False)

    assert done.returncode == 130
