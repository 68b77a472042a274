"""Repeats and violations, counted per run."""

from __future__ import annotations


class CallGuard:
    """What one run has looked up, and which boundaries it has tried."""


__all__ = ["CallGuard"]
