"""What can be wrong with a document.

```
ToolError
└── DocumentFault           a document can't be shown
    ├── BrokenDocument      it is damaged, or not what its first bytes say
    ├── DocumentTooLarge    it needs more memory, time or room than it may have
    ├── DocumentLocked      it needs a password
    ├── UnknownDocument     a container of something that is not read here
    └── MissingLibrary      the library that reads it is not installed
```
"""

from __future__ import annotations

from typing import Self

from nanobot.errors import ToolError
from nanobot.workspace.sizes import shown_size

LARGEST = 200 * 1024 * 1024
"""Documents of more bytes are not read."""


class DocumentFault(ToolError):
    """A document can't be shown."""


class BrokenDocument(DocumentFault):
    """It is damaged, or not what its first bytes say."""


class DocumentTooLarge(DocumentFault):
    """It needs more memory, time or room than it may have."""

    @classmethod
    def by_size(cls, size: int) -> Self:
        """It has more than `LARGEST` bytes."""
        return cls(
            f"The document has {shown_size(size)}; at most {shown_size(LARGEST)} are read",
            hint="Ask the person for a smaller one, or split it with a program.",
        )


class DocumentLocked(DocumentFault):
    """It needs a password."""


class UnknownDocument(DocumentFault):
    """A container of something that is not read here."""


class MissingLibrary(DocumentFault):
    """The library that reads it is not installed."""

    def __init__(self, library: str) -> None:
        super().__init__(
            f"Reading it needs {library}, which is not installed",
            hint='A person can install it: pip install "nanobot-tools[documents]"',
        )


__all__ = [
    "LARGEST",
    "BrokenDocument",
    "DocumentFault",
    "DocumentLocked",
    "DocumentTooLarge",
    "MissingLibrary",
    "UnknownDocument",
]
