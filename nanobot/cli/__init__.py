"""The command `nanobot`: prints and asks."""
