"""Workers that are late, stuck, killed, cancelled, or not to be trusted."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.documents.faults import BrokenDocument, DocumentFault
from nanobot.documents.pool import Errand, WorkerPool
from nanobot.errors import ToolError
from tests.documents.samples import pdf
from tests.documents.workers import is_worker, wait_for, workers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nanobot.jsonvalue import JsonObject


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[ReadFileTool]:
    (tmp_path / "a.pdf").write_bytes(pdf(2))
    made = ReadFileTool(tmp_path)
    yield made
    made.documents.close()


async def stopped_worker(tool: ReadFileTool) -> int:
    """A worker that is up, has the PDF, and answers nothing any more."""
    await tool.execute("a.pdf", pages="1")
    (worker,) = workers()
    os.kill(worker, signal.SIGSTOP)
    return worker


async def asking(tool: ReadFileTool) -> asyncio.Task[object]:
    """A call that waits for a worker's answer."""
    task: asyncio.Task[object] = asyncio.create_task(tool.execute("a.pdf", pages="2"))
    await asyncio.to_thread(wait_for, lambda: tool.documents.working > 0)
    return task


async def test_a_cancelled_call_ends_its_worker(tool: ReadFileTool) -> None:
    worker = await stopped_worker(tool)
    task = await asking(tool)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    wait_for(lambda: not is_worker(worker))
    assert "Text of page 2" in str(await tool.execute("a.pdf", pages="2"))


async def test_closing_ends_also_a_worker_that_works(tool: ReadFileTool) -> None:
    worker = await stopped_worker(tool)
    task = await asking(tool)

    tool.documents.close()

    with pytest.raises(BrokenDocument):
        await task
    assert not is_worker(worker)
    assert "Text of page 2" in str(await tool.execute("a.pdf", pages="2"))


def start(pool: WorkerPool, file: int, key: int, errand: Errand) -> Future[object]:
    """Ask for page 1 of a PDF, in a thread."""
    answer: Future[object] = Future()
    request: JsonObject = {"kind": "pdf", "key": key, "first": 0, "count": 9, "budget": 99}

    def ask() -> None:
        try:
            answer.set_result(pool.ask(request, file, [key], errand))
        except ToolError as error:
            answer.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    return answer


def test_who_waits_for_busy_workers_may_give_up(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(1))
    pool = WorkerPool(memory=1 << 30, deadline_s=30)
    busy, waiting = Errand(), Errand()
    with (tmp_path / "a.pdf").open("rb") as file:
        stuck = []
        for key in (1, 2):
            start(pool, file.fileno(), key, busy).result(30)
            for worker in workers():
                os.kill(worker, signal.SIGSTOP)
            stuck.append(start(pool, file.fileno(), key, busy))
            wait_for(lambda: pool.working == len(stuck))
        third = start(pool, file.fileno(), 3, waiting)
        with waiting:
            pass

        assert isinstance(third.exception(30), BrokenDocument)
        assert pool.working == 2
        pool.close()
        assert [type(one.exception(30)) for one in stuck] == [BrokenDocument, BrokenDocument]
    assert workers() == []


def test_workers_end_with_their_pool(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(1))
    pool = WorkerPool(memory=1 << 30, deadline_s=30)
    with (tmp_path / "a.pdf").open("rb") as file:
        start(pool, file.fileno(), 1, Errand()).result(30)
    before = workers()

    del pool
    gc.collect()

    assert len(before) == 1
    wait_for(lambda: not workers())


_NONSENSE = {
    "no object": b"\\0\\0\\0\\x02[]",
    "no JSON": b"\\0\\0\\0\\x02{x",
    "nested without end": b"\\0\\1\\0\\0" + b"[" * 65_536,
    "an answer longer than any": b"\\xff\\xff\\xff\\xff{}",
    "nothing": b"",
}


@pytest.mark.parametrize("sent", _NONSENSE.values(), ids=_NONSENSE.keys())
async def test_a_worker_that_answers_nonsense_is_a_broken_document(
    tool: ReadFileTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    program = tmp_path / "program"
    data = sent.decode("latin-1").encode("unicode_escape").decode("ascii").replace("\\\\", "\\")
    program.write_text(
        f"#!{sys.executable} -I\nimport os, sys\nos.write(int(sys.argv[-2]), b'{data}')\n",
        encoding="ascii",
    )
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))

    with pytest.raises(BrokenDocument, match="too large or broken"):
        await tool.execute("a.pdf")


async def test_a_worker_that_cannot_be_started_is_told(
    tool: ReadFileTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))

    with pytest.raises(DocumentFault, match="can't be started: No such file"):
        await tool.execute("a.pdf")


def test_an_errand_that_is_over_asks_nobody() -> None:
    pool = WorkerPool(memory=1 << 30, deadline_s=30)
    with Errand() as errand:
        pass

    with open(os.devnull, "rb") as file, pytest.raises(BrokenDocument):  # noqa: PTH123  # a device
        pool.ask({"kind": "mail", "key": []}, file.fileno(), [], errand)

    pool.close()
