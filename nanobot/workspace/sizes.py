"""Sizes as people read them."""

from __future__ import annotations

_STEP = 1024


def shown_size(count: int) -> str:
    """`512 bytes`, `1.5 KB`, `101.0 MB`: steps of 1,024, one decimal."""
    if count < _STEP:
        return f"{count} byte{'s' * (count != 1)}"
    size = float(count)
    for unit in ("KB", "MB", "GB"):
        size /= _STEP
        if size < _STEP:
            return f"{size:.1f} {unit}"
    return f"{size / _STEP:,.1f} TB"


__all__ = ["shown_size"]
