"""Child processes: whole trees that end with their owner, their limits, their environment."""
