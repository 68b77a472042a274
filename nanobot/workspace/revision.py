"""The step from a file's old bytes to its new ones, in the name of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.encoding import Encoding, NotText, decoded, encoded
from nanobot.workspace.fingerprint import digest

if TYPE_CHECKING:
    from nanobot.workspace.states import FileStates
    from nanobot.workspace.target import Target

_LARGEST = 64 * 1024 * 1024


class FileChanged(ToolError):  # names the condition (STYLE.md 10)
    """The file changed since the session last read or wrote it. `path` is its real path."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"'{visible_line(path)}' changed since you last read it; nothing was written",
            hint="Read it again, then repeat the change on what stands there now.",
        )
        self.path = path


class Revision:
    """A target while a session changes it. The target's folder is locked for as long."""

    def __init__(self, target: Target, states: FileStates, session: str) -> None:
        self._target = target
        self._states = states
        self._session = session
        self._bytes: bytes | None = None

    def refuse_changed(self) -> None:
        """Stop when the file is another than the session last saw.

        Raises:
            FileChanged: it is, and its bytes are not those the session wrote or saw whole.
        """
        path = self._target.path
        if not self._states.changed(self._session, path, self._target.identity):
            return
        known = self._states.whole(self._session, path)
        if not known or digest(self._read()) != known:
            raise FileChanged(str(path))

    def bytes_or_none(self) -> bytes | None:
        """The bytes that stand there; None when there is no file, or it is too large to edit."""
        identity = self._target.identity
        return None if identity is None or identity.size > _LARGEST else self._read()

    def text(self) -> tuple[str, Encoding]:
        """The text that stands there, "" for a new file, and how it is written.

        Raises:
            ToolError: it is no text, so that an edit could damage it; or over 64 MB.
        """
        try:
            return decoded(self._read())
        except NotText as error:
            raise ToolError(
                f"'{visible_line(self._target.path.name)}' is no UTF-8 text and can't be edited "
                f"without damage: {error}",
                hint="Convert it first, or change it with a program that knows its encoding.",
            ) from error

    def text_or_empty(self) -> str:
        """The text that stands there; "" for none, or for what is no text."""
        try:
            return self.text()[0]
        except ToolError:
            return ""

    def write(self, data: bytes) -> None:
        """Replace the bytes; the session knows them from now on."""
        made = self._target.replace(data)
        self._states.wrote(self._session, made.path, made.identity, made.digest)

    def _read(self) -> bytes:
        if self._bytes is None:
            self._bytes = self._target.read(_LARGEST)
        return self._bytes


def rewritten(old: bytes | None, content: str) -> bytes:
    r"""The bytes for new content: encoding, mark and CRLF of the old file are kept. Pure.

    CRLF is kept when every line end of the old text is one and the content has only `\n`.
    """
    encoding, text = Encoding(codec="utf-8", mark=b""), ""
    if old:
        try:
            text, encoding = decoded(old)
        except NotText:
            return content.encode()
    crlf = text.count("\r\n")
    if crlf and crlf == text.count("\n") and "\r" not in content:
        content = content.replace("\n", "\r\n")
    return encoded(content.removeprefix("\ufeff") if encoding.mark else content, encoding)


__all__ = ["FileChanged", "Revision", "rewritten"]
