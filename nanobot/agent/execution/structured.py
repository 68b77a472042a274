"""A result's data held to its tool's `output_schema`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from nanobot.agent.tools.validation import compile_schema
from nanobot.errors import ToolSetupError

if TYPE_CHECKING:
    from nanobot.agent.execution.outcome import Outcome

_log = logging.getLogger(__name__)


def check_structured(outcome: Outcome, tool: object) -> None:
    """Drop data that does not fit, and log why.

    The call stays what it was, and the model keeps the text: the work is done, and the fault is
    the tool's, which a model can't mend. A failure's data is never checked (CASES.md G2).
    """
    schema = getattr(tool, "output_schema", None)
    if outcome.status == "error" or not isinstance(schema, dict):
        return
    try:
        faults = compile_schema(schema).faults(outcome.structured, "result")
    except ToolSetupError as error:
        faults = [f"the schema can't be used: {error.message}"]
    if faults:
        _log.warning("%s: its result does not fit its output_schema: %s", outcome.name, faults[0])
        outcome.structured = None


__all__ = ["check_structured"]
