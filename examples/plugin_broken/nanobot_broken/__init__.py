"""A plugin that fails when it is imported."""

raise RuntimeError("the dice are missing")
