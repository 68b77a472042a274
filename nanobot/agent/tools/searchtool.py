"""`SearchTool`: what the tools that search share: how a search runs, and what it may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.agent.tools.filetool import FileTool
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.searching import Runs, Wanted, open_scope
from nanobot.threads import in_thread
from nanobot.workspace.ripgrep import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanobot.agent.tools.searching import Scope


class SearchTool(FileTool):
    """A tool that looks for files or text, in a program of its own."""

    read_only = True
    landlock = True
    """Whether the kernel may help to hold the search inside, where it can."""
    memory = MEMORY
    """How many bytes of memory the search program may take."""
    python = False
    """Whether ripgrep's stand-in searches, also where there is ripgrep."""

    async def searched(
        self,
        path: str,
        *,
        glob: str | None,
        kind: str | None,
        include_ignored: bool,
        answer: Callable[[Scope], str],
        folders: bool = False,
    ) -> ToolResult:
        """What `answer` makes of the scope, off the loop. A call that is cancelled ends its runs.

        Raises:
            OutsideWorkspace: the path leaves the workspace.
            ToolError: there is nothing, or the glob, the type or the pattern can't be used.
        """
        wanted = Wanted(
            path=path,
            glob=glob,
            kind=kind,
            include_ignored=include_ignored,
            folders=folders,
            landlock=self.landlock,
            memory=self.memory,
            python=self.python,
        )
        with Runs() as runs:

            def run() -> str:
                with open_scope(self.workspace, wanted, runs) as scope:
                    return answer(scope)

            return ToolResult(await in_thread(run))


__all__ = ["SearchTool"]
