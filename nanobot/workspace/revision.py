"""The step from a file's old bytes to its new ones, in the name of a session."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible, visible_line
from nanobot.workspace.diffs import bounded_diff
from nanobot.workspace.encoding import Encoding, NotText, decoded, encoded
from nanobot.workspace.fingerprint import digest_of_small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.workspace.seen import Known, Seen
    from nanobot.workspace.states import FileStates
    from nanobot.workspace.target import Target
    from nanobot.workspace.transaction import Committed

_LARGEST = 64 * 1024 * 1024
_MOST_ROWS = 60
_MOST_FOLLOWED = 8  # ranges of lines
_LARGEST_KEPT = 128 * 1024


class FileChanged(ToolError):  # names the condition (STYLE.md 10)
    """The file changed since the session last read or wrote it.

    `path` is its real path, `given` how the model wrote it. `diff` shows what changed in the lines
    that the session had seen, at most 60 rows; "" where their text was not kept.
    """

    def __init__(self, path: str, diff: str = "", *, given: str = "") -> None:
        said = (
            f"'{visible_line(given or path)}' changed since you last read it; nothing was written"
        )
        shown = f". What changed in the lines you had seen:\n{visible(diff)}" if diff else ""
        super().__init__(
            said + shown, hint="Read it again, then repeat the change on what stands there now."
        )
        self.path = path
        self.diff = diff


class Revision:
    """A target while a session changes it. The target is locked for as long."""

    def __init__(self, target: Target, states: FileStates, session: str) -> None:
        self._target = target
        self._states = states
        self._session = session
        self._bytes: bytes | None = None

    def refuse_changed(self, *, whole: bool = False) -> None:
        """Stop when the file is another than the session last saw.

        A file with another identity passes when its bytes are those that the session wrote, or
        when the lines it was shown are the same as then. Before an edit that is enough also when
        it was shown none: an edit changes only what it names.

        Args:
            whole: everything is about to be replaced, so that those lines must be the whole file.

        Raises:
            FileChanged: the file changed.
        """
        identity = self._target.identity
        known = self._states.known(self._session, self._target.path)
        if known is None or identity is None or known.identity == identity:
            return
        if known.written and digest_of_small(self._read()) == known.written:
            return
        with self._target.open() as descriptor:
            pairs = [(seen, seen.now(descriptor)) for seen in known.seen.values()]
        changed = [(seen, now) for seen, now in pairs if not seen.same(now)]
        enough = not whole or any(seen.whole for seen, _ in pairs)
        if changed or not enough:
            diff = self._diff(known, changed)
            raise FileChanged(str(self._target.path), diff, given=self._target.given)

    def _diff(self, known: Known, changed: Sequence[tuple[Seen, Seen]]) -> str:
        name, room, parts = visible_line(self._target.path.name), _MOST_ROWS, []
        for seen, now in changed:
            part = seen.diff(now, name, most=room)
            room -= part.count("\n") + 1
            parts += [part] if part else []
            if room <= 0:
                break
        if not parts and known.text:
            with suppress(ToolError):
                parts = [bounded_diff(known.text, self.text()[0], name, most=_MOST_ROWS)]
        return "\n".join(dict.fromkeys(parts))

    def bytes_or_none(self) -> bytes | None:
        """The bytes that stand there; None when there is no file, or it is too large to edit."""
        identity = self._target.identity
        return None if identity is None or identity.size > _LARGEST else self._read()

    def data(self) -> bytes:
        """The bytes that stand there; empty when there is no file.

        Raises:
            ToolError: they are over 64 MB.
        """
        return self._read()

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
        self.remember(self._target.replace(data), _kept(data))

    def remember(self, made: Committed, text: str) -> None:
        """The file was committed, with this text: the session knows it from now on."""
        seen = self._seen_now() if made.identity else None
        self._states.wrote(self._session, made.path, made.identity, made.digest, text, seen)

    def _seen_now(self) -> dict[str, Seen]:
        """The lines that the session had been shown last, with its own change in them."""
        known = self._states.known(self._session, self._target.path)
        if known is None or not known.seen:
            return {}
        with self._target.open() as descriptor:
            last = list(known.seen.items())[-_MOST_FOLLOWED:]
            return {range_: seen.now(descriptor) for range_, seen in last}

    def _read(self) -> bytes:
        if self._bytes is None:
            self._bytes = self._target.read(_LARGEST)
        return self._bytes


def _kept(data: bytes) -> str:
    """The text of bytes that were written, where it is short enough to keep for a later diff."""
    try:
        return decoded(data)[0] if len(data) <= _LARGEST_KEPT else ""
    except NotText:
        return ""


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
