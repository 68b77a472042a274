"""Two tools in one plugin: a function and a class."""

import secrets
from typing import Annotated

from pydantic import Field

from nanobot.agent.tools import StringSchema, Tool, tool, tool_parameters, tool_parameters_schema

__all__ = ["FlipCoinTool", "roll_dice"]


@tool(title="Roll dice")
def roll_dice(
    sides: Annotated[int, Field(ge=1, le=1000)] = 6,
    count: Annotated[int, Field(ge=1, le=100)] = 1,
) -> str:
    """Throw dice and say what each one shows.

    Args:
        sides: How many sides each die has.
        count: How many dice to throw.
    """
    throws = [secrets.randbelow(sides) + 1 for _ in range(count)]
    return f"{' + '.join(map(str, throws))} = {sum(throws)}"


@tool_parameters(
    tool_parameters_schema(
        call=StringSchema("Your bet", enum=["heads", "tails"]), required=["call"]
    )
)
class FlipCoinTool(Tool):
    """Flip a coin against a bet."""

    name = "flip_coin"
    description = "Flip a coin and say whether the bet was won."

    async def execute(self, call: str) -> str:
        shown = secrets.choice(["heads", "tails"])
        return f"{shown}: you {'win' if shown == call else 'lose'}"
