"""`Target`: one file about to be written, locked, its old bytes at hand, replaced whole.

The new bytes go to a temporary file in the same folder, reach the disk, and take the old name in
one step: whoever looks sees old or new, never a mixture. Mode, owner and extended attributes stay;
a link stays a link. A hard link keeps the old bytes under its other name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from nanobot.workspace.identity import Identity
    from nanobot.workspace.transaction import Committed, Transaction


class Target:
    """The file that `path` means in a transaction; `Workspace.target` makes it for a single one.

    `path` is the real path, `given` what was written for it.
    """

    def __init__(self, transaction: Transaction, path: str) -> None:
        self._transaction = transaction
        self.given = path
        self.path: Path = transaction.path(path)

    @property
    def identity(self) -> Identity | None:
        """The file's identity now; None when there is no file."""
        return self._transaction.identity(self.given)

    def read(self, most: int) -> bytes:
        """The file's bytes; empty when there is no file.

        Raises:
            ToolError: it has more than `most` bytes.
        """
        return self._transaction.bytes(self.given, most=most) or b""

    def open(self) -> AbstractContextManager[int]:
        """A descriptor to read the file that stands there; `FileNotFoundError` for none."""
        return self._transaction.open(self.given)

    def stage(self, data: bytes) -> None:
        """Let the transaction's `commit` give the name these bytes, with all else it changes."""
        self._transaction.write(self.given, data)

    def replace(self, data: bytes) -> Committed:
        """Give the name these bytes, whole or not at all; the file as it is afterwards.

        Missing folders are made. The old file is kept in the journal.
        """
        self._transaction.write(self.given, data)
        return self._transaction.commit()[0]


__all__ = ["Target"]
