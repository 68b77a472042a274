"""Child processes: what travels between them and their parents."""
